"""How the time of a check grows with the text; the measuring is done by benches/parse.rs."""

from __future__ import annotations

import re

import process
import show
from build import Built
from report import Goal, Report, Spread

#: Megabytes a second of a typical script, and the ratio of times for 2n and n of every form that nests.
SPEED, RATIO = 5.0, 2.1


def run(built: Built, *words: str) -> Report:
    """Runs the example and reads its table."""
    show.note("parsing")
    output = process.run([built.example("parse_scaling"), *words]).output.rstrip()
    show.note("")
    report = Report(blocks=[f"```text\n{output}\n```"])
    speed = re.search(r"([\d.]+) MB/s", output)
    if speed:
        rate = float(speed[1])
        report.goals.append(Goal("parse to tree and lowered program", "bytes", SPEED, Spread(rate, rate, rate), "MB/s", least=True))
    nesting = output.partition("-- deep\n")[2].partition("\n-- ")[0]
    ratios = [float(line.replace("<-- more than linear", "").split()[-1]) for line in nesting.splitlines()]
    if ratios:
        worst = Spread(max(ratios), min(ratios), max(ratios))
        report.goals.append(Goal(f"2n over n, worst of {len(ratios)} nesting forms", "linear", RATIO, worst))
    return report
