"""What it takes to start: an empty script."""

from __future__ import annotations

from collections.abc import Sequence

import process
import programs
import show
from build import Built
from report import Goal, Report, Spread, ratio

#: At most so many times the CPU of Lua, and so many milliseconds.
GOAL, GOAL_MS = 1.5, 3


def run(built: Built, only: Sequence[str] | None, rounds: int) -> Report:
    """Measures empty scripts."""
    others, lacking = programs.peers(built, only)
    peers = [programs.ns("ns", built.ns), *others]
    show.note("empty scripts")
    series = process.in_turn({peer.name: peer.run("empty") for peer in peers}, rounds)
    show.note("")
    report = Report(series={"start": series})
    report.blocks = [show.comparison("empty script", series, "ns", {"lua5.4": GOAL}), *show.missing(lacking)]
    if "lua5.4" in series:
        report.goals.append(Goal("start of an empty script, CPU", "lua5.4", GOAL, ratio(series["ns"], series["lua5.4"])))
    ms = Spread.of([usage.cpu_ms for usage in series["ns"]])
    report.goals.append(Goal("start of an empty script, CPU", "—", GOAL_MS, ms, "ms"))
    return report
