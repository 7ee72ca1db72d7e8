"""Runs one process and says what it took: CPU time, peak memory, and what it printed."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from resource import RUSAGE_SELF, getrusage, struct_rusage

#: Bytes in one unit of `ru_maxrss`.
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Failed(Exception):
    """A process that did not end well, or an answer that is not the one expected."""


@dataclass(frozen=True)
class Usage:
    """What a process took."""

    #: User and system time.
    cpu_ms: float
    peak_mb: float
    #: Linux counts what a process was before its exec: this interpreter. Peaks up to here say nothing.
    floor_mb: float
    output: str = ""


#: What runs took, by name, round after round.
Series = dict[str, list[Usage]]


def run(command: Sequence[str]) -> Usage:
    """Runs a command to its end; raises `Failed` when it does not exit with 0."""
    with tempfile.TemporaryFile() as out:
        usage = _spawn(command, [(os.POSIX_SPAWN_DUP2, out.fileno(), 1)])
        out.seek(0)
        return replace(usage, output=out.read().decode(errors="surrogateescape"))


def discard(command: Sequence[str]) -> Usage:
    """The same, with the output thrown away."""
    return _spawn(command, [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])


def _spawn(command: Sequence[str], output: list[tuple[object, ...]]) -> Usage:
    silence = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    try:
        pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[silence, *output])
    except OSError as error:
        raise Failed(f"`{command[0]}` cannot be started: {error.strerror}") from error
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise Failed(f"`{shlex.join(command)}` ended with {code}")
    return Usage((usage.ru_utime + usage.ru_stime) * 1e3, _mb(usage), _mb(getrusage(RUSAGE_SELF)))


def _mb(usage: struct_rusage) -> float:
    return usage.ru_maxrss * MAXRSS_UNIT / (1 << 20)


def in_turn(commands: Mapping[str, Sequence[str]], rounds: int) -> Series:
    """Runs commands one after the other, round after round, with their output thrown away."""
    series: Series = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            series[name].append(discard(command))
    return series
