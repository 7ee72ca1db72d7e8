#!/usr/bin/env python3
"""Power cuts, simulated: what is on an ext4 disk at a moment when a run is stopped, and nothing more.

A small image is mounted by a loop device, and one call of a tool after another writes, replaces, moves and
deletes files on it; one that ended well is acknowledged. At a random moment the process is stopped; the image
is copied as it is on the "disk", without what the kernel still holds in memory, until two copies agree. The
copy is mounted (ext4 replays its own journal) and looked at:

- every step that was acknowledged is there, or the one that was under way besides;
- every file has the whole of some content that it had;
- after the next run nothing unfinished is left, and audit log and journal are whole.

Moments within a commit of ext4 itself are not among these. It needs root, loop devices and mkfs.ext4.

usage: power.py [--cuts N] [--ns PATH]        (30 cuts unless said otherwise)
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Steps that are done before the power goes, at most.
STEPS = 24
# Bytes that are compared at once.
PART = 1 << 20


def content(step):
    return (f"begin {step}" + f" {step}" * 2000 + " end").encode()


def call(step):
    """The tool and its arguments of a step."""
    if step % 4 == 3:
        return "move_file", {"source": f"f{step - 1}", "destination": f"moved{step}"}
    name = f"f{step}" if step % 4 == 2 else f"same{step % 4}"
    if step % 8 == 4:
        return "delete_file", {"path": f"moved{step - 1}"}
    return "write_file", {"file_path": name, "content": content(step).decode()}


class Writer:
    """Does step after step until it is stopped in the middle of one."""

    def __init__(self, ns, disk, environment):
        self.words, self.environment = [ns, "call", "--sandbox", disk], environment
        self.acknowledged, self.is_over, self.current = 0, False, None
        # How long the last step took, for moments within one; how the last that failed ended.
        self.pace, self.failure = 0.1, None
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while True:
            tool, args = call(self.acknowledged)
            begin = time.monotonic()
            with self.lock:
                if self.is_over:
                    return
                self.current = subprocess.Popen(
                    [*self.words, tool, "-"], env=self.environment, text=True,
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
            self.current.communicate(json.dumps(args))
            if self.current.returncode != 0:
                self.failure = self.current.returncode
                return
            self.acknowledged += 1
            self.pace = time.monotonic() - begin

    def stop(self):
        """Stops at a moment within one of the first steps, at the pace of the machine."""
        steps = random.randrange(STEPS)
        while self.acknowledged < steps and self.thread.is_alive():
            time.sleep(0.002)
        time.sleep(random.uniform(0, self.pace))
        with self.lock:
            self.is_over = True
            if self.current:
                self.current.send_signal(signal.SIGSTOP)
        time.sleep(0.02)

    def end(self):
        if self.current:
            self.current.kill()
        self.thread.join()


def expected(steps):
    """The files after so many steps, and what may be there of the next."""
    tree = {}
    for step in range(steps):
        tool, args = call(step)
        if tool == "move_file":
            tree[args["destination"]] = tree.pop(args["source"])
        elif tool == "delete_file":
            tree.pop(args["path"])
        else:
            tree[args["file_path"]] = content(step)
    return tree


def mount(image, place):
    subprocess.run(["mount", "-o", "loop", image, place], check=True, capture_output=True)


def unmount(place):
    subprocess.run(["umount", place], check=True, capture_output=True)


def copy_whole(source, target):
    """A copy with the holes of what it is a copy of: most of an image is never written."""
    with open(source, "rb", 0) as file, open(target, "wb", 0) as copy:
        size = os.fstat(file.fileno()).st_size
        copy.truncate(size)
        end = 0
        while end < size:
            try:
                begin = os.lseek(file.fileno(), end, os.SEEK_DATA)
            except OSError:  # Nothing but a hole is left.
                return
            end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
            os.lseek(copy.fileno(), begin, os.SEEK_SET)
            while begin < end:
                begin += os.sendfile(copy.fileno(), file.fileno(), begin, end - begin)


def is_same(one, other):
    with open(one, "rb", 0) as file, open(other, "rb", 0) as second:
        while part := file.read(PART):
            if part != second.read(PART):
                return False
        return not second.read(1)


def cut(ns, top, fresh, number):
    """One power cut; gives what is wrong after it, or none where the copies never agreed."""
    # Never a file of the cut before: its loop device may still be there, with what it remembers of it.
    image, copy = (os.path.join(top, f"{what}{number}") for what in ("image", "copy"))
    disk, after = os.path.join(top, "disk"), os.path.join(top, "after")
    copy_whole(fresh, image)
    mount(image, disk)
    environment = {"HOME": "/nonexistent", "PATH": os.environ["PATH"], "XDG_STATE_HOME": os.path.join(top, "state")}
    writer = Writer(ns, disk, environment)
    try:
        writer.stop()
        for _ in range(20):
            copy_whole(image, copy)
            if is_same(image, copy):
                break
        else:
            os.remove(image)
            os.remove(copy)
            return None
        steps = writer.acknowledged
    finally:
        # One that was stopped is killed now, and did not fail.
        failure = writer.failure
        writer.end()
        unmount(disk)
    mount(copy, after)
    try:
        failed = [] if failure is None else [f"step {steps} ended with {failure}"]
        return failed + judge(ns, after, steps, environment), steps
    finally:
        unmount(after)
        os.remove(image)
        os.remove(copy)


def judge(ns, place, steps, environment):
    faults = []

    def ask(*words):
        return subprocess.run([ns, words[0], "--sandbox", place, *words[1:]], capture_output=True, text=True, env=environment)

    log = ask("log")
    if log.returncode != 0:
        faults.append("the journal cannot be read: " + log.stderr)
    names = [name for name in os.listdir(place) if name not in (".ns", "lost+found")]
    found = {}
    for name in names:
        with open(os.path.join(place, name), "rb") as file:
            found[name] = file.read()
    # What was said last may be one step behind what was done.
    states = [expected(steps + more) for more in (0, 1)]
    if found not in states:
        sizes = {name: len(text) for name, text in found.items()}
        faults.append(f"after {steps} steps: {sizes}, not {sorted(states[0])}")
    audit = ask("audit", "verify")
    if audit.returncode != 0 and steps > 0:
        faults.append("the audit chain is broken: " + audit.stdout + audit.stderr)
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=30)
    parser.add_argument("--ns", default="target/release/ns")
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        print("SKIPPED: power cuts need root and mkfs.ext4")
        return 0
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as top:
        fresh = os.path.join(top, "fresh")
        for name in ("disk", "after"):
            os.mkdir(os.path.join(top, name))
        with open(fresh, "wb") as file:
            file.truncate(48 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", fresh], check=True)
        try:
            mount(fresh, os.path.join(top, "disk"))
            unmount(os.path.join(top, "disk"))
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            print("SKIPPED: nothing can be mounted here:", error)
            return 0
        done = faulty = acknowledged = undecided = 0
        for number in range(options.cuts):
            outcome = cut(os.path.abspath(options.ns), top, fresh, number)
            if outcome is None:
                undecided += 1
                continue
            faults, steps = outcome
            done, acknowledged = done + 1, acknowledged + steps
            if faults:
                faulty += 1
                print(f"cut {number}:", *[fault.strip()[:300] for fault in faults], sep="\n    ", flush=True)
    more = f", {undecided} undecided" if undecided else ""
    print(f"{done} power cuts, {acknowledged} acknowledged steps, {faulty} with something torn or lost{more}")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
