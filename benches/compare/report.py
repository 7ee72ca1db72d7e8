"""What a mode has found: tables to read, goals with what was measured, all rounds as data, and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median, quantiles

from process import Series, Usage


@dataclass(frozen=True)
class Spread:
    """The median of some numbers, and between what the middle half of them lies."""

    middle: float
    low: float
    high: float

    @staticmethod
    def of(numbers: Sequence[float]) -> Spread:
        """The spread of numbers, one for each round."""
        if len(numbers) < 2:
            return Spread(numbers[0], numbers[0], numbers[0])
        low, _, high = quantiles(numbers, n=4, method="inclusive")
        return Spread(median(numbers), low, high)

    def shown(self) -> str:
        """The median, and the middle half in brackets."""
        return f"{number(self.middle)} ({number(self.low)}–{number(self.high)})"


def number(value: float) -> str:
    """A number with as many digits as mean something."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def ratio(ours: Sequence[Usage], theirs: Sequence[Usage]) -> Spread:
    """How many times the CPU time, over pairs that were measured in the same round."""
    return Spread.of([a.cpu_ms / b.cpu_ms for a, b in zip(ours, theirs)])


@dataclass(frozen=True)
class Goal:
    """A row of the table of goals."""

    what: str
    against: str
    #: At most this, or at least if `least`.
    goal: float
    measured: Spread
    unit: str = "×"
    least: bool = False

    def is_met(self) -> bool:
        """Whether the median is as good as the goal."""
        return self.measured.middle >= self.goal if self.least else self.measured.middle <= self.goal

    def row(self) -> list[str]:
        """The goal as cells of a table."""
        sign = "≥" if self.least else "≤"
        return [self.what, self.against, f"{sign} {self.goal:g} {self.unit}", self.measured.shown(), "yes" if self.is_met() else "**no**"]


@dataclass(frozen=True)
class Chart:
    """Bars, of which those of ours are marked."""

    name: str
    title: str
    #: Label, value, low and high, and whether it is ours.
    bars: list[tuple[str, Spread, bool]]


@dataclass
class Report:
    """All that a mode has to say."""

    blocks: list[str] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    series: dict[str, Series] = field(default_factory=dict)

    def text(self) -> str:
        """The tables."""
        return "\n\n".join(self.blocks)

    def data(self) -> dict[str, object]:
        """All rounds, as JSON takes them."""
        rounds = {
            name: {each: [_bare(usage) for usage in usages] for each, usages in series.items()}
            for name, series in self.series.items()
        }
        return {"goals": [{**asdict(goal), "met": goal.is_met()} for goal in self.goals], "rounds": rounds}


def _bare(usage: Usage) -> dict[str, float]:
    kept = {name: value for name, value in asdict(usage).items() if name != "output"}
    return {name: round(value, 2) for name, value in kept.items()}
