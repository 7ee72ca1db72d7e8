"""A trial of a way to install, and what the ways share."""
import contextlib
import functools
import glob
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from dataclasses import dataclass

from formats import tools

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts/agents"))

from client import Client

#: The longest time that a step may hang.
HANG = 240


class Skipped(Exception):
    """The way cannot be tried on this machine; the text says why."""


@dataclass(frozen=True)
class Way:
    """A way to install."""
    function: callable
    #: Whether it needs nothing but Python, Node.js and a shell.
    is_short: bool


WAYS = {}


def way(name, is_short=False):
    """Registers a function that tries a way and returns the line to print."""
    def register(function):
        WAYS[name] = Way(function, is_short)
        return function
    return register


class Trial:
    """An empty folder, a user without a configuration, and the packages."""

    def __init__(self, facts, folder, place):
        self.facts, self.folder, self.place = facts, folder, place
        self.started = time.monotonic()

    def package(self, pattern):
        """Returns the path of the only package for this machine that matches."""
        machine = {"x86_64": ("x86_64", "x64", "amd64"), "aarch64": ("aarch64", "arm64")}[os.uname().machine]
        found = [path for path in glob.glob(os.path.join(self.folder, pattern))
                 if any(word in os.path.basename(path) for word in machine)]
        assert len(found) == 1, f"expected one `{pattern}` for this machine, found {found}"
        return found[0]

    def file(self, name):
        path = os.path.join(self.folder, name)
        assert os.path.isfile(path), f"`{name}` is missing"
        return path

    def within(self, *parts):
        return os.path.join(self.place, *parts)

    def environment(self, **more):
        """Returns the environment of a user whose home is empty."""
        home = self.within("home")
        os.makedirs(home, exist_ok=True)
        found = [os.path.dirname(path) for path in (sys.executable, shutil.which("node"), shutil.which("npm")) if path]
        folders = [*found, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        return {"HOME": home, "PATH": os.pathsep.join(folders), "LANG": "C.UTF-8", **more}

    def run(self, words, environment=None, cwd=None):
        """Runs a program that must succeed, and returns its standard output."""
        done = subprocess.run(words, env=environment or self.environment(), capture_output=True, text=True,
                              timeout=HANG, cwd=cwd or self.place, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(f"`{' '.join(words)}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def use(self, command, environment=None):
        """Uses an installed `ns`: version, inventory, a change, its undo, and an MCP client. Returns the line to print.

        `command` is the words that start it; they see the folder `work` as the current directory.
        """
        work = self.sample()
        inventory = self.run([*command, "run", "inventory.ns"], environment, cwd=work)
        seconds = time.monotonic() - self.started
        assert "3 files in 1 folders" in inventory, inventory
        assert self.run([*command, "--version"], environment, cwd=work) == f"ns {self.facts.version}\n"
        self.change(command, environment, work)
        self.serve([*command, "mcp", "--sandbox", "."], environment, work)
        return f"{seconds:5.1f} s to the first inventory; a change, its undo, MCP"

    def sample(self):
        """Makes the folder that the scripts work on."""
        work = self.within("work")
        os.makedirs(os.path.join(work, "notes"))
        for name in ("notes/a.txt", "b.txt"):
            with open(os.path.join(work, name), "w") as file:
                file.write("one\n")
        shutil.copy(os.path.join(ROOT, "scripts/inventory.ns"), work)
        return work

    def change(self, command, environment, work):
        """Changes a file by a script, and takes the run back."""
        path = os.path.join(work, "b.txt")
        self.run([*command, "run", "-e", 'MUST FS.WriteFile("b.txt", "two", overwrite: TRUE)'], environment, cwd=work)
        assert contents(path) == "two", contents(path)
        self.run([*command, "undo"], environment, cwd=work)
        assert contents(path) == "one\n", contents(path)

    def is_locked_down(self, command, environment=None):
        """Asks `ns` whether the kernel restricts it."""
        doctor = self.run([*command, "doctor"], environment)
        assert re.search(r"^kernel sandbox +in force: Landlock and seccomp$", doctor, re.MULTILINE), doctor

    def serve(self, words, environment, work, writes=False):
        """Starts a server and lists its tools."""
        client = Client(words, env=environment or self.environment(), cwd=work, stderr=None)
        names = [tool["name"] for tool in client.request("tools/list", {})["result"]["tools"]]
        client.close()
        version = client.hello["result"]["serverInfo"]["version"]
        ended = client.process.returncode
        assert (version, ended) == (self.facts.version, 0), f"version {version}, exit code {ended}"
        assert "read_file" in names and ("write_file" in names) == writes, names


def contents(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves the files of a folder without a word."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(folder, handler=Files):
    """Serves a folder on this machine while the block runs, and gives the address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def needs(*programs):
    """Ends the trial if a program is missing."""
    for name in programs:
        if shutil.which(name) is None:
            raise Skipped(f"`{name}` is missing; `.ci/install` or `packaging/install --debian` brings it")


def installed(path):
    """Returns the path of a program that `packaging/install --checks` brings."""
    path = os.path.join(tools.PLACE, path)
    if not os.path.exists(path):
        raise Skipped(f"`{path}` is missing; `packaging/install --checks` brings it")
    return path


def manifest_of(path):
    """Returns the `package.json` of a tarball."""
    with tarfile.open(path) as packed:
        return json.load(packed.extractfile("package/package.json"))


def write_program(path, *lines):
    """Writes a program in Python in the place of `ns`."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("\n".join([f"#!{sys.executable}", "import os, signal, time", *lines, ""]))
    os.chmod(path, 0o755)
