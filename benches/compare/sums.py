"""A script that walks a folder and sums sizes by extension, beside the same in other languages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import process
import show
from build import BENCHES, Built
from programs import numbers
from report import Goal, Report, ratio
from walk import script

OURS = "ns"
GOALS = {"python3": 0.35, "lua5.4 with lfs": 0.6, "node": 0.35}


def run(built: Built, folder: str, rounds: int) -> Report:
    """Measures the script on a folder; all must find the same sums."""
    folder = os.path.realpath(folder)
    peer = lambda path: [str(BENCHES / "peers" / path), folder]
    candidates = {
        OURS: script(built, "sums", folder),
        "python3": [sys.executable, *peer("py/sums.py")],
        "lua5.4 with lfs": ["lua5.4", *peer("lua/sums.lua")] if has_lfs() else None,
        "node": ["node", *peer("js/sums.js")] if shutil.which("node") else None,
    }
    commands = {name: command for name, command in candidates.items() if command}
    answers = {name: numbers(process.run(command).output) for name, command in commands.items()}
    if len(set(map(tuple, answers.values()))) != 1:
        raise process.Failed(f"sums of {folder} differ: {answers}")
    show.note("sums by extension")
    series = process.in_turn(commands, rounds)
    show.note("")
    extensions, size = map(int, answers[OURS][:2])
    report = Report(series={"sums": series})
    report.blocks = [f"{folder}: {extensions} extensions, {size} bytes", show.comparison("sums by extension", series, OURS, GOALS)]
    report.blocks += show.missing([name for name in candidates if name not in commands])
    for name, goal in GOALS.items():
        if name in series:
            report.goals.append(Goal("script that walks and sums sizes by extension, CPU", name, goal, ratio(series[OURS], series[name])))
    return report


def has_lfs() -> bool:
    """Whether Lua has LuaFileSystem."""
    return bool(shutil.which("lua5.4")) and subprocess.run(["lua5.4", "-e", 'require("lfs")'], capture_output=True).returncode == 0
