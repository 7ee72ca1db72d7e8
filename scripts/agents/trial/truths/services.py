"""Right outcomes on the tree `services`; keyword parameters are mistakes that one can make."""

import re

from judge import Outcome

OLD, NEW = b"db-old.example.com", b"db-new.example.com"


def database_host(tree, *, parts_too=False, frozen_too=False, settings_alone=False, top_too=False):
    after, changed = tree.copy(), 0
    for path in tree.files("services"):
        folder = path.rpartition("/")[0]
        if (folder == "services" and not top_too) or (f"{folder}/FROZEN" in tree and not frozen_too):
            continue
        if settings_alone and path.endswith(".md"):
            continue
        content = tree[path].content
        # A full stop at the end of a sentence belongs to no name, one before a letter does.
        form = re.escape(OLD) if parts_too else rb"(?<![\w.-])" + re.escape(OLD) + rb"(?![\w-]|\.\w)"
        made = re.sub(form, NEW, content)
        changed += made != content
        after.change(path, made)
    return Outcome(after, changed)


def port_clashes(tree, *, comments_count=False, first_port=False, toml_left_out=False):
    services = {}
    for path in tree.files("services"):
        name, file = path.split("/")[1], path.split("/")[-1]
        if not file.startswith(("config.", "settings.")) or (toml_left_out and file.endswith("toml")):
            continue
        text = tree.text(path)
        section = re.search(r"\[server\]|server:|\"server\"", text)
        text = text if first_port else text[section.end() :]
        text = text if comments_count else re.sub(r"# port.*", "", text)
        port = re.search(r'port"?\s*[=:]\s*"?(\d+)', text)[1]
        services.setdefault(port, []).append(name)
    return Outcome(tree, {port: names for port, names in services.items() if len(names) > 1})


def undo_the_last(tree, *, both=False, yaml_left=False, readmes_left=False):
    after, restored = tree.copy(), 0
    for path in tree.files("services"):
        if path.endswith("config.toml") and not both:
            after.change(path, tree[path].content.replace(b'level = "info"', b'level = "debug"'))
        if path.endswith("config.yaml"):
            restored += 1
            if yaml_left:
                after.change(path, tree[path].content.replace(b"5432", b"5433"))
        if path.endswith("README.md"):
            restored += 1
            if readmes_left:
                del after[path]
    return Outcome(after, restored)
