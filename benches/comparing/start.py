"""What it takes to start: an empty script."""

from __future__ import annotations

from . import process, programs, show
from .build import Built

GOAL_MS = 5


def run(built: Built, rounds: int) -> str:
    """Measures empty scripts, and makes the table."""
    peers = [programs.ns("ns", built.ns), *programs.REQUIRED]
    series = process.in_turn({peer.name: peer.run("empty") for peer in peers}, rounds)
    rows = [[name, show.cpu(usages), show.peak(usages)] for name, usages in series.items()]
    return show.table([f"empty script (goal {GOAL_MS} ms)", "ms of CPU", "peak MiB"], rows)
