"""How the time of a check grows with the text; the measuring is done by benches/parse.rs."""

from __future__ import annotations

from . import process
from .build import Built


def run(built: Built, *words: str) -> str:
    """Runs the example and gives its table."""
    return process.run([built.parse_scaling, *words]).output.rstrip()
