"""The programs of benches/programs beside the same programs in other languages."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import mean

import process
import show
from build import BENCHES, Built
from report import Chart, Goal, Report, Spread, number, ratio

CPU_BOUND = ("fib", "loops", "sieve", "mandel", "matmul", "bubble")
DATA = ("strcat", "map", "records")
PROGRAMS = (*CPU_BOUND, *DATA)
#: What means are taken of.
GROUPS = {"six CPU-bound": CPU_BOUND, "three data": DATA, "all nine": PROGRAMS}
#: At most so many times the CPU of a peer, on a mean.
GOALS = {
    ("six CPU-bound", "lua5.4"): 1.0,
    ("three data", "lua5.4"): 0.25,
    ("all nine", "python3"): 0.3,
    ("all nine", "rhai"): 0.06,
    ("all nine", "koto"): 0.15,
    ("all nine", "rune"): 0.2,
    ("all nine", "starlark"): 0.6,
    ("all nine", "perl"): 0.35,
    ("all nine", "tclsh"): 0.25,
}
MEMORY_GOAL = 1.0
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


#: Programs that may be on the machine; Lua is the reference.
INSTALLED = (
    Peer("lua5.4", ["lua5.4"], "peers/lua", ".lua"),
    Peer("luajit", ["luajit"], "peers/lua", ".lua"),
    Peer("python3", [sys.executable], "peers/py", ".py"),
    Peer("perl", ["perl"], "peers/pl", ".pl"),
    Peer("node", ["node"], "peers/js", ".js"),
    Peer("tclsh", ["tclsh"], "peers/tcl", ".tcl"),
)
#: Crates, each with its folder and ending; `benches/peers/hosts` makes programs of them.
HOSTED = {"koto": ("koto", ".koto"), "rhai": ("rhai", ".rhai"), "rune": ("rn", ".rn"), "starlark": ("star", ".star")}


def ns(name: str, path: str) -> Peer:
    """An ns as a peer."""
    return Peer(name, [path, "run"], "programs", ".ns")


def peers(built: Built, only: Sequence[str] | None) -> tuple[list[Peer], list[str]]:
    """The peers that can be had here, and the names of those that cannot; of all, or of those named."""
    found, lacking = [], []
    for name in [peer.name for peer in INSTALLED] + [*HOSTED] if only is None else only:
        peer = _peer(built, name)
        found.append(peer) if peer else lacking.append(name)
    return found, lacking


def _peer(built: Built, name: str) -> Peer | None:
    if name in HOSTED:
        folder, ending = HOSTED[name]
        host = built.peer(f"{name}-host", f"{name}-host")
        return Peer(name, [host], f"peers/{folder}", ending) if host else None
    for peer in INSTALLED:
        if peer.name == name:
            return peer if shutil.which(peer.command[0]) else None
    raise process.Failed(f"there is no peer `{name}`")


def named(names: str | None) -> Sequence[str]:
    """The programs of a list parted by commas; all of them when there is none."""
    wanted = names.split(",") if names else PROGRAMS
    for name in wanted:
        if name not in PROGRAMS:
            raise process.Failed(f"there is no program `{name}`")
    return wanted


def run(
    built: Built, programs: Sequence[str], only: Sequence[str] | None, rounds: int, before: str | None = None
) -> Report:
    """Measures programs in every language that is there."""
    others, lacking = peers(built, only)
    others = [*([ns("ns before", before)] if before else []), *others]
    results = {}
    for program in programs:
        show.note(program)
        results[program] = _measure(program, [ns("ns", built.ns), *others], rounds)
    show.note("")
    return _report(results, [peer.name for peer in others], lacking)


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


def _report(results: Mapping[str, process.Series], others: Sequence[str], lacking: Sequence[str]) -> Report:
    """CPU times, their ratios, peak memories, and geometric means with their goals."""
    groups = {name: group for name, group in GROUPS.items() if set(group) <= set(results)}
    means = {(name, other): mean_ratio(results, group, other) for name, group in groups.items() for other in others}
    report = Report(series=dict(results))
    for part in (_times(results), _ratios(results, others, means), _peaks(results), *show.missing(lacking)):
        report.blocks.append(part)
    for key, goal in GOALS.items():
        if key in means:
            report.goals.append(Goal(f"{key[0]} programs, CPU, geometric mean", key[1], goal, means[key]))
    if "records" in results and "lua5.4" in others:
        report.goals.append(Goal("peak memory on `records`", "lua5.4", MEMORY_GOAL, _memory(results["records"])))
    for name in groups:
        report.charts.append(_chart(name, {other: means[name, other] for other in others}))
    return report


def mean_ratio(results: Mapping[str, process.Series], group: Sequence[str], other: str) -> Spread:
    """The geometric mean of a group's ratios, `ns` to another: of each round, then over the rounds."""
    rounds = range(len(results[group[0]]["ns"]))
    of_round = lambda at: [log(results[each]["ns"][at].cpu_ms / results[each][other][at].cpu_ms) for each in group]
    return Spread.of([exp(mean(of_round(at))) for at in rounds])


def _memory(series: process.Series) -> Spread:
    return Spread.of([a.peak_mb / b.peak_mb for a, b in zip(series["ns"], series["lua5.4"])])


def _times(results: Mapping[str, process.Series]) -> str:
    names = list(next(iter(results.values())))
    rows = [[name, *(show.cpu(series[name]) for series in results.values())] for name in names]
    return show.table(["ms of CPU", *results], rows)


def _ratios(
    results: Mapping[str, process.Series], others: Sequence[str], means: Mapping[tuple[str, str], Spread]
) -> str:
    """How many times another the CPU of ns is; means with what lies between the quartiles of the rounds."""
    groups = dict.fromkeys(group for group, _ in means)
    rows = [
        [
            other,
            *(number(ratio(series["ns"], series[other]).middle) for series in results.values()),
            *(means[group, other].shown() for group in groups),
        ]
        for other in others
    ]
    return show.table(["ns / it", *results, *groups], rows)


def _peaks(results: Mapping[str, process.Series]) -> str:
    names = list(next(iter(results.values())))
    rows = [[name, *(show.peak(series[name]) for series in results.values())] for name in names]
    return show.table(["peak MiB", *results], rows)


def _chart(group: str, means: Mapping[str, Spread]) -> Chart:
    """How many times the CPU of ns the others take."""
    bars = [(name, Spread(1 / each.middle, 1 / each.high, 1 / each.low), name.startswith("ns")) for name, each in means.items()]
    bars = sorted([("ns", Spread(1, 1, 1), True), *bars], key=lambda bar: bar[1].middle)
    name = group.replace(" ", "-")
    return Chart(f"programs-{name}", f"{group} programs: CPU, geometric mean, ns = 1 (less is better)", bars)
