"""The bundle that MCP clients install with one click: the program and a manifest.

A manifest tells systems apart, not processors, so there is a bundle for each processor.
"""
import json

from . import project as facts
from .archives import Entry, zipped


def name(project, program):
    return f"{project.name}-{project.version}-{program.npm_platform}.mcpb"


def manifest(project):
    """Returns the manifest, of version 0.3: what 0.4 adds is a runtime for servers in Python."""
    return {
        "manifest_version": "0.3", "name": project.name, "display_name": "NeuroScript", "version": project.version,
        "description": project.description, "long_description": facts.read("packaging/description.txt").decode().strip(),
        "author": {"name": project.author, "email": project.email}, "homepage": project.homepage,
        "repository": {"type": "git", "url": project.repository}, "license": project.license,
        "keywords": list(project.keywords),
        "server": {
            "type": "binary", "entry_point": "server/ns",
            "mcp_config": {
                "command": "${__dirname}/server/ns",
                "args": ["mcp", "--sandbox", "${user_config.folder}", "--write=${user_config.write}"],
            },
        },
        "tools_generated": True,
        "compatibility": {"platforms": ["linux"]},
        "user_config": {
            "folder": {"type": "directory", "title": "Folder", "required": True,
                       "description": "The tools work in this folder and cannot leave it"},
            "write": {"type": "boolean", "title": "Allow changes", "required": False, "default": False,
                      "description": "Without it the tools only read. Every change can be taken back with `ns undo`"},
        },
    }


def build(project, program):
    """Returns the name and the bytes of the bundle."""
    text = json.dumps(manifest(project), indent=2) + "\n"
    entries = [Entry("manifest.json", text.encode()), Entry("server/ns", program.content, 0o755),
               Entry("LICENSE-MIT", facts.read("LICENSE-MIT")), Entry("LICENSE-APACHE", facts.read("LICENSE-APACHE"))]
    return name(project, program), zipped(entries, project.epoch)
