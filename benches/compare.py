#!/usr/bin/env python3
"""Measures ns beside other programs on this machine, in turn, and checks that their answers agree.

It never fails because of a time: it exits with 1 when answers differ or something cannot be run.
benches/README.md says what each mode measures and how to read the tables.
"""

from __future__ import annotations

import argparse
import sys

from comparing import build, million, process, programs, quick, scaling, start, walk


def main() -> int:
    args = arguments().parse_args()
    try:
        print(measure(args))
    except process.Failed as failure:
        print(f"compare.py: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def arguments() -> argparse.ArgumentParser:
    """What the command line may say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--walk", metavar="DIR", nargs="?", const="/usr", help="walk a folder [/usr]")
    modes.add_argument("--million", action="store_true", help="the peak memory of a walk over a million files")
    modes.add_argument("--parse", action="store_true", help="how the time of a check grows with the text")
    modes.add_argument("--start", action="store_true", help="the CPU time of an empty script")
    modes.add_argument("--quick", action="store_true", help="a little of everything, once; for CI")
    parser.add_argument("--rounds", type=positive, metavar="N", help="rounds of each measurement")
    parser.add_argument("--only", metavar="A,B", help=f"of the programs {' '.join(programs.PROGRAMS)}")
    parser.add_argument("--before", metavar="NS", help="another ns, measured in turn with this one")
    return parser


def positive(text: str) -> int:
    """A number above 0."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def measure(args: argparse.Namespace) -> str:
    """The tables of the chosen mode."""
    if args.quick:
        return quick.run(build.quick())
    built = build.release()
    if args.walk:
        return walk.run(built, args.walk, args.rounds or 5)
    if args.million:
        return million.run(built, folders=1000, files=1000)
    if args.parse:
        return scaling.run(built)
    if args.start:
        return start.run(built, args.rounds or 50)
    peers = programs.peers(args.before)
    return programs.run(built, programs.named(args.only), peers, args.rounds or 7)


if __name__ == "__main__":
    sys.exit(main())
