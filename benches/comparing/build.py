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
    """The programs of a release build."""

    ns: str
    bare_walk: str
    parse_scaling: str


def release() -> Built:
    """Builds `ns` and the examples, and says where cargo put them."""
    command = ["cargo", "build", "--release", "--bins", "--examples", "--message-format=json-render-diagnostics"]
    cargo = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if cargo.returncode != 0:
        raise Failed("the release build fails")
    messages = [json.loads(line) for line in cargo.stdout.splitlines()]
    found = {each["target"]["name"]: each["executable"] for each in messages if each.get("executable")}
    return Built(found["ns"], found["bare_walk"], found["parse_scaling"])
