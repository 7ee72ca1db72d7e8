"""Builds what is measured, each thing when it is first asked for."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

from process import Failed

ROOT = Path(__file__).resolve().parent.parent.parent
BENCHES = ROOT / "benches"
#: How `ns` is built for its users.
DIST = ["--profile", "dist"]


class Built:
    """The programs of a build: `ns`, an example of the crate, a peer that is a Rust program."""

    def __init__(self, ns: str | None, measures: bool) -> None:
        """Takes `ns` as it is where one is given.

        What is measured is built as it is released; where only answers count, with what is built already.
        """
        self._ns = ns
        self._measures = measures

    @property
    def ns(self) -> str:
        """What users have."""
        self._ns = self._ns or executables([*(DIST if self._measures else ["--release"]), "--bins"])["ns"]
        return self._ns

    def example(self, name: str) -> str:
        """An example of the crate; tests build it beside the `ns` that they start."""
        built = Path(self.ns).parent / "examples" / name
        if built.exists() and not self._measures:
            return str(built)
        return executables([*(DIST if self._measures else []), "--example", name])[name]

    def peer(self, package: str, name: str) -> str | None:
        """A program of `benches/peers`; None where it cannot be built, as without a registry."""
        try:
            return peers(package, self._measures)[name]
        except Failed:
            return None


@cache
def peers(package: str, measures: bool) -> dict[str, str]:
    """Builds a package of `benches/peers`, which has a lock file and a target folder of its own."""
    profile = ["--release"] if measures else []
    place = ["--manifest-path", str(BENCHES / "peers" / "Cargo.toml"), "--target-dir", str(ROOT / "target" / "peers")]
    return executables([*profile, "--locked", "--package", package, *place])


def executables(words: list[str]) -> dict[str, str]:
    """Builds something; the programs by their names."""
    command = ["cargo", "build", *words, "--message-format=json-render-diagnostics"]
    cargo = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if cargo.returncode != 0:
        raise Failed(f"`{' '.join(command)}` fails")
    messages = [json.loads(line) for line in cargo.stdout.splitlines()]
    return {each["target"]["name"]: each["executable"] for each in messages if each.get("executable")}
