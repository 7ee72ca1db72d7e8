"""The packages that programs of others make: `.deb`, `.rpm`, the SBOM and the crates. `packaging/install` brings them."""
import glob
import json
import os
import shutil
import subprocess

from .project import ROOT, read

#: Where `packaging/install` puts programs.
PLACE = os.path.join(ROOT, "target/packaging")
#: The folder that the tables for `.deb` and `.rpm` in Cargo.toml name.
STAGE = os.path.join(PLACE, "stage")


def run(words, project, more=()):
    """Runs Cargo or a program of `packaging/install`, with the time of the sources and more variables."""
    path = os.pathsep.join([f"{PLACE}/cargo/bin", os.environ["PATH"]])
    environment = dict(os.environ, PATH=path, SOURCE_DATE_EPOCH=str(project.epoch)) | dict(more)
    done = subprocess.run(words, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"packaging/build: `{' '.join(words)}` failed:\n{done.stderr}")


def copyright_of(project):
    """Returns the file that Debian requires, in its form (DEP 5). Debian has the text of the Apache licence itself."""
    licence = read("LICENSE-MIT").decode().strip()
    owner = next(line for line in licence.splitlines() if line.startswith("Copyright")).removeprefix("Copyright (c) ")
    text = "\n".join(f" {line}" if line else " ." for line in licence.splitlines())
    apache = " The text is in /usr/share/common-licenses/Apache-2.0."
    return (f"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
            f"Upstream-Name: {project.name}\nSource: {project.repository}\n\n"
            f"Files: *\nCopyright: {owner}\nLicense: {project.license.replace('MIT', 'Expat').replace(' OR ', ' or ')}\n\n"
            f"License: Expat\n{text}\n\nLicense: Apache-2.0\n{apache}\n").encode()


def fill_stage(project, program, documents):
    """Writes the files of a package, all with the time of the sources."""
    shutil.rmtree(STAGE, ignore_errors=True)
    files = {"ns": (program.content, 0o755), "copyright": (copyright_of(project), 0o644)}
    # A package for rpm has the times of files, and a checkout gives them any.
    files |= {name: (read(name), 0o644) for name in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE")}
    files |= {entry.name: (entry.content, entry.mode) for entry in documents}
    for name, (content, mode) in files.items():
        path = os.path.join(STAGE, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        os.utime(path, (project.epoch, project.epoch))


def made(pattern):
    """Returns the name and the bytes of the only file that matches."""
    path, = glob.glob(pattern)
    with open(path, "rb") as file:
        return os.path.basename(path), file.read()


def debian(project, program, documents):
    """Returns the name and the bytes of the `.deb`."""
    fill_stage(project, program, documents)
    out = fresh("deb")
    run(["cargo", "deb", "--no-build", "--no-strip", "--target", program.target, "--output", f"{out}/"], project)
    return made(f"{out}/*.deb")


def rpm(project, program, documents):
    """Returns the name and the bytes of the `.rpm`."""
    fill_stage(project, program, documents)
    out = fresh("rpm")
    run(["cargo", "generate-rpm", "--arch", program.machine["rust"], "--source-date", str(project.epoch),
         "--payload-compress", "zstd", "--output", f"{out}/"], project)
    return made(f"{out}/*.rpm")


def bill_of_materials(project, program):
    """Returns the name and the bytes of the SBOM of the program (CycloneDX 1.5).

    The tool writes a file beside every Cargo.toml, with the path of this checkout in its references.
    """
    stem = "packaging-sbom"
    words = ["cargo", "cyclonedx", "--format", "json", "--spec-version", "1.5", "--target", program.target,
             "--override-filename", stem]
    try:
        run(words, project)
        with open(os.path.join(ROOT, f"{stem}.json"), encoding="utf-8") as file:
            text = file.read()
    finally:
        for path in glob.glob(f"{ROOT}/**/{stem}.json", recursive=True):
            os.remove(path)
    listing = json.loads(text.replace(f"path+file://{ROOT}", "path+file:///neuroscript"))
    name = f"{project.name}-{project.version}-{program.target}.cdx.json"
    return name, (json.dumps(listing, indent=2, sort_keys=True) + "\n").encode()


def crates(project):
    """Returns the names and the bytes of the crates, as `cargo publish` would send them."""
    out = fresh("crates")
    run(["cargo", "package", "--workspace", "--no-verify", "--allow-dirty", "--quiet", "--target-dir", out], project)
    return [made(path) for path in sorted(glob.glob(f"{out}/package/*.crate"))]


def fresh(name):
    """Returns an empty folder below `target/packaging`."""
    folder = os.path.join(PLACE, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder
