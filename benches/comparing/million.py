"""The memory of a walk over very many files: a tree is made, walked, and removed again."""

from __future__ import annotations

import os
import stat
import tempfile

from . import process, show, walk
from .build import Built

#: What the first row may take at its peak, for a million files.
GOAL_MB = 150


def run(built: Built, folders: int, files: int) -> str:
    """Makes `folders` with so many `files` each, walks them, and makes the table."""
    show.note(f"{folders * files} files")
    with tempfile.TemporaryDirectory(prefix="ns-million-") as top:
        _fill(top, folders, files)
        usages = {
            f"LEN alone (goal {GOAL_MB})": process.run(walk.script(built, "len", top)),
            "fields of all rows": process.run(walk.script(built, "fields", top)),
        }
    show.note("")
    entries = folders * (files + 1)
    for name, usage in usages.items():
        if int(usage.output.split()[0]) != entries:
            raise process.Failed(f"{name}: {usage.output.strip()}, there are {entries} entries")
    rows = [[name, show.peak([usage]), show.cpu([usage])] for name, usage in usages.items()]
    return f"{entries} entries\n\n{show.table(['walk', 'peak MiB', 'ms of CPU'], rows)}"


def _fill(top: str, folders: int, files: int) -> None:
    for number in range(folders):
        folder = os.path.join(top, f"folder-{number:06}")
        os.mkdir(folder)
        handle = os.open(folder, os.O_RDONLY)
        for file in range(files):
            os.mknod(f"file-{file:06}.txt", stat.S_IFREG | 0o644, dir_fd=handle)
        os.close(handle)
