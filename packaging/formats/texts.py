"""The packages that are texts about the other files: formula, Containerfile, `install.sh`, `server.json`, checksums."""
import hashlib
import json

from . import archive, mcpb
from .project import template

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
#: The registry of MCP servers takes no longer description.
LONGEST_DESCRIPTION = 100


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def formula(project, programs, files):
    """Returns the Homebrew formula: the static program on Linux, the sources on macOS."""
    source = f"{project.name}-{project.version}.tar.gz"
    blocks = []
    for program in programs:
        name = f"{archive.name(project, program)}.tar.gz"
        blocks.append(f'    {program.machine["homebrew"]} do\n      url "{project.release}/{name}"\n'
                      f'      sha256 "{sha256(files[name])}"\n    end')
    licenses = ", ".join(f'"{one}"' for one in project.license.split(" OR "))
    return template("formula.rb", name=project.name, description=project.description, homepage=project.homepage,
                    version=project.version, release=project.release, source=source,
                    source_sha256=sha256(files[source]), licenses=licenses, programs="\n".join(blocks),
                    **{"class": project.name.capitalize()}).encode()


def containerfile(project, programs):
    """Returns the Containerfile of the bare program; builders of several platforms set TARGETARCH."""
    return template("Containerfile", name=project.name, description=project.description, version=project.version,
                    license=project.license, repository=project.repository,
                    architecture=programs[0].machine["debian"]).encode()


def installer(project, programs, files):
    """Returns `install.sh` with the checksums of the archives."""
    choices = []
    for program in programs:
        name = f"{archive.name(project, program)}.tar.gz"
        choices.append(f"    'Linux {program.machine['rust']}')\n      archive='{name}'\n"
                       f"      sha256='{sha256(files[name])}' ;;")
    return template("install.sh", name=project.name, version=project.version, release=project.release,
                    choices="\n".join(choices)).encode()


def server(project, programs, files):
    """Returns `server.json` for the registry of MCP servers."""
    if len(project.description) > LONGEST_DESCRIPTION:
        raise SystemExit(f"packaging/build: the description in Cargo.toml has more than {LONGEST_DESCRIPTION} characters")
    arguments = [
        {"type": "positional", "value": "mcp"},
        {"type": "named", "name": "--sandbox", "format": "filepath", "isRequired": True,
         "description": "The folder that the server cannot leave"},
    ]
    stdio = {"type": "stdio"}
    packages = [
        {"registryType": registry, "identifier": project.name, "version": project.version, "runtimeHint": hint,
         "transport": stdio, "packageArguments": arguments} for registry, hint in (("npm", "npx"), ("pypi", "uvx"))
    ]
    for program in programs:
        name = mcpb.name(project, program)
        packages.append({"registryType": "mcpb", "identifier": f"{project.release}/{name}",
                         "version": project.version, "fileSha256": sha256(files[name]), "transport": stdio})
    listing = {
        "$schema": SCHEMA, "name": project.mcp_name, "title": "NeuroScript",
        "description": project.description, "version": project.version,
        "websiteUrl": project.homepage, **repository(project), "packages": packages,
    }
    return (json.dumps(listing, indent=2) + "\n").encode()


def repository(project):
    """Returns the place of the sources if the registry knows its kind."""
    for source in ("github", "gitlab"):
        if project.repository.startswith(f"https://{source}.com/"):
            return {"repository": {"url": project.repository, "source": source}}
    return {}


def checksums(files):
    """Returns the SHA-256 of every file, as `sha256sum --check` reads them."""
    return "".join(f"{sha256(content)}  {name}\n" for name, content in sorted(files.items())).encode()
