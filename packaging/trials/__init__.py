"""The ways to install, each tried in an empty folder. A module registers its ways when it is imported."""
from . import files, wheel, npm, script, mcp, systems  # noqa: F401
from .trial import Skipped, Trial, WAYS

__all__ = ["Skipped", "Trial", "WAYS"]
