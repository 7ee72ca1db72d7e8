"""The ways to install, each tried in an empty folder."""
import base64
import contextlib
import fcntl
import functools
import glob
import hashlib
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import termios
import threading
import time
import urllib.parse
import zipfile
from dataclasses import dataclass

from formats import program, texts, tools

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
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
        assert (version, client.process.returncode) == (self.facts.version, 0), (client.hello, client.process.returncode)
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


@way("bare", is_short=True)
def bare(trial):
    path = trial.within("ns")
    shutil.copy(trial.package("ns-linux-*"), path)
    return trial.use([path])


@way("archive", is_short=True)
def archive(trial):
    path = trial.package(f"{trial.facts.name}-{trial.facts.version}-*-linux-*.tar.gz")
    trial.run(["tar", "-xzf", path, "--strip-components", "1"])
    for name in ("man/ns.1", "man/ns-audit-show.1", "completions/ns.fish", "LICENSE-MIT"):
        assert os.path.getsize(trial.within(name)) > 0, name
    return trial.use([trial.within("ns")])


@way("bytes", is_short=True)
def depend_on_contents(trial):
    """Nothing in an archive follows from the order of a folder, from a user, or from the time of the build."""
    paths = glob.glob(os.path.join(trial.folder, "*gz"))
    for path in paths:
        with tarfile.open(path) as packed:
            members = [member for member in packed if not member.isdir()]
        names = [member.name for member in members]
        assert names == sorted(names), f"`{path}` is not sorted: {names}"
        owners = {(member.uid, member.gid, member.mtime) for member in members}
        assert owners == {(0, 0, trial.facts.epoch)}, f"`{path}` has files of {owners}"
    return f"of {len(paths)} archives are sorted, owned by root and of one time"


@way("checksums", is_short=True)
def checksums(trial):
    names = set(os.listdir(trial.folder)) - {"SHA256SUMS"}
    trial.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=trial.folder)
    listed = {line.split("  ")[1] for line in contents(trial.file("SHA256SUMS")).splitlines()}
    assert listed == names, f"listed or there alone: {listed ^ names}"
    return f"of all {len(listed)} files hold"


@way("facts", is_short=True)
def facts(trial):
    """Compares the copies of what Cargo.toml says."""
    own, read = trial.facts, lambda name: contents(trial.file(name))
    archive_name = os.path.basename(trial.package(f"{own.name}-{own.version}-*-linux-*.tar.gz"))
    values = {"{ repo }": own.repository, "{ name }": own.name, "{ version }": own.version, "{ bin }": "ns",
              "{ target }": archive_name.removesuffix(".tar.gz").removeprefix(f"{own.name}-{own.version}-"),
              "{ binary-ext }": ""}
    filled = lambda text: functools.reduce(lambda text, pair: text.replace(*pair), values.items(), text)
    assert filled(own.binstall["pkg-url"]) == f"{own.release}/{archive_name}", filled(own.binstall["pkg-url"])
    with tarfile.open(trial.file(archive_name)) as packed:
        assert filled(own.binstall["bin-dir"]) in packed.getnames(), filled(own.binstall["bin-dir"])
    formula, server = read(f"{own.name}.rb"), json.loads(read("server.json"))
    for text in (f'desc "{own.description}"', f'version "{own.version}"', own.homepage, archive_name):
        assert text in formula, f"the formula lacks `{text}`"
    assert server["version"] == own.version and server["description"] == own.description, server
    assert {package["version"] for package in server["packages"]} == {own.version}, server
    manifest = manifest_of(trial.file(f"{own.name}-{own.version}.tgz"))
    assert manifest["mcpName"] == server["name"] and "scripts" not in manifest, manifest
    for name, version in manifest["optionalDependencies"].items():
        assert version == own.version and name.startswith(f"{own.npm_scope}/"), manifest
    for label in (own.version, own.license, own.description):
        assert f'"{label}"' in read("Containerfile"), f"the Containerfile lacks `{label}`"
    flake = contents(os.path.join(ROOT, "flake.nix"))
    assert own.version not in flake and own.description not in flake, "flake.nix copies what Cargo.toml says"
    return "in formula, server.json, npm, Containerfile, flake and binstall are those of Cargo.toml"


@way("wheel", is_short=True)
def wheel(trial):
    path = trial.package("*.whl")
    agrees_with_record(path)
    trial.run([sys.executable, "-m", "venv", "venv"])
    prepared = time.monotonic() - trial.started
    bin_folder = trial.within("venv/bin")
    trial.run([f"{bin_folder}/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", path])
    said = trial.use([f"{bin_folder}/ns"])
    work = trial.within("work")
    for words in ([f"{bin_folder}/{trial.facts.name}"], [f"{bin_folder}/python", "-m", trial.facts.name]):
        assert trial.run([*words, "--version"], cwd=work) == f"ns {trial.facts.version}\n", words
    assert trial.run([f"{bin_folder}/pip", "check"]).startswith("No broken"), "pip check"
    trial.run([f"{bin_folder}/pip", "uninstall", "--quiet", "--yes", trial.facts.name])
    assert not os.path.exists(f"{bin_folder}/ns"), "uninstalling left `ns`"
    # A program of the same name beside `python` is another's.
    write_program(f"{bin_folder}/ns", "print('another')")
    trial.run([f"{bin_folder}/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", "--target", "to", path])
    found = trial.run([f"{bin_folder}/python", "-m", trial.facts.name, "--version"], trial.environment(PYTHONPATH="to"))
    assert found == f"ns {trial.facts.version}\n", found
    return f"{said}; uninstalled; {prepared:.1f} s of it were `python3 -m venv`"


def agrees_with_record(path):
    """Compares every file of a wheel with its line in RECORD, which pip does not do."""
    with zipfile.ZipFile(path) as packed:
        record = next(name for name in packed.namelist() if name.endswith(".dist-info/RECORD"))
        rows = dict(line.split(",", 1) for line in packed.read(record).decode().splitlines())
        assert set(rows) == set(packed.namelist()), f"RECORD and the wheel differ: {set(rows) ^ set(packed.namelist())}"
        for name in set(rows) - {record}:
            content = packed.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            assert rows[name] == f"sha256={digest},{len(content)}", f"RECORD is wrong about `{name}`"


@way("wheel-check")
def wheel_check(trial):
    path = trial.package("*.whl")
    trial.run([installed("checks/bin/twine"), "check", "--strict", path])
    trial.run([installed("checks/bin/check-wheel-contents"), path])
    return "twine and check-wheel-contents find nothing"


@way("uvx")
def uvx(trial):
    uv, path = installed("checks/bin/uv"), trial.package("*.whl")
    words = [uv, "tool", "run", "--offline", "--no-index", "--python", sys.executable, "--from", path, "ns"]
    return trial.use(words)


class Registry(Files):
    """A registry of npm with the tarballs of a folder, which are files beside the listings."""

    def do_GET(self):
        listing = self.listings().get(urllib.parse.unquote(self.path).lstrip("/"))
        if listing is None:
            super().do_GET()
            return
        content = json.dumps(listing).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def listings(self):
        """Returns what the registry says about each package, by name."""
        found = {}
        for path in glob.glob(os.path.join(self.directory, "*.tgz")):
            manifest = manifest_of(path)
            with open(path, "rb") as file:
                digest = hashlib.sha1(file.read()).hexdigest()
            dist = {"tarball": f"http://{self.headers['Host']}/{os.path.basename(path)}", "shasum": digest}
            found[manifest["name"]] = {
                "name": manifest["name"], "dist-tags": {"latest": manifest["version"]},
                "versions": {manifest["version"]: {**manifest, "dist": dist}},
            }
        return found


def manifest_of(path):
    """Returns the `package.json` of a tarball."""
    with tarfile.open(path) as packed:
        return json.load(packed.extractfile("package/package.json"))


@way("npm", is_short=True)
def npm_package(trial):
    needs("npm", "node")
    with serving(trial.folder, Registry) as address:
        environment = trial.environment(npm_config_registry=address, npm_config_update_notifier="false")
        words = ["npm", "install", "--global", "--prefix", trial.within("prefix"), "--no-audit", "--no-fund",
                 trial.facts.name]
        trial.run(words, environment)
        said = trial.use([trial.within("prefix/bin/ns")])
    launcher_passes_on(trial, [trial.within("prefix/bin/ns")])
    return f"{said}; exit codes, signals and standard input pass"


@way("launcher", is_short=True)
def launcher(trial):
    """Tries the launcher with programs that end as `ns` rarely does."""
    needs("node")
    package = trial.file(f"{trial.facts.name}-{trial.facts.version}.tgz")
    command = ["node", unpacked(trial, package, "bin/ns.js")]
    name = next(iter(manifest_of(package)["optionalDependencies"]))
    ended = functools.partial(subprocess.run, command, env=trial.environment(), capture_output=True, text=True, timeout=HANG)
    done = ended()
    assert done.returncode == 1 and f"`{name}` is not installed" in done.stderr, done
    write_program(trial.within("node_modules", name, "bin/ns"), "os.kill(os.getpid(), signal.SIGKILL)")
    assert ended().returncode == -signal.SIGKILL, "the launcher ended otherwise than its killed child"
    write_program(trial.within("node_modules", name, "bin/ns"),
                  'signal.signal(signal.SIGINT, lambda *_: os.write(1, b"interrupted\\n"))',
                  'os.write(1, b"running\\n")', "time.sleep(2)")
    assert interrupted_at_terminal(command, trial.environment()) == ["interrupted\n"], "Ctrl-C arrived twice, or not"
    return "says which package is missing, ends by the signal that ended `ns`, and passes Ctrl-C on once"


def write_program(path, *lines):
    """Writes a program in Python in the place of `ns`."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("\n".join([f"#!{sys.executable}", "import os, signal, time", *lines, ""]))
    os.chmod(path, 0o755)


def interrupted_at_terminal(command, environment):
    """Presses Ctrl-C at the terminal of a program whose standard input is no terminal, and returns what it prints then."""
    ours, theirs = os.openpty()
    child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                             start_new_session=True, preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0))
    try:
        assert child.stdout.readline() == "running\n"
        os.write(ours, b"\x03")
        return child.stdout.readlines()
    finally:
        child.kill()
        child.wait()
        os.close(ours)
        os.close(theirs)


@way("npx")
def npx(trial):
    needs("npx")
    with serving(trial.folder, Registry) as address:
        environment = trial.environment(npm_config_registry=address, npm_config_update_notifier="false")
        return trial.use(["npx", "--yes", trial.facts.name], environment)


@way("npm-node22")
def npm_node22(trial):
    """A newer Node.js can become another program, so the launcher takes its other branch."""
    node = os.path.join(ROOT, "target/clients/node22/node_modules/node/bin/node")
    if not os.path.exists(node):
        raise Skipped("Node.js 22 is missing; `.ci/clients` brings it")
    unpacked(trial, trial.package(f"*-linux-*-{trial.facts.version}.tgz"))
    command = [node, unpacked(trial, trial.file(f"{trial.facts.name}-{trial.facts.version}.tgz"), "bin/ns.js")]
    said = trial.use(command)
    launcher_passes_on(trial, command)
    return f"{said}; exit codes, signals and standard input pass"


def unpacked(trial, path, *parts):
    """Unpacks a tarball to where npm would, and returns the path of a part of it."""
    folder = trial.within("node_modules", manifest_of(path)["name"])
    os.makedirs(folder)
    trial.run(["tar", "-xzf", path, "-C", folder, "--strip-components", "1"])
    return os.path.join(folder, *parts)


def launcher_passes_on(trial, command):
    """A launcher passes standard input, the exit code, and signals in both directions."""
    work, environment = trial.within("work"), trial.environment()
    start = functools.partial(subprocess.Popen, env=environment, cwd=work, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True, start_new_session=True)
    child = start([*command, "run", "-"])
    output, errors = child.communicate('EMIT "from stdin"\nMUST FS.ReadFile("missing.txt")\n', timeout=HANG)
    assert (output, child.returncode) == ("from stdin\n", 1), (output, errors, child.returncode)
    for number in (signal.SIGTERM, signal.SIGINT):
        child = start([*command, "run", "-e", 'EMIT "running"\nWHILE true DO\nSET a = 1\nEND', "--max-steps", "1000000000000"])
        assert child.stdout.readline() == "running\n", child.stderr.read()
        child.send_signal(number)
        try:
            # The output ends only when `ns` has ended too.
            child.communicate(timeout=30)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        assert child.returncode in (128 + number, -number), f"signal {number} ended it with {child.returncode}"


@way("install.sh", is_short=True)
def install_script(trial):
    to, script = trial.within("a folder"), trial.file("install.sh")
    with serving(trial.folder) as address:
        environment = trial.environment(NS_RELEASE=address)
        trial.run(["sh", script, "--to", to], environment)
        said = trial.use([f"{to}/ns"])
        write_program(f"{to}/ns")
        trial.run(["sh", script, "--to", "a folder"], environment)
        assert trial.run([f"{to}/ns", "--version"]) == f"ns {trial.facts.version}\n", "an older `ns` was not replaced"
        assert os.listdir(to) == ["ns"], os.listdir(to)
        refuses_what_it_cannot_write(trial, environment)
        # The folder of a user that is not root, also if root tries the packages.
        write_program(trial.within("user/id"), 'print("1000")')
        trial.run(["sh", script], {**environment, "PATH": f"{trial.within('user')}:{environment['PATH']}"})
        assert os.listdir(trial.within("home/.local/bin")) == ["ns"], "not in the folder of a user"
    refuses_another_archive(trial)
    does_nothing_in_part(trial)
    return f"{said}; refuses a wrong checksum, a folder in the way and a machine without tools, and does nothing in part"


def fails(trial, environment, to, expected, nothing_in):
    """Runs `install.sh`, which must say why it fails, and leave nothing in a folder."""
    done = subprocess.run([shutil.which("sh"), trial.file("install.sh"), "--to", to], env=environment, text=True,
                          capture_output=True, timeout=HANG)
    assert done.returncode == 1 and expected in done.stderr, done
    left = [os.path.join(folder, name) for folder, _, names in os.walk(nothing_in) for name in names]
    assert not left, f"left behind: {left}"


def refuses_what_it_cannot_write(trial, environment):
    """A file in the place of the folder, a folder in the place of `ns`, and a machine without tools."""
    file, folder, tools_only, scratch = map(trial.within, ("file", "folder", "tools", "scratch"))
    open(file, "w").close()
    for path in (f"{folder}/ns", tools_only, scratch):
        os.makedirs(path)
    environment = {**environment, "TMPDIR": scratch}
    fails(trial, environment, file, "cannot write to", scratch)
    fails(trial, environment, folder, "is a directory", folder)
    for name in ("id", "uname", "mktemp", "rm", "cut"):
        os.symlink(shutil.which(name), f"{tools_only}/{name}")
    environment["PATH"] = tools_only
    fails(trial, environment, folder + "/new", "neither curl nor wget", folder)
    os.symlink(shutil.which("curl") or shutil.which("wget"), f"{tools_only}/{'curl' if shutil.which('curl') else 'wget'}")
    fails(trial, environment, folder + "/new", "neither sha256sum", scratch)


def refuses_another_archive(trial):
    """An archive that is missing, and one with a changed byte."""
    mirror, scratch = trial.within("mirror"), trial.within("tmp")
    os.makedirs(mirror)
    os.makedirs(scratch)
    path = trial.package(f"{trial.facts.name}-{trial.facts.version}-*-linux-*.tar.gz")
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content[len(content) // 2] ^= 1
    with serving(mirror) as address:
        environment = trial.environment(NS_RELEASE=address, TMPDIR=scratch)
        fails(trial, environment, f"{scratch}/to", "cannot download", scratch)
        with open(os.path.join(mirror, os.path.basename(path)), "wb") as file:
            file.write(content)
        fails(trial, environment, f"{scratch}/to", "SHA-256", scratch)


def does_nothing_in_part(trial):
    """Cuts the script, as a connection that ends does, at each line and within the last lines."""
    text = contents(trial.file("install.sh"))
    cuts = [match.end() for match in re.finditer("\n", text)] + list(range(text.rindex("main"), len(text)))
    environment = trial.environment(NS_RELEASE="http://127.0.0.1:1", HOME=trial.within("untouched"))
    for cut in sorted(set(cuts) - {len(text), len(text.rstrip())}):
        done = subprocess.run(["sh"], input=text[:cut], env=environment, text=True, capture_output=True, timeout=HANG)
        assert "cannot download" not in done.stderr, f"the first {cut} bytes of install.sh begin the installation"
    whole = subprocess.run(["sh"], input=text, env=environment, text=True, capture_output=True, timeout=HANG)
    assert "cannot download" in whole.stderr, whole


@way("shellcheck")
def shellcheck(trial):
    needs("shellcheck", "busybox", "dash")
    trial.run(["shellcheck", "--external-sources", "--source-path", ROOT, trial.file("install.sh"),
               *(os.path.join(ROOT, name) for name in ("packaging/install", ".ci/install", ".ci/clients", ".ci/editors"))])
    with serving(trial.folder) as address:
        environment = trial.environment(NS_RELEASE=address)
        for shell in (["dash"], ["busybox", "sh"], ["bash", "--posix"]):
            trial.run([*shell, trial.file("install.sh"), "--to", trial.within(shell[0])], environment)
            trial.run([trial.within(shell[0], "ns"), "--version"])
    return "finds nothing; install.sh runs in dash, busybox and bash"


@way("mcpb", is_short=True)
def mcpb(trial):
    """Unpacks the bundle as a client does, and starts the server by its manifest."""
    with zipfile.ZipFile(trial.package("*.mcpb")) as packed:
        for info in packed.infolist():
            path = packed.extract(info, trial.within("bundle"))
            os.chmod(path, info.external_attr >> 16 & 0o777)
        manifest = json.loads(packed.read("manifest.json"))
    said = trial.use([trial.within("bundle", manifest["server"]["entry_point"])])
    for allowed in ("false", "true"):
        values = {"__dirname": trial.within("bundle"), "user_config.folder": trial.within("work"),
                  "user_config.write": allowed}
        config = manifest["server"]["mcp_config"]
        words = [re.sub(r"\$\{([^}]*)\}", lambda name: values[name[1]], word)
                 for word in [config["command"], *config["args"]]]
        trial.serve(words, None, trial.place, writes=allowed == "true")
    return said


@way("mcpb-check")
def mcpb_check(trial):
    needs("node")
    cli = installed("mcpb/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
    trial.run(["node", cli, "unpack", trial.package("*.mcpb"), trial.within("bundle")])
    trial.run(["node", cli, "validate", trial.within("bundle/manifest.json")])
    trial.run([trial.within("bundle/server/ns"), "--version"])
    return "mcpb validates the manifest, and unpacks a program that starts"


@way("server.json")
def server_json(trial):
    shutil.copy(trial.file("server.json"), trial.place)
    said = trial.run([installed("checks/bin/skillsaw"), "lint", "--strict", trial.place])
    schema = json.loads(contents(glob.glob(os.path.join(
        tools.PLACE, "checks/lib/*/site-packages/skillsaw/schemas/mcp_registry/v2025_12_11/server.schema.json"))[0]))
    script = "import json, sys, jsonschema; s, d = map(json.loads, sys.argv[1:]); jsonschema.validate(d, s)"
    trial.run([installed("checks/bin/python"), "-c", script, json.dumps(schema), contents(trial.file("server.json"))])
    assert json.loads(contents(trial.file("server.json")))["$schema"] == texts.SCHEMA
    return f"validated only, by the schema of 2025-12-11 and skillsaw ({said.strip().splitlines()[-1]})"


@way("deb")
def deb(trial):
    needs("dpkg")
    root = trial.within("root")
    os.makedirs(os.path.join(root, "var/lib/dpkg/info"))
    os.makedirs(os.path.join(root, "var/lib/dpkg/updates"))
    open(os.path.join(root, "var/lib/dpkg/status"), "w").close()
    words = ["dpkg", f"--root={root}", "--force-not-root", "--force-architecture"]
    trial.run([*words, "--install", trial.package("*.deb")])
    said = trial.use([f"{root}/usr/bin/ns"])
    for path in ("share/man/man1/ns.1.gz", "share/man/man1/ns-audit-show.1.gz", "share/zsh/vendor-completions/_ns",
                 "share/bash-completion/completions/ns", "share/fish/vendor_completions.d/ns.fish"):
        assert os.path.isfile(f"{root}/usr/{path}"), path
    trial.run([*words, "--purge", trial.facts.name])
    assert not os.path.exists(f"{root}/usr/bin/ns"), "purging left `ns`"
    return f"{said}; purged"


#: Tags of lintian that do not concern a package that is not part of Debian, and why.
LINTIAN = {
    "no-changelog": "Debian's changelog records Debian's work; ours is CHANGELOG.md",
    "statically-linked-binary": "one file for every system is the purpose",
    "embedded-library": "SQLite is compiled in, as in every build of ours",
    "shared-library-lacks-prerequisites": "a program without a fixed address looks like a library",
    "initial-upload-closes-no-bugs": "no bug of Debian asks for the package",
}


@way("deb-check")
def deb_check(trial):
    needs("lintian")
    words = ["lintian", "--allow-root", "--fail-on", "error", "--suppress-tags", ",".join(LINTIAN)]
    trial.run([*words, trial.package("*.deb")], trial.environment(PATH=os.environ["PATH"]))
    return "lintian finds no error"


@way("rpm")
def rpm(trial):
    needs("rpm")
    root = trial.within("root")
    path = trial.package("*.rpm")
    trial.run(["rpm", "--root", root, "--initdb"])
    trial.run(["rpm", "--root", root, "--install", "--noscripts", "--nosignature", path])
    said = trial.use([f"{root}/usr/bin/ns"])
    trial.run(["rpm", "--root", root, "--verify", trial.facts.name])
    described = trial.run(["rpm", "--root", root, "--query", "--queryformat",
                           "%{VERSION} %{LICENSE} %{SUMMARY}", trial.facts.name])
    expected = f"{trial.facts.version} {trial.facts.license} {trial.facts.description}"
    assert described == expected, described
    trial.run(["rpm", "--root", root, "--erase", trial.facts.name])
    assert not os.path.exists(f"{root}/usr/bin/ns"), "erasing left `ns`"
    return f"{said}; verified, erased"


@way("container")
def container(trial):
    """Builds the image, and uses `ns` in containers of it."""
    needs("buildah")
    if os.geteuid() != 0:
        raise Skipped("only root can run containers without a daemon here")
    context, state = trial.within("context"), trial.within("state")
    os.makedirs(context)
    os.makedirs(state)
    for path in (trial.file("Containerfile"), trial.package("ns-linux-*")):
        shutil.copy(path, context)
    environment = trial.environment(BUILDAH_ISOLATION="chroot", STORAGE_DRIVER="vfs")
    store = ["buildah", "--root", trial.within("store"), "--runroot", trial.within("runroot")]
    trial.run([*store, "build", "--tag", "trial", "--file", f"{context}/Containerfile", context], environment)
    name = trial.run([*store, "from", "--pull-never", "trial"], environment).strip()
    volumes = ["--volume", f"{trial.within('work')}:/work", "--volume", f"{state}:/state"]
    command = [*store, "run", *volumes, name, "--", "/ns"]
    said = trial.use(command, environment)
    trial.is_locked_down(command, environment)
    root = trial.run([*store, "mount", name], environment).strip()
    files = [path for folder, _, names in os.walk(root) for path in names]
    trial.run([*store, "umount", name], environment)
    assert "ns" in files and not any(".so" in path for path in files), files
    trial.run([installed("checks/bin/hadolint"), trial.file("Containerfile")])
    return f"{said}; Landlock and seccomp are in force; hadolint finds nothing"


@way("homebrew")
def homebrew(trial):
    needs("ruby")
    path = trial.file(f"{trial.facts.name}.rb")
    trial.run(["ruby", "-wc", path])
    with open(trial.package(f"{trial.facts.name}-{trial.facts.version}-*-linux-*.tar.gz"), "rb") as file:
        assert texts.sha256(file.read()) in contents(path), "the formula has another checksum"
    return "validated only: the syntax by Ruby, the checksums"


#: Enough of nixpkgs to see what the flake asks of it.
NIXPKGS = """
let outputs = (import {flake}).outputs {{
  self = {{ }};
  nixpkgs = {{
    lib = {{
      importTOML = path: builtins.fromTOML (builtins.readFile path);
      genAttrs = names: f: builtins.listToAttrs (map (name: {{ inherit name; value = f name; }}) names);
      licenses = {{ mit = "MIT"; asl20 = "Apache-2.0"; }};
    }};
    legacyPackages.x86_64-linux = {{ rustPlatform.buildRustPackage = it: it; installShellFiles = 1; }};
  }};
}};
in builtins.toJSON {{ inherit (outputs.packages.x86_64-linux.default) pname version buildType; inherit (outputs.packages.x86_64-linux.default.meta) description license; }}
"""


@way("nix")
def nix(trial):
    needs("nix-instantiate")
    expression = NIXPKGS.format(flake=os.path.join(ROOT, "flake.nix"))
    environment = trial.environment(NIX_STATE_DIR=trial.within("nix"), NIX_STORE_DIR=trial.within("store"))
    text = trial.run(["nix-instantiate", "--eval", "--strict", "--expr", expression], environment)
    found = json.loads(json.loads(text))
    own = trial.facts
    expected = {"pname": own.name, "version": own.version, "buildType": "dist", "description": own.description,
                "license": own.license.split(" OR ")}
    assert found == expected, found
    return "validated only: Nix evaluates the flake with a stand-in for nixpkgs"


@way("sbom")
def sbom(trial):
    path = trial.package("*.cdx.json")
    script = ("import sys; from cyclonedx.validation.json import JsonStrictValidator as V; "
              "from cyclonedx.schema import SchemaVersion as S; "
              "error = V(S.V1_5).validate_str(open(sys.argv[1]).read()); sys.exit(str(error) if error else 0)")
    trial.run([installed("checks/bin/python"), "-c", script, path])
    listing = json.loads(contents(path))
    assert ROOT not in contents(path), "the SBOM names the checkout"
    names = {component["name"] for component in listing["components"]}
    assert {"rmcp", "libsqlite3-sys", "neuroscript-sandbox"} <= names, sorted(names)
    return f"CycloneDX 1.5 by its schema, {len(names)} components"


@way("crates")
def crates(trial):
    """Looks for what a registry and `cargo install` need in each crate."""
    paths = glob.glob(os.path.join(trial.folder, "*.crate"))
    for path in paths:
        folder = os.path.basename(path).removesuffix(".crate")
        with tarfile.open(path) as packed:
            names = packed.getnames()
            manifest = packed.extractfile(f"{folder}/Cargo.toml").read().decode()
        assert f'version = "{trial.facts.version}"' in manifest and trial.facts.license in manifest, folder
        assert f"{folder}/README.md" in names, f"{folder} has no README"
        if folder == f"{trial.facts.name}-{trial.facts.version}":
            assert "[profile.dist]" in manifest and f"{folder}/src/main.rs" in names, folder
    assert len(paths) == 6, paths
    return "validated only: `cargo package` makes all six, and their manifests are whole"


@way("static")
def static(trial):
    """The program needs no file of the system, and its lockdown holds."""
    path = trial.package("ns-linux-*")
    found = program.read_program(path)
    assert found.is_static, f"the program needs glibc {found.glibc}"
    trial.is_locked_down([path])
    return f"{len(found.content) / 1e6:.1f} MB, no interpreter; Landlock and seccomp are in force"


@way("aarch64")
def aarch64(trial):
    needs("qemu-aarch64-static")
    return trial.use(["qemu-aarch64-static", trial.file("ns-linux-arm64")]) + "; emulated"
