"""Whole chores beside the programs that people would pick: renaming, replacing, copying, searching, joining, packing.

Each contestant gets a tree of its own, made alike, and all must come to the same result. Where a script can be written
in several natural ways, each is measured, and the slowest is held against the peers.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import process
import show
from build import Built
from process import Series, Usage
from report import Goal, Report, Spread

OURS = "ns"


@dataclass(frozen=True)
class Size:
    """How much there is of everything."""

    files: int
    #: Bytes of a file on average.
    file_bytes: int
    log_lines: int
    rows: int
    starts: int


FULL = Size(files=10_000, file_bytes=8_000, log_lines=1_000_000, rows=300_000, starts=100)
QUICK = Size(files=60, file_bytes=300, log_lines=2_000, rows=300, starts=3)


@dataclass(frozen=True)
class Chore:
    """A chore: the tree it begins with, the commands that do it, and the result that all must have."""

    make: Callable[[Path, Size], None]
    #: A command by contestant. Names that begin with `ns` are ours.
    commands: Mapping[str, Sequence[str]]
    #: The result in a tree, given the output of the command.
    result: Callable[[Path, str], object]
    #: Goals for the clock and for CPU time, by peer.
    goals: Mapping[str, tuple[float, float]]
    #: Whether the commands change the tree, so that each run needs a new one.
    changes: bool = False


def run(built: Built, size: Size, rounds: int, only: Sequence[str] | None = None) -> Report:
    """Does all chores in turn, and compares times and results."""
    report = Report()
    absent: set[str] = set()
    for title, chore in chores(built.ns, size).items():
        if only and title not in only:
            continue
        show.note(title)
        commands = {name: command for name, command in chore.commands.items() if is_here(command)}
        absent |= set(chore.commands) - set(commands)
        with tempfile.TemporaryDirectory(prefix="chores-") as place:
            series = measured(Path(place), chore, commands, size, rounds)
        report.series[title] = series
        report.blocks.append(table(title, series, chore.goals))
        report.goals += goals(title, series, chore.goals)
    report.blocks += show.missing(sorted(absent))
    show.note("")
    return report


def is_here(command: Sequence[str]) -> bool:
    """Whether the programs of a command are on this machine; of a shell line, those before `#` at its end."""
    named = command[-1].rpartition("#")[2].split() if command[0] == "sh" else []
    return all(shutil.which(program) for program in [command[0], *named])


def measured(place: Path, chore: Chore, commands: Mapping[str, Sequence[str]], size: Size, rounds: int) -> Series:
    """Runs the commands in turn. All must come to the same result in each round."""
    base = place / "base"
    base.mkdir()
    chore.make(base, size)
    series: Series = {name: [] for name in commands}
    for _ in range(rounds):
        results = {}
        for name, command in commands.items():
            tree = base
            if chore.changes:
                tree = place / "tree"
                shutil.copytree(base, tree, symlinks=True)
            usage = process.run(command, str(tree))
            series[name].append(usage)
            results[name] = chore.result(tree, usage.output)
            if chore.changes:
                shutil.rmtree(tree)
            shutil.rmtree(base / ".ns", ignore_errors=True)
        first = next(iter(results))
        for name, result in results.items():
            if result != results[first]:
                raise process.Failed(f"{first} and {name} differ: {str(results[first])[:300]} and {str(result)[:300]}")
    return series


def is_ours(name: str) -> bool:
    """Whether a contestant is a spelling of ours."""
    return name.split(",")[0] == OURS


def worst(series: Series, what: Callable[[Usage], float]) -> list[Usage]:
    """The rounds of our slowest spelling."""
    ours = [usages for name, usages in series.items() if is_ours(name)]
    return max(ours, key=lambda usages: median(map(what, usages)))


def clock(usage: Usage) -> float:
    """Time on the clock."""
    return usage.clock_ms


def cpu(usage: Usage) -> float:
    """User and system time."""
    return usage.cpu_ms


def ratio(series: Series, peer: str, what: Callable[[Usage], float]) -> Spread:
    """How many times what the peer takes our slowest spelling takes."""
    return Spread.of([what(ours) / what(theirs) for ours, theirs in zip(worst(series, what), series[peer])])


def table(title: str, series: Series, wanted: Mapping[str, tuple[float, float]]) -> str:
    """A row for each contestant; of a peer, how many times it our slowest spelling takes."""
    rows = []
    for name, usages in series.items():
        times = ["", ""] if is_ours(name) else [ratio(series, name, clock).shown(), ratio(series, name, cpu).shown()]
        aims = " / ".join(f"≤ {aim:g}" for aim in wanted[name]) if name in wanted else ""
        rows.append([name, show.clock(usages), show.cpu(usages), show.peak(usages), *times, aims])
    head = [title, "ms on the clock", "ms of CPU", "peak MiB", "ns / it, clock", "ns / it, CPU", "goals"]
    return show.table(head, rows)


def goals(title: str, series: Series, wanted: Mapping[str, tuple[float, float]]) -> Iterator[Goal]:
    """The goals of a chore that could be measured."""
    for peer, aims in wanted.items():
        if peer in series:
            for word, what, aim in zip(("clock", "CPU"), (clock, cpu), aims):
                yield Goal(f"{title}, {word}", peer, aim, ratio(series, peer, what))


def chores(ns: str, size: Size) -> dict[str, Chore]:
    """All chores by name."""
    script = lambda text: [ns, "run", "-e", text]
    call = lambda tool, text: [ns, "call", tool, text]
    shell = lambda line, programs: ["sh", "-c", f"{line} # {programs}"]
    python = lambda text: [sys.executable, "-c", text]
    repeated = lambda line, programs: shell(f"i=0; while [ $i -lt $(cat starts) ]; do {line}; i=$((i+1)); done | wc -l", programs)
    return {
        "rename all files": Chore(
            make=texts,
            commands={
                "ns, a call each": script(
                    'FOR EACH f IN FS.Find(".", "*.txt") DO\n'
                    'MUST CALL FS.MoveFile(f.path, PATH.WithBase(f.path, PATH.Stem(f.path) + ".md"))\nEND'
                ),
                "ns, one call": script(
                    'SET moves = []\nFOR EACH f IN FS.Find(".", "*.txt") DO\n'
                    'SET moves = moves + [{"source": f.path, "destination": PATH.WithBase(f.path, PATH.Stem(f.path) + ".md")}]\n'
                    "END\nMUST CALL FS.MoveFiles(moves, all_or_nothing: true)"
                ),
                "mmv": ["mmv", ";*.txt", "#1#2.md"],
                "rename": shell("find . -name '*.txt' -print0 | xargs -0 rename 's/\\.txt$/.md/'", "rename xargs"),
                "python3": python(
                    "import os\nfor d, _, names in os.walk('.'):\n for n in names:\n"
                    "  if n.endswith('.txt'): os.rename(f'{d}/{n}', f'{d}/{n[:-4]}.md')"
                ),
            },
            result=lambda tree, _: names(tree),
            goals={"mmv": (2, 2), "rename": (2, 2), "python3": (2, 2)},
            changes=True,
        ),
        "replace a text": Chore(
            make=texts,
            commands={
                "ns, one call": call("replace_in_files", '{"path": ".", "text": "needle", "replacement": "thread"}'),
                "ns, an expression": script('MUST CALL FS.ReplaceInFiles(".", "need(le)", "thread", regex: true)'),
                "ns, a call each": script(
                    'FOR EACH p IN LIST.Unique(LIST.Column(FS.SearchFiles(".", "needle").matches, "path")) DO\n'
                    'MUST CALL FS.EditFile(p, "needle", "thread", replace_all: true)\nEND'
                ),
                "rg, sed": shell("rg -0 -l needle | xargs -0 sed -i s/needle/thread/g", "rg xargs sed"),
                "python3": python(
                    "import os\nfor d, _, names in os.walk('.'):\n for n in names:\n"
                    "  p = f'{d}/{n}'; t = open(p, newline='').read()\n"
                    "  if 'needle' in t: open(p, 'w', newline='').write(t.replace('needle', 'thread'))"
                ),
            },
            result=lambda tree, _: contents(tree),
            goals={"rg, sed": (1, 1), "python3": (2, 2)},
            changes=True,
        ),
        "copy a tree": Chore(
            make=texts,
            commands={
                "ns": script('MUST CALL FS.CopyFile("d0", "copy", recursive: true)'),
                "cp, then sync": shell("cp -r d0 copy && sync -f copy", "cp sync"),
            },
            result=lambda tree, _: contents(tree),
            goals={"cp, then sync": (1.1, 1.1)},
            changes=True,
        ),
        "find duplicates": Chore(
            make=texts,
            commands={
                "ns": script('EMIT LIST.Sum(LIST.Map(FS.FindDuplicates("."), Count))\nDEFINE PROCEDURE Count(g)\nRETURN LEN(g.paths)\nEND'),
                "jdupes": shell("jdupes -q -r -H . | grep -c .", "jdupes grep"),
            },
            result=lambda _, output: int(output.split()[-1]),
            goals={"jdupes": (0.8, 0.8)},
        ),
        "search, few hits": Chore(
            make=texts,
            commands={
                "ns, a text": script('EMIT FS.SearchFiles(".", "rare word").totalMatches'),
                "ns, an expression": script('EMIT FS.SearchFiles(".", "rare wor[d]", regex: true).totalMatches'),
                "rg -j2": shell("rg -uu -j2 'rare word' | wc -l", "rg wc"),
                "rg -j1": shell("rg -uu -j1 'rare word' | wc -l", "rg wc"),
            },
            result=lambda _, output: int(output),
            goals={"rg -j2": (1.1, 1.1), "rg -j1": (1, 1)},
        ),
        "hash all files": Chore(
            make=texts,
            commands={
                "ns, one call": script('EMIT LEN(FS.HashFiles(glob: "**/*.txt"))'),
                "ns, a call each": script(
                    'SET n = 0\nFOR EACH f IN FS.Find(".") DO\nSET h = FS.HashFile(f.path).checksum\nSET n = n + 1\nEND\nEMIT n'
                ),
                "sha256sum, two at once": shell("find . -type f -print0 | xargs -0 -P2 -n 500 sha256sum | wc -l", "xargs sha256sum wc"),
            },
            result=lambda _, output: int(output),
            goals={"sha256sum, two at once": (0.5, 0.5)},
        ),
        "count errors by hour": Chore(
            make=log,
            commands={
                "ns, lines": script(
                    'SET hours = {}\nFOR EACH line IN FS.Lines("app.log") DO\nIF STR.Contains(line, " ERROR ") THEN\n'
                    'SET hour = STR.Sub(line, 0, 13)\nSET hours[hour] = MAP.Get(hours, hour, 0) + 1\nEND\nEND\nEMIT LEN(hours), " ", LIST.Sum(MAP.Values(hours))'
                ),
                "ns, fields": script(
                    'SET hours = {}\nFOR EACH line IN FS.Lines("app.log") DO\nSET parts = STR.Split(line, " ")\nIF parts[2] == "ERROR" THEN\n'
                    'SET hour = parts[0] + " " + STR.Sub(parts[1], 0, 2)\nIF hour IN hours THEN\nSET hours[hour] = hours[hour] + 1\nELSE\nSET hours[hour] = 1\nEND\nEND\nEND\nEMIT LEN(hours), " ", LIST.Sum(MAP.Values(hours))'
                ),
                "ns, an expression": script(
                    'SET hours = {}\nFOR EACH line IN FS.Lines("app.log") DO\nIF REGEX.Match(line, " ERROR ") THEN\n'
                    'SET hour = STR.Sub(line, 0, 13)\nSET hours[hour] = MAP.Get(hours, hour, 0) + 1\nEND\nEND\nEMIT LEN(MAP.Keys(hours)), " ", LIST.Sum(MAP.Values(hours))'
                ),
                "mawk": ["mawk", '/ ERROR /{h[substr($0,1,13)]++} END{n=0;for(k in h){n++;s+=h[k]};print n, s}', "app.log"],
                "python3": python(
                    "h={}\nfor line in open('app.log'):\n if ' ERROR ' in line: k=line[:13]; h[k]=h.get(k,0)+1\nprint(len(h), sum(h.values()))"
                ),
            },
            result=lambda _, output: output.split(),
            goals={"mawk": (1.5, 1.5), "python3": (0.7, 0.7)},
        ),
        "join two tables": Chore(
            make=tables,
            commands={
                "ns": script(
                    'SET names = {}\nFOR EACH r IN CSV.Rows("people.csv") DO\nSET names[r.id] = r.name\nEND\nSET sums = {}\n'
                    'FOR EACH r IN CSV.Rows("orders.csv") DO\nSET who = names[r.person]\nSET sums[who] = MAP.Get(sums, who, 0) + INT(r.amount)\nEND\n'
                    'EMIT LEN(sums), " ", LIST.Sum(MAP.Values(sums))'
                ),
                "mawk": [
                    "mawk", "-F,", "FNR==1{next} NR==FNR{n[$1]=$2;next} {s[n[$2]]+=$3} END{for(k in s){c++;t+=s[k]};printf \"%d %d\\n\", c, t}",
                    "people.csv", "orders.csv",
                ],
                "python3": python(
                    "import csv\nn={r['id']: r['name'] for r in csv.DictReader(open('people.csv'))}\ns={}\n"
                    "for r in csv.DictReader(open('orders.csv')):\n w=n[r['person']]; s[w]=s.get(w,0)+int(r['amount'])\nprint(len(s), sum(s.values()))"
                ),
            },
            result=lambda _, output: output.split(),
            goals={"mawk": (0.8, 0.8)},
        ),
        "sum JSON lines": Chore(
            make=tables,
            commands={
                "ns, lines": script('SET t = 0\nFOR EACH r IN JSON.Lines("orders.jsonl") DO\nSET t = t + r.amount\nEND\nEMIT t'),
                "ns, parsed": script('SET t = 0\nFOR EACH line IN FS.Lines("orders.jsonl") DO\nSET t = t + JSON.Parse(line).amount\nEND\nEMIT t'),
                "jq": shell("jq -n '[inputs.amount] | add' orders.jsonl", "jq"),
                "python3": python("import json\nprint(sum(json.loads(line)['amount'] for line in open('orders.jsonl')))"),
            },
            result=lambda _, output: int(output),
            goals={"jq": (0.2, 0.2), "python3": (0.25, 0.25)},
        ),
        "pack into a zip": packing(script('MUST CALL FS.Compress("d0", "out.zip")'), "zip", shell("zip -q -r out.zip d0", "zip")),
        "pack into a tar.gz": packing(
            script('MUST CALL FS.Compress("d0", "out.tar.gz")'), "tar, gzip", shell("tar czf out.tar.gz d0", "tar gzip")
        ),
        "start small scripts": Chore(
            make=lambda tree, size: (tree / "starts").write_text(f"{size.starts}\n"),
            commands={
                "ns": repeated(f"{ns} run -e 'EMIT 1'", "wc"),
                "perl": repeated("perl -e 'print \"1\\n\"'", "perl wc"),
                "bash": repeated("bash -c 'echo 1'", "bash wc"),
            },
            result=lambda _, output: int(output),
            goals={"perl": (1, 1), "bash": (1.2, 1.2)},
        ),
    }


def packing(ours: Sequence[str], peer: str, theirs: Sequence[str]) -> Chore:
    """A chore that packs a tree into an archive."""
    return Chore(
        make=texts,
        commands={OURS: ours, peer: theirs},
        result=lambda tree, _: packed(tree),
        goals={peer: (0.35, 0.35)},
        changes=True,
    )


WORDS = "a list of some common words that stand in files of every kind with names and numbers in them".split()


def texts(tree: Path, size: Size) -> None:
    """Texts in directories: every fifth has `needle`, one in a thousand the rare word, and every tenth a copy."""
    dice = random.Random(7)
    last = ""
    for number in range(size.files):
        folder = tree / f"d{number % 10 if size is not QUICK else number % 3}" / f"s{number // 10 % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = []
        for _ in range(max(1, dice.randrange(2 * size.file_bytes) // 60)):
            lines.append(" ".join(dice.choice(WORDS) for _ in range(12)))
        if number % 5 == 0:
            lines[dice.randrange(len(lines))] += " needle and needle"
        if number % 1_000 == 7:
            lines[dice.randrange(len(lines))] += " rare word"
        text = last if number % 10 == 9 else f"{number}\n" + "\n".join(lines) + "\n"
        (folder / f"file {number:05}.txt").write_text(text)
        last = text


def log(tree: Path, size: Size) -> None:
    """A log in which every seventh line is an error."""
    with open(tree / "app.log", "w") as file:
        for number in range(size.log_lines):
            hour, level = number * 200 // size.log_lines, "ERROR" if number % 7 == 0 else "INFO"
            file.write(f"2026-05-{1 + hour // 24:02} {hour % 24:02}:{number % 60:02}:00 {level} request {number} took {number % 977} ms\n")


def tables(tree: Path, size: Size) -> None:
    """Two tables as CSV, and one of them as JSON lines."""
    dice = random.Random(11)
    people = max(10, size.rows // 50)
    with open(tree / "people.csv", "w") as file:
        file.write("id,name\n")
        file.writelines(f"p{number},person {number}\n" for number in range(people))
    with open(tree / "orders.csv", "w") as csv, open(tree / "orders.jsonl", "w") as jsonl:
        csv.write("id,person,amount\n")
        for number in range(size.rows):
            person, amount = dice.randrange(people), dice.randrange(10_000)
            csv.write(f"{number},p{person},{amount}\n")
            jsonl.write(f'{{"id": {number}, "person": "p{person}", "amount": {amount}, "tags": ["a", "b"], "note": "order {number}"}}\n')


def files_of(tree: Path) -> Iterator[Path]:
    """The files of a tree in order, without those of ns itself."""
    for path in sorted(tree.rglob("*")):
        if path.is_file() and ".ns" not in path.parts:
            yield path


def names(tree: Path) -> list[str]:
    """The paths of all files."""
    return [str(path.relative_to(tree)) for path in files_of(tree)]


def contents(tree: Path) -> list[tuple[str, str]]:
    """The paths of all files, and the hashes of their contents."""
    return [(str(path.relative_to(tree)), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files_of(tree)]


def packed(tree: Path) -> list[tuple[str, str]]:
    """The paths and contents of the files in the archive."""
    archive = next(path for path in (tree / "out.zip", tree / "out.tar.gz") if path.exists())
    out = tree / "unpacked"
    shutil.unpack_archive(archive, out)
    return contents(out)
