"""The memory of a walk over very many files: a tree is made, walked, and removed again."""

from __future__ import annotations

import os
import stat
import tempfile

import process
import show
import walk
from build import Built
from report import Goal, Report, Spread

#: What a million entries may take at their peak, in MB (10^6 bytes): fields of none read, of all, and by `FS.Find`.
UNREAD_MB, READ_MB, FOUND_MB = 100, 330, 115
MB_IN_MIB = (1 << 20) / 1e6


def run(built: Built, folders: int, files: int) -> Report:
    """Makes `folders` with so many `files` each, and walks them."""
    show.note(f"{folders * files} files")
    with tempfile.TemporaryDirectory(prefix="ns-million-") as top:
        _fill(top, folders, files)
        series = {
            "fields not read": [process.run(walk.script(built, "whole", top))],
            "all fields of all rows read": [process.run(walk.script(built, "fields", top))],
            "names and kinds alone": [process.run(walk.script(built, "names", top))],
            "all rows as maps of their own": [process.run(walk.script(built, "maps", top))],
            "FS.Find, fields not read": [process.run(walk.script(built, "find", top))],
        }
    show.note("")
    entries = folders * (files + 1)
    for name, (usage,) in series.items():
        if int(usage.output.split()[0]) != entries:
            raise process.Failed(f"{name}: {usage.output.strip()}, there are {entries} entries")
    rows = [[name, show.peak(usages), show.cpu(usages)] for name, usages in series.items()]
    report = Report(blocks=[f"{entries} entries", show.table(["walk", "peak MiB", "ms of CPU"], rows)], series={"million": series})
    goals = dict(zip(series, (UNREAD_MB, READ_MB))) | {"FS.Find, fields not read": FOUND_MB}
    for name, goal in goals.items():
        peak = Spread.of([usage.peak_mb * MB_IN_MIB for usage in series[name]])
        report.goals.append(Goal(f"{entries:,} entries in memory, {name}", "—", goal, peak, "MB"))
    return report


def _fill(top: str, folders: int, files: int) -> None:
    for number in range(folders):
        folder = os.path.join(top, f"folder-{number:06}")
        os.mkdir(folder)
        handle = os.open(folder, os.O_RDONLY)
        for file in range(files):
            os.mknod(f"file-{file:06}.txt", stat.S_IFREG | 0o644, dir_fd=handle)
        os.close(handle)
