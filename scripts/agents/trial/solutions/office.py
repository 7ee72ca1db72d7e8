"""Ideal solutions on the tree `office`: with `ns` as a script, with the peer call by call."""

import csv
import io
import json
import posixpath
import re
import urllib.parse

from session import NotPossible
from solutions.peer import DELETES, edit, paths_in, search, texts, write

LICENCE = "# SPDX-License-Identifier: MIT"


def ns_open_invoices(call):
    return call.script(r"""SET count, cents = [0, 0]
FOR EACH file IN FS.Find("invoices/2025") DO
  SET text = FS.ReadFile(file.path).content
  SET due = REGEX.Groups(text, '''(?m)^Due: (\S+)''')["1"]
  IF STR.Contains(text, "Status: OPEN") AND due < "2025-07-01" THEN
    SET count = count + 1
    SET cents = cents + INT(REGEX.Replace(REGEX.Groups(text, '''Total: EUR (\S+)''')["1"], "[.,]", ""))
  END
END
RETURN {"count": count, "sum": cents / 100}
""")


def peer_open_invoices(call):
    count, cents = 0, 0
    for text in texts(call, search(call, "invoices/2025", "**")).values():
        fields = dict(line.split(": ", 1) for line in text.splitlines()[1:])
        if fields["Status"] == "OPEN" and fields["Due"] < "2025-07-01":
            count, cents = count + 1, cents + int(re.sub(r"\D", "", fields["Total"]))
    return {"count": count, "sum": cents / 100}


def ns_rename_by_sidecar(call):
    return call.script(r"""SET renamed = 0
FOR EACH file IN FS.Find("photos", "*.jpg.json") DO
  SET day = STR.Sub(JSON.Parse(FS.ReadFile(file.path).content).taken, 0, 10)
  SET picture = PATH.Stem(file.name)
  IF FS.Exists("photos/" + picture) THEN
    MUST CALL FS.MoveFile("photos/" + picture, "photos/" + day + "_" + picture)
    MUST CALL FS.MoveFile(file.path, "photos/" + day + "_" + file.name)
    SET renamed = renamed + 1
  END
END
RETURN renamed
""")


def peer_rename_by_sidecar(call):
    paths = search(call, "photos", "**")
    described = texts(call, [path for path in paths if path.endswith(".json") and path.removesuffix(".json") in paths])
    for path, text in described.items():
        day = json.loads(text)["taken"][:10]
        for old in (path.removesuffix(".json"), path):
            call.text("move_file", source=old, destination=old.replace("photos/", f"photos/{day}_"))
    return len(described)


def ns_http_timeout(call):
    return call.script(r"""SET changed = 0
FOR EACH file IN FS.Find("services", "config.toml") DO
  SET text = FS.ReadFile(file.path).content
  SET new = TOML.Set(text, "http.timeout", 60)
  IF new != text THEN
    MUST CALL FS.WriteFile(file.path, new)
    SET changed = changed + 1
  END
END
RETURN changed
""")


def peer_http_timeout(call):
    files = texts(call, search(call, "services", "**/config.toml"))
    for path, text in files.items():
        section = re.search(r"\[http\][^\[]*?timeout = \d+", text)[0]
        edit(call, path, text, [(section, re.sub(r"\d+$", "60", section))])
    return len(files)


def ns_newest_customers(call):
    return call.script(r"""SET newest = {}
FOR EACH file IN FS.Find("exports", "customers_*.csv") DO
  FOR EACH row IN CSV.Rows(file.path) DO
    SET row.email = STR.Lower(row.email)
    IF row.email NOT IN newest OR row.updated > newest[row.email].updated THEN
      SET newest[row.email] = row
    END
  END
END
SET rows = LIST.Sort(MAP.Values(newest), key: "email")
MUST CALL FS.WriteFile("out/customers.csv", CSV.Text(rows, columns: ["email", "name", "city", "updated"]))
RETURN LEN(rows)
""")


def peer_newest_customers(call):
    newest = {}
    for text in texts(call, [f"exports/customers_{number}.csv" for number in (1, 2, 3)]).values():
        for row in csv.DictReader(io.StringIO(text)):
            row["email"] = row["email"].lower()
            if row["updated"] > newest.get(row["email"], {"updated": ""})["updated"]:
                newest[row["email"]] = row
    made = io.StringIO()
    writer = csv.DictWriter(made, ["email", "name", "city", "updated"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(newest[email] for email in sorted(newest))
    write(call, "out/customers.csv", made.getvalue(), new_folder=True)
    return len(newest)


def ns_worst_client(call):
    return call.script(r"""SET addresses, longest = [[], 0]
FOR EACH line IN FS.Lines("logs/access.log") DO
  IF STR.Contains(line, "/2025:10:") THEN
    SET g = REGEX.Groups(line, '''^(\S+) .*"GET (\S+) HTTP/1.1" (\d)\d\d \d+ (\d+)ms$''')
    IF g["3"] == "5" THEN
      SET addresses = addresses + [g["1"]]
    END
    IF g["2"] == "/login" THEN
      SET longest = MAX(longest, INT(g["4"]))
    END
  END
END
FOR EACH address, count IN MAP.SortValues(LIST.CountBy(addresses), descending: true) DO
  RETURN {"address": address, "count": count, "longest": longest}
END
""")


def peer_worst_client(call):
    counts, longest = {}, 0
    for line in call.text("read_text_file", path="logs/access.log").splitlines():
        address, path, status, time = re.fullmatch(r'(\S+) .*"GET (\S+) HTTP/1.1" (\d+) \d+ (\d+)ms', line).groups()
        if "/2025:10:" in line:
            if status.startswith("5"):
                counts[address] = counts.get(address, 0) + 1
            if path == "/login":
                longest = max(longest, int(time))
    most = max(counts, key=counts.get)
    return {"address": most, "count": counts[most], "longest": longest}


def ns_broken_links(call):
    return call.script(r"""SET broken = []
FOR EACH page IN FS.Find("handbook", "*.md") DO
  SET in_code = false
  FOR EACH i, line IN FS.Lines(page.path) DO
    IF STR.StartsWith(line, "```") THEN
      SET in_code = NOT in_code
    END
    IF in_code THEN
      CONTINUE
    END
    FOR EACH g IN REGEX.AllGroups(line, '''\]\(([^)#][^)]*)\)''') DO
      SET target = g["1"]
      SET place = STR.UrlDecode(LIST.First(STR.Split(target, "#")))
      IF NOT STR.Contains(target, "://") AND NOT FS.Exists(PATH.Join([PATH.Parent(page.path), place])) THEN
        SET broken = broken + [STR.RemovePrefix(page.path, "handbook/") + ":" + (i + 1) + ": " + target]
      END
    END
  END
END
MUST CALL FS.WriteFile("handbook/broken-links.txt", STR.Join(broken, "\n") + "\n")
RETURN LEN(broken)
""")


def peer_broken_links(call):
    paths, broken = paths_in(call, "handbook"), []
    for path, text in texts(call, [path for path in paths if path.endswith(".md")]).items():
        in_code = False
        for number, line in enumerate(text.splitlines(), 1):
            in_code ^= line.startswith("```")
            for target in [] if in_code else re.findall(r"\]\(([^)#][^)]*)\)", line):
                place = urllib.parse.unquote(target.split("#")[0])
                if "://" not in target and posixpath.normpath(f"{posixpath.dirname(path)}/{place}") not in paths:
                    broken.append(f"{path.removeprefix('handbook/')}:{number}: {target}\n")
    write(call, "handbook/broken-links.txt", "".join(broken))
    return len(broken)


def ns_delete_backups(call):
    return call.script(r"""SET deleted, bytes = [0, 0]
FOR EACH file IN FS.Find("drafts", "*.bak") DO
  SET beside = STR.Sub(file.path, 0, LEN(file.path) - 4)
  IF FS.Exists(beside) AND FS.HashFile(beside).checksum == FS.HashFile(file.path).checksum THEN
    MUST CALL FS.DeleteFile(file.path)
    SET deleted = deleted + 1
    SET bytes = bytes + file.size
  END
END
RETURN {"deleted": deleted, "bytes": bytes}
""")


peer_delete_backups = NotPossible("no tool deletes a file", DELETES)


def ns_licence_lines(call):
    return call.script(r"""SET licence, changed = ["# SPDX-License-Identifier: MIT\n", 0]
FOR EACH file IN FS.Find("tool", ["*.py", "!vendor"], min_size: 1) DO
  SET text = FS.ReadFile(file.path).content
  IF NOT STR.Contains(text, licence) THEN
    SET head = REGEX.Groups(text, '''^(#!.*\n)?(#.*coding.*\n)?''')["0"]
    MUST CALL FS.WriteFile(file.path, head + licence + STR.RemovePrefix(text, head))
    SET changed = changed + 1
  END
END
RETURN changed
""")


def peer_licence_lines(call):
    paths = search(call, "tool", "**/*.py", exclude=["**/vendor/**"])
    changed = 0
    for path, text in texts(call, paths).items():
        if text and LICENCE not in text:
            first = next(line for line in text.splitlines() if not line.startswith("#!") and "coding" not in line)
            edit(call, path, text, [(first, f"{LICENCE}\n{first}")])
            changed += 1
    return changed


def ns_event_types(call):
    return call.script(r"""SET events = JSON.Parse(FS.ReadFile("data/events.json").content).events
SET cents = 0
FOR EACH event IN LIST.Where(events, "type", "purchase") DO
  SET cents = cents + ROUND(event.amount * 100)
END
SET counts = MAP.SortKeys(LIST.CountBy(events, key: "type"))
MUST CALL FS.WriteFile("out/events-by-type.json", JSON.Pretty(counts))
SET users = LIST.CountBy(LIST.Sort(LIST.Where(events, "type", "error"), key: "user"), key: "user")
RETURN {"sum": cents / 100, "user": LIST.First(MAP.Keys(MAP.SortValues(users, descending: true)))}
""")


def peer_event_types(call):
    counts, errors, cents = {}, {}, 0
    for event in json.loads(call.text("read_text_file", path="data/events.json"))["events"]:
        counts[event["type"]] = counts.get(event["type"], 0) + 1
        if event["type"] == "error":
            errors[event["user"]] = errors.get(event["user"], 0) + 1
        if event["type"] == "purchase":
            cents += round(event["amount"] * 100)
    write(call, "out/events-by-type.json", json.dumps(counts, sort_keys=True), new_folder=True)
    return {"sum": cents / 100, "user": min(errors, key=lambda user: (-errors[user], user))}


def ns_count_then_replace(call):
    return call.script(r"""SET found = FS.SearchFiles("code", "TODO(anna)", pattern: "*.rs").matches
MUST CALL FS.ReplaceInFiles("code", "TODO(anna)", "TODO(ben)", pattern: "*.rs")
RETURN {"files": LEN(LIST.Unique(LIST.Column(found, "path"))), "lines": LEN(found)}
""")


def peer_count_then_replace(call):
    files, lines = 0, 0
    for path, text in texts(call, search(call, "code", "**/*.rs")).items():
        count = text.count("TODO(anna)")
        if count:
            edit(call, path, text, [("TODO(anna)", "TODO(ben)")] * count)
            files, lines = files + 1, lines + count
    return {"files": files, "lines": lines}
