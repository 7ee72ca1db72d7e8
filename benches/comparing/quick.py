"""A little of everything, once: answers are compared, times are only shown."""

from __future__ import annotations

from . import million, programs, scaling, start, walk
from .build import Built


def run(built: Built) -> str:
    """The tables of all modes, in their short forms."""
    tables = [
        programs.run(built, programs.PROGRAMS, programs.REQUIRED, rounds=1),
        start.run(built, rounds=5),
        walk.run(built, str(programs.BENCHES.parent / "src"), rounds=1),
        million.run(built, folders=20, files=500),
        scaling.run(built, "--quick"),
    ]
    return "\n\n".join(tables)
