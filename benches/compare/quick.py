"""A little of everything, once: answers are compared, times are only shown."""

from __future__ import annotations

import calls
import chores
import files
import idioms
import listing
import million
import parse
import process
import programs
import scaling
import start
import sums
import walk
from build import ROOT, Built
from report import Report

#: What CI has; every further peer takes time that it lacks.
PEERS = ("lua5.4",)


def run(built: Built) -> dict[str, Report]:
    """The short form of every mode."""
    source = str(ROOT / "crates")
    return {
        "programs": programs.run(built, programs.PROGRAMS, PEERS, rounds=1),
        "start": start.run(built, PEERS, rounds=3),
        "calls": calls.run(built, rounds=1),
        "walk": walk.run(built, source, rounds=1, quick=True),
        "sums": sums.run(built, source, rounds=1),
        "million": million.run(built, folders=10, files=500),
        "listing": listing.run(built, listing.QUICK, rounds=1),
        "files": files.run(built, files.QUICK_MIB, rounds=1),
        "chores": chores.run(built, chores.QUICK, rounds=1),
        "scaling": scaling.run(built, quick=True),
        "idioms": idioms.run(built, rounds=1, quick=True),
        "parse": parse.run(built, rounds=1, quick=True),
        "forms": Report(blocks=[process.run([built.example("parse_scaling"), "--quick"]).output.rstrip()]),
    }
