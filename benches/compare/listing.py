"""`FS.ListDir` beside fd, ripgrep, git, tree, ls and find on a tree like a repository with its build folders.

About 80,000 entries are made in a temporary folder, of which about 5,400 are not ignored. What each
shows is counted first, and held against the tree itself and `git ls-files`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile

import process
import show
from build import Built
from report import Chart, Goal, Report, Spread, ratio

FULL = 1.0
QUICK = 0.02
OURS = "ns"
ENTRIES, FILES, KEPT, KEPT_FILES = "all entries", "all files, flat", "entries not ignored", "files not ignored, flat"
GOALS = {
    (ENTRIES, "fd -uu"): 0.7,
    (FILES, "fd -uu -t f"): 0.7,
    (KEPT, "fd -H"): 0.45,
    (KEPT_FILES, "rg --files --hidden"): 0.35,
}


def run(built: Built, share: float, rounds: int) -> Report:
    """Makes the tree, so much of it, compares what is shown, and measures."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="listing-") as place:
        top = os.path.join(place, "repository")
        show.note("a repository is made")
        make_tree(top, share)
        every = contestants(built, top)
        report.blocks.append(_compare(top, every))
        for title, commands in every.items():
            show.note(title)
            _measure(report, title, _found(commands), top, rounds)
    show.note("")
    report.blocks += show.missing([name for commands in every.values() for name, command in commands.items() if not command])
    return report


def call(built: Built, top: str, **args: object) -> list[str]:
    """The command that lists the tree with these arguments."""
    return [built.ns, "call", "list_dir", json.dumps(args | {"recursive": True}), "--sandbox", top]


def contestants(built: Built, top: str) -> dict[str, dict[str, list[str] | None]]:
    """The commands that show the same, by what they show; None for what is not here."""
    fd = shutil.which("fdfind") or shutil.which("fd")
    rg, tree = shutil.which("rg"), shutil.which("tree")
    return {
        ENTRIES: {
            OURS: call(built, top),
            "fd -uu": fd and [fd, "-uu"],
            "fd -uu -j1": fd and [fd, "-uu", "-j1"],
            "tree -a": tree and [tree, "-a", "--noreport"],
            "ls -RA": ["ls", "-RA"],
            "find": ["find", "."],
        },
        FILES: {
            OURS: call(built, top, filter="files"),
            "fd -uu -t f": fd and [fd, "-uu", "-t", "f"],
            "rg --files -uu": rg and [rg, "--files", "-uu"],
            "find -type f": ["find", ".", "-type", "f"],
        },
        KEPT: {
            OURS: call(built, top, use_gitignore=True),
            "fd -H": fd and [fd, "-H", "-E", ".git"],
            "fd -H -j1": fd and [fd, "-H", "-E", ".git", "-j1"],
            "tree --gitignore": tree and [tree, "-a", "--noreport", "--gitignore", "-I", ".git"],
        },
        KEPT_FILES: {
            OURS: call(built, top, use_gitignore=True, filter="files"),
            "rg --files --hidden": rg and [rg, "--files", "--hidden", "-g", "!.git"],
            "fd -H -t f": fd and [fd, "-H", "-t", "f", "-E", ".git"],
            "git ls-files -o": ["git", "ls-files", "-o", "--exclude-standard"],
        },
    }


def _found(commands: dict[str, list[str] | None]) -> dict[str, list[str]]:
    return {name: command for name, command in commands.items() if command}


def _compare(top: str, every: dict[str, dict[str, list[str] | None]]) -> str:
    """Counts what each shows; trees begin with a line for the root."""
    counts = {}
    for title, commands in every.items():
        shown = {name: _shown(name, process.run(command, top).output) for name, command in _found(commands).items()}
        if len(set(shown.values())) != 1:
            raise process.Failed(f"{title}: what is shown differs: {shown}")
        counts[title] = shown[OURS]
    everything = count(top)
    if counts[ENTRIES] != everything:
        raise process.Failed(f"the tree has {everything} entries, {counts[ENTRIES]} are shown")
    return ", ".join(f"{number} {title}" for title, number in counts.items())


def _shown(name: str, output: str) -> int:
    lines = output.splitlines()
    if name.startswith("ls"):
        return sum(1 for line in lines if line and not line.endswith(":"))
    has_root = lines[:1] in (["."], ["repository/"])
    return len(lines) - has_root


def _measure(report: Report, title: str, commands: dict[str, list[str]], top: str, rounds: int) -> None:
    series = process.in_turn(commands, rounds, top)
    report.series[title] = series
    goals = {name: goal for (group, name), goal in GOALS.items() if group == title}
    report.blocks.append(show.comparison(title, series, OURS, goals))
    for name, goal in goals.items():
        if name in series:
            report.goals.append(Goal(f"`FS.ListDir`, {title}, CPU", f"`{name}`", goal, ratio(series[OURS], series[name])))
    bars = [(name, Spread.of([usage.cpu_ms for usage in usages]), name == OURS) for name, usages in series.items()]
    name = title.replace(",", "").replace(" ", "-")
    report.charts.append(Chart(f"listing-{name}", f"A repository listed, {title}: ms of CPU", sorted(bars, key=lambda bar: bar[1].middle)))


RULES = """# what builds and editors leave behind
/target/
node_modules/
dist/
build/
*.log
*.tmp
*.py[cod]
__pycache__/
.env
.env.*
!.env.example
.DS_Store
Thumbs.db
*.sw?
*~
/coverage
.idea/
.vscode/*
!.vscode/settings.json
**/generated/*.rs
docs/_build/
npm-debug.log*
yarn-error.log
/tmp
*.orig
"""


def fill(folder, folders, files, suffixes, width=12):
    """So many folders in a tree below one, and so many files in them."""
    made = [folder]
    os.makedirs(folder, exist_ok=True)
    for number in range(folders):
        parent = made[number // width]
        made.append(os.path.join(parent, f"part_{number % width:02d}"))
        os.mkdir(made[-1])
    for number in range(files):
        name = f"module_{number:05d}{suffixes[number % len(suffixes)]}"
        open(os.path.join(made[number % len(made)], name), "w").close()


def make_tree(top, share):
    """The repository; `share` of its full size."""
    many = lambda number: max(4, int(number * share))
    subprocess.run(["git", "init", "-q", "--template=", top], check=True)
    with open(os.path.join(top, ".gitignore"), "w") as file:
        file.write(RULES)
    fill(os.path.join(top, "src"), many(440), many(3_500), [".rs", ".toml", ".md", ".log", ".rs", ".py"])
    fill(os.path.join(top, "web"), many(310), many(2_150), [".ts", ".css", ".html", ".ts", ".tmp"])
    for number in range(8):
        with open(os.path.join(top, "src", f"part_{number % 4:02d}", ".gitignore"), "w") as file:
            file.write("*.bak\n/local\n!keep.bak\n")
    fill(os.path.join(top, "node_modules"), many(6_000), many(44_000), [".js", ".json", ".d.ts", ".md"])
    fill(os.path.join(top, "target"), many(2_000), many(22_000), [".o", ".d", ".rmeta"])


def count(top, leave_out=()):
    total = 0
    for folder, folders, files in os.walk(top):
        if folder == top:
            folders[:] = [name for name in folders if name not in leave_out]
        total += len(folders) + len(files)
    return total
