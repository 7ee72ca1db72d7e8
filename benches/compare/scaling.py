"""Operations at n, 2n, 4n, … up to what the machine holds: time and memory for each item must stay level."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import process
import show
from build import Built
from process import Series, Usage
from report import Chart, Report, Spread, number

#: No larger n is tried once a run took so long (or what `--most-ms` says), or so much memory.
MOST_MS, MOST_MIB = 1_500, 4_000
#: A run that takes less is repeated.
SHORT_MS, ROUNDS = 300, 3
LINES = 1_000
#: The short form begins with so much less.
QUICK = 10
POLICY = """[limits]
max_steps = 1_000_000_000_000
memory_bytes = 16_000_000_000
string_bytes = 8_000_000_000
collection_items = 1_000_000_000
script_bytes = 1_000_000_000
call_depth = 100_000_000
nesting = 10_000
value_depth = 1_000_000
[policy]
max_files_per_operation = 100_000_000
"""
#: The bytes of a script that says as much as people's do, with names of its own.
PROCEDURE = """DEFINE PROCEDURE Sizes@(folder, smallest)
  SET total = 0
  FOR EACH entry IN FS.WalkDir(folder) DO
    IF NOT entry.isDir AND entry.size >= smallest THEN
      SET total = total + entry.size * 2 / (1 + 1)
    END
  END
  RETURN {"folder": folder, "total": total, "limits": [smallest, 1_000, 2.5e3]}
END
"""


@dataclass
class Case:
    """An operation on n items; makes what it needs in a folder, and gives the words after `ns`."""

    name: str
    item: str
    start: int
    words: Callable[[int, Path], list[str]]
    #: No larger n means anything, or is allowed.
    most: int = 1 << 40
    #: How often the script says the same, so that small n can be seen.
    times: int = 1
    points: list[tuple[int, Usage]] = field(default_factory=list)


def source(make: Callable[[int], str], command: str = "run") -> Callable[[int, Path], list[str]]:
    """A script of n items as a file, which is run or checked."""

    def words(n: int, place: Path) -> list[str]:
        (place / "script.ns").write_text(make(n))
        return [command, str(place / "script.ns")]

    return words


def expression(text: str) -> Callable[[int, Path], list[str]]:
    """A script that has n in a variable."""
    return lambda n, _: ["run", "-e", f"SET n = {n}\n{text}"]


#: A walk for all that there is to know.
WALK = ["run", "-e", 'SET rows = FS.WalkDir(".")\nEMIT LEN(rows), rows[0].size']


def _flat(n: int, place: Path) -> list[str]:
    for number in range(_count(place), n):
        (place / f"file-{number:08}.txt").touch()
    return WALK


def _folders(n: int, place: Path) -> list[str]:
    for number in range(_count(place), n):
        (place / f"folder-{number:08}").mkdir()
    return WALK


def _deep(n: int, place: Path) -> list[str]:
    for depth in range(1, n + 1):
        (place / "/".join("d" * depth)).mkdir(exist_ok=True)
    return WALK


def _contents(n: int, place: Path) -> list[str]:
    for number in range(_count(place), n):
        (place / f"file-{number:08}.txt").write_text("a few words in a line\n" * 20)
    return ["call", "search_files", '{"directory_path": ".", "text": "not there"}']


def _count(place: Path) -> int:
    return sum(1 for entry in os.scandir(place) if not entry.name.startswith((".ns", "neuroscript")))


def cases() -> list[Case]:
    """All operations."""
    return [
        Case("turns of a loop", "turn", 250_000, expression("SET i = 0\nWHILE i < n DO\n  SET i = i + 1\nEND")),
        Case("statements in a script, run", "statement", 20_000, source(lambda n: "SET _x = 1\n" * n)),
        Case("a typical script, checked", "procedure", 250, source(_procedures, "check")),
        Case("calls inside calls (recursion)", "call", 10_000, expression(
            "DEFINE PROCEDURE Down(i)\n  IF i == 0 THEN\n    RETURN 0\n  END\n  RETURN Down(i - 1) + 1\nEND\nEMIT Down(n)"), most=640_000),
        Case("brackets inside brackets, checked", "bracket", 32, source(_brackets, "check"), most=256, times=LINES),
        Case("a list, element by element", "element", 100_000, expression(
            "SET list = []\nFOR EACH i IN RANGE(n) DO\n  SET list = list + [i]\nEND\nEMIT LEN(list)")),
        Case("a map, key by key", "key", 50_000, expression(
            'SET map = {}\nFOR EACH i IN RANGE(n) DO\n  SET map["k" + i] = i\nEND\nEMIT LEN(map)')),
        Case("a text, piece by piece", "piece of 8 bytes", 100_000, expression(
            'SET text = ""\nFOR EACH i IN RANGE(n) DO\n  SET text = text + "12345678"\nEND\nEMIT LEN(text)')),
        Case("a list, sorted", "element", 50_000, expression(
            "SET list = []\nFOR EACH i IN RANGE(n) DO\n  SET list = list + [i * 7919 % 1000003]\nEND\nEMIT LIST.Sort(list)[0]")),
        Case("files in one folder, walked", "entry", 5_000, _flat, most=320_000),
        Case("folders in one folder, walked", "entry", 2_500, _folders, most=80_000),
        Case("a folder in a folder in …, walked", "folder", 250, _deep, most=1_000),
        Case("contents of files, searched", "file", 1_000, _contents, most=32_000),
        Case("files written, with journal and audit", "file", 100, expression(
            'FOR EACH i IN RANGE(n) DO\n  MUST CALL FS.WriteFile("f" + i + ".txt", "x", overwrite: true)\nEND'), most=3_200),
        Case("session memory, key by key", "key", 10_000, expression(
            'FOR EACH i IN RANGE(n) DO\n  CALL MEMORY.Set("k" + i, i)\nEND')),
        Case("project memory, key by key", "key", 100, expression(
            'FOR EACH i IN RANGE(n) DO\n  CALL MEMORY.Set("k" + i, i, "project")\nEND'), most=3_200),
    ]


def _procedures(n: int) -> str:
    return "".join(PROCEDURE.replace("@", str(number)) for number in range(n))


def _brackets(n: int) -> str:
    """Many lines, so that n can stay within what may be nested."""
    return f"EMIT {'[' * n}1{']' * n}\n" * LINES


def run(built: Built, most_ms: float = MOST_MS, quick: bool = False) -> Report:
    """Measures every operation: in short, at n and 2n alone."""
    base = _least([built.ns, "run", "-e", ""], 1 if quick else 5, os.getcwd())
    report = Report()
    every = cases()
    for case in every:
        show.note(case.name)
        with tempfile.TemporaryDirectory(prefix="scaling-") as place:
            _measure(case, built, Path(place), most_ms, quick)
            # Python takes a tree away by recursion, which is not deep enough for ours.
            process.discard(["rm", "-rf", os.path.join(place, "d")])
        report.series[case.name] = _series(case)
    show.note("")
    report.blocks = [show.table(["operation", "n", "to", "ns for each …", "at n, 2n, 4n, …", "bytes for each"], [_row(case, base) for case in every])]
    report.charts = [] if quick else [_chart(every, base)]
    return report


def _measure(case: Case, built: Built, place: Path, most_ms: float, quick: bool) -> None:
    (place / "neuroscript.toml").write_text(POLICY)
    n = case.start // QUICK if quick else case.start
    while n <= case.most:
        command = [built.ns, "--sandbox", str(place), "--policy", str(place / "neuroscript.toml"), *case.words(n, place)]
        usage = _least(command, 1 if quick else ROUNDS, str(place))
        case.points.append((n, usage))
        if usage.cpu_ms > most_ms or usage.peak_mb > MOST_MIB or (quick and len(case.points) == 2):
            return
        n *= 2


def _least(command: list[str], rounds: int, folder: str) -> Usage:
    """The run that took the least CPU: other work can only add."""
    runs = [process.discard(command, folder)]
    while len(runs) < rounds and runs[0].cpu_ms < SHORT_MS:
        runs.append(process.discard(command, folder))
    return min(runs, key=lambda usage: usage.cpu_ms)


def _series(case: Case) -> Series:
    return {str(n): [usage] for n, usage in case.points}


def each(case: Case, base: Usage) -> list[float]:
    """Nanoseconds for each item, at every n."""
    return [max(usage.cpu_ms - base.cpu_ms, 0) * 1e6 / (n * case.times) for n, usage in case.points]


def _row(case: Case, base: Usage) -> list[str]:
    times = " ".join(number(time) for time in each(case, base))
    last, usage = case.points[-1]
    bytes_each = (usage.peak_mb - usage.floor_mb) * (1 << 20) / (last * case.times)
    memory = number(bytes_each) if usage.peak_mb > 1.5 * usage.floor_mb else ""
    return [case.name, f"{case.points[0][0]:,}", f"{last:,}", case.item, times, memory]


def _chart(every: list[Case], base: Usage) -> Chart:
    """How many times an item of the largest n costs one of the least costly."""
    bars = []
    for case in every:
        times = [time for time in each(case, base) if time > 0]
        growth = times[-1] / min(times) if times else 1
        bars.append((case.name, Spread(growth, growth, growth), True))
    return Chart("scaling", "An item at the largest n, as times the cheapest (1 is level)", bars)
