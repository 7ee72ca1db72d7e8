"""Compares the content of a package with what belongs into it: `python3 package.py FILE [bin/ns]`."""

import json
import stat
import sys
import zipfile

path, *programs = sys.argv[1:]
with zipfile.ZipFile(path) as package:
    entries = {entry.filename.removeprefix("extension/"): entry for entry in package.infolist()}
    manifest = json.loads(package.read("extension/package.json"))

wanted = {
    "package.json", "readme.md", "changelog.md", "LICENSE.txt", "LICENSE-MIT.txt", "LICENSE-APACHE.txt", "icon.png",
    "dist/extension.js", "dist/language-configuration.json", "dist/neuroscript.tmLanguage.json",
    "snippets/neuroscript.json", "syntaxes/markdown.tmLanguage.json",
    "walkthrough/program.md", "walkthrough/script.md", "walkthrough/plan.md", "walkthrough/undo.md",
    "[Content_Types].xml", "extension.vsixmanifest", *programs,
}
found = {name for name in entries if not name.endswith("/")}
assert found == wanted, f"missing: {sorted(wanted - found)}; more: {sorted(found - wanted)}"
for program in programs:
    mode = entries[program].external_attr >> 16
    assert mode & stat.S_IXUSR, f"{program} is not executable: {oct(mode)}"
for key in ("dependencies", "devDependencies", "scripts"):
    assert key not in manifest, key
size = sum(entry.file_size for name, entry in entries.items() if name not in programs)
assert size < 2_000_000, f"the extension has {size} bytes without its programs"
print(f"packed: {len(found)} files, {size} bytes without programs")
