#!/usr/bin/env python3
"""Says which tasks of a trial were done right: the answers, and every file that is left.

    python3 scripts/agents/trial/check.py [STATE]

STATE is where call.py kept what the model did. The exit code is 1 when a task is not right.
"""

import csv
import io
import json
import pathlib
import posixpath
import re
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
import tree  # noqa: E402

LICENCE = "# SPDX-License-Identifier: MIT\n"


def below(files, folder, ending=""):
    return sorted(path for path in files if path.startswith(f"{folder}/") and path.endswith(ending))


# Each task makes of the files before it those after it, and gives the answer.


def invoices(files):
    totals = []
    for path in below(files, "invoices"):
        text = files[path].decode("latin-1")
        fields = dict(line.split(": ", 1) for line in text.splitlines()[1:])
        if fields["Status"] == "OPEN" and fields["Due"] < "2025-07-01":
            totals.append(round(float(fields["Total"].removeprefix("EUR ").replace(",", "")) * 100))
    return f"{sum(totals) / 100:.2f}, {len(totals)}"


def photos(files):
    described = [path for path in below(files, "photos", ".jpg") if f"{path}.json" in files]
    for path in described:
        day = json.loads(files[f"{path}.json"])["taken"][:10]
        for ending in ("", ".json"):
            files[path.replace("photos/", f"photos/{day}_") + ending] = files.pop(path + ending)
    return str(len(described))


def services(files):
    paths = below(files, "services")
    for path in paths:
        files[path] = re.sub(rb"(\[http\][^\[]*?\ntimeout = )\d+", rb"\g<1>60", files[path])
    return str(len(paths))


def customers(files):
    newest = {}
    for path in below(files, "exports"):
        for row in csv.DictReader(io.StringIO(files[path].decode())):
            row["email"] = row["email"].lower()
            if row["updated"] > newest.get(row["email"], row | {"updated": ""})["updated"]:
                newest[row["email"]] = row
    made = io.StringIO()
    writer = csv.DictWriter(made, ["email", "name", "city", "updated"])
    writer.writeheader()
    writer.writerows(row for _, row in sorted(newest.items()))
    files["out/customers.csv"] = made.getvalue().encode()
    return str(len(newest))


def access(files):
    counts, longest = {}, 0
    for line in files["logs/access.log"].decode().splitlines():
        address, status = line.split()[0], line.split('" ')[1].split()[0]
        if "/2025:10:" in line and status.startswith("5"):
            counts[address] = counts.get(address, 0) + 1
        if "/2025:10:" in line and '"GET /login ' in line:
            longest = max(longest, int(line.split()[-1].removesuffix("ms")))
    most = max(counts, key=counts.get)
    return f"{most}, {counts[most]}, {longest}"


def links(files):
    broken = []
    for path in below(files, "handbook", ".md"):
        # A block of code is blanked, so that lines keep their numbers.
        text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), files[path].decode(), flags=re.S)
        for number, line in enumerate(text.splitlines(), 1):
            for target in re.findall(r"\]\(([^)#][^)]*)\)", line):
                place = urllib.parse.unquote(target.split("#")[0])
                if "://" not in target and posixpath.normpath(f"{posixpath.dirname(path)}/{place}") not in files:
                    broken.append(f"{path.removeprefix('handbook/')}:{number}: {target}\n")
    files["handbook/broken-links.txt"] = "".join(broken).encode()
    return str(len(broken))


def backups(files):
    same = [path for path in below(files, "drafts", ".bak") if files.get(path.removesuffix(".bak")) == files[path]]
    return f"{len(same)}, {sum(len(files.pop(path)) for path in same)}"


def licences(files):
    changed = 0
    for path in below(files, "tool", ".py"):
        lines = files[path].decode().splitlines(keepends=True)
        if "/vendor/" not in path and lines and LICENCE not in lines:
            at = sum(line.startswith("#!") or "coding" in line for line in lines[:2])
            files[path] = "".join(lines[:at] + [LICENCE] + lines[at:]).encode()
            changed += 1
    return str(changed)


def events(files):
    counts, errors, cents = {}, {}, 0
    for event in json.loads(files["data/events.json"])["events"]:
        counts[event["type"]] = counts.get(event["type"], 0) + 1
        if event["type"] == "error":
            errors[event["user"]] = errors.get(event["user"], 0) + 1
        if event["type"] == "purchase":
            cents += round(event["amount"] * 100)
    files["out/events-by-type.json"] = json.dumps(counts, sort_keys=True).encode()
    return f"{cents / 100:.2f}, {min(errors, key=lambda user: (-errors[user], user))}"


def todos(files):
    return str(sum(b"TODO(anna)" in files[path] for path in below(files, "code", ".rs")))


TASKS = [invoices, photos, services, customers, access, links, backups, licences, events, todos]


def read(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and ".ns" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def meaning(path, content):
    """What counts of a file: of those that the model wrote in a form of its own, what is in them."""
    try:
        match path:
            case "out/customers.csv":
                return list(csv.reader(io.StringIO(content.decode())))
            case "out/events-by-type.json":
                return list(json.loads(content).items())
            case "handbook/broken-links.txt":
                return sorted(content.decode().splitlines())
            case _:
                return content
    except ValueError:
        return content


def same_answer(expected, given):
    tidy = [re.sub(r"[^\w.,]", "", text) for text in (expected, given)]
    return tidy[1].startswith(tidy[0])


def main():
    state = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/ns-trial")
    answers = [json.loads(line) for line in (state / "answers.jsonl").read_text().splitlines()]
    answers = {row["task"]: row["answer"] for row in answers}
    with tempfile.TemporaryDirectory() as place:
        tree.make(pathlib.Path(place))
        files = read(pathlib.Path(place))
    wrong = 0
    for number, task in enumerate(TASKS, 1):
        expected = task(files)
        right = same_answer(expected, answers.get(number, ""))
        wrong += not right
        told = "right" if right else f"{answers.get(number)!r} instead of {expected!r}"
        print(f"{number:2} {task.__name__}: {told}")
    left = read(state / "project")
    differ = [
        path
        for path in sorted(files.keys() | left.keys())
        if meaning(path, files.get(path, b"")) != meaning(path, left.get(path, b""))
    ]
    print("files:", ", ".join(differ[:20]) if differ else "as they should be")
    sys.exit(1 if wrong or differ else 0)


if __name__ == "__main__":
    main()
