"""The packages for npm: `neuroscript` with a launcher, and one package with the program for each platform.

npm installs the platform's package alone, by `os` and `cpu` of the optional dependencies, so no script runs at
installation.
"""
import json

from . import project as facts
from .archives import Entry, tar_gz


def shared(project):
    """Returns the fields that all packages have."""
    return {
        "version": project.version, "description": project.description, "license": project.license,
        "author": f"{project.author} <{project.email}>", "homepage": project.homepage,
        "repository": {"type": "git", "url": f"git+{project.repository}.git"},
    }


def main_package(project, programs):
    """Returns the manifest of the package that people name."""
    optional = {f"{project.npm_scope}/{program.npm_platform}": project.version for program in programs}
    return {
        "name": project.name, **shared(project), "keywords": list(project.keywords), "mcpName": project.mcp_name,
        "bin": {"ns": "bin/ns.js"}, "files": ["bin"], "engines": {"node": ">=18"}, "optionalDependencies": optional,
    }


def platform_package(project, program):
    """Returns the manifest of the package with the program of one platform."""
    libc = {} if program.is_static else {"libc": ["glibc"]}
    return {
        "name": f"{project.npm_scope}/{program.npm_platform}", **shared(project), "files": ["bin"], "os": ["linux"],
        "cpu": [program.machine["npm"]], **libc, "preferUnplugged": True,
    }


def build(project, programs):
    """Returns the names and the bytes of the tarballs, as `npm pack` names them."""
    launcher = Entry("bin/ns.js", facts.read("packaging/templates/ns.js"), 0o755)
    built = [pack(project, main_package(project, programs), [launcher])]
    for program in programs:
        entry = Entry("bin/ns", program.content, 0o755)
        built.append(pack(project, platform_package(project, program), [entry]))
    return built


def pack(project, manifest, entries):
    """Returns the name and the bytes of a tarball."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    description = facts.read("packaging/description.txt").decode()
    entries = [*entries, Entry("package.json", text.encode()),
               Entry("README.md", f"# {manifest['name']}\n\n{description}".encode()),
               Entry("LICENSE-MIT", facts.read("LICENSE-MIT")), Entry("LICENSE-APACHE", facts.read("LICENSE-APACHE"))]
    entries = [Entry(f"package/{entry.name}", entry.content, entry.mode) for entry in entries]
    name = manifest["name"].removeprefix("@").replace("/", "-")
    return f"{name}-{manifest['version']}.tgz", tar_gz(entries, project.epoch)
