#!/usr/bin/env python3
"""What a key costs in a session on a terminal, with 1,000 lines loaded.

    benches/typing.py [NS]        # NS: the binary, target/release/ns when left out
    benches/typing.py --quick     # fewer keys, for CI

A key is sent through a pseudo-terminal, and the clock runs until the line is drawn again with its colours
and its hint: the terminal's way there and back is in the number. Goal: 2 ms for a key, also for Tab."""

import os
import pathlib
import pty
import select
import statistics
import sys
import tempfile
import time

DRAWN = b"\x1b[?2026l"
LINES = 1_000


def script():
    """A script of a thousand lines: procedures and variables."""
    parts = []
    for number in range(LINES // 5):
        parts.append(f"SET variable_{number} = {{\"key\": {number}, \"name\": \"n{number}\"}}")
        parts.append(f"DEFINE PROCEDURE Procedure_{number}(first, second)")
        parts.append(f"  SET sum = first + second + {number}")
        parts.append("  RETURN sum")
        parts.append("END")
    return "\n".join(parts) + "\n"


class Session:
    def __init__(self, ns, sandbox):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", XDG_STATE_HOME=str(sandbox / ".state"))
            os.environ.pop("NO_COLOR", None)
            os.execv(ns, [ns, "--sandbox", str(sandbox)])
        self.until(b"ns> ")
        self.quiet()

    def read(self, patience):
        ready, _, _ = select.select([self.terminal], [], [], patience)
        return os.read(self.terminal, 1 << 16) if ready else b""

    def until(self, text):
        shown = b""
        while not shown or text not in shown:
            piece = self.read(20)
            if not piece:
                sys.exit(f"{text!r} does not come, but {shown!r}")
            shown += piece
        end = shown.index(text) + len(text) if text else len(shown)
        return shown[:end]

    def quiet(self):
        while self.read(0.1):
            pass

    def key(self, key):
        """Seconds until a key is drawn."""
        begin = time.perf_counter()
        os.write(self.terminal, key)
        # A key at the end of a long line is drawn alone.
        drawn = self.until(b"")
        while drawn.count(DRAWN) < drawn.count(b"\x1b[?2026h"):
            drawn += self.until(b"")
        return time.perf_counter() - begin

    def line(self, text):
        os.write(self.terminal, text.encode() + b"\n")
        self.quiet()


def report(name, times):
    times = sorted(time * 1000 for time in times)
    high = times[min(len(times) - 1, len(times) * 99 // 100)]
    print(f"{name:<44} median {statistics.median(times):6.2f} ms   99 % {high:6.2f} ms")


def main():
    words = [word for word in sys.argv[1:] if word != "--quick"]
    ns = os.path.abspath(words[0] if words else "target/release/ns")
    rounds = 2 if "--quick" in sys.argv else 10
    with tempfile.TemporaryDirectory() as folder:
        sandbox = pathlib.Path(folder)
        (sandbox / "thousand.ns").write_text(script())
        (sandbox / "files").mkdir()
        for number in range(1_000):
            (sandbox / "files" / f"file_{number}.txt").touch()
        session = Session(ns, sandbox)
        session.line(f":load {sandbox}/thousand.ns")
        text = 'SET result = Procedure_17(variable_3.key, FS.ReadFile("files/file_1.txt").content)'
        times = []
        for _ in range(rounds):
            times += [session.key(c.encode()) for c in text]
            os.write(session.terminal, b"\x15")
            session.quiet()
        report("a key of a line", times)
        block = "IF true THEN\n" + "".join(f"  SET in_block_{number} = {number} + 1\n" for number in range(LINES))
        os.write(session.terminal, b"\x1b[200~" + block.encode() + b"\x1b[201~")
        session.quiet()
        report("a key below 1,000 lines in the editor", [session.key(c.encode()) for c in text * (rounds // 2)])
        os.write(session.terminal, b"\x03")
        time.sleep(1.1)
        session.quiet()
        for name, before in [
            ("Tab behind `FS.Has`", "FS.Has"),
            ("Tab behind `Proc`, of 200 procedures", "Proc"),
            ("Tab in a folder of 1,000 files", 'FS.Exists("files/file_99'),
        ]:
            times = []
            for _ in range(rounds * 2):
                os.write(session.terminal, before.encode())
                session.quiet()
                times.append(session.key(b"\t"))
                os.write(session.terminal, b"\x15")
                session.quiet()
            report(name, times)
        session.line("SET n = 0")
        times = []
        for _ in range(rounds):
            session.line("WHILE true DO")
            session.line("SET n = n + 1")
            session.line("END")
            begin = time.perf_counter()
            os.write(session.terminal, b"\x03")
            session.until(b"interrupted")
            times.append(time.perf_counter() - begin)
            time.sleep(1.1)
            session.quiet()
        report("Ctrl-C until a script has stopped", times)
        os.write(session.terminal, b":quit\n")
        os.waitpid(session.pid, 0)


main()
