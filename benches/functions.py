#!/usr/bin/env python3
"""The functions on data: each at n and 2n, and the three that are held against Python.

    python3 benches/functions.py [--ns PATH] [--quick]

CPU seconds (user and system) of whole processes, the least of some runs. A function that is linear
doubles; what both sides read is taken off by a script that only reads. Nothing but the standard library
is needed.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

# Name, script; `text` is n bytes of words with commas, `list` the words, `ints` n/10 whole numbers.
READ = 'SET text = FS.ReadFile("words.txt", max_size_mb: 1000).content\n'
WORDS = READ + 'SET list = STR.Split(text, ",")\n'
INTS = 'SET ints = JSON.Parse(FS.ReadFile("ints.json", max_size_mb: 1000).content)\n'
ROWS = 'SET rows = JSON.Parse(FS.ReadFile("rows.json", max_size_mb: 1000).content)\n'
CASES = [
    ("STR.Upper", READ, 'EMIT LEN(STR.Upper(text))'),
    ("STR.Split", READ, 'EMIT LEN(STR.Split(text, ","))'),
    ("STR.Words", READ, 'EMIT LEN(STR.Words(text))'),
    ("STR.Replace", READ, 'EMIT LEN(STR.Replace(text, "alpha", "ALPHA!"))'),
    ("STR.Reverse", READ, 'EMIT LEN(STR.Reverse(text))'),
    ("STR.Similarity", READ, 'EMIT STR.Similarity(text, text + "x") > 0'),
    ("STR.Join", WORDS, 'EMIT LEN(STR.Join(list, "; "))'),
    ("REGEX.All", READ, "EMIT LEN(REGEX.All(text, '''[a-z]+1'''))"),
    ("REGEX.Replace", READ, "EMIT LEN(REGEX.Replace(text, '''(\\w)(\\d)''', \"$2$1\"))"),
    ("LIST.Sort (texts)", WORDS, 'EMIT LEN(LIST.Sort(list))'),
    ("LIST.Sort (ints)", INTS, 'EMIT LIST.Sort(ints)[0]'),
    ("LIST.Unique", INTS, 'EMIT LEN(LIST.Unique(ints))'),
    ("LIST.CountBy", WORDS, 'EMIT LEN(LIST.CountBy(list))'),
    ("LIST.Reverse", INTS, 'EMIT LEN(LIST.Reverse(ints))'),
    ("LIST.Map", INTS, 'EMIT LEN(LIST.Map(ints, ABS))'),
    ("LIST.GroupBy", ROWS, 'EMIT LEN(LIST.GroupBy(rows, "kind"))'),
    ("MATH.Median", INTS, 'EMIT MATH.Median(ints)'),
    ("JSON.Parse", READ, 'EMIT LEN(JSON.Parse(FS.ReadFile("rows.json", max_size_mb: 1000).content))'),
    ("JSON.Text", ROWS, 'EMIT LEN(JSON.Text(rows))'),
    ("CSV.Text", ROWS, 'EMIT LEN(CSV.Text(rows))'),
    ("CSV.Parse", ROWS + 'SET text = CSV.Text(rows)\n', 'EMIT LEN(CSV.Parse(text))'),
    ("YAML.Text", ROWS, 'EMIT LEN(YAML.Text(rows))'),
    ("YAML.Parse", ROWS + 'SET text = YAML.Text(rows)\n', 'EMIT LEN(YAML.Parse(text))'),
    ("TOML.Text", ROWS, 'EMIT LEN(TOML.Text({"rows": rows}))'),
    ("TOML.Parse", ROWS + 'SET text = TOML.Text({"rows": rows})\n', 'EMIT LEN(TOML.Parse(text))'),
    ("TEXT.Diff", READ, 'EMIT LEN(TEXT.Diff(STR.Replace(text, ",", "\\n"), STR.Replace(text + "x", ",x1,", "\\n")))'),
    ("HASH.Sha256", READ, 'EMIT HASH.Sha256(text)'),
    ("BASE64.Encode", READ, 'EMIT LEN(BASE64.Encode(text))'),
]
# Name, script, Python; each does the whole of it.
PYTHON = [
    ("STR.Split of 50 MB", READ + 'EMIT LEN(STR.Split(text, ","))', 'print(len(open("words.txt").read().split(",")))'),
    ("LIST.Sort of a million ints", INTS + 'EMIT LIST.Sort(ints)[0]',
     'import json; print(sorted(json.loads(open("ints.json").read()))[0])'),
    ("JSON.Parse of 50 MB", 'EMIT LEN(JSON.Parse(FS.ReadFile("rows.json", max_size_mb: 1000).content))',
     'import json; print(len(json.loads(open("rows.json").read())))'),
]


def make(folder, size):
    """Data of about so many bytes."""
    chance = random.Random(1)
    words = ["alpha", "beta", "gamma1", "delta", "epsilon", "a", "longerword", "x1"]
    with open(os.path.join(folder, "words.txt"), "w") as file:
        file.write(",".join(chance.choices(words, k=size // 6)))
    with open(os.path.join(folder, "ints.json"), "w") as file:
        json.dump([chance.randrange(-10**9, 10**9) for _ in range(size // 50)], file)
    row = lambda number: {"id": number, "name": f"file {number}.txt", "size": chance.randrange(10**7), "ratio": chance.random(),
                          "modified": "2024-05-01T12:00:00Z", "kind": chance.choice(words)}
    with open(os.path.join(folder, "rows.json"), "w") as file:
        json.dump([row(number) for number in range(size // 128)], file)
    with open(os.path.join(folder, "neuroscript.toml"), "w") as file:
        file.write("[limits]\nmemory_bytes = 16_000_000_000\nmax_steps = 1_000_000_000_000\n")


def cpu(words, folder, runs):
    """The least CPU seconds of some runs."""
    least = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ran.returncode:
            sys.exit(f"{words}: {ran.stderr}")
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ns", default=os.path.join(root, "target", "release", "ns"), help="the binary")
    parser.add_argument("--quick", action="store_true", help="less data, one run of each")
    args = parser.parse_args()
    size, runs = (5_000_000, 1) if args.quick else (20_000_000, 3)
    script = lambda text: [os.path.abspath(args.ns), "--sandbox", ".", "--policy", "neuroscript.toml", "run", "-e", text]
    with tempfile.TemporaryDirectory() as small, tempfile.TemporaryDirectory() as large, tempfile.TemporaryDirectory() as whole:
        make(small, size)
        make(large, 2 * size)
        print(f"{'':20} {'n':>8} {'2n':>8} {'ratio':>6}   CPU s of the function alone, n is {size // 1_000_000} MB")
        for name, before, call in CASES:
            taken = [cpu(script(before + call), folder, runs) - cpu(script(before), folder, runs) for folder in (small, large)]
            ratio = taken[1] / taken[0] if taken[0] > 0.005 else float("nan")
            print(f"{name:20} {taken[0]:8.3f} {taken[1]:8.3f} {ratio:6.2f}")
        make(whole, 5_000_000 if args.quick else 50_000_000)
        print(f"\n{'':28} {'ns':>8} {'python3':>8} {'ratio':>6}   CPU s of the whole process")
        for name, text, python in PYTHON:
            ours, theirs = cpu(script(text), whole, runs), cpu(["python3", "-c", python], whole, runs)
            print(f"{name:28} {ours:8.3f} {theirs:8.3f} {ours / theirs:6.2f}")


if __name__ == "__main__":
    main()
