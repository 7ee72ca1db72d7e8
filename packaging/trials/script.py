"""`install.sh`, in several shells and with what can go wrong."""
import os
import re
import shutil
import subprocess

from .trial import HANG, ROOT, contents, needs, serving, way, write_program


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
    return f"{said}; another archive, a folder in the way and missing tools are refused; a part does nothing"


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
    downloader = shutil.which("curl") or shutil.which("wget")
    os.symlink(downloader, os.path.join(tools_only, os.path.basename(downloader)))
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
    ours = [os.path.join(ROOT, name) for name in ("packaging/install", ".ci/install", ".ci/clients", ".ci/editors")]
    trial.run(["shellcheck", "--external-sources", "--source-path", ROOT, trial.file("install.sh"), *ours])
    with serving(trial.folder) as address:
        environment = trial.environment(NS_RELEASE=address)
        for shell in (["dash"], ["busybox", "sh"], ["bash", "--posix"]):
            trial.run([*shell, trial.file("install.sh"), "--to", trial.within(shell[0])], environment)
            trial.run([trial.within(shell[0], "ns"), "--version"])
    return "finds nothing; install.sh runs in dash, busybox and bash"
