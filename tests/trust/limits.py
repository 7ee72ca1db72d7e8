#!/usr/bin/env python3
"""How long after its limit a runaway script ends, and that it ends by its limit.

Scripts that never end, and such as spend all their time inside one call of a tool, run with a limit of
time. Each must say NS0604 and end with 124; what is printed is how much later than the limit that was, start
and end of the process included. No bound on it is asserted: that is for the reader of the figures.

usage: limits.py [--quick] [--rounds N] [--ns PATH] [--only WORD]      (--quick: every fourth script, once)
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT = 0.5
# What hangs for so long is a fault, whatever the machine is doing.
PATIENCE = 120
MIB = 1 << 20

GROW = 'SET t = "a"\nWHILE LEN(t) < 8000000 DO\nSET t = t + t\nEND\n'
LINES = 'SET t = STR.Repeat("some words on a line, and some more\\n", 1500000)\n'
# A text, JSON or YAML of it has 2^60 elements.
SHARED = "SET a = [1]\nSET b = [1]\nFOR EACH i IN RANGE(60) DO\nSET a = [a, a]\nSET b = [b, b]\nEND\n"
WIDE = "SET l = RANGE(2000000) + [1]\nSET m = RANGE(2000000) + [1]\n"
RUNAWAYS = {
    "an empty loop": "WHILE true DO\nEND\n",
    "a loop over a range": "FOR EACH i IN RANGE(9000000000000) DO\nSET x = i\nEND\n",
    "procedures that call each other": "DEFINE PROCEDURE A(n)\nIF n > 0 THEN\nCALL A(n - 1)\nCALL A(n - 1)\nEND\nEND\nCALL A(200)\n",
    "a handler that catches everything": "WHILE true DO\nON ERROR DO\nCLEAR_ERROR\nEND\nFAIL \"again\"\nEND\n",
    "output": 'WHILE true DO\nEMIT "x"\nEND\n',
    "equality of values that share parts": SHARED + WIDE + "SET x = a == b AND l == m\nWHILE true DO\nSET x = l == m\nEND\n",
    "a value looked for among many": WIDE + "WHILE true DO\nSET x = m IN [l] OR LIST.Contains(LIST.Repeat(l, 100), [m])\nEND\n",
    "elements counted by value": WIDE + "WHILE true DO\nSET x = LIST.Unique([l, m]) + LIST.Where([{\"v\": l}], \"v\", m)\nEND\n",
    "STR of a value without end": SHARED + "SET x = STR(a)\n",
    "EMIT of a value without end": SHARED + "EMIT a\n",
    "FAIL with a value without end": SHARED + "FAIL a\n",
    "MUST with a value without end": SHARED + "MUST false, a\n",
    "a template with a value without end": SHARED + "EMIT ```{{a}}```\n",
    "EVAL with a value without end": SHARED + 'EMIT EVAL("{{a}}")\n',
    "STR.Format of a value without end": SHARED + 'EMIT STR.Format("{}", [a])\n',
    "JSON of a value without end": SHARED + "SET x = JSON.Text({\"k\": a})\n",
    "YAML of a value without end": SHARED + "SET x = YAML.Text(a)\n",
    "TOML of a value without end": SHARED + "SET x = TOML.Text({\"k\": a})\n",
    "memory that is set to a long value": WIDE + "WHILE true DO\nCALL MEMORY.Set(\"k\", l)\nCALL MEMORY.Set(\"k\", [l, m])\nEND\n",
    "a small tool again and again": "WHILE true DO\nSET x = MATH.Abs(-1)\nEND\n",
    "writing files": 'WHILE true DO\nCALL FS.WriteFile("f", "x")\nEND\n',
    "a long sort": LINES + "WHILE true DO\nSET l = LIST.Sort(STR.Split(t, \" \"))\nEND\n",
    "a pattern over a long text": GROW + 'SET r = REGEX.All(t, "(a|aa)*b|a{1,200}c")\nWHILE true DO\nEND\n',
    "a difference of long texts": LINES + 'SET d = TEXT.Diff(t, STR.Upper(STR.Replace(t, "words", "w")))\nWHILE true DO\nEND\n',
    "parsing": LINES + 'SET j = JSON.Text(STR.Lines(t))\nWHILE true DO\nSET v = JSON.Parse(j)\nEND\n',
    "a large file": "WHILE true DO\nSET h = FS.HashFile(\"large\")\nEND\n",
    "a search in large files": 'WHILE true DO\nSET h = FS.SearchFiles(".", "zzz")\nEND\n',
    "a walk through many files": "WHILE true DO\nSET w = FS.WalkDir(\"many\")\nEND\n",
    "an archive of large files": "CALL FS.Compress(\"large\", \"o.zip\")\nWHILE true DO\nEND\n",
    "copies of large files": "WHILE true DO\nCALL FS.CopyFile(\"large\", \"copy\", overwrite: true)\nEND\n",
}


def prepare(place):
    with open(os.path.join(place, "large"), "wb") as file:
        for _ in range(200):
            file.write(os.urandom(MIB))
    for folder in range(100):
        os.makedirs(os.path.join(place, "many", str(folder)))
        for name in range(200):
            open(os.path.join(place, "many", str(folder), str(name)), "w").close()


def run(ns, place, script):
    """How long the run took, and what is wrong with its end."""
    begin = time.monotonic()
    try:
        ran = subprocess.run(
            [ns, "run", "--sandbox", place, "--timeout", str(LIMIT), "-"], input=script, text=True, timeout=PATIENCE,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={"HOME": "/nonexistent", "PATH": os.environ["PATH"]},
        )
    except subprocess.TimeoutExpired:
        return PATIENCE, "it did not end"
    took = time.monotonic() - begin
    is_told = "NS0604" in ran.stderr and "timeout_s" in ran.stderr
    # A text of YAML is as long as a text may be before the time is over.
    if "YAML.Text" in script and "NS0608" in ran.stderr:
        return took, None
    return took, None if ran.returncode == 124 and is_told else f"exit {ran.returncode}: {ran.stderr.strip()[:300]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ns", default="target/release/ns")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    ns, faults, worst, tried = os.path.abspath(options.ns), 0, 0, 0
    rounds, step = (1, 4) if options.quick else (options.rounds, 1)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as place:
        prepare(place)
        print(f"{'with a limit of ' + str(LIMIT) + ' s':<36} median ms after it   worst")
        for name, script in list(RUNAWAYS.items())[::step]:
            if options.only not in name:
                continue
            tried += 1
            ends = [run(ns, place, script) for _ in range(rounds)]
            late = [1000 * (took - LIMIT) for took, _ in ends]
            worst = max(worst, *late)
            print(f"{name:<36} {statistics.median(late):>18.0f} {max(late):>7.0f}", flush=True)
            for fault in {fault for _, fault in ends if fault}:
                faults += 1
                print("    ", fault)
    if not tried:
        parser.error(f"there is no runaway script with `{options.only}` in its name")
    print(f"{tried} runaway scripts, {faults} that did not end by their limit, {worst:.0f} ms at worst")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
