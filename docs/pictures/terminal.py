"""Draws what a terminal shows as SVG, with the library `rich` (PyPI), which gets an environment below target/."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
RICH = "rich==15.0.0"

#: Colours of GitHub's pages: background, text, and the eight of a terminal.
THEMES = {
    "light": ("ffffff 1f2328", "24292f cf222e 116329 953800 0550ae 8250df 1b7c83 6e7781"),
    "dark": ("0d1117 e6edf3", "484f58 ff7b72 3fb950 d29922 58a6ff bc8cff 39c5cf b1bac4"),
}


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


def draw(shown: str, title: str, name: str, width: int) -> str:
    """Draws the text of a terminal, with its escape sequences, in one of the themes."""
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    ground, colours = ([_rgb(word) for word in words.split()] for words in THEMES[name])
    theme = TerminalTheme(*ground, colours, colours)
    console = Console(record=True, width=width, file=open(os.devnull, "w"), legacy_windows=False, color_system="truecolor")
    console.print(Text.from_ansi(shown), no_wrap=True, crop=True)
    return console.export_svg(title=title, theme=theme, code_format=_FORMAT, unique_id=f"terminal-{name}")


def _rgb(word: str) -> tuple[int, int, int]:
    return int(word[0:2], 16), int(word[2:4], 16), int(word[4:6], 16)


#: A picture that loads nothing.
_FORMAT = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
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
