"""The packages for npm, and the launcher."""
import contextlib
import fcntl
import functools
import glob
import hashlib
import json
import os
import signal
import subprocess
import termios
import urllib.parse

from .trial import Files, HANG, ROOT, Skipped, manifest_of, needs, serving, way, write_program


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
    ended = functools.partial(subprocess.run, command, env=trial.environment(), capture_output=True, text=True,
                              timeout=HANG)
    done = ended()
    assert done.returncode == 1 and f"`{name}` is not installed" in done.stderr, done
    write_program(trial.within("node_modules", name, "bin/ns"), "os.kill(os.getpid(), signal.SIGKILL)")
    assert ended().returncode == -signal.SIGKILL, "the launcher ended otherwise than its killed child"
    write_program(trial.within("node_modules", name, "bin/ns"),
                  'signal.signal(signal.SIGINT, lambda *_: os.write(1, b"interrupted\\n"))',
                  'os.write(1, b"running\\n")', "time.sleep(2)")
    assert interrupted_at_terminal(command, trial.environment()) == ["interrupted\n"], "Ctrl-C arrived twice, or not"
    return "says which package is missing, ends by the signal that ended `ns`, and passes Ctrl-C on once"


def interrupted_at_terminal(command, environment):
    """Presses Ctrl-C at the terminal of a program with another standard input, and returns what it prints then."""
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
