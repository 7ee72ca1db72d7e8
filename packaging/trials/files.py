"""The files of a release: bare program, archive, checksums, crates and the list of what they contain."""
import functools
import glob
import json
import os
import shutil
import tarfile

from formats import program
from .trial import ROOT, contents, installed, manifest_of, needs, way


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
    assert len(paths) == 1 + len(os.listdir(os.path.join(ROOT, "crates"))), paths
    return f"validated only: `cargo package` makes all {len(paths)}, and their manifests are whole"


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
