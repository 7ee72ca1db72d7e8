"""Walks of one folder: `FS.WalkDir` beside a bare loop of system calls and GNU find."""

from __future__ import annotations

import os
from pathlib import Path

from . import process, show
from .build import Built
from .programs import BENCHES

BARE = "bare loop"
FIND = "find -printf"


def script(built: Built, name: str, folder: str) -> list[str]:
    """The command that runs a script of benches/walks on a folder, which is its sandbox."""
    return [built.ns, "run", "--sandbox", folder, str(BENCHES / "walks" / f"{name}.ns")]


def run(built: Built, folder: str, rounds: int) -> str:
    """Measures walks of a folder, and makes the table."""
    if not Path(folder).is_dir():
        raise process.Failed(f"`{folder}` is no folder")
    folder = os.path.realpath(folder)
    commands = {
        BARE: [built.bare_walk, folder],
        FIND: ["find", folder, "-printf", "%P %y %s %T@\\n"],
        "ns, LEN alone": script(built, "len", folder),
        "ns, fields of all rows": script(built, "fields", folder),
    }
    entries = count(commands, folder)
    return f"{folder}: {entries} entries\n\n{table(process.in_turn(commands, rounds))}"


def count(commands: dict[str, list[str]], folder: str) -> int:
    """How many entries each walk meets, which must be the same; this also warms the disk's cache."""
    dots = process.run(["find", folder, "-mindepth", "1", "-printf", "."])
    counts = {FIND: len(dots.output)}
    for name, command in commands.items():
        if name != FIND:
            counts[name] = int(process.run(command).output.split()[0])
    if len(set(counts.values())) != 1:
        raise process.Failed(f"{folder}: the counts of entries differ: {counts}")
    return counts[FIND]


def table(series: process.Series) -> str:
    """CPU times with their ratios to the bare loop and to find, and peak memories."""
    rows = [
        [
            name,
            show.cpu(usages),
            f"{show.ratio(usages, series[BARE]):.2f}",
            f"{show.ratio(usages, series[FIND]):.2f}",
            show.peak(usages),
        ]
        for name, usages in series.items()
    ]
    return show.table(["walk", "ms of CPU", "times bare", "times find", "peak MiB"], rows)
