"""The program that packages contain: the platform that it is for, and the pages and completions that it writes."""
import os
import re
import struct
import subprocess
import sys
from dataclasses import dataclass, field

from .archives import Entry

#: What each format calls a processor.
MACHINES = {
    0x3E: {"rust": "x86_64", "npm": "x64", "debian": "amd64", "homebrew": "on_intel"},
    0xB7: {"rust": "aarch64", "npm": "arm64", "debian": "arm64", "homebrew": "on_arm"},
}
DYNAMIC_LOADER = 3


@dataclass(frozen=True)
class Program:
    """A built `ns`."""
    path: str
    content: bytes = field(repr=False)
    #: A row of `MACHINES`.
    machine: dict
    #: The newest glibc symbol version that the program needs, or `None` if it is static.
    glibc: tuple

    @property
    def is_static(self):
        return self.glibc is None

    @property
    def target(self):
        """The target as Rust calls it."""
        return f"{self.machine['rust']}-unknown-linux-{'musl' if self.is_static else 'gnu'}"

    @property
    def bare_name(self):
        """The name of the bare file in a release."""
        return f"ns-linux-{self.machine['debian']}"

    @property
    def npm_platform(self):
        return f"linux-{self.machine['npm']}"


def read_program(path):
    """Returns the program in an ELF file."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise SystemExit(f"packaging/build: cannot read `{path}`: {error.strerror}")
    if content[:6] != b"\x7fELF\x02\x01":
        raise SystemExit(f"packaging/build: `{path}` is no 64-bit ELF program; give an `ns` that was built for Linux")
    number = struct.unpack_from("<H", content, 0x12)[0]
    if number not in MACHINES:
        raise SystemExit(f"packaging/build: `{path}` is for processor {number:#x}; x86-64 and aarch64 are packaged")
    return Program(os.path.abspath(path), content, MACHINES[number], glibc_of(content))


def glibc_of(content):
    """Returns the newest glibc version that a program names, or `None` if it has no dynamic loader."""
    start, size, count = struct.unpack_from("<Q", content, 0x20)[0], *struct.unpack_from("<HH", content, 0x36)
    kinds = {struct.unpack_from("<I", content, start + size * at)[0] for at in range(count)}
    if DYNAMIC_LOADER not in kinds:
        return None
    named = {(int(major), int(minor)) for major, minor in re.findall(rb"\0GLIBC_(\d+)\.(\d+)", content)}
    return max(named, default=(2, 17))


def ask(program, *words):
    """Returns the standard output of `ns`, which knows no user and no terminal."""
    environment = {"HOME": "/nonexistent", "PATH": os.environ["PATH"], "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run([program.path, *words], check=True, stdout=subprocess.PIPE, env=environment).stdout


def can_run(program):
    """Whether this machine runs the program, by itself or by an emulator that the kernel knows."""
    try:
        return subprocess.run([program.path, "--version"], capture_output=True).returncode == 0
    except OSError:
        return False


def documents(program):
    """Returns the manual pages and completions that a program writes."""
    entries = [Entry(f"completions/ns.{shell}", ask(program, "completions", shell)) for shell in ("bash", "zsh", "fish")]
    return entries + manual_pages(program, [])


def manual_pages(program, words):
    """Returns the page of a command and of the commands below it."""
    page = ask(program, "man", *words)
    name = "-".join(["ns", *words])
    entries = [Entry(f"man/{name}.1", page)]
    pattern = re.escape(name).replace("\\-", "\\\\-") + r"\\-([a-z\\-]+)\(1\)"
    for below in re.findall(pattern, page.decode()):
        if below != "help":
            entries += manual_pages(program, [*words, below.replace("\\-", "-")])
    return entries


def require_version(program, project):
    """Ends the build if the program is of another version than Cargo.toml."""
    found = ask(program, "--version").decode().split()
    if found != ["ns", project.version]:
        sys.exit(f"packaging/build: `{program.path}` is {' '.join(found)}, and Cargo.toml has {project.version}")
