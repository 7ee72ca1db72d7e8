#!/usr/bin/env python3
"""Records the pictures of a terminal that README.md shows: runs the commands of the tutorial with a real `ns` at a
terminal, and draws what it shows, in light and in dark.

    python3 docs/pictures/record.py NS [--check]

With `--check`, nothing is written, and the exit code is 1 if a picture differs from what `ns` shows now. Needs `rich`
(PyPI), which draws: `target/pictures` gets an environment of its own.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1]
RICH = "rich==15.0.0"
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

#: Colours of GitHub's pages: background, text, and the eight of a terminal.
THEMES = {
    "light": ("ffffff 1f2328", "24292f cf222e 116329 953800 0550ae 8250df 1b7c83 6e7781"),
    "dark": ("0d1117 e6edf3", "484f58 ff7b72 3fb950 d29922 58a6ff bc8cff 39c5cf b1bac4"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ns", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    at_home()
    shown = record(options.ns.resolve())
    differing = []
    for name in THEMES:
        picture, path = draw(shown, name), HERE / f"plan-and-undo-{name}.svg"
        if options.check:
            if not path.is_file() or path.read_text() != picture:
                differing.append(path)
        else:
            path.write_text(picture)
    for path in differing:
        print(f"{path.relative_to(PACKAGE)} is not what `ns` shows: run docs/pictures/record.py", file=sys.stderr)
    return 1 if differing else 0


def at_home() -> None:
    """Goes on in the environment that has `rich`, which is made if it is missing."""
    home = PACKAGE / "target/pictures" / RICH
    python = home / "bin/python"
    if pathlib.Path(sys.prefix) == home:
        return
    if not (home / ".done").exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", RICH], check=True)
        (home / ".done").touch()
    os.execv(python, [python, *sys.argv])


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


def draw(shown: str, name: str) -> str:
    """Draws the text of a terminal."""
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    ground, colours = ([rgb(word) for word in words.split()] for words in THEMES[name])
    theme = TerminalTheme(*ground, colours, colours)
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), legacy_windows=False)
    console.print(Text.from_ansi(shown))
    return console.export_svg(title="Downloads", theme=theme, code_format=FORMAT, unique_id=f"terminal-{name}")


def rgb(word: str) -> tuple[int, int, int]:
    return int(word[0:2], 16), int(word[2:4], 16), int(word[4:6], 16)


#: A picture that loads nothing.
FORMAT = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; \
font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""

if __name__ == "__main__":
    sys.exit(main())
