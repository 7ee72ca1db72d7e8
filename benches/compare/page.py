"""Brings docs/performance.md up to date: what was measured is kept as JSON, and its tables and pictures made of that.

Each mode's part of the page lies between `<!-- MODE -->` and `<!-- /MODE -->`, the goals between those of `goals`;
everything else on the page is written by hand.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import chart
import show
from build import ROOT
from report import Goal, Report, Spread

PAGE = ROOT / "docs" / "performance.md"
PLACE = ROOT / "docs" / "performance"
KEPT = PLACE / "results.json"
GOALS_HEAD = ["what", "against", "goal", "measured (middle half)", "met"]


def save(reports: dict[str, Report]) -> None:
    """Keeps what these modes found beside what others found before, and rewrites page and pictures."""
    PLACE.mkdir(exist_ok=True)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for mode, report in reports.items():
        kept[mode] = {"taken": taken(), "tables": report.blocks, "pictures": [each.name for each in report.charts], **report.data()}
        for each in report.charts:
            (PLACE / f"{each.name}.svg").write_text(chart.svg(each))
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    if PAGE.exists():
        PAGE.write_text(filled(PAGE.read_text(), kept))


def taken() -> dict[str, str]:
    """When and where it was measured, and by which command."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    words = [word for word in sys.argv[1:] if word != "--save"]
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return {
        "command": " ".join(["python3 benches/compare", *_without_paths(words)]),
        "date": date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "machine": f"{os.cpu_count()} processors, {platform.system()} {platform.release()}",
        "load": load,
    }


def _without_paths(words: list[str]) -> list[str]:
    """The words that tell what is measured: not where an ns that was built before lies."""
    return [word for at, word in enumerate(words) if word != "--ns" and words[at - 1] != "--ns"]


def filled(page: str, kept: dict[str, dict]) -> str:
    """The page with the parts that are kept."""
    modes = [name for name in re.findall(r"<!-- (\w+) -->", page) if name in kept]
    goals = [_goal(goal) for mode in modes for goal in kept[mode]["goals"]]
    page = _put(page, "goals", show.table(GOALS_HEAD, [goal.row() for goal in goals]))
    for mode in modes:
        part = kept[mode]
        taken = part["taken"]
        said = f"`{taken['command']}`, {taken['date']}, load {taken['load']}:"
        pictures = [f"![{name}](performance/{name}.svg)" for name in part["pictures"]]
        page = _put(page, mode, "\n\n".join([said, *part["tables"], *pictures]))
    return page


def _goal(kept: dict) -> Goal:
    fields = {name: value for name, value in kept.items() if name != "met"}
    return Goal(**{**fields, "measured": Spread(**kept["measured"])})


def _put(page: str, name: str, text: str) -> str:
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return pattern.sub(lambda match: f"{match[1]}\n{text}\n\n{match[2]}", page)
