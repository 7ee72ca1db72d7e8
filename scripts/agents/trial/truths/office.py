"""Right outcomes on the tree `office`; keyword parameters are mistakes that one can make."""

import csv
import io
import json
import posixpath
import re
import urllib.parse

from judge import Outcome

LICENCE = "# SPDX-License-Identifier: MIT\n"


def open_invoices(tree, *, all_of_the_year=False, paid_too=False, thousands_cut=False):
    cents = []
    for path in tree.files("invoices"):
        fields = dict(line.split(": ", 1) for line in tree.text(path, "latin-1").splitlines()[1:])
        is_open = fields["Status"] == "OPEN" or paid_too and fields["Status"] == "PAID"
        if is_open and (all_of_the_year or fields["Due"] < "2025-07-01"):
            total = fields["Total"].removeprefix("EUR ")
            cents.append(round(float(total.split(",")[0] if thousands_cut else total.replace(",", "")) * 100))
    return Outcome(tree, {"count": len(cents), "sum": sum(cents) / 100})


def rename_by_sidecar(tree, *, sidecars_left=False, ending_lost=False):
    after = tree.copy()
    described = [path for path in tree.files("photos", ".jpg") if f"{path}.json" in tree]
    for path in described:
        day = json.loads(tree.text(f"{path}.json"))["taken"][:10]
        renamed = path.replace("photos/", f"photos/{day}_")
        after.move(path, renamed)
        if not sidecars_left:
            after.move(f"{path}.json", renamed.removesuffix(".jpg") + ".json" if ending_lost else f"{renamed}.json")
    return Outcome(after, len(described))


def http_timeout(tree, *, all_sections=False, comments_lost=False):
    after = tree.copy()
    paths = tree.files("services")
    for path in paths:
        content = tree[path].content
        if all_sections:
            changed = re.sub(rb"(timeout = )\d+", rb"\g<1>60", content)
        else:
            changed = re.sub(rb"(\[http\][^\[]*?\ntimeout = )\d+", rb"\g<1>60", content)
        after.change(path, re.sub(rb"  # seconds", b"", changed) if comments_lost else changed)
    return Outcome(after, len(paths))


def newest_customers(tree, *, case_counts=False, first_wins=False, columns_by_place=False):
    newest = {}
    for path in tree.files("exports"):
        text = tree.text(path)
        rows = csv.DictReader(io.StringIO(text), *([["email", "name", "city", "updated"]] if columns_by_place else []))
        for row in rows:
            row["email"] = row["email"] if case_counts else row["email"].lower()
            known = newest.get(row["email"])
            if known is None or (row["updated"] > known["updated"] and not first_wins):
                newest[row["email"]] = row
    made = io.StringIO()
    writer = csv.DictWriter(made, ["email", "name", "city", "updated"])
    writer.writeheader()
    writer.writerows(row for _, row in sorted(newest.items()))
    after = tree.copy()
    after.create("out/customers.csv", made.getvalue())
    return Outcome(after, len(newest), forms={"out/customers.csv": "csv"})


def worst_client(tree, *, whole_day=False, to_the_next_hour=False, every_path=False):
    counts, longest = {}, 0
    for line in tree.text("logs/access.log").splitlines():
        address, status = line.split()[0], line.split('" ')[1].split()[0]
        if not whole_day and "/2025:10:" not in line and not (to_the_next_hour and "/2025:11:" in line):
            continue
        if status.startswith("5"):
            counts[address] = counts.get(address, 0) + 1
        if '"GET /login ' in line or every_path:
            longest = max(longest, int(line.split()[-1].removesuffix("ms")))
    most = max(counts, key=counts.get)
    return Outcome(tree, {"address": most, "count": counts[most], "longest": longest})


def broken_links(tree, *, code_counts=False, blanks_encoded=False, from_the_top=False):
    broken = []
    for path in tree.files("handbook", ".md"):
        # A block of code is blanked, so that lines keep their numbers.
        text = tree.text(path)
        if not code_counts:
            text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), text, flags=re.S)
        for number, line in enumerate(text.splitlines(), 1):
            for target in re.findall(r"\]\(([^)#][^)]*)\)", line):
                place = target.split("#")[0] if blanks_encoded else urllib.parse.unquote(target.split("#")[0])
                folder = "handbook" if from_the_top else posixpath.dirname(path)
                if "://" not in target and posixpath.normpath(f"{folder}/{place}") not in tree:
                    broken.append(f"{path.removeprefix('handbook/')}:{number}: {target}\n")
    after = tree.copy()
    after.create("handbook/broken-links.txt", "".join(broken))
    return Outcome(after, len(broken), forms={"handbook/broken-links.txt": "lines"})


def delete_backups(tree, *, all_backups=False, same_size=False):
    after, size, deleted = tree.copy(), 0, 0
    for path in tree.files("drafts", ".bak"):
        beside = tree.get(path.removesuffix(".bak"))
        equal = beside is not None and beside.content == tree[path].content
        if same_size:
            equal = beside is not None
        if equal or all_backups:
            size += len(after.pop(path).content)
            deleted += 1
    return Outcome(after, {"deleted": deleted, "bytes": size})


def licence_lines(tree, *, vendor_too=False, always_first=False, empty_too=False):
    after, changed = tree.copy(), 0
    for path in tree.files("tool", ".py"):
        lines = tree.text(path).splitlines(keepends=True)
        if ("/vendor/" in path and not vendor_too) or (not lines and not empty_too) or LICENCE in lines:
            continue
        at = 0 if always_first else sum(line.startswith("#!") or "coding" in line for line in lines[:2])
        after.change(path, "".join(lines[:at] + [LICENCE] + lines[at:]))
        changed += 1
    return Outcome(after, changed)


def event_types(tree, *, keys_unsorted=False, all_amounts=False):
    counts, errors, cents = {}, {}, 0
    for event in json.loads(tree.text("data/events.json"))["events"]:
        counts[event["type"]] = counts.get(event["type"], 0) + 1
        if event["type"] == "error":
            errors[event["user"]] = errors.get(event["user"], 0) + 1
        if event["type"] == "purchase" or all_amounts:
            cents += round(event["amount"] * 100)
    after = tree.copy()
    counts = dict(sorted(counts.items(), reverse=keys_unsorted))
    after.create("out/events-by-type.json", json.dumps(counts))
    user = min(errors, key=lambda user: (-errors[user], user))
    return Outcome(after, {"sum": cents / 100, "user": user}, forms={"out/events-by-type.json": "json"})


def count_then_replace(tree, *, every_anna=False, other_files_too=False, only_the_first=False):
    after, files, lines = tree.copy(), 0, 0
    for path in tree.files("code", "" if other_files_too else ".rs"):
        text = tree.text(path)
        if "TODO(anna)" not in text:
            continue
        files += 1
        lines += sum("TODO(anna)" in line for line in text.splitlines())
        changed = text.replace("anna", "ben") if every_anna else text.replace("TODO(anna)", "TODO(ben)")
        if not only_the_first or files == 1:
            after.change(path, changed)
    return Outcome(after, {"files": files, "lines": lines})
