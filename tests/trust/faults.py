#!/usr/bin/env python3
"""A fault at every step of every changing operation, and what is on the disk afterwards.

Each operation runs once under strace, which says what system calls change the disk, and then again for
each of them: the n-th call fails with EIO, ENOSPC or EINTR, or the process is killed there. The product
holds no code for this. Files that may grow to so many bytes only (RLIMIT_FSIZE) give writes that are cut
short. After each fault:

- every file of the tree has its old or its new content, and an operation that said it is done is done;
- the next run brings the tree to a state in which nothing unfinished is left;
- the audit log's chain is whole, the journal can be read, and taking back brings the old tree.

usage: faults.py [--all] [--ns PATH] [--only WORD]
The short form takes every 23rd fault and those that once showed a fault of ours; --all takes every one.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

CHANGING = (
    "write pwrite64 writev rename renameat renameat2 unlink unlinkat rmdir mkdir mkdirat symlink symlinkat link "
    "linkat fsync fdatasync ftruncate fallocate chmod fchmod fchmodat chown fchown fchownat utimensat "
    "copy_file_range sendfile"
).split()
FAULTS = ["error=EIO", "error=ENOSPC", "error=EINTR", "signal=KILL"]
SHORT = [0, 1, 100, 4096, 20_000, 61_000]
# Where faults of ours were found: a word of the operation, the system call, the fault.
MENDED = [
    ("all_or_nothing", "write", "error=EIO"),
    ('"destination_path": "in"', "write", "error=EIO"),
    ("extract", "unlinkat", "error=EIO"),
    ("TempDirectory", "unlinkat", "error=EIO"),
    ("TempDirectory", "fdatasync", "error=EIO"),
    ("--atomic", "fdatasync", "error=ENOSPC"),
    ("--atomic", "renameat2", "error=EIO"),
]
PATIENCE = 60

BIG = "x" * 60_000
PREPARE = """
SET old = STR.Repeat("old ", 3000)
FOR EACH name IN ["a.txt", "b.txt", "d/in/c.txt", "gone/for/now.txt"] DO
CALL FS.WriteFile(name, old)
END
CALL FS.Compress("d", "d.zip")
CALL FS.WriteFile("a.txt", STR.Repeat("newer ", 2000))
CALL FS.DeleteFile("gone/for/now.txt")
CALL FS.DeleteFile("gone", recursive: true)
CALL FS.Mkdir("in")
CALL MEMORY.Set("key", "old", scope: "project")
"""


# Its state between the two is told as not taken back, should that be what fails.
ATOMIC = 'CALL FS.WriteFile("b.txt", "x")\nCALL FS.MoveFile("a.txt", "m")\nMUST false'


def call(tool, **args):
    return ["call", tool, json.dumps(args)]


# Stands in an operation for the oldest backup of `a.txt`.
BACKUP = "@backup"


def operations():
    return [
        call("write_file", file_path="a.txt", content=BIG),
        call("write_file", file_path="a.txt", content=BIG, create_backup=False),
        call("write_file", file_path="new/deep/n.txt", content=BIG),
        call("append_file", file_path="a.txt", content=BIG),
        call("append_file", file_path="new/log.txt", content=BIG),
        call("edit_file", file_path="a.txt", old_text="newer ", new_text="newest ", replace_all=True),
        call("replace_in_files", path=".", text="old ", replacement="newest "),
        call("replace_in_files", path=".", text="old ", replacement="newest ", all_or_nothing=True),
        call(
            "move_files",
            moves=[
                {"source": "a.txt", "destination": "m/a.txt"},
                {"source": "b.txt", "destination": "m/b.txt"},
                {"source": "d/in", "destination": "m/in"},
            ],
            make_directories=True,
            all_or_nothing=True,
        ),
        call("copy_file", source_path="a.txt", destination_path="b.txt", overwrite=True),
        call("copy_file", source_path="d", destination_path="new/deep/d", recursive=True),
        call("copy_file", paths=["b.txt", "a.txt", "d"], destination_path="e", recursive=True, all_or_nothing=True),
        call("move_file", source="a.txt", destination="d/a.txt"),
        call("move_file", source="d", destination="new/d"),
        call("delete_file", path="b.txt"),
        call("delete_file", path="d", recursive=True),
        call("create_directory", directory_path="x/y/z"),
        call("set_permissions", path="a.txt", mode="u=r"),
        call("set_modified", path="a.txt", time="2024-05-01T12:30:00.5Z"),
        call("compress", source_path="a.txt", destination_path="new/a.zip"),
        call("compress", source_path="d", destination_path="d.zip", overwrite=True),
        call("extract", archive_path="d.zip", destination_path="out"),
        call("extract", archive_path="d.zip", destination_path="in"),
        call("restore_backup", backup_path=BACKUP),
        ["run", "-e", 'CALL MEMORY.Set("key", "new", scope: "project")'],
        ["run", "-e", 'SET t = FS.TempDirectory("t")\nSET r = FS.WriteFile("n.txt", "n")\nMUST r.error == nil'],
        ["run", "--atomic", "-e", ATOMIC],
        ["undo"],
    ]


class Place:
    """Sandboxes that are set up in the same way for each fault. A copy would be another root, and its runs foreign."""

    def __init__(self, ns, top):
        self.ns, self.top = ns, top
        self.state = os.path.join(top, "state")
        os.mkdir(self.state)
        self.number = 0

    def fresh(self):
        self.number += 1
        place = os.path.join(self.top, f"s{self.number}")
        os.mkdir(place)
        ran = self.run(place, ["run", "-e", PREPARE])
        assert ran.returncode == 0, ran.stderr
        return place

    def after(self, script):
        """The tree that a script makes."""
        place = os.path.join(self.top, "after")
        os.mkdir(place)
        self.run(place, ["run", "-e", script])
        found = tree(place)
        shutil.rmtree(place)
        return found

    def run(self, place, words, before=(), limit=None):
        environment = {
            "HOME": "/nonexistent", "PATH": os.environ["PATH"], "TMPDIR": self.top, "XDG_STATE_HOME": self.state,
        }
        if any(BACKUP in word for word in words):
            kept = sorted(os.listdir(os.path.join(place, ".ns/backups/a.txt")))[0]
            words = [word.replace(BACKUP, ".ns/backups/a.txt/" + kept) for word in words]
        set_limit = None
        if limit is not None:
            import resource
            import signal

            def set_limit():
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        return subprocess.run(
            [*before, self.ns, words[0], "--sandbox", place, *words[1:]],
            capture_output=True, text=True, errors="replace", env=environment, timeout=PATIENCE,
            stdin=subprocess.DEVNULL, preexec_fn=set_limit, restore_signals=False,
        )


def tree(place):
    """Contents and permission bits by path, without `.ns`; folders have none."""
    found = {}
    for folder, names, files in os.walk(place):
        if folder == place:
            names[:] = [name for name in names if name != ".ns"]
        for name in names:
            found[os.path.relpath(os.path.join(folder, name), place)] = None
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, place)] = (file.read(), os.stat(path).st_mode & 0o777)
    return found


def changing_calls(place, words, sandbox, log):
    """The changing calls of an operation, as (name, how many of that name)."""
    place.run(sandbox, words, ["strace", "-f", "--seccomp-bpf", "-o", log, "-e", "trace=" + ",".join(CHANGING)])
    counts = {}
    with open(log) as lines:
        for line in lines:
            match = re.match(r"\d+ +(\w+)\(", line)
            if match:
                counts[match[1]] = counts.get(match[1], 0) + 1
    return counts


def same_trees(one, other):
    """Whether two trees are the same, but for the times in archives: each sandbox is set up at its own moment."""
    return one.keys() == other.keys() and all(same_but_for_archives(path, one[path], other[path]) for path in one)


def same_but_for_archives(path, one, other):
    """Archives hold the time at which they were made."""
    return one == other or (path.endswith(".zip") and None not in (one, other))


def judge(place, sandbox, words, states, ran, killed):
    """What is wrong after a fault; `states` are the trees before the operation and after it, and between."""
    old, new = states[:2]
    faults = []
    if not killed and ran.returncode < 0:
        faults.append(f"it ended by signal {-ran.returncode}")
    if "panicked" in ran.stderr or "NS0901" in ran.stderr:
        faults.append("a fault of its own: " + ran.stderr)
    look = place.run(sandbox, ["log"])
    if look.returncode != 0:
        faults.append("the journal cannot be read: " + look.stderr)
    found = tree(sandbox)
    for path, content in found.items():
        if path.startswith(".tmp-") or os.path.basename(path).startswith(".ns-tmp-"):
            faults.append(f"{path} is unfinished and left")
        elif not any(path in state for state in states):
            faults.append(f"{path} was neither before nor after")
        elif not any(same_but_for_archives(path, content, state.get(path, "")) for state in states):
            faults.append(f"{path} has neither the old nor the new content")
    for path in old:
        if path not in found and path in new:
            faults.append(f"{path} is gone")
    # An operation on several items tells of each how it went.
    is_told_as_done = ran.returncode == 0 and '"success":false' not in ran.stdout and '"error":"' not in ran.stdout
    if is_told_as_done and not killed:
        wrong = [path for path in new if not same_but_for_archives(path, found.get(path, ""), new[path])]
        wrong += [path for path in found if path not in new]
        faults += [f"{path} is not as it was told" for path in wrong]
    audit = place.run(sandbox, ["audit", "verify"])
    if audit.returncode != 0 and "there is no audit log" not in audit.stderr:
        faults.append("the audit chain is broken: " + audit.stdout + audit.stderr)
    if not same_trees(found, old) and words[0] != "undo":
        undone = place.run(sandbox, ["undo"])
        left = tree(sandbox)
        if undone.returncode != 0 or not same_trees(left, old):
            faults.append("taking back does not bring the old tree: " + undone.stderr)
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--ns", default="target/release/ns")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    probe = shutil.which("strace") and subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True)
    if not probe or probe.returncode != 0:
        print("SKIPPED: faults need strace, and the right to trace")
        return 0
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    injected = violations = turn = 0
    with tempfile.TemporaryDirectory(dir=base) as top:
        place = Place(os.path.abspath(options.ns), top)
        for words in operations():
            if options.only not in " ".join(words):
                continue
            sandbox = place.fresh()
            old = tree(sandbox)
            counts = changing_calls(place, words, sandbox, os.path.join(top, "log"))
            states = (old, tree(sandbox))
            shutil.rmtree(sandbox)
            if "--atomic" in words:
                sandbox = place.fresh()
                place.run(sandbox, [word for word in words if word != "--atomic"])
                states += (tree(sandbox),)
                shutil.rmtree(sandbox)
            if words == ["undo"]:
                # A killed undo stays between two steps of what it takes back, and says so.
                lines = PREPARE.splitlines(keepends=True)
                states += tuple(place.after("".join(lines[:count])) for count in range(1, len(lines)))
            cases = [(name, number, fault) for name in counts for number in range(1, counts[name] + 1) for fault in FAULTS]
            cases += [("size", limit, "") for limit in SHORT]
            for name, number, fault in cases:
                turn += 1
                is_mended = any(word in " ".join(words) and name == syscall and fault == kind for word, syscall, kind in MENDED)
                if not options.all and turn % 23 and not is_mended:
                    continue
                sandbox = place.fresh()
                if name == "size":
                    ran = place.run(sandbox, words, limit=number)
                else:
                    inject = f"inject={name}:{fault}:when={number}"
                    before = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject]
                    ran = place.run(sandbox, words, before)
                injected += 1
                found = judge(place, sandbox, words, states, ran, "KILL" in fault)
                if found:
                    violations += 1
                    shown = " ".join(words)[:90]
                    print(f"{shown}: {name} {number} {fault}: exit {ran.returncode}")
                    print("    it said:", (ran.stderr.strip() or "nothing")[:300])
                    for line in found[:4]:
                        print("   ", line.strip()[:300])
                shutil.rmtree(sandbox)
    print(f"{injected} faults injected, {violations} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
