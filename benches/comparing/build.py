"""Builds what is measured."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .process import Failed

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Built:
    """The programs of a build."""

    ns: str
    bare_walk: str
    parse_scaling: str


def release() -> Built:
    """What users have, and examples built as it is: times count."""
    return built(["--release"])


def quick() -> Built:
    """The same with examples as the tests have built them: enough where answers alone are compared."""
    return built([])


def built(examples: list[str]) -> Built:
    """Builds `ns` and the examples, and says where cargo put them."""
    # One by one: examples share the dependencies of the tests, and `ns` is what is installed.
    found = executables(["--release", "--bins"]) | executables([*examples, "--examples"])
    return Built(found["ns"], found["bare_walk"], found["parse_scaling"])


def executables(words: list[str]) -> dict[str, str]:
    """Builds something; the programs by their names."""
    command = ["cargo", "build", *words, "--message-format=json-render-diagnostics"]
    cargo = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if cargo.returncode != 0:
        raise Failed("the build fails")
    messages = [json.loads(line) for line in cargo.stdout.splitlines()]
    return {each["target"]["name"]: each["executable"] for each in messages if each.get("executable")}
