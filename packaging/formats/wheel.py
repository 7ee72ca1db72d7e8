"""The Python wheel: `pip install` puts `ns` beside `python`.

It is written here, after the specification of binary distributions, because maturin (1.16) with `bindings = "bin"`
always runs Cargo itself: it would build the program a second time, with its own flags and linker, and could not take the
static one that all other packages contain. The wheel has no code for Python except the command of the project's name,
which `uvx` needs.
"""
import base64
import hashlib

from . import project as facts
from .archives import Entry, zipped

def tags(program):
    """Returns the platforms: a static program runs with every C library, another with the glibc that it was linked to."""
    machine = program.machine["rust"]
    if program.is_static:
        return f"py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
    major, minor = program.glibc
    return f"py3-none-manylinux_{major}_{minor}_{machine}"


def metadata(project):
    """Returns the core metadata (version 2.4). The registry of MCP servers looks for `mcp-name` in the description."""
    head = [
        "Metadata-Version: 2.4", f"Name: {project.name}", f"Version: {project.version}",
        f"Summary: {project.description}", f"Keywords: {','.join(project.keywords)}",
        f"Author-Email: {project.author} <{project.email}>", f"License-Expression: {project.license}",
        "License-File: LICENSE-MIT", "License-File: LICENSE-APACHE",
        f"Project-URL: Homepage, {project.homepage}", f"Project-URL: Source, {project.repository}",
        "Requires-Python: >=3.8", "Description-Content-Type: text/plain",
    ]
    description = facts.read("packaging/description.txt").decode()
    return "\n".join([*head, "", description, f"mcp-name: {project.mcp_name}", ""]).encode()


def build(project, program):
    """Returns the name and the bytes of the wheel."""
    stem, name = f"{project.name}-{project.version}", tags(program)
    expanded = "".join(f"Tag: py3-none-{platform}\n" for platform in name.removeprefix("py3-none-").split("."))
    generator = "Wheel-Version: 1.0\nGenerator: packaging/build\nRoot-Is-Purelib: false\n"
    info = f"{stem}.dist-info"
    entries = [
        Entry(f"{project.name}/__init__.py", f'"""{project.description}."""\n'.encode()),
        Entry(f"{project.name}/__main__.py", facts.read("packaging/templates/__main__.py")),
        Entry(f"{stem}.data/scripts/ns", program.content, 0o755),
        Entry(f"{info}/METADATA", metadata(project)),
        Entry(f"{info}/WHEEL", (generator + expanded).encode()),
        Entry(f"{info}/entry_points.txt",
              f"[console_scripts]\n{project.name} = {project.name}.__main__:main\n".encode()),
        Entry(f"{info}/licenses/LICENSE-APACHE", facts.read("LICENSE-APACHE")),
        Entry(f"{info}/licenses/LICENSE-MIT", facts.read("LICENSE-MIT")),
    ]
    lines = [f"{entry.name},sha256={digest(entry.content)},{len(entry.content)}\n" for entry in entries]
    record = f"{info}/RECORD"
    entries.append(Entry(record, "".join([*lines, f"{record},,\n"]).encode()))
    return f"{stem}-{name}.whl", zipped(entries, project.epoch)


def digest(content):
    """Returns the SHA-256 as RECORD has it: base64 for addresses, without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
