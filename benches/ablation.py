#!/usr/bin/env python3
"""Measures what the run's safety costs: builds of ns, each without one part of it, beside the whole one.

The builds go to target/ablation/ns-PART and are for measuring alone (crates/sandbox/src/limits/ablation.rs): never install one.
It never fails because of a time: it exits with 1 when answers differ or something cannot be built or run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

ROOT = Path(__file__).resolve().parent.parent
#: What a build can leave out of a run; `steps` leaves out the look at clock and interrupt too. `seals` has a bench of
#: its own (sealing.py).
PARTS = ("steps", "interrupts", "space")
PROGRAMS = ("fib", "loops", "sieve", "mandel", "matmul", "bubble", "strcat", "map", "records")


class Failed(Exception):
    """A build or a program that did not end well, or an answer that is not the whole build's."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="rounds of each program [7]")
    parser.add_argument("--only", default=",".join(PROGRAMS), metavar="A,B", help="of the programs")
    parser.add_argument("--parts", default=",".join(PARTS), metavar="A,B", help="of the parts")
    args = parser.parse_args()
    try:
        builds = {name: build(name) for name in ["whole", *args.parts.split(",")]}
        print(table(builds, args.only.split(","), args.rounds))
    except Failed as failure:
        print(f"ablation.py: {failure}", file=sys.stderr)
        return 1
    return 0


def build(part: str) -> Path:
    """The ns without a part; `whole` is without none."""
    target = ROOT / "target" / "ablation"
    target.mkdir(parents=True, exist_ok=True)
    wrapper = target / f"rustc-{part}"
    without = "" if part == "whole" else f" --cfg 'ns_without=\"{part}\"'"
    # For the crates of the workspace alone, so that those it depends on are built once for all parts.
    wrapper.write_text(f'#!/bin/sh\nexec "$@"{without}\n')
    wrapper.chmod(0o755)
    environment = {**os.environ, "RUSTC_WORKSPACE_WRAPPER": str(wrapper), "CARGO_TARGET_DIR": str(target)}
    command = ["cargo", "build", "--profile", "dist", "--quiet", "--bin", "ns"]
    if subprocess.run(command, cwd=ROOT, env=environment).returncode != 0:
        raise Failed(f"the build without `{part}` fails")
    return Path(shutil.copy2(target / "dist" / "ns", target / f"ns-{part}"))


def cpu(ns: Path, program: str) -> tuple[float, str]:
    """Milliseconds of CPU that a program takes, and what it prints."""
    script = ROOT / "benches" / "programs" / f"{program}.ns"
    before = getrusage(RUSAGE_CHILDREN)
    ran = subprocess.run([ns, "run", script], cwd=ROOT / "benches", stdout=subprocess.PIPE, text=True)
    after = getrusage(RUSAGE_CHILDREN)
    if ran.returncode != 0:
        raise Failed(f"`{program}` ends with {ran.returncode}")
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken * 1e3, ran.stdout


def table(builds: dict[str, Path], programs: list[str], rounds: int) -> str:
    """Programs down, builds across: the whole build's time, and what the others save of it."""
    lines = ["| program | whole, ms | " + " | ".join(f"without {part}" for part in list(builds)[1:]) + " |"]
    lines.append("|---|---:|" + "---:|" * (len(builds) - 1))
    saved: dict[str, list[float]] = {part: [] for part in list(builds)[1:]}
    for program in programs:
        times: dict[str, list[float]] = {part: [] for part in builds}
        for _ in range(rounds):
            answers = set()
            # In turn, so that a machine which slows down slows all of them.
            for part, ns in builds.items():
                taken, answer = cpu(ns, program)
                times[part].append(taken)
                answers.add(answer)
            if len(answers) != 1:
                raise Failed(f"`{program}` has {len(answers)} answers")
        row = [program, f"{statistics.median(times['whole']):.0f}"]
        for part in saved:
            ratio = statistics.median(part / whole for part, whole in zip(times[part], times["whole"]))
            saved[part].append(ratio)
            row.append(f"{ratio:.2f}")
        lines.append("| " + " | ".join(row) + " |")
    means = [f"{statistics.geometric_mean(ratios):.2f}" for ratios in saved.values()]
    lines.append("| mean | | " + " | ".join(means) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
