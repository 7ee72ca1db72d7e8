#!/usr/bin/env python3
"""Measures what the seals of the journal cost: durable writes by ns beside a build without seals.

    python3 benches/sealing.py [--rounds 15] [--writes 500] [--folder DIR]

Both builds go to target/ablation (benches/ablation.py) and are for measuring alone. The two take turns. Each round
replaces the same files, every write in the journal and synced to the disk, with what was there kept below .ns. Times
are medians; a ratio is the median over the rounds of the whole build over the one without seals, and the goal is 1.03.
It fails where the two leave different files behind, and never because of a time. `--folder /dev/shm` takes the disk out
of the measurement, which is the hardest case.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from ablation import Failed, build
from changes import run

WRITES = """\
FOR EACH number IN RANGE({writes}) DO
  MUST FS.WriteFile("f" + (number % 10), STR.Repeat("new " + number + " ", 20))
END
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="rounds of each build [15]")
    parser.add_argument("--writes", type=int, default=500, metavar="N", help="writes of a round [500]")
    parser.add_argument("--folder", metavar="DIR", help="where the writes go [the folder for temporary files]")
    args = parser.parse_args()
    try:
        builds = {"with seals": build("whole"), "without": build("seals")}
        times = measure(builds, args)
    except Failed as failure:
        print(f"sealing.py: {failure}", file=sys.stderr)
        return 1
    print(f"{args.writes} durable writes, {args.rounds} rounds")
    for kind, title in ((0, "clock"), (1, "CPU")):
        medians = {name: statistics.median(round[kind] for round in rounds) * 1000 for name, rounds in times.items()}
        ratios = [whole[kind] / without[kind] for whole, without in zip(times["with seals"], times["without"])]
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(
            f"  {title:<6} with seals {medians['with seals']:8.1f} ms, without {medians['without']:8.1f} ms,"
            f" ratio {middle:.3f} ({low:.3f}-{high:.3f})"
        )
    return 0


def measure(builds: dict[str, Path], args: argparse.Namespace) -> dict[str, list[tuple[float, float]]]:
    """Seconds on the clock and of CPU, for each build and round."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in builds}
    with tempfile.TemporaryDirectory(dir=args.folder) as top:
        for number in range(args.rounds):
            left = []
            for name in list(builds) if number % 2 == 0 else list(builds)[::-1]:
                place = Path(tempfile.mkdtemp(dir=top))
                times[name].append(run([builds[name], "run", "-"], place, WRITES.format(writes=args.writes)))
                left.append({file.name: file.read_text() for file in place.iterdir() if file.is_file()})
            if left[0] != left[1] or len(left[0]) != 10:
                raise Failed("the two builds leave different files behind")
    return times


if __name__ == "__main__":
    sys.exit(main())
