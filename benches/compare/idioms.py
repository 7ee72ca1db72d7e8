"""Idioms of loops at n, 2n and 4n, beside the same in Python: each must stay linear, however it is spelled."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import process
import show
from build import Built
from process import Usage
from report import Goal, Report, Spread, number

#: The time for four times as many turns, and the CPU time of ours over Python's at 4n.
GROWTH, PYTHON = 4.8, 1.5
#: Turns at n; fewer where Python copies the text.
TURNS, TEXT_TURNS = 40_000, 10_000
#: The short form makes so many turns less.
QUICK = 20
PROCEDURES = """DEFINE PROCEDURE Add(list, item)
  SET list = list + [item]
  RETURN list
END
DEFINE PROCEDURE Upd(map, key)
  SET map[key] = key
  RETURN map
END
DEFINE PROCEDURE Swap(a, b)
  SET a = a + [LEN(b)]
  RETURN [b, a]
END
DEFINE PROCEDURE Joined(acc, x)
  RETURN acc + [x]
END
DEFINE PROCEDURE Both(s, x)
  RETURN s + x
END
"""
PYTHON_PROCEDURES = """import re, fnmatch
def add(items, item):
    items.append(item)
    return items
def upd(table, key):
    table[key] = key
    return table
def swap(a, b):
    a.append(len(b))
    return b, a
def both(s, x):
    return s + x
"""


@dataclass(frozen=True)
class Idiom:
    """A statement in a loop of n turns with the counter `i`: what is set up, and the same in Python."""

    name: str
    turns: int
    set_up: str
    turn: str
    answer: str
    python_set_up: str
    python_turn: str
    python_answer: str

    def ours(self, n: int) -> str:
        """The script."""
        body = self.turn.replace("\n", "\n  ")
        return f"{PROCEDURES}SET n = {n}\n{self.set_up}\nFOR EACH i IN RANGE(n) DO\n  {body}\nEND\nEMIT {self.answer}\n"

    def python(self, n: int) -> str:
        """The same in Python."""
        body = self.python_turn.replace("\n", "\n        ")
        set_up = self.python_set_up.replace("\n", "\n    ")
        return (
            f"{PYTHON_PROCEDURES}def main():\n    n = {n}\n    {set_up}\n    for i in range(n):\n        {body}\n"
            f"    print({self.python_answer})\nmain()\n"
        )


def grown(name: str, holder: str, turn: str, python_holder: str, python_turn: str, start: str = "[]") -> Idiom:
    """An idiom that lets the value in a place grow."""
    place, python_place = turn.split(" = ")[0].removeprefix("SET "), python_turn.split("\n")[-1].split(" += ")[0].split(" = ")[0].split(".append")[0]
    return Idiom(
        name, TEXT_TURNS if start == '""' else TURNS, holder.replace("START", start), turn, f"LEN({place})",
        python_holder.replace("START", start), python_turn, f"len({python_place})",
    )


def idioms() -> list[Idiom]:
    """All idioms."""
    text, python_map = '""', 'm = {"x": START, "k": START}\nk = "k"'
    a_map, a_list = 'SET m = {"x": START, "k": START}\nSET k = "k"', "SET l = [START]"
    return [
        grown("s = s + a + b", "SET s = START", 'SET s = s + i + ","', "s = START", 's += str(i) + ","', text),
        grown("s = s + (a + b)", "SET s = START", 'SET s = s + (i + ",")', "s = START", 's += str(i) + ","', text),
        grown("s = a text with {{s}}{{x}}", "SET s = START", "SET s = ```{{s}}{{i}},```", "s = START", 's += f"{i},"', text),
        grown("s = Both(s, x)", "SET s = START", "SET s = Both(s, i)", "s = START", "s = both(s, str(i))", text),
        grown("m.x = m.x + x, text", a_map, 'SET m.x = m.x + i + ","', python_map, 'm["x"] += str(i) + ","', text),
        grown("m[k] = m[k] + x, text", a_map, "SET m[k] = m[k] + i", python_map, "m[k] += str(i)", text),
        grown("l[0] = l[0] + x, text", a_list, "SET l[0] = l[0] + i", "l = [START]", "l[0] += str(i)", text),
        grown("s = STR.Join([s, x])", "SET s = START", 'SET s = STR.Join([s, "x,"])', "s = START", 's = "".join([s, "x,"])', text),
        grown("s = STR.Format(…, [s, x])", "SET s = START", 'SET s = STR.Format("{}{}", [s, i])', "s = START", 's = "{}{}".format(s, i)', text),
        grown("l = l + [a] + [b]", "SET l = START", "SET l = l + [i] + [i]", "l = START", "l += [i] + [i]"),
        grown("m.x = m.x + [x]", a_map, "SET m.x = m.x + [i]", python_map, 'm["x"] += [i]'),
        grown("m[k] = m[k] + [x]", a_map, "SET m[k] = m[k] + [i]", python_map, "m[k] += [i]"),
        grown("m[k] = MAP.Get(m, k, []) + [x]", a_map, "SET m[k] = MAP.Get(m, k, []) + [i]", python_map, "m.setdefault(k, []).append(i)\nm[k] += []"),
        grown("l[0] = l[0] + [x]", a_list, "SET l[0] = l[0] + [i]", "l = [START]", "l[0] += [i]"),
        grown("g = m[k], g = g + [x], m[k] = g", a_map, "SET m[k] = m[k]\nSET g = m[k]\nSET g = g + [i]\nSET m[k] = g", python_map, "g = m[k]\ng += [i]\nm[k] = g"),
        grown("l = Add(l, x)", "SET l = START", "SET l = Add(l, i)", "l = START", "l = add(l, i)"),
        grown("m = Upd(m, k)", "SET m = START", 'SET m = Upd(m, "k" + i)', "m = START", 'm = upd(m, "k" + str(i))', "{}"),
        Idiom("a, b = Swap(a, b)", 40_000, "SET a = []\nSET b = []", "SET a, b = Swap(a, b)", "LEN(a) + LEN(b)", "a = []\nb = []", "a, b = swap(a, b)", "len(a) + len(b)"),
        Idiom("LIST.Reduce(l, Joined, [])", 1, "SET l = LIST.Reduce(RANGE(n * 40000), Joined, [])", "SET _x = i", "LEN(l)", "l = []\nfor x in range(n * 40000):\n    l.append(x)", "pass", "len(l)"),
        grown("l = LIST.Append(l, x)", "SET l = START", "SET l = LIST.Append(l, i)", "l = START", "l.append(i)\nl = l"),
        grown("l = LIST.Prepend(l, x)", "SET l = START", "SET l = LIST.Prepend(l, i)", "from collections import deque\nl = deque()", "l.appendleft(i)\nl = l"),
        grown("l = LIST.Insert(l, 0, x)", "SET l = START", "SET l = LIST.Insert(l, 0, i)", "from collections import deque\nl = deque()", "l.insert(0, i)\nl = l"),
        grown("m = MAP.Set(m, k, v)", "SET m = START", 'SET m = MAP.Set(m, "k" + i, i)', "m = START", 'm["k" + str(i)] = i\nm = m', "{}"),
        grown("m = MAP.Merge(m, {…})", "SET m = START", "SET m = MAP.Merge(m, Upd({}, \"k\" + i))", "m = START", 'm.update(upd({}, "k" + str(i)))\nm = m', "{}"),
        grown("l = LIST.Rest(l, 1)", "SET l = LIST.Repeat(0, n + 1)", "SET l = LIST.Rest(l, 1)", "from collections import deque\nl = deque([0] * (n + 1))", "l.popleft()\nl = l"),
        grown("l = LIST.Take(l, LEN(l) - 1)", "SET l = LIST.Repeat(0, n + 1)", "SET l = LIST.Take(l, LEN(l) - 1)", "l = [0] * (n + 1)", "l.pop()\nl = l"),
        Idiom("t = STR.Sub(t, 1)", 40_000, 'SET t = STR.Repeat("café ", n)', "SET t = STR.Sub(t, 1)", "LEN(t)", 't = "café " * n\nat = 0', "at += 1", "len(t) - at"),
        Idiom("t[-i - 1], not ASCII", 40_000, 'SET t = STR.Repeat("café ", n)\nSET e = 0', 'IF t[-i - 1] == "é" THEN\n  SET e = e + 1\nEND', "e", 't = "café " * n\ne = 0', 'if t[-i - 1] == "é":\n    e += 1', "e"),
        Idiom("t[i] at random, not ASCII", 40_000, 'SET t = STR.Repeat("café ", n)\nSET e = 0', 'IF t[i * 7919 % n] == "é" THEN\n  SET e = e + 1\nEND', "e", 't = "café " * n\ne = 0', 'if t[i * 7919 % n] == "é":\n    e += 1', "e"),
        Idiom("LEN(t), t[-1] after growing", 40_000, 'SET t = "é"\nSET e = 0', 'SET t = t + "é."\nSET e = e + LEN(t[-1])\nSET e = e + LEN(t) % 2', "e", 't = "é"\ne = 0', 't += "é."\ne += len(t[-1])\ne += len(t) % 2', "e"),
        Idiom("STR.Find(t, part, start)", 40_000, 'SET t = STR.Repeat("a, é; ", n)\nSET at = 0', 'SET at = STR.Find(t, ";", at) + 1', "at", 't = "a, é; " * n\nat = 0', 'at = t.find(";", at) + 1', "at"),
        Idiom("forty regular expressions in turn", 10_000, "SET e = 0", 'IF REGEX.Match("x3123y", "x" + i % 40 + "[0-9]+y") THEN\n  SET e = e + 1\nEND', "e", "e = 0", 'if re.search("x" + str(i % 40) + "[0-9]+y", "x3123y"):\n    e += 1', "e"),
        Idiom("PATH.Matches(path, glob)", 20_000, "SET e = 0", 'IF PATH.Matches("src/a" + i + ".py", "*.py") THEN\n  SET e = e + 1\nEND', "e", "e = 0", 'if fnmatch.fnmatch("src/a" + str(i) + ".py", "*.py"):\n    e += 1', "e"),
    ]


def run(built: Built, rounds: int, quick: bool = False) -> Report:
    """Measures every idiom; the answers must agree."""
    report = Report()
    rows: list[list[str]] = []
    growths: dict[str, float] = {}
    ratios: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="idioms-") as folder:
        base = {name: least(command, rounds) for name, command in empty(built, Path(folder)).items()}
        for idiom in idioms():
            show.note(idiom.name)
            n = max(idiom.turns // QUICK, 1) if quick else idiom.turns
            ours = [measured(built, idiom, turns, Path(folder), rounds) for turns in (n, 2 * n, 4 * n)]
            times = [max(usage["ns"].cpu_ms - base["ns"].cpu_ms, 0.1) for usage in ours]
            python = max(ours[-1]["python3"].cpu_ms - base["python3"].cpu_ms, 0.1)
            growth, ratio = times[2] / times[0], times[2] / python
            rows.append([idiom.name, f"{4 * n:,}", *map(number, times), number(growth), number(ratio)])
            report.series[idiom.name] = {str(k): [usage["ns"]] for k, usage in zip((n, 2 * n, 4 * n), ours)}
            growths[idiom.name], ratios[idiom.name] = growth, ratio
    show.note("")
    report.goals = [worst("4n over n", growths, "linear", GROWTH), worst("CPU", ratios, "python3", PYTHON)]
    report.blocks = [show.table(["idiom", "4n", "ms at n", "at 2n", "at 4n", "4n / n", "of Python's at 4n"], rows)]
    return report


def worst(what: str, values: dict[str, float], against: str, goal: float) -> Goal:
    """The goal of all idioms, and the one that is furthest from it."""
    name = max(values, key=values.__getitem__)
    return Goal(f"{len(values)} idioms of loops, {what}, worst (`{name}`)", against, goal, Spread(*[values[name]] * 3))


def empty(built: Built, folder: Path) -> dict[str, list[str]]:
    """Programs that do nothing."""
    (folder / "empty.ns").write_text(f"{PROCEDURES}SET _x = 1\n")
    (folder / "empty.py").write_text(PYTHON_PROCEDURES)
    return commands(built, folder, "empty")


def commands(built: Built, folder: Path, name: str) -> dict[str, list[str]]:
    """The commands that run two files of one name."""
    return {
        "ns": [built.ns, "run", "--sandbox", str(folder), str(folder / f"{name}.ns")],
        "python3": [sys.executable, str(folder / f"{name}.py")],
    }


def measured(built: Built, idiom: Idiom, n: int, folder: Path, rounds: int) -> dict[str, Usage]:
    """The runs of both that took the least CPU time."""
    (folder / "idiom.ns").write_text(idiom.ours(n))
    (folder / "idiom.py").write_text(idiom.python(n))
    both = commands(built, folder, "idiom")
    answers = {name: process.run(command).output.strip() for name, command in both.items()}
    if len(set(answers.values())) != 1:
        raise process.Failed(f"`{idiom.name}` gives {answers} for {n}")
    return {name: least(command, rounds) for name, command in both.items()}


def least(command: list[str], rounds: int) -> Usage:
    """The run that took the least CPU time: other work can only add."""
    return min((process.discard(command) for _ in range(rounds)), key=lambda usage: usage.cpu_ms)
