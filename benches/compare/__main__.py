"""Measures ns beside other programs on this machine, in turn, and checks that their answers agree.

    python3 benches/compare [MODE…] [--rounds N] [--only fib,map] [--peers lua5.4,perl] [--json FILE] [--save]

It installs nothing; peers that are missing are named. It never fails because of a time: it exits with 1
when answers differ or something cannot be run. Without a mode it measures everything, which takes long.
benches/README.md says what each mode measures and how to read the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable

import calls
import chores
import files
import idioms
import listing
import million
import page
import parse
import process
import programs
import quick
import scaling
import show
import start
import sums
import walk
from build import Built
from report import Report

Mode = Callable[[Built, argparse.Namespace], Report]
MODES: dict[str, Mode] = {
    "programs": lambda built, args: programs.run(
        built, programs.named(args.only), _peers(args), args.rounds or 7, args.before
    ),
    "start": lambda built, args: start.run(built, _peers(args), args.rounds or 50),
    "calls": lambda built, args: calls.run(built, args.rounds or 9),
    "walk": lambda built, args: walk.run(built, args.folder, args.rounds or 9),
    "sums": lambda built, args: sums.run(built, args.folder, args.rounds or 9),
    "million": lambda built, args: million.run(built, folders=1000, files=1000),
    "listing": lambda built, args: listing.run(built, listing.FULL, args.rounds or 15),
    "files": lambda built, args: files.run(built, files.FULL_MIB, args.rounds or 9),
    "chores": lambda built, args: chores.run(built, chores.FULL, args.rounds or 5, args.chores and args.chores.split(",")),
    "scaling": lambda built, args: scaling.run(built, args.most_ms),
    "idioms": lambda built, args: idioms.run(built, args.rounds or 3),
    "parse": lambda built, args: parse.run(built, args.rounds or 7),
}


def main() -> int:
    args = arguments().parse_args()
    try:
        reports = measure(args)
        print(shown(reports))
        if args.json:
            written(args.json, {mode: report.data() for mode, report in reports.items()})
        if args.save:
            page.save(reports)
    except process.Failed as failure:
        print(f"compare: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def arguments() -> argparse.ArgumentParser:
    """What the command line may say."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="compare", description=__doc__, formatter_class=formatter)
    parser.add_argument("modes", metavar="MODE", nargs="*", choices=[*MODES, []], help=f"of {' '.join(MODES)} [all]")
    parser.add_argument("--quick", action="store_true", help="a little of everything, once; for CI")
    parser.add_argument("--rounds", type=positive, metavar="N", help="rounds of each measurement")
    parser.add_argument("--only", metavar="A,B", help=f"of the programs {' '.join(programs.PROGRAMS)}")
    parser.add_argument("--peers", metavar="A,B", help="of the languages; all that are here when left out")
    parser.add_argument("--chores", metavar="A,B", help="of the chores, by name; all when left out")
    parser.add_argument("--folder", metavar="DIR", default="/usr", help="what is walked [/usr]")
    parser.add_argument("--most-ms", type=positive, metavar="N", default=scaling.MOST_MS, help="scale until a run takes this")
    parser.add_argument("--ns", metavar="PATH", help="an ns that is built already")
    parser.add_argument("--before", metavar="PATH", help="another ns, which runs the programs in turn with this one")
    parser.add_argument("--json", metavar="FILE", help="write every round of every measurement")
    parser.add_argument("--save", action="store_true", help="bring docs/performance.md and its pictures up to date")
    return parser


def positive(text: str) -> int:
    """A number above 0."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _peers(args: argparse.Namespace) -> list[str] | None:
    return args.peers.split(",") if args.peers else None


def measure(args: argparse.Namespace) -> dict[str, Report]:
    """What the chosen modes find."""
    built = Built(args.ns and os.path.abspath(args.ns), measures=not args.quick)
    if args.quick:
        return quick.run(built)
    return {mode: MODES[mode](built, args) for mode in args.modes or MODES}


def shown(reports: dict[str, Report]) -> str:
    """All tables, and the goals among them."""
    goals = [goal.row() for report in reports.values() for goal in report.goals]
    blocks = [report.text() for report in reports.values()]
    return "\n\n".join([*blocks, *([show.table(page.GOALS_HEAD, goals)] if goals else [])])


def written(path: str, data: object) -> None:
    """Writes a file of JSON."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
