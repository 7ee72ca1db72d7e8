"""Ideal solutions on the tree `services`: with `ns` as a script, with the peer call by call."""

import json
import re

from session import NotPossible
from solutions.peer import TAKES_BACK, edit, paths_in, search, texts

OLD, NEW = "db-old.example.com", "db-new.example.com"


def ns_database_host(call):
    return call.script(r"""SET changed = 0
FOR EACH file IN FS.Find("services", "*/**") DO
  IF FS.Exists(PATH.Join([PATH.Parent(file.path), "FROZEN"])) THEN
    CONTINUE
  END
  SET text = FS.ReadFile(file.path).content
  SET new = REGEX.Replace(text, '''(^|[^\w.-])db-old\.example\.com(\.?(?:[^\w.-]|$))''', "${1}db-new.example.com${2}")
  IF new != text THEN
    MUST CALL FS.WriteFile(file.path, new)
    SET changed = changed + 1
  END
END
RETURN changed
""")


def peer_database_host(call):
    paths = paths_in(call, "services")
    frozen = {path.removesuffix("/FROZEN") for path in paths if path.endswith("/FROZEN")}
    paths = [path for path in paths if path.count("/") == 2 and path.rpartition("/")[0] not in frozen]
    changed = 0
    for path, text in texts(call, paths).items():
        lines = [line for line in text.splitlines() if OLD in line]
        edits = [(line, re.sub(rf"(?<![\w.-]){re.escape(OLD)}(?![\w-]|\.\w)", NEW, line)) for line in lines]
        edits = [(old, new) for old, new in edits if old != new]
        if edits:
            edit(call, path, text, edits)
            changed += 1
    return changed


def ns_port_clashes(call):
    return call.script(r"""SET services = {}
FOR EACH file IN FS.Find("services", ["*.toml", "*.yaml", "*.ini", "*.json"]) DO
  SET text = FS.ReadFile(file.path).content
  IF file.extension == "toml" THEN
    SET port = TOML.Parse(text).server.port
  ELSE IF file.extension == "yaml" THEN
    SET port = YAML.Parse(text).server.port
  ELSE IF file.extension == "json" THEN
    SET port = JSON.Parse(text).server.port
  ELSE
    SET port = REGEX.Groups(text, '''\[server\][^\[]*?port\s*=\s*(\d+)''')["1"]
  END
  SET port = STR(port)
  SET services[port] = MAP.Get(services, port, []) + [PATH.Base(PATH.Parent(file.path))]
END
SET clashes = {}
FOR EACH port, names IN services DO
  IF LEN(names) > 1 THEN
    SET clashes[port] = names
  END
END
RETURN clashes
""")


def peer_port_clashes(call):
    services = {}
    for path, text in texts(call, search(call, "services", "*/*.{toml,yaml,ini,json}")).items():
        if path.endswith(".json"):
            port = str(json.loads(text)["server"]["port"])
        else:
            port = re.search(r'^(?:\[server\]|server:)[^\[]*?^\s*port\s*[=:]\s*"?(\d+)', text, re.M)[1]
        services.setdefault(port, []).append(path.split("/")[1])
    return {port: names for port, names in services.items() if len(names) > 1}


def ns_undo_the_last(call):
    return call.data("undo")["operations"]


peer_undo_the_last = NotPossible("no tool takes a change back or knows what was changed", TAKES_BACK)
