"""The wheel, with pip and uv."""
import base64
import hashlib
import os
import sys
import time
import zipfile

from .trial import installed, way, write_program


@way("wheel", is_short=True)
def wheel(trial):
    path = trial.package("*.whl")
    agrees_with_record(path)
    trial.run([sys.executable, "-m", "venv", "venv"])
    prepared = time.monotonic() - trial.started
    bin_folder = trial.within("venv/bin")
    install = [f"{bin_folder}/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"]
    trial.run([*install, path])
    said = trial.use([f"{bin_folder}/ns"])
    work = trial.within("work")
    for words in ([f"{bin_folder}/{trial.facts.name}"], [f"{bin_folder}/python", "-m", trial.facts.name]):
        assert trial.run([*words, "--version"], cwd=work) == f"ns {trial.facts.version}\n", words
    assert trial.run([f"{bin_folder}/pip", "check"]).startswith("No broken"), "pip check"
    trial.run([f"{bin_folder}/pip", "uninstall", "--quiet", "--yes", trial.facts.name])
    assert not os.path.exists(f"{bin_folder}/ns"), "uninstalling left `ns`"
    # A program of the same name beside `python` is another's.
    write_program(f"{bin_folder}/ns", "print('another')")
    trial.run([*install, "--target", "to", path])
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
