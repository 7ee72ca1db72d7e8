#!/usr/bin/env python3
"""Writes to project memory a second: one process, and several at once.

    python3 benches/memory.py [--ns PATH] [--folder DIR] [--quick]

Every write is a transaction that is on the disk when it returns, so the disk decides; the last line
is what fsync alone costs there. Nothing but the standard library is needed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

WRITE = """\
FOR EACH i IN RANGE(INT(ARGS[1])) DO
  CALL MEMORY.Set("w" + ARGS[0] + "." + STR(i), {"number": i, "text": "value"}, "project")
END
"""
READ = """\
FOR EACH i IN RANGE(INT(ARGS[1])) DO
  CALL MEMORY.Get("w" + ARGS[0] + "." + STR(i), "project")
END
"""


def binary():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(root, "target", "release", "ns")


def timed(ns, sandbox, script, processes, keys):
    """Seconds that some processes take which run the script at once."""
    begin = time.perf_counter()
    words = [ns, "--sandbox", sandbox, "run", "-e", script, "--"]
    running = [subprocess.Popen(words + [str(number), str(keys)]) for number in range(processes)]
    codes = [process.wait() for process in running]
    if any(codes):
        sys.exit(f"a process failed: exit codes {codes}")
    return time.perf_counter() - begin


def count(ns, sandbox):
    lines = subprocess.run([ns, "--sandbox", sandbox, "memory", "export"], capture_output=True, check=True)
    return lines.stdout.count(b"\n")


def fsyncs(folder, times):
    """How many appends of a page with fsync the disk takes in a second."""
    with tempfile.TemporaryFile(dir=folder) as file:
        begin = time.perf_counter()
        for _ in range(times):
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
        return times / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ns", default=binary(), help="the binary")
    parser.add_argument("--folder", default=None, help="where the sandboxes are made")
    parser.add_argument("--quick", action="store_true", help="fewer writes")
    args = parser.parse_args()
    rounds = [(1, 200), (8, 50)] if args.quick else [(1, 2000), (8, 250), (64, 200)]
    for processes, keys in rounds:
        with tempfile.TemporaryDirectory(dir=args.folder) as sandbox:
            writing = timed(args.ns, sandbox, WRITE, processes, keys)
            kept = count(args.ns, sandbox)
            if kept != processes * keys:
                sys.exit(f"{processes * keys} writes, {kept} keys")
            reading = timed(args.ns, sandbox, READ, processes, keys)
            print(f"{processes:3} processes x {keys:4} keys: "
                  f"{kept / writing:8.0f} writes/s {kept / reading:8.0f} reads/s")
    print(f"fsync alone: {fsyncs(args.folder, 200):8.0f} /s")


if __name__ == "__main__":
    main()
