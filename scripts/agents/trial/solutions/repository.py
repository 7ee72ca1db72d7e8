"""Ideal solutions on the tree `repository`: with `ns` as a script, with the peer call by call."""

import json
import re

from solutions.peer import edit, paths_in, search, texts

IMPORTED = r"""(?:\bfrom\s*|\bimport\s*|\b(?:import|require)\(\s*)["']([^"']+)["']"""


def ns_bump_versions(call):
    return call.script(r"""SET changed = 0
FOR EACH file IN FS.Find(".", ["packages/*/package.json", "crates/*/Cargo.toml"]) DO
  SET text = FS.ReadFile(file.path).content
  IF file.extension == "json" THEN
    SET new = JSON.Set(text, "version", "3.0.0")
  ELSE
    SET new = TOML.Set(text, "package.version", "3.0.0")
  END
  IF new != text THEN
    MUST CALL FS.WriteFile(file.path, new)
    SET changed = changed + 1
  END
END
RETURN changed
""")


def peer_bump_versions(call):
    files = texts(call, search(call, "packages", "*/package.json") + search(call, "crates", "*/Cargo.toml"))
    changed = 0
    for path, text in files.items():
        form = (
            r'"name": "[^"]*",\s*"version": "[^"]*'
            if path.endswith("json")
            else r"\[package\][^\[]*?version\s*=\s*.[\d.]*"
        )
        old = re.search(form, text)[0]
        new = re.sub(r"[\d.]+$", "3.0.0", old)
        if new != old:
            edit(call, path, text, [(old, new)])
            changed += 1
    return changed


def ns_todos_by_author(call):
    return call.script(r"""SET names = []
FOR EACH found IN FS.SearchFiles(".", '''TODO\([^)]+\)''', regex: true, hidden: true).matches DO
  FOR EACH g IN REGEX.AllGroups(found.text, '''TODO\(([^)]+)\)''') DO
    SET names = names + [g["1"]]
  END
END
RETURN LIST.CountBy(names)
""")


def peer_todos_by_author(call):
    paths = paths_in(call, ".", ["node_modules", ".git"])
    texts(call, [path for path in paths if path.endswith(".gitignore")])
    # A model has read both files and knows what they leave out.
    form = r".*/dist/|target/|packages/ui/snapshots/|generated/(?!README\.md)|(?!.*keep\.log).*\.log$|.*\.bin$"
    kept = [path for path in paths if not re.match(form, path)]
    counts = {}
    for text in texts(call, kept).values():
        for name in re.findall(r"TODO\(([^)]+)\)", text):
            counts[name] = counts.get(name, 0) + 1
    return counts


def ns_unused_dependencies(call):
    return call.script(r"""SET unused = []
SET form = '''(?:\bfrom\s*|\bimport\s*|\b(?:import|require)\(\s*)["']([^"']+)["']'''
FOR EACH file IN FS.Find("packages", "*/package.json") DO
  SET folder = PATH.Parent(file.path)
  SET modules = []
  FOR EACH source IN FS.Find(folder + "/src") DO
    SET text = REGEX.Replace(FS.ReadFile(source.path).content, '''//[^\n]*|/\*[\s\S]*?\*/''', "")
    FOR EACH g IN REGEX.AllGroups(text, form) DO
      SET modules = modules + [g["1"] + "/"]
    END
  END
  FOR EACH name, version IN JSON.Parse(FS.ReadFile(file.path).content).dependencies DO
    SET used = false
    FOR EACH module IN modules DO
      SET used = used OR STR.StartsWith(module, name + "/")
    END
    IF NOT used THEN
      SET unused = unused + [PATH.Base(folder) + ": " + name]
    END
  END
END
RETURN unused
""")


def peer_unused_dependencies(call):
    paths = paths_in(call, "packages", ["node_modules"])
    files = texts(call, [path for path in paths if re.fullmatch(r"packages/[^/]+/(package\.json|src/.*)", path)])
    unused = []
    for path, text in files.items():
        if not path.endswith("/package.json"):
            continue
        folder = path.split("/")[1]
        source = "\n".join(files[other] for other in files if other.startswith(f"packages/{folder}/src/"))
        modules = re.findall(IMPORTED, re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.S))
        for name in json.loads(text)["dependencies"]:
            if not any(f"{module}/".startswith(f"{name}/") for module in modules):
                unused.append(f"{folder}: {name}")
    return unused
