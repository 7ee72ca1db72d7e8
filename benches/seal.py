#!/usr/bin/env python3
"""What the second wall costs when `ns` starts: an empty script, with Landlock or seccomp or both missing.

    benches/seal.py [NS]        # NS: the binary, target/release/ns when left out
    benches/seal.py --deep N    # instead of the empty script a walk of N folders, each in the one before
    benches/seal.py --quick     # fewer starts

A filter of system calls makes the kernel say that it has them not; the starts with both have one too, which
refuses nothing. The forms take turns. Nothing is asserted but that each start ends well. Linux on x86-64 or
arm64 alone."""

import argparse
import ctypes
import os
import pathlib
import platform
import statistics
import struct
import sys
import tempfile
import time

# `landlock_create_ruleset` has one number everywhere, `seccomp` has not.
LANDLOCK = 444
SECCOMP = {"x86_64": 317, "aarch64": 277}
NO_SUCH_CALL = 38
NOBODY_CALLS_IT = 1_000_000
LOAD_NUMBER, SKIP_UNLESS_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
NO_NEW_PRIVILEGES, SET_SECCOMP, MODE_FILTER = 38, 22, 2


def refuse(number):
    """Makes a system call fail in this process and all that it starts."""
    steps = [(LOAD_NUMBER, 0, 0, 0), (SKIP_UNLESS_EQUAL, 0, 1, number)]
    steps += [(RETURN, 0, 0, ERROR | NO_SUCH_CALL), (RETURN, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, MODE_FILTER, program, 0, 0):
        os._exit(125)


def start(ns, folder, refused):
    """Milliseconds from the start of `ns` to its end, and those of the processor in them."""
    child = os.fork()
    if child == 0:
        for number in refused:
            refuse(number)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        begin = time.perf_counter_ns()
        child = os.posix_spawn(ns, [ns, "run", "--sandbox", f"{folder}/root", f"{folder}/script.ns"], os.environ)
        _, status, used = os.wait4(child, 0)
        clock, processor = time.perf_counter_ns() - begin, used.ru_utime + used.ru_stime
        (pathlib.Path(folder) / "taken").write_text(f"{clock / 1e6} {processor * 1e3}")
        os._exit(os.waitstatus_to_exitcode(status) != 0)
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit(f"a start without {refused} fails: {status}")
    return [float(word) for word in (pathlib.Path(folder) / "taken").read_text().split()]


def prepare(folder, depth):
    """A root with so many folders, each in the one before, and the script that walks them; none: an empty script."""
    places = [folder / "root"]
    for _ in range(depth):
        places.append(places[-1] / "d")
    for place in places:
        place.mkdir()
    (folder / "script.ns").write_text('SET rows = FS.WalkDir(".")\nEMIT LEN(rows)\n' if depth else "")
    return places


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ns", nargs="?", default="target/release/ns")
    parser.add_argument("--deep", type=int, default=0, metavar="N")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    ns = os.path.abspath(options.ns)
    rounds = 20 if options.quick else 400 if not options.deep else 40
    seccomp = SECCOMP.get(platform.machine())
    if seccomp is None or sys.platform != "linux":
        print("SKIPPED: it needs Linux on x86-64 or arm64")
        return
    nothing = NOBODY_CALLS_IT
    forms = {
        "both": [nothing, nothing],
        "without Landlock": [LANDLOCK, nothing],
        "without seccomp": [nothing, seccomp],
        "with neither": [LANDLOCK, seccomp],
    }
    taken = {name: [] for name in forms}
    with tempfile.TemporaryDirectory() as folder:
        places = prepare(pathlib.Path(folder), options.deep)
        for _ in range(rounds):
            for name, refused in forms.items():
                taken[name].append(start(ns, folder, refused))
        # So many in one another are more than the library removes.
        for place in reversed(places):
            place.rmdir()
    print(f"{'a start':<18} {'clock ms':>10} {'least':>10} {'processor':>10} {'least':>10}")
    for name, times in taken.items():
        columns = [number for values in zip(*times) for number in (statistics.median(values), min(values))]
        print(f"{name:<18}" + "".join(f" {number:>10.2f}" for number in columns))


if __name__ == "__main__":
    main()
