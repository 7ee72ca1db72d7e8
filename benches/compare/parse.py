"""What `ns check` takes: for a long script, and for every form that nests at n and at 2n.

Other forms of repetition are measured within one process by benches/parse.rs.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import process
import show
from build import Built
from report import Goal, Report, Spread, number
from scaling import PROCEDURE

#: Megabytes a second of a typical script, and the ratio of times for 2n and n of every form that nests.
SPEED_GOAL, RATIO_GOAL = 5.0, 2.1
#: Half of what may be nested by default.
DEPTH = 128
FULL_BYTES, QUICK_BYTES = 4_000_000, 100_000
#: Of lines nested to `DEPTH`: some hundred milliseconds of each form, so that noise of a few does not tell.
FULL_NESTED, QUICK_NESTED = 1_500_000, 20_000
#: What stands before all lines, and a line that nests n deep.
FORMS = {
    "parentheses": ("", lambda n: f"EMIT {'(' * n}1{')' * n}"),
    "lists": ("", lambda n: f"EMIT {'[' * (n - 1)}1{']' * (n - 1)}"),
    "maps": ("", lambda n: 'EMIT ' + '{"k": ' * (n - 1) + "1" + "}" * (n - 1)),
    "calls": ("", lambda n: f"EMIT {'LEN(' * n}1{')' * n}"),
    "calls of a procedure": ("DEFINE PROCEDURE P(a)\n  RETURN a\nEND\n", lambda n: f"EMIT {'P(' * n}1{')' * n}"),
    "indices in indices": ("SET a = [0]\n", lambda n: f"EMIT {'a[' * n}0{']' * n}"),
    "a chain of indices": ("SET a = [0]\n", lambda n: f"EMIT a{'[0]' * n}"),
    "a chain of fields": ("SET a = {}\n", lambda n: f"EMIT a{'.b' * n}"),
    "NOT": ("", lambda n: f"EMIT {'NOT ' * n}true"),
    "signs": ("", lambda n: f"EMIT {'- ' * n}1"),
    "powers": ("", lambda n: f"EMIT 1{' ** 1' * n}"),
    "blocks": ("", lambda n: f"{_line('IF LEN(ARGS) == 0 THEN') * n}EMIT 1\n{_line('END') * n}".rstrip()),
}


def _line(text: str) -> str:
    return text + "\n"


def run(built: Built, rounds: int, quick: bool = False) -> Report:
    """Checks scripts as files, n and 2n in turn; what an empty one takes is taken off."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="parse-") as place:
        empty, long = _script(place, "empty", ""), _script(place, "long", _typical(QUICK_BYTES if quick else FULL_BYTES))
        series = process.in_turn({name: [built.ns, "check", path] for name, path in (("empty", empty), ("long", long))}, rounds)
        base = min(usage.cpu_ms for usage in series["empty"])
        speed = Spread.of([os.path.getsize(long) / _beyond(usage, base) / 1e3 for usage in series["long"]])
        report.series["parse"] = series
        report.blocks.append(f"A script of {os.path.getsize(long):,} bytes: {show.cpu(series['long'])} ms of CPU, {speed.shown()} MB/s.")
        report.goals.append(Goal("parse to tree and lowered program, lints with it", "bytes", SPEED_GOAL, speed, "MB/s", least=True))
        _nesting(report, built, place, base, rounds, QUICK_NESTED if quick else FULL_NESTED)
    show.note("")
    return report


def _nesting(report: Report, built: Built, place: str, base: float, rounds: int, size: int) -> None:
    """Lines that nest n deep, and half as many that nest 2n deep: as much text, so that what a longer script
    costs the processor's caches is not taken for what depth costs."""
    rows, ratios = [], {}
    for name, (head, line) in FORMS.items():
        show.note(name)
        lines = {DEPTH: 2 * max(size // (2 * len(_line(line(DEPTH)))), 1)}
        lines[2 * DEPTH] = lines[DEPTH] // 2
        scripts = {n: _script(place, f"{n}", head + _line(line(n)) * count) for n, count in lines.items()}
        series = process.in_turn({str(n): [built.ns, "check", path] for n, path in scripts.items()}, rounds)
        once, twice = ([_beyond(usage, base) * 1e3 / lines[int(n)] for usage in usages] for n, usages in series.items())
        ratios[name] = Spread.of([b / a for a, b in zip(once, twice)])
        report.series[name] = series
        rows.append([name, f"{lines[DEPTH]:,}", number(min(once)), number(min(twice)), ratios[name].shown()])
    report.blocks.append(show.table(["nested", "lines", f"µs a line at {DEPTH}", f"µs at {2 * DEPTH}", "2n / n"], rows))
    worst = max(ratios, key=lambda name: ratios[name].middle)
    report.goals.append(Goal(f"2n over n, worst of {len(FORMS)} nesting forms ({worst})", "linear", RATIO_GOAL, ratios[worst]))


def _beyond(usage: process.Usage, base: float) -> float:
    """Milliseconds beyond those of an empty script; little ones may be lost in the noise."""
    return max(usage.cpu_ms - base, 0.01)


def _script(place: str, name: str, text: str) -> str:
    path = Path(place) / f"{name}.ns"
    path.write_text(text)
    return str(path)


def _typical(size: int) -> str:
    procedures: list[str] = []
    while size > 0:
        procedures.append(PROCEDURE.replace("@", str(len(procedures))))
        size -= len(procedures[-1])
    return "".join(procedures)
