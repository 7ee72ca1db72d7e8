#!/usr/bin/env python3
"""Power cuts, simulated: what is on an ext4 disk at a moment when a run is stopped, and nothing more.

A small image is mounted by a loop device, and files on it are written, replaced, moved and deleted: by one call
of a tool after another, by the steps of one script, or by undo and redo of such a script (in turn). A step is
acknowledged by what has left the process: the exit of its call, or its line of output. At a random moment the process is stopped; the
image is copied as it is on the "disk", without what the kernel still holds in memory, until two copies agree.
The copy is mounted (ext4 replays its own journal) and looked at:

- every step that was acknowledged is there: of calls at most the one that was under way besides, of a script
  any that followed;
- every file has the whole of some content that it had;
- after the next run nothing unfinished is left, and audit log and journal are whole;
- `ns undo` takes back the last call, and every acknowledged step of the script;
- an undo or redo is in effect if it was acknowledged, and completely or not at all if not. It can be repeated.

Moments within a commit of ext4 itself are not among these. It needs root, loop devices and mkfs.ext4.
`--control` is for a build without the barrier (`--cfg ns_without="barrier"`, made by `.ci/run --all`), which must
lose something.

usage: power.py [--cuts N] [--ns PATH] [--control]        (30 cuts unless said otherwise)
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

# Faults of a cut that are shown, at most.
SHOWN = 5
# Steps that are done before the power goes, at most.
STEPS = 24
# Steps of the script, and how long it goes on at most before the power goes.
SCRIPT_STEPS = 5_000
SCRIPT_SECONDS = 1.5
# In every second block of so many steps all of them wait for the barrier; in the others most sync their records.
BLOCK = 500
# Each step has a file of its own, so that it can be judged alone.
SCRIPT = f"""
FOR EACH block IN RANGE({SCRIPT_STEPS // BLOCK}) DO
  FOR EACH at IN RANGE({BLOCK}) DO
    SET i = block * {BLOCK} + at
    SET kind = i % 5
    IF block % 2 == 0 THEN
      SET kind = i % 2
    ENDBLOCK
    SET f = "f" + STR(i)
    IF kind == 0 THEN
      MUST FS.MoveFile(f, "moved" + STR(i))
    ELSE IF kind == 1 THEN
      MUST FS.CreateDirectory("made" + STR(i))
    ELSE IF kind == 2 THEN
      MUST FS.WriteFile(f, STR.Repeat("new " + STR(i) + " ", 500))
    ELSE IF kind == 3 THEN
      MUST FS.DeleteFile(f)
    ELSE
      MUST FS.WriteFile("new" + STR(i), STR.Repeat("new " + STR(i) + " ", 500))
    ENDBLOCK
    EMIT i
  ENDBLOCK
ENDBLOCK
"""
# Files of each kind that the undone script replaces, creates, deletes and moves, and how often it is undone or
# done again before the power goes, at most.
UNDONE_FILES, UNDONE_TIMES = 300, 3
UNDONE = f"""
MUST FS.ReplaceInFiles(".", "old", "new", pattern: "edited*")
FOR EACH i IN RANGE({UNDONE_FILES}) DO
  MUST FS.WriteFile("new" + STR(i), STR.Repeat("new " + STR(i) + " ", 500))
  MUST FS.DeleteFile("gone" + STR(i))
  MUST FS.MoveFile("here" + STR(i), "there" + STR(i))
ENDBLOCK
"""
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


class ScriptWriter:
    """Runs the script until it is stopped; each line that it printed acknowledges a step."""

    failure = None

    def __init__(self, ns, disk, environment):
        for step in range(SCRIPT_STEPS):
            for name, text in before(step).items():
                with open(os.path.join(disk, name), "wb") as file:
                    file.write(text)
        os.sync()
        self.acknowledged = 0
        self.run = subprocess.Popen(
            [ns, "run", "--sandbox", disk, "-e", SCRIPT],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        while text := os.read(self.run.stdout.fileno(), PART):
            self.acknowledged += text.count(b"\n")

    def stop(self):
        while not self.acknowledged and self.run.poll() is None:
            time.sleep(0.001)
        time.sleep(random.uniform(0, SCRIPT_SECONDS))
        self.run.send_signal(signal.SIGSTOP)
        time.sleep(0.02)

    def end(self):
        self.run.kill()
        self.thread.join()
        self.run.wait()


class UndoWriter:
    """Undoes a script and does it again until it is stopped; each exit acknowledges a step."""

    failure = None

    def __init__(self, ns, disk, environment):
        self.words, self.environment = [ns, "--sandbox", disk], environment
        for name, text in undone_before().items():
            with open(os.path.join(disk, name), "wb") as file:
                file.write(text)
        os.sync()
        self.acknowledged, self.is_over = 0, False
        began = time.monotonic()
        self.call("run", "-e", UNDONE).wait()
        # Undo takes no longer than what it undoes.
        self.pace = time.monotonic() - began
        self.failure = self.current.returncode or None
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def call(self, *words):
        # The options of `ns run` come before the script.
        command = [self.words[0], words[0], *self.words[1:], *words[1:]]
        self.current = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        return self.current

    def work(self):
        while self.failure is None:
            with self.lock:
                if self.is_over:
                    return
                self.call("redo" if self.acknowledged % 2 else "undo")
            if self.current.wait() != 0:
                self.failure = self.current.returncode
                return
            self.acknowledged += 1

    def stop(self):
        steps = random.randrange(UNDONE_TIMES)
        while self.acknowledged < steps and self.thread.is_alive():
            time.sleep(0.002)
        time.sleep(random.uniform(0, self.pace))
        with self.lock:
            self.is_over = True
            self.current.send_signal(signal.SIGSTOP)
        time.sleep(0.02)

    def end(self):
        self.current.kill()
        self.thread.join()


def undone_before():
    """The files before the script that is undone."""
    names = [f"{kind}{number}" for kind in ("edited", "gone", "here") for number in range(UNDONE_FILES)]
    return {name: f"old {name}".encode() * 200 for name in names}


def undone_after():
    """The files after it."""
    tree = {name: text for name, text in undone_before().items() if not name.startswith("gone")}
    for number in range(UNDONE_FILES):
        tree[f"edited{number}"] = tree[f"edited{number}"].replace(b"old", b"new")
        tree[f"there{number}"] = tree.pop(f"here{number}")
        tree[f"new{number}"] = f"new {number} ".encode() * 500
    return tree


def kind(step):
    """What a step of the script does: moves, makes a directory, replaces, deletes or makes a file."""
    return step % 2 if step // BLOCK % 2 == 0 else step % 5


def before(step):
    """The file of a step of the script, before it."""
    return {f"f{step}": f"old {step}".encode()} if kind(step) in (0, 2, 3) else {}


def after(step):
    """What the step leaves; a directory has no content."""
    new = f"new {step} ".encode() * 500
    old = f"old {step}".encode()
    return [{f"moved{step}": old}, {f"made{step}": None}, {f"f{step}": new}, {}, {f"new{step}": new}][kind(step)]


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
    make_writer, judge = KINDS[number % len(KINDS)]
    writer = make_writer(ns, disk, environment)
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


def ask(ns, place, environment, *words):
    return subprocess.run([ns, words[0], "--sandbox", place, *words[1:]], capture_output=True, text=True, env=environment)


def contents(place):
    """The contents by name; directories have none."""
    found = {}
    for name in os.listdir(place):
        path = os.path.join(place, name)
        if name not in (".ns", "lost+found"):
            found[name] = None if os.path.isdir(path) else open(path, "rb").read()
    return found


def judge_script(ns, place, steps, environment):
    faults = []
    log = ask(ns, place, environment, "log")
    if log.returncode != 0 or "damaged" in log.stdout + log.stderr:
        faults.append("the journal cannot be read: " + log.stdout + log.stderr)
    found = contents(place)
    for step in range(SCRIPT_STEPS):
        states = [after(step)] if step < steps else [before(step), after(step)]
        of_step = {name: found.pop(name) for name in [*before(step), *after(step)] if name in found}
        if of_step not in states:
            faults.append(f"step {step} of {steps} left {sorted(of_step)}, not {sorted(states[0])}")
    if found:
        faults.append(f"unfinished: {sorted(found)}")
    # The log is synced at the end of the run. Until then its newest lines may be lost or cut short, or all of them.
    audit = ask(ns, place, environment, "audit", "verify")
    is_cut = any(text in audit.stderr for text in ("has no lines", "no audit log", "it is cut short"))
    if audit.returncode != 0 and not is_cut:
        faults.append("the audit chain is broken: " + audit.stdout + audit.stderr)
    undone = ask(ns, place, environment, "undo")
    found = contents(place)
    left = [step for step in range(steps) if {name: found.get(name) for name in before(step)} != before(step)
            or any(name in found and name not in before(step) for name in after(step))]
    if steps > 0 and (undone.returncode != 0 or left):
        faults.append(f"not taken back: {left[:9]} {undone.stderr}")
    return faults


def judge_calls(ns, place, steps, environment):
    faults = []
    log = ask(ns, place, environment, "log")
    if log.returncode != 0:
        faults.append("the journal cannot be read: " + log.stderr)
    found = contents(place)
    # What was said last may be one step behind what was done.
    states = [expected(steps + more) for more in (0, 1)]
    if found not in states:
        sizes = {name: len(text or b"") for name, text in found.items()}
        faults.append(f"after {steps} steps: {sizes}, not {sorted(states[0])}")
    audit = ask(ns, place, environment, "audit", "verify")
    if audit.returncode != 0 and steps > 0:
        faults.append("the audit chain is broken: " + audit.stdout + audit.stderr)
    if found == states[0] and steps > 0:
        undone = ask(ns, place, environment, "undo")
        if undone.returncode != 0 or contents(place) != expected(steps - 1):
            faults.append(f"step {steps} is not taken back: {undone.stderr}")
    return faults


def judge_undo(ns, place, steps, environment):
    faults = []
    log = ask(ns, place, environment, "log")
    if log.returncode != 0 or "damaged" in log.stdout + log.stderr:
        faults.append("the journal cannot be read: " + log.stdout + log.stderr)
    trees = [undone_after(), undone_before()]
    found = contents(place)
    # What was said last may be one step behind what was done.
    possible = [more for more in (0, 1) if found == trees[(steps + more) % 2]]
    if not possible:
        expected = trees[steps % 2]
        names = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        of_both = sum(found.get(name) in (trees[0].get(name), trees[1].get(name)) for name in names)
        told = f"{len(names)} files, {of_both} of the other state: {names[:9]} {log.stderr}"
        return [*faults, f"after {steps} steps the tree is as neither before nor after the next: {told}"]
    more = possible[0]
    for step in (steps + more, steps + more + 1):
        ran = ask(ns, place, environment, "redo" if step % 2 else "undo")
        if ran.returncode != 0 or contents(place) != trees[(step + 1) % 2]:
            faults.append(f"step {step} is not repeated: {ran.stderr}")
            break
    return faults


KINDS = [(Writer, judge_calls), (ScriptWriter, judge_script), (UndoWriter, judge_undo)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=30)
    parser.add_argument("--ns", default="target/release/ns")
    parser.add_argument("--control", action="store_true")
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
                print(f"cut {number}:", *[fault.strip()[:300] for fault in faults[:SHOWN]], sep="\n    ", flush=True)
    more = f", {undecided} undecided" if undecided else ""
    print(f"{done} power cuts, {acknowledged} acknowledged steps, {faulty} with something torn or lost{more}")
    return int(bool(faulty) != options.control)


if __name__ == "__main__":
    sys.exit(main())
