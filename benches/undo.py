#!/usr/bin/env python3
"""What taking back costs beside what is taken back, and listing many runs.

    cargo build --profile dist && python3 benches/undo.py [big] [many] [log] [--gigabytes 10] [--rounds 9] [--quick] [--ns target/dist/ns]

`big`: a file of many gigabytes is deleted, overwritten by a small one, and a folder of it deleted; each is
taken back and done again. Undo should take no longer than the operation did. `many`: so with 2,000 files, each of
which is edited, created, deleted or moved. `log`: `ns log` and `ns log
--all` of 10,000 runs (goal 100 ms), and `ns show` of one, whose contents later runs have moved.
What is left on the disk and what is printed is compared first; no time is asserted. `--quick` does a little
of each, once, for the comparison alone.
"""
import argparse, json, os, shutil, statistics, subprocess, sys, tempfile, zlib

import changes

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, folder):
    """Runs a command: seconds on the clock, and of processor time. What it says besides is not shown."""
    return changes.run(command, folder, errors=subprocess.DEVNULL)


def milliseconds(times):
    return statistics.median(clock for clock, _ in times) * 1000


# big


def state(folder):
    """What is in a folder: names, sizes, times of last change; of files the ends of their contents."""
    found = []
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".ns")
        for name in sorted(files):
            path = os.path.join(here, name)
            status = os.stat(path)
            with open(path, "rb") as file:
                ends = [file.read(64)]
                file.seek(max(status.st_size - 64, 0))
                ends.append(file.read())
            found.append((path, status.st_size, status.st_mtime_ns, status.st_ino, ends))
    return found


def make_big(path, size):
    """A file whose bytes all have their place on the disk, so that copying it would take its time."""
    with open(path, "wb") as file:
        file.write(os.urandom(1 << 20))
        os.posix_fallocate(file.fileno(), 0, size)
        file.seek(size - (1 << 20))
        file.write(os.urandom(1 << 20))


def big(ns, top, args):
    size = (16 << 20) if args.quick else int(args.gigabytes * (1 << 30))
    make_big(os.path.join(top, "big"), size)
    with open(os.path.join(top, "neuroscript.toml"), "w") as file:
        file.write("[policy]\nmax_files_per_operation = 1000000\n")
    os.mkdir(os.path.join(top, "folder"))
    for number in range(20 if args.quick else 2_000):
        with open(os.path.join(top, "folder", f"f{number}"), "wb") as file:
            file.write(os.urandom(1_000))
    if not args.quick:
        print(f"\n{size / (1 << 30):.1f} GiB, ms on the clock")
    operations = {
        "delete the file": 'MUST FS.DeleteFile("big")',
        "overwrite the file": 'MUST FS.WriteFile("big", "small")',
        "delete a folder of small files": 'MUST FS.DeleteFile("folder", recursive: true)',
        "move the file": 'MUST FS.MoveFile("big", "moved")',
    }
    back_and_forth(ns, top, args, operations)


def many(ns, top, args):
    files = 20 if args.quick else 2_000
    with open(os.path.join(top, "neuroscript.toml"), "w") as file:
        file.write("[policy]\nmax_files_per_operation = 1000000\n")
    for number in range(files):
        with open(os.path.join(top, f"f{number}.txt"), "w") as file:
            file.write(f"old {number}\n" * 20)
    os.sync()
    each = 'FOR EACH f IN FS.Find(".", "f*.txt") DO\nMUST {}\nEND'
    if not args.quick:
        print(f"\n{files} files, ms on the clock")
    operations = {
        "edit the files": 'MUST FS.ReplaceInFiles(".", "old", "new")',
        "create as many": each.format('FS.WriteFile("new-" + f.name, "new")'),
        "delete the files": each.format("FS.DeleteFile(f.path)"),
        "move the files": each.format('FS.MoveFile(f.path, "moved-" + f.name)'),
    }
    back_and_forth(ns, top, args, operations)


def back_and_forth(ns, top, args, operations):
    """Does each operation, takes it back and does it again."""
    if not args.quick:
        print(f"  {'':<34}{'done':>8}{'undone':>8}{'redone':>8}   ratio of undo")
    for name, script in operations.items():
        before = state(top)
        times = {"done": [], "undone": [], "redone": []}
        for _ in range(1 if args.quick else args.rounds):
            times["done"].append(run([ns, "run", "-e", script], top))
            after = state(top)
            for _ in range(2):
                times["undone"].append(run([ns, "undo"], top))
                check(state(top) == before, f"{name}: undo left something else")
                if len(times["redone"]) < len(times["done"]):
                    times["redone"].append(run([ns, "redo"], top))
                    check(state(top) == after, f"{name}: redo left something else")
        if not args.quick:
            ms = [milliseconds(rounds) for rounds in times.values()]
            print(f"  {name:<34}{ms[0]:>8.1f}{ms[1]:>8.1f}{ms[2]:>8.1f}   {ms[1] / ms[0]:.2f}")


# log


def line(record):
    """A line of a journal: JSON behind its checksum."""
    text = json.dumps(record, separators=(",", ":"))
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


def journal(number, name):
    begin = {"version": 1, "run": name, "command": f"ns run script{number}.ns", "user": 0}
    state = {"kind": "file", "inode": number, "size": 5, "modified": [1, 0], "mode": 420}
    lines = [line({"begin": begin})]
    for step in range(1, 4):
        path = f"folder/of/run{number}/file{step}.txt"
        lines.append(line({"step": {"number": step, "step": {"put": {"path": path}}, "before": [[1, 0]]}}))
        lines.append(line({"done": {"number": step, "now": state, "kept": False, "after": [[2, 0]]}}))
    return "".join(lines) + line({"end": {"how": "done", "steps": 3}})


def log(ns, top, args):
    runs = 50 if args.quick else 10_000
    os.makedirs(os.path.join(top, ".ns/runs/open"), mode=0o700)
    os.chmod(os.path.join(top, ".ns"), 0o700)
    names = []
    for number in range(runs):
        name = f"20200101T{number // 3600:02}{number // 60 % 60:02}{number % 60:02}.000000Z-{number:08x}"
        names.append(name)
        with open(os.path.join(top, ".ns/runs", name), "w") as file:
            file.write(journal(number, name))
    # Nobody sealed them: they are taken over first.
    subprocess.run([ns, "adopt", "--yes"], cwd=top, capture_output=True, check=True)
    os.sync()
    commands = {
        "ns log": (["log"], 20),
        "ns log --all": (["log", "--all"], runs),
        "ns show": (["show", names[runs // 2]], None),
    }
    for name, (words, rows) in commands.items():
        printed = subprocess.run([ns, "--output", "json", *words], cwd=top, capture_output=True, check=True).stdout
        printed = json.loads(printed)
        if rows is None:
            check(len(printed["changes"]) == 3, f"{name} shows other changes")
        else:
            check([row["run"] for row in printed] == names[::-1][:rows], f"{name} lists other runs")
        if not args.quick:
            forms = {name: [ns, *words], f"{name}, as JSON": [ns, "--output", "json", *words]}
            for form, command in forms.items():
                times = [run(command, top) for _ in range(args.rounds)]
                cpu = statistics.median(cpu for _, cpu in times) * 1000
                print(f"  {form:<34}{milliseconds(times):>8.1f} ms on the clock, {cpu:.1f} of the processor, {runs} runs")


def check(holds, message):
    if not holds:
        sys.exit(message)


BENCHES = {"big": big, "many": many, "log": log}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benches", nargs="*", choices=[[], *BENCHES], default=[])
    parser.add_argument("--gigabytes", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ns", default=os.path.join(HERE, "..", "target", "release", "ns"))
    args = parser.parse_args()
    ns = os.path.abspath(args.ns)
    for name in args.benches or BENCHES:
        top = tempfile.mkdtemp(prefix="ns-undo-")
        try:
            BENCHES[name](ns, top, args)
        finally:
            shutil.rmtree(top)
        if args.quick:
            print(f"{name}: what is left and what is printed is the same")


if __name__ == "__main__":
    main()
