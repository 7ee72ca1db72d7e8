"""Runs one process and says what it took: CPU time, time on the clock, peak memory, and what it printed."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from resource import RUSAGE_SELF, getrusage, struct_rusage

#: Bytes in one unit of `ru_maxrss`.
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Failed(Exception):
    """A process that did not end well, or an answer that is not the one expected."""


@dataclass(frozen=True)
class Usage:
    """What a process took, and the processes that it waited for."""

    user_ms: float
    system_ms: float
    clock_ms: float
    peak_mb: float
    #: Linux counts what a process was before its exec: this interpreter. Peaks up to here say nothing.
    floor_mb: float
    output: str = ""

    @property
    def cpu_ms(self) -> float:
        """User and system time."""
        return self.user_ms + self.system_ms


#: What runs took, by name, round after round.
Series = dict[str, list[Usage]]


def run(command: Sequence[str], folder: str | None = None) -> Usage:
    """Runs a command to its end; raises `Failed` when it does not exit with 0."""
    with tempfile.TemporaryFile() as out:
        usage = _spawn(command, [(os.POSIX_SPAWN_DUP2, out.fileno(), 1)], folder)
        out.seek(0)
        return replace(usage, output=out.read().decode(errors="surrogateescape"))


def discard(command: Sequence[str], folder: str | None = None) -> Usage:
    """The same, with the output thrown away."""
    return _spawn(command, [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)], folder)


def _spawn(command: Sequence[str], output: list[tuple[object, ...]], folder: str | None) -> Usage:
    silence = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    here = os.getcwd()
    begin = time.perf_counter()
    try:
        os.chdir(folder or here)
        pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[silence, *output])
    except OSError as error:
        raise Failed(f"`{command[0]}` cannot be started: {error.strerror}") from error
    finally:
        os.chdir(here)
    _, status, usage = os.wait4(pid, 0)
    clock = time.perf_counter() - begin
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise Failed(f"`{shlex.join(command)}` ended with {code}")
    return Usage(usage.ru_utime * 1e3, usage.ru_stime * 1e3, clock * 1e3, _mb(usage), _mb(getrusage(RUSAGE_SELF)))


def _mb(usage: struct_rusage) -> float:
    return usage.ru_maxrss * MAXRSS_UNIT / (1 << 20)


def in_turn(commands: Mapping[str, Sequence[str]], rounds: int, folder: str | None = None) -> Series:
    """Runs commands one after the other, round after round, with their output thrown away."""
    series: Series = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            series[name].append(discard(command, folder))
    return series
