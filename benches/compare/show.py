"""Tables, and how numbers stand in them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from statistics import median

from process import Series, Usage
from report import number, ratio


def note(text: str) -> None:
    """Says on a terminal what is being measured."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def cpu(usages: Sequence[Usage]) -> str:
    """The median CPU time in milliseconds."""
    return number(median(usage.cpu_ms for usage in usages))


def clock(usages: Sequence[Usage]) -> str:
    """The median time on the clock in milliseconds."""
    return number(median(usage.clock_ms for usage in usages))


def peak(usages: Sequence[Usage]) -> str:
    """The peak memory in MiB; `<` where it is too small to be seen."""
    highest = max(usages, key=lambda usage: usage.peak_mb)
    return f"{'<' if highest.peak_mb <= highest.floor_mb else ''}{highest.peak_mb:.1f}"


def comparison(title: str, series: Series, ours: str, goals: Mapping[str, float] = {}) -> str:
    """One row for each that took part; how many times it the one of ours takes, and the goal."""
    rows = []
    for name, usages in series.items():
        times = "" if name == ours else ratio(series[ours], usages).shown()
        goal = f"≤ {goals[name]:g}" if name in goals else ""
        rows.append([name, cpu(usages), times, goal, peak(usages), clock(usages)])
    return table([title, "ms of CPU", f"{ours} / it", "goal", "peak MiB", "ms on the clock"], rows)


def missing(names: Sequence[str]) -> list[str]:
    """A block that names what is not on this machine."""
    return [f"Missing on this machine, so not measured: {', '.join(names)}."] if names else []


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(row, widths) for row in (head, rule, *rows))


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
    return f"| {' | '.join(cells)} |"
