"""Tables, and the few statistics in them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import median

from .process import Usage


def note(text: str) -> None:
    """Says on a terminal what is being measured."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def ratio(ours: Sequence[Usage], theirs: Sequence[Usage]) -> float:
    """How many times the CPU time: the median over pairs that were measured in the same round."""
    return median(a.cpu_ms / b.cpu_ms for a, b in zip(ours, theirs))


def cpu(usages: Sequence[Usage]) -> str:
    """The median CPU time in milliseconds, with as many digits as mean something."""
    middle = median(usage.cpu_ms for usage in usages)
    return f"{middle:.2f}" if middle < 10 else f"{middle:.0f}"


def peak(usages: Sequence[Usage]) -> str:
    """The peak memory in MiB; `<` where it is too small to be seen."""
    highest = max(usages, key=lambda usage: usage.peak_mb)
    return f"{'<' if highest.peak_mb <= highest.floor_mb else ''}{highest.peak_mb:.1f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(row, widths) for row in (head, rule, *rows))


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
    return f"| {' | '.join(cells)} |"
