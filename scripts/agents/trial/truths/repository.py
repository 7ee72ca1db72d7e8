"""Right outcomes on the tree `repository`; keyword parameters are mistakes that one can make."""

import re

from judge import Outcome

IMPORTED = [
    r'\b(?:import|export)\b[^;"\']*?\bfrom\s*["\']([^"\']+)["\']',
    r'\bimport\s*["\']([^"\']+)["\']',
    r'\b(?:import|require)\(\s*["\']([^"\']+)["\']\s*\)',
]


def ignored(path):
    """Returns whether one of the two `.gitignore` files of the tree leaves a path out."""
    parts = path.split("/")
    return (
        "node_modules" in parts[:-1]
        or "dist" in parts[:-1]
        or path.startswith("target/")
        or path.startswith("packages/ui/snapshots/")
        or (path.endswith(".log") and parts[-1] != "keep.log")
        or (path.startswith("generated/") and path != "generated/README.md")
    )


def bump_versions(tree, *, dependencies_too=False, fixtures_too=False, only_from_2_4_1=False):
    after, changed = tree.copy(), 0
    for path in tree.files():
        is_ours = re.fullmatch(r"packages/[^/]+/package\.json|crates/[^/]+/Cargo\.toml", path)
        if not is_ours and not (fixtures_too and path.startswith("packages/core/test/fixture/")):
            continue
        text = tree.text(path)
        old = r"2\.4\.1" if only_from_2_4_1 or dependencies_too else r"[^\"']+"
        if dependencies_too:
            made = re.sub(old, "3.0.0", text)
        elif path.endswith(".json"):
            # The version of the package stands beside its name; in one manifest that of an engine comes before.
            made = re.sub(rf'("name": "[^"]*",\s*"version": "){old}"', r'\g<1>3.0.0"', text, count=1)
        else:
            made = re.sub(rf'(\[package\][^\[]*?\nversion\s*=\s*["\']){old}(["\'])', r"\g<1>3.0.0\g<2>", text)
        changed += made != text
        after.change(path, made)
    return Outcome(after, changed)


def todos_by_author(tree, *, ignored_too=False, hidden_left_out=False, lines_counted=False, ascii_only=False):
    counts = {}
    for path in tree.files():
        if (ignored(path) and not ignored_too) or path.endswith(".bin") or (hidden_left_out and path.startswith(".")):
            continue
        for line in tree.text(path).splitlines():
            names = re.findall(r"TODO\((\w+)\)" if ascii_only else r"TODO\(([^)]+)\)", line)
            for name in names[:1] if lines_counted else names:
                counts[name] = counts.get(name, 0) + 1
    return Outcome(tree, counts)


def unused_dependencies(tree, *, comments_count=False, any_mention=False, first_part_counts=False):
    unused = []
    for path in tree.files("packages", "/package.json"):
        if path.count("/") != 2:
            continue
        folder = path.split("/")[1]
        text = "\n".join(tree.text(source) for source in tree.files(f"packages/{folder}/src"))
        if not comments_count and not any_mention:
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
        imported = {name for form in IMPORTED for name in re.findall(form, text)}
        declared = re.search(r'"dependencies": \{([^}]*)\}', tree.text(path))[1]
        for name in re.findall(r'"([^"]+)":', declared):
            is_used = any(module == name or module.startswith(f"{name}/") for module in imported)
            is_used = is_used or (any_mention and name in text)
            is_used = is_used or (first_part_counts and any(module.startswith(name) for module in imported))
            if not is_used:
                unused.append(f"{folder}: {name}")
    return Outcome(tree, unused)
