"""Packages of systems: Debian, rpm, containers, Homebrew and Nix."""
import json
import os
import shutil

from formats import texts
from .trial import ROOT, Skipped, contents, installed, needs, way


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
