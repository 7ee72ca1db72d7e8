#!/usr/bin/env python3
"""Records the pictures of a terminal that README.md shows: runs the commands of the tutorial with a real `ns` at a
terminal, and draws what it shows, in light and in dark.

    python3 docs/pictures/record.py NS [--check]

With `--check`, nothing is written, and the exit code is 1 if a picture differs from what `ns` shows now.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import pty
import re
import select
import sys
import tempfile
import time

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True
from terminal import PACKAGE, THEMES, at_home, draw  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT = 84, 40
#: A command that shows nothing for so long, in seconds, has a fault.
PATIENCE = 20
#: The question of a plan, and the keys that answer it.
QUESTION, ANSWER = "[n]o: ", "y\r"

#: The folder, as in docs/tutorial.md.
FILES = {
    "Pictures/holiday.jpg": "snow\n",
    "holiday.jpg": "holiday\n",
    "holiday (1).jpg": "beach\n",
    "invoice-03.pdf": "march\n",
    "Invoice-04.PDF": "april\n",
    "to do.txt": "buy milk\n",
    "sales.csv": "day,amount\n",
    "movie.mkv.part": "unfinished\n",
}
COMMANDS = ["ns tidy.ns --plan", "ns undo"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ns", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    at_home()
    shown = record(options.ns.resolve())
    differing = []
    for name in THEMES:
        picture, path = draw(shown, "Downloads", name, WIDTH), HERE / f"plan-and-undo-{name}.svg"
        if options.check:
            if not path.is_file() or path.read_text() != picture:
                differing.append(path)
        else:
            path.write_text(picture)
    for path in differing:
        print(f"{path.relative_to(PACKAGE)} is not what `ns` shows: run docs/pictures/record.py", file=sys.stderr)
    return 1 if differing else 0


def script() -> str:
    """Returns the script of the tutorial."""
    page = (PACKAGE / "docs/tutorial.md").read_text()
    return page.split("```neuroscript tidy.ns\n", 1)[1].split("\n```\n", 1)[0] + "\n"


def record(ns: pathlib.Path) -> str:
    """Returns the text of a terminal after the commands; ids of runs are the same every time."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "Downloads"
        for name, content in FILES.items() | {"tidy.ns": script()}.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        programs = pathlib.Path(place) / "bin"
        programs.mkdir()
        (programs / "ns").symlink_to(ns)
        home = {"HOME": place, "XDG_STATE_HOME": f"{place}/state", "PATH": f"{programs}:/usr/bin:/bin"}
        environment = {**home, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        shown = [f"\x1b[1m$ {command}\x1b[0m\n{at_terminal(command, folder, environment)}" for command in COMMANDS]
    return re.sub(r"\b[0-9a-f]{8}\b", "69fe79de", "\n".join(shown))


def at_terminal(command: str, folder: pathlib.Path, environment: dict[str, str]) -> str:
    """Runs a command at a terminal, answers its question, and returns its output."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe("sh", ["sh", "-c", f"stty cols {WIDTH} rows {HEIGHT}; {command}"], environment)
    shown, answered, end = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            piece = b""
        if not piece:
            break
        shown += piece
        if QUESTION.encode() in shown and not answered:
            os.write(terminal, ANSWER.encode())
            answered = True
    else:
        raise SystemExit(f"`{command}` does not end: {shown!r}")
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0:
        raise SystemExit(f"`{command}` ends with {code}: {shown!r}")
    return shown.decode().replace("\r\n", "\n")


if __name__ == "__main__":
    sys.exit(main())
