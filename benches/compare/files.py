"""Tools on content beside the programs that do the same: FS.HashFile and sha256sum, FS.CopyFile and cp."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile

import process
import show
from build import Built
from report import Report

FULL_MIB, QUICK_MIB = 256, 2


def run(built: Built, mib: int, rounds: int) -> Report:
    """Makes a file of so many MiB, compares what comes out, and measures."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="files-") as place:
        show.note(f"a file of {mib} MiB")
        _make(os.path.join(place, "data"), mib)
        for title, commands in contestants(built, place).items():
            report.series[title] = process.in_turn(commands, rounds, place)
            report.blocks.append(show.comparison(f"{title}, {mib} MiB", report.series[title], "ns"))
        _check(built, place)
    show.note("")
    return report


def contestants(built: Built, place: str) -> dict[str, dict[str, list[str]]]:
    """The commands that do the same, by what they do."""
    call = lambda tool, **args: [built.ns, "call", tool, json.dumps(args), "--sandbox", place]
    copied = {"source_path": "data", "destination_path": "ours", "overwrite": True}
    durable = "cp data theirs && sync theirs"
    return {
        "checksum": {"ns": call("hash_file", path="data"), "sha256sum": ["sha256sum", "data"]},
        "copy": {"ns": call("copy_file", **copied), "cp": ["cp", "data", "theirs"], "cp, then sync": ["sh", "-c", durable]},
    }


def _make(path: str, mib: int) -> None:
    block = b"".join(hashlib.sha512(str(number).encode()).digest() for number in range(1 << 14))
    with open(path, "wb") as file:
        for _ in range(mib):
            file.write(block)


def _check(built: Built, place: str) -> None:
    """Whether the checksums agree, and the copies."""
    commands = contestants(built, place)["checksum"]
    ours = json.loads(process.run(commands["ns"], place).output)["checksum"]
    theirs = process.run(commands["sha256sum"], place).output.split()[0]
    if ours != theirs:
        raise process.Failed(f"the checksums differ: {ours}, {theirs}")
    for name in ("ours", "theirs"):
        process.run(["cmp", os.path.join(place, "data"), os.path.join(place, name)])
    shutil.rmtree(os.path.join(place, ".ns"), ignore_errors=True)
