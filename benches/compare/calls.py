"""What a call of a tool costs beside a call of a procedure, in a loop whose own cost is taken off."""

from __future__ import annotations

import process
import show
from build import BENCHES, Built
from process import Usage
from report import Goal, Report, Spread, number

CALLS = 500_000
#: At most so many calls of a procedure.
GOAL = 10
KINDS = {"pure": "a tool that does next to nothing (`MATH.Sign`)", "read": "a tool that looks at a path (`FS.Exists`)"}


def run(built: Built, rounds: int) -> Report:
    """Measures scripts that call in a loop. Only user time counts: what the kernel does is not the call's own."""
    show.note("calls")
    folder = str(BENCHES / "calls")
    script = lambda name: [built.ns, "run", "--sandbox", folder, f"{folder}/{name}.ns"]
    series = process.in_turn({name: script(name) for name in ("loop", "procedure", *KINDS)}, rounds)
    show.note("")
    report = Report(series={"calls": series})
    rows = []
    for name in ("procedure", *KINDS):
        cost = Spread.of([_ns(usage, loop) for usage, loop in zip(series[name], series["loop"])])
        rows.append([KINDS.get(name, "a procedure"), cost.shown(), number(_kernel(series[name]).middle)])
    report.blocks = [show.table(["a call of", "ns of user time", "ns of system time"], rows)]
    for name, what in KINDS.items():
        pairs = zip(series[name], series["procedure"], series["loop"])
        times = Spread.of([_ns(tool, loop) / max(_ns(procedure, loop), 1) for tool, procedure, loop in pairs])
        report.goals.append(Goal(f"own cost of a call of {what}", "a procedure call", GOAL, times))
    return report


def _ns(usage: Usage, loop: Usage) -> float:
    """Nanoseconds of one call."""
    return (usage.user_ms - loop.user_ms) * 1e6 / CALLS


def _kernel(usages: list[Usage]) -> Spread:
    return Spread.of([usage.system_ms * 1e6 / CALLS for usage in usages])
