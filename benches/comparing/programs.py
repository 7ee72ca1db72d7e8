"""The programs of benches/programs beside the same programs in other languages."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from . import process, show
from .build import Built

BENCHES = Path(__file__).resolve().parent.parent
CPU_BOUND = ("fib", "loops", "sieve", "mandel", "matmul", "bubble")
DATA = ("strcat", "map", "records")
PROGRAMS = (*CPU_BOUND, *DATA)
#: Each group with its goal, as times Lua.
GROUPS = (("CPU-bound", CPU_BOUND, 1.6), ("data", DATA, 0.5))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Peer:
    """A language that the programs are written in."""

    name: str
    #: What runs a file.
    command: Sequence[str]
    folder: str
    ending: str

    def run(self, program: str) -> list[str]:
        """The command that runs a program."""
        return [*self.command, str(BENCHES / self.folder / (program + self.ending))]


#: Lua comes first: ratios are to it.
PEERS = (
    Peer("lua5.4", ["lua5.4"], "peers/lua", ".lua"),
    Peer("python3", [sys.executable], "peers/py", ".py"),
    Peer("perl", ["perl"], "peers/pl", ".pl"),
    Peer("node", ["node"], "peers/js", ".js"),
    Peer("tclsh", ["tclsh"], "peers/tcl", ".tcl"),
    Peer("koto", ["koto"], "peers/koto", ".koto"),
    Peer("rhai", ["rhai-run"], "peers/rhai", ".rhai"),
    Peer("rune", ["rune", "run"], "peers/rn", ".rn"),
    Peer("starlark", ["starlark"], "peers/star", ".star"),
)
REQUIRED = PEERS[:2]


def ns(name: str, path: str) -> Peer:
    """An ns as a peer."""
    return Peer(name, [path, "run"], "programs", ".ns")


def peers(before: str | None) -> list[Peer]:
    """The peers on this machine; those that must be there, found or not."""
    found = [peer for peer in PEERS if peer in REQUIRED or shutil.which(peer.command[0])]
    return [*([ns("ns before", before)] if before else []), *found]


def named(names: str | None) -> Sequence[str]:
    """The programs of a list parted by commas; all of them when there is none."""
    wanted = names.split(",") if names else PROGRAMS
    for name in wanted:
        if name not in PROGRAMS:
            raise process.Failed(f"there is no program `{name}`")
    return wanted


def run(built: Built, programs: Sequence[str], others: Sequence[Peer], rounds: int) -> str:
    """Measures programs, and makes the tables."""
    results = {}
    for program in programs:
        show.note(program)
        results[program] = _measure(program, [ns("ns", built.ns), *others], rounds)
    show.note("")
    return report(results, [peer.name for peer in others])


def _measure(program: str, contestants: Sequence[Peer], rounds: int) -> process.Series:
    """Runs a program in every language in turn, round after round; all must give the same answer."""
    series: process.Series = {peer.name: [] for peer in contestants}
    for _ in range(rounds):
        for peer in contestants:
            series[peer.name].append(process.run(peer.run(program)))
    _check(program, series)
    return series


def _check(program: str, series: process.Series) -> None:
    """Compares answers as numbers, since languages print them in their own ways."""
    answers = {name: [numbers(usage.output) for usage in usages] for name, usages in series.items()}
    expected = answers["ns"][0]
    for name, given in answers.items():
        for answer in given:
            if answer != expected or not answer:
                raise process.Failed(f"{program}: {name} answers {answer}, ns answers {expected}")


def numbers(text: str) -> list[float]:
    """The numbers in a text."""
    return [float(number) for number in NUMBER.findall(text)]


def report(results: Mapping[str, process.Series], others: Sequence[str]) -> str:
    """CPU times with their ratios, peak memories, and geometric means."""
    head = ["ms of CPU", "ns", *(f"{name} (ns/it)" for name in others)]
    rows = [[program, show.cpu(series["ns"]), *_times(series, others)] for program, series in results.items()]
    means = [_means(name, group, goal, results, others) for name, group, goal in GROUPS if set(group) <= set(results)]
    memory = [[program, *map(show.peak, series.values())] for program, series in results.items()]
    return "\n\n".join([show.table(head, rows + means), show.table(["peak MiB", "ns", *others], memory)])


def _times(series: process.Series, others: Sequence[str]) -> list[str]:
    return [f"{show.cpu(series[name])} ({show.ratio(series['ns'], series[name]):.2f})" for name in others]


def _means(
    name: str, group: Sequence[str], goal: float, results: Mapping[str, process.Series], others: Sequence[str]
) -> list[str]:
    """The geometric means of a group's ratios; the goal is to Lua."""
    means = [geometric_mean(show.ratio(results[each]["ns"], results[each][other]) for each in group) for other in others]
    return [f"mean of {name}", f"goal {goal} × lua", *(f"({mean:.2f})" for mean in means)]
