"""Walks of one folder: `FS.WalkDir` and `FS.Find` beside a bare loop of system calls, programs, crates and other languages."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median

import process
import show
from build import BENCHES, Built
from report import Chart, Goal, Report, Spread, ratio

BARE = "bare getdents64 + statx"
FIND = "find -printf"
FD = "fd -l"
OURS = "ns"
FIELDS = "ns, all fields read"
NAMES = "ns, names and kinds alone"
FOUND = "ns, FS.Find"
FOUND_NAMES = "ns, FS.Find, names and kinds alone"
FIND_NAMES = "find -printf, names and kinds alone"
PORTABLE = ("walkdir", "jwalk", "ignore", "cap_std")
GOALS = {BARE: 1.15, FIND: 0.75, "walkdir + metadata": 0.65, FD: 0.3, "os.scandir": 0.4}
#: CPU of `FS.Find` beside `FS.WalkDir`, which looks at the same entries.
FOUND_GOAL = 1.15
#: Time on the clock with two processors, as times that with one.
THREADS_GOAL = 0.65


def script(built: Built, name: str, folder: str) -> list[str]:
    """The command that runs a script of benches/walks on a folder, which is its sandbox."""
    return [built.ns, "run", "--sandbox", folder, str(BENCHES / "walks" / f"{name}.ns")]


def run(built: Built, folder: str, rounds: int, quick: bool = False) -> Report:
    """Measures walks of a folder; all must meet as many entries."""
    if not Path(folder).is_dir():
        raise process.Failed(f"`{folder}` is no folder")
    folder = os.path.realpath(folder)
    commands, lacking = contestants(built, folder, quick)
    entries = count(commands, folder)
    show.note(f"{folder}: {entries} entries")
    whole = process.in_turn(commands, rounds)
    show.note("")
    of_names = (NAMES, FOUND_NAMES, FIND_NAMES)
    series = {name: usages for name, usages in whole.items() if name not in of_names}
    names = {name: whole[name] for name in (*of_names, OURS)}
    report = Report(series={"walk": series, "names": names})
    report.blocks = [
        f"{folder}: {entries} entries",
        show.comparison("walk", series, OURS, GOALS),
        *show.missing(lacking),
        show.comparison("names and kinds", names, NAMES),
    ]
    for name, goal in GOALS.items():
        if name in series:
            report.goals.append(Goal("`FS.WalkDir` to a finished value, CPU", f"`{name}`", goal, ratio(series[OURS], series[name])))
    for found, walked in ((FOUND, OURS), (FOUND_NAMES, NAMES)):
        report.goals.append(Goal(f"`{found}`, CPU", f"`{walked}`", FOUND_GOAL, ratio(whole[found], whole[walked])))
    report.charts.append(_chart(series, entries))
    if not quick and os.cpu_count() != 1 and shutil.which("taskset"):
        _threads(report, commands[OURS], rounds)
    return report


def contestants(built: Built, folder: str, quick: bool) -> tuple[dict[str, list[str]], list[str]]:
    """The commands of what is here, and the names of what is not."""
    fd = shutil.which("fdfind") or shutil.which("fd")
    python = [sys.executable, str(BENCHES / "peers" / "py" / "walk.py"), folder]
    commands: dict[str, list[str] | None] = {
        OURS: script(built, "whole", folder),
        FIELDS: script(built, "fields", folder),
        NAMES: script(built, "names", folder),
        FOUND: script(built, "find", folder),
        FOUND_NAMES: script(built, "find_names", folder),
        FIND: ["find", folder, "-mindepth", "1", "-printf", "%P %y %s %T@\\n"],
        FIND_NAMES: ["find", folder, "-mindepth", "1", "-printf", "%P %y\\n"],
        "os.scandir": python,
    }
    if not quick:
        walker = lambda name: (program := built.peer("walkers", f"walk_{name}")) and [program, folder]
        commands[FD] = fd and [fd, "-uu", "-l", ".", folder]
        commands["node"] = shutil.which("node") and ["node", str(BENCHES / "peers" / "js" / "walk.js"), folder]
        commands[BARE] = walker("bare")
        commands |= {f"{name} + metadata": walker(name) for name in PORTABLE}
    found = {name: command for name, command in commands.items() if command}
    return found, [name for name, command in commands.items() if not command]


def count(commands: Mapping[str, list[str]], folder: str) -> int:
    """How many entries each walk meets, which must be the same; this also warms the disk's cache."""
    counts = {}
    for name, command in commands.items():
        show.note(f"{name}: counting")
        output = process.run(command).output
        counts[name] = output.count("\n") if name in (FIND, FIND_NAMES, FD) else int(output.split()[0])
    entries = len(process.run(["find", folder, "-mindepth", "1", "-printf", "."]).output)
    # Names may hold line feeds; what prints lines is held to this count where they do not.
    if set(counts.values()) != {entries}:
        raise process.Failed(f"{folder}: the counts of entries differ: {counts}, find meets {entries}")
    return entries


def _threads(report: Report, command: list[str], rounds: int) -> None:
    """The clock with one processor and with all."""
    series = process.in_turn({"one processor": ["taskset", "-c", "0", *command], "two": ["taskset", "-c", "0,1", *command]}, rounds)
    pairs = zip(series["two"], series["one processor"])
    times = Spread.of([two.clock_ms / one.clock_ms for two, one in pairs])
    report.series["threads"] = series
    rows = [[name, show.clock(usages), show.cpu(usages)] for name, usages in series.items()]
    report.blocks.append(show.table(["`FS.WalkDir` on", "ms on the clock", "ms of CPU"], rows))
    report.goals.append(Goal("`FS.WalkDir` with two threads, clock", "one processor", THREADS_GOAL, times))


def _chart(series: process.Series, entries: int) -> Chart:
    bars = [
        (name, Spread.of([usage.cpu_ms for usage in usages]), name.startswith("ns")) for name, usages in series.items()
    ]
    return Chart("walk", f"A walk over {entries:,} entries: ms of CPU", sorted(bars, key=lambda bar: bar[1].middle))
