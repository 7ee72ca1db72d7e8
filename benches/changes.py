#!/usr/bin/env python3
"""Tools that change files beside public programs that do the same.

    cargo build --profile dist
    python3 benches/changes.py [copy] [write] [rename] [edit] [--rounds 9] [--quick] [--ns target/dist/ns] [--dir DIR]

`copy`: FS.CopyFile of one large file and of a folder of small ones beside `cp`, and beside `cp`
whose files are synced as FS.CopyFile's are. `write`: 1,000 small durable writes, each of them in the
journal, beside the same writes by Python without one (new file, fsync, rename, fsync of the folder), with
and without backups and audit. `rename`: 20,000 files renamed by a script in three spellings, beside a loop of
`os.rename`. `edit`: a text replaced in 2,000 of 10,000 files, found by FS.SearchFiles and edited one by one, or by one
FS.ReplaceInFiles, beside `grep -rl | xargs sed -i`.
DIR is on the disk to measure; a temporary directory may be in memory.
The programs take turns, ns first in every second round. Times are medians; a ratio is the median
over the rounds, below 1 is faster than the other. What is left on the disk is compared before; no
time is asserted. `--quick` does a little of each, once, for the comparison alone.
"""
import argparse, filecmp, os, shutil, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, folder, text=None, errors=None):
    """Runs a command: seconds on the clock, and of processor time (user and system)."""
    before = time.perf_counter()
    with tempfile.TemporaryFile() as source:
        source.write((text or "").encode())
        source.seek(0)
        child = subprocess.Popen(command, cwd=folder, stdin=source, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} failed with {child.returncode}")
    return time.perf_counter() - before, usage.ru_utime + usage.ru_stime


def take_turns(programs, rounds):
    """Each program's times, by its name; a program is a function that does one round and gives its times."""
    times = {name: [] for name in programs}
    for number in range(rounds):
        order = list(programs) if number % 2 == 0 else list(programs)[::-1]
        for name in order:
            times[name].append(programs[name]())
    return times


def show(title, times, base):
    """One line a program: medians, and how they compare with one of the programs, round by round."""
    print(f"\n{title}\n  {'':<34}{'clock ms':>10}{'cpu ms':>10}   ratio to `{base}`: clock, cpu")
    for name, rounds in times.items():
        clock, cpu = (statistics.median(round[kind] for round in rounds) * 1000 for kind in (0, 1))
        pairs = list(zip(rounds, times[base]))
        ratios = [statistics.median(mine[kind] / max(other[kind], 1e-9) for mine, other in pairs) for kind in (0, 1)]
        print(f"  {name:<34}{clock:>10.1f}{cpu:>10.1f}   {ratios[0]:.2f}  {ratios[1]:.2f}")


# copy

SYNCED_CP = 'cp -r --preserve=mode,timestamps "$0" "$1" && find "$1" -exec sync {} +'


def same(one, other):
    """Whether two files or folders hold the same."""
    if os.path.isfile(one):
        return filecmp.cmp(one, other, shallow=False)
    found = filecmp.dircmp(one, other)
    alike = not (found.left_only or found.right_only or found.diff_files or found.funny_files)
    return alike and all(same(f"{one}/{name}", f"{other}/{name}") for name in found.common_dirs)


def copy(ns, top, rounds, quick):
    make = {"large": make_large, "small": make_small}
    for name, text in [("large", "one large file"), ("small", "a folder of small files")]:
        make[name](os.path.join(top, name), quick)
        script = f'MUST FS.CopyFile("{name}", "copy", recursive: true)'
        policy = os.path.join(top, "policy.toml")
        open(policy, "w").write("[policy]\nmax_files_per_operation = 1000000\n")
        commands = {
            "cp": ["cp", "-r", "--preserve=mode,timestamps", name, "copy"],
            "cp, synced": ["sh", "-c", SYNCED_CP, name, "copy"],
            "FS.CopyFile": [ns, "run", "--policy", policy, "--sandbox", top, "-e", script],
        }

        def program(command):
            def once():
                remove(os.path.join(top, "copy"))
                os.sync()
                return run(command, top)

            return once

        for command in commands.values():
            program(command)()
            if not same(os.path.join(top, name), os.path.join(top, "copy")):
                sys.exit(f"{command[0]} made another copy")
        if not quick:
            show(text, take_turns({key: program(command) for key, command in commands.items()}, rounds), "cp")


def make_large(path, quick):
    with open(path, "wb") as file:
        for _ in range(4 if quick else 256):
            file.write(os.urandom(1 << 20))


def make_small(path, quick):
    for number in range(20 if quick else 2_000):
        folder = os.path.join(path, f"folder{number % 20}")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"file{number}"), "wb") as file:
            file.write(os.urandom(1_000))


def remove(path):
    shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)


# write

PYTHON_WRITES = """
import os, sys
folder = os.open(".", os.O_RDONLY)
for number in range(int(sys.argv[1])):
    name = f"f{number % int(sys.argv[2])}"
    file = os.open(".new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(file, (f"new {number} " * 20).encode())
    os.fsync(file)
    os.close(file)
    os.rename(".new", name)
    os.fsync(folder)
"""


def write(ns, top, rounds, quick):
    writes = 50 if quick else 1_000
    for files, text in [(1, "one file again and again"), (writes, "every file once")]:
        script = (
            f"FOR EACH i IN RANGE({writes}) DO\n"
            f'MUST FS.WriteFile("f" + STR(i % {files}), STR.Repeat("new " + STR(i) + " ", 20)BACKUP)\nENDBLOCK\n'
        )

        def program(command, audit=None, script=None):
            def once():
                place = tempfile.mkdtemp(dir=top)
                if audit is not None:
                    open(f"{place}/neuroscript.toml", "w").write(f"[policy]\nenable_audit_logging = {audit}\n")
                for number in range(files):
                    open(f"{place}/f{number}", "w").write("old")
                os.sync()
                times = run(command, place, script)
                check_writes(place, writes, files)
                # What is left stays until the end: ext4 without a journal makes files slowly for minutes after others
                # were removed, and the next program would pay for that.
                return times

            return once

        without = script.replace("BACKUP", ", create_backup: false")
        ns_run = [ns, "run", "-"]
        programs = {
            "python": program([sys.executable, "-c", PYTHON_WRITES, str(writes), str(files)]),
            "FS.WriteFile, no backups, no audit": program(ns_run, "false", without),
            "FS.WriteFile, backups, no audit": program(ns_run, "false", script.replace("BACKUP", "")),
            "FS.WriteFile, backups and audit": program(ns_run, "true", script.replace("BACKUP", "")),
        }
        times = take_turns(programs, 1 if quick else rounds)
        if not quick:
            show(f"{writes} durable writes, {text}", times, "python")
            show("the same", times, "FS.WriteFile, no backups, no audit")


def check_writes(place, writes, files):
    for file in range(files):
        last = max(number for number in range(file, writes, files))
        if open(f"{place}/f{file}").read() != f"new {last} " * 20:
            sys.exit(f"f{file} is not what was written last")


# rename

PYTHON_RENAMES = """
import os
for name in os.listdir():
    if name.endswith(".txt"):
        os.rename(name, name[:-4] + ".md")
"""
RENAMES = {
    "FS.MoveFile, FOR EACH of FS.Find": (
        'FOR EACH f IN FS.Find(".", "*.txt") DO\nMUST FS.MoveFile(f.path, STR.Replace(f.path, ".txt", ".md"))\nEND\n'
    ),
    "FS.MoveFile, IF in FS.WalkDir": (
        'FOR EACH e IN FS.WalkDir(".") DO\nIF STR.EndsWith(e.name, ".txt") THEN\n'
        'SET r = FS.MoveFile(e.path, STR.Replace(e.path, ".txt", ".md"))\nMUST r.error == nil\nEND\nEND\n'
    ),
    "FS.MoveFile, with a line of output": (
        'FOR EACH f IN FS.Find(".", "*.txt") DO\nSET to = STR.Replace(f.path, ".txt", ".md")\n'
        'MUST FS.MoveFile(f.path, to)\nEMIT f.path, " is now ", to\nEND\n'
    ),
}


def rename(ns, top, rounds, quick):
    files = 50 if quick else 20_000

    def program(command, script=None):
        def once():
            place = tempfile.mkdtemp(dir=top)
            for number in range(files):
                open(f"{place}/f{number:05}.txt", "w").write(str(number))
            os.sync()
            times = run(command, place, script)
            left = sorted(name for name in os.listdir(place) if name != ".ns")
            if left != [f"f{number:05}.md" for number in range(files)]:
                sys.exit("not every file is renamed")
            return times

        return once

    programs = {name: program([ns, "run", "-"], script) for name, script in RENAMES.items()}
    programs["os.rename"] = program([sys.executable, "-c", PYTHON_RENAMES])
    programs["os.rename, synced"] = program([sys.executable, "-c", PYTHON_RENAMES + "os.sync()\n"])
    times = take_turns(programs, 1 if quick else rounds)
    if not quick:
        show(f"{files} files renamed", times, "os.rename")
        show("the same", times, "os.rename, synced")


# edit

EDITS = (
    'FOR EACH m IN FS.SearchFiles(".", "needle").matches DO\n'
    'MUST FS.EditFile(m.path, "needle", "thread", replace_all: true)\nEND\n'
)
EDIT_OF_ALL = 'MUST FS.ReplaceInFiles(".", "needle", "thread")\n'


def edit(ns, top, rounds, quick):
    files, every = (50, 5) if quick else (10_000, 5)

    def program(command, script=None):
        def once():
            place = tempfile.mkdtemp(dir=top)
            for number in range(files):
                word = "needle" if number % every == 0 else "hay"
                open(f"{place}/f{number:05}.txt", "w").write(f"some {word} in the file {number}\n" + "rest\n" * 100)
            os.sync()
            times = run(command, place, script)
            for number in range(0, files, every):
                if "thread" not in open(f"{place}/f{number:05}.txt").read():
                    sys.exit("not every file is edited")
            return times

        return once

    sed = ["sh", "-c", "grep -rl --exclude-dir=.ns needle . | xargs sed -i s/needle/thread/g"]
    programs = {
        "FS.SearchFiles, FS.EditFile": program([ns, "run", "-"], EDITS),
        "FS.ReplaceInFiles": program([ns, "run", "-"], EDIT_OF_ALL),
        "grep | sed": program(sed),
        "grep | sed, synced": program([*sed[:2], sed[2] + " && sync"]),
    }
    times = take_turns(programs, 1 if quick else rounds)
    if not quick:
        show(f"a text replaced in {files // every} of {files} files", times, "grep | sed")


BENCHES = {"copy": copy, "write": write, "rename": rename, "edit": edit}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benches", nargs="*", choices=[[], *BENCHES], default=[])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ns", default=os.path.join(HERE, "..", "target", "release", "ns"))
    parser.add_argument("--dir", help="where the files are made")
    args = parser.parse_args()
    ns = os.path.abspath(args.ns)
    for name in args.benches or BENCHES:
        top = tempfile.mkdtemp(prefix="ns-changes-", dir=args.dir)
        try:
            BENCHES[name](ns, top, args.rounds, args.quick)
        finally:
            shutil.rmtree(top)
        if args.quick:
            print(f"{name}: what is left is the same")


if __name__ == "__main__":
    main()
