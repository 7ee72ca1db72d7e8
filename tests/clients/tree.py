"""The tree that the clients work on, and what every one of them must see there."""

import pathlib


def make(folder):
    """Makes the tree in an empty folder."""
    folder = pathlib.Path(folder)
    (folder / "docs").mkdir()
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("# A\n\nneedle one\n")
    (folder / "docs" / "b.md").write_text("# B\nneedle two\nneedle three\n")
    (folder / "src" / "main.rs").write_text("fn main() {}\n")
    (folder / "src" / "deep" / "ünïcode.txt").write_text("äöü€\n", encoding="utf-8")
    (folder / "empty.txt").write_text("")
    (folder / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 201)))
