"""Right outcomes on the tree `exports`; keyword parameters are mistakes that one can make."""

import codecs
import csv
import io
import json
import re

from judge import Outcome


def decoded(content):
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if content.startswith(mark):
            return content.removeprefix(mark).decode(encoding)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def sum_by_region(tree, *, refunds_skipped=False, points_are_decimal=False, lines_split=False, blanks_count=False):
    cents, skipped = {}, 0
    for path in tree.files("sales", ".csv"):
        text = decoded(tree[path].content)
        rows = (
            [line.split(";") for line in text.splitlines()]
            if lines_split
            else csv.reader(io.StringIO(text), delimiter=";")
        )
        for row in list(rows)[1:]:
            amount = row[2] if len(row) > 2 else ""
            number = re.fullmatch(r"(-?)(\d{1,3}(?:\.\d{3})*|\d+),(\d\d)", amount)
            if not number or (refunds_skipped and number[1]):
                skipped += 1
                continue
            region = row[1].lower() if blanks_count else row[1].strip().lower()
            whole = number[2].split(".")[0] if points_are_decimal else number[2].replace(".", "")
            cents[region] = cents.get(region, 0) + (int(whole) * 100 + int(number[3])) * (-1 if number[1] else 1)
    return Outcome(tree, {"sums": {region: total / 100 for region, total in cents.items()}, "skipped": skipped})


def to_utf8(tree, *, marks_kept=False, line_ends_kept=False, only_the_top=False, all_endings=False):
    after, changed = tree.copy(), []
    for path in tree.files("legacy"):
        if not path.endswith((".csv", ".txt", ".md") if all_endings else (".csv", ".txt")):
            continue
        if only_the_top and path.count("/") > 1:
            continue
        content = tree[path].content
        text = decoded(content)
        text = text if line_ends_kept else text.replace("\r\n", "\n")
        if marks_kept and content.startswith(codecs.BOM_UTF8):
            text = "\ufeff" + text
        if text.encode() != content:
            after.change(path, text)
            changed.append(path)
    return Outcome(after, changed)


def inactive_users(tree, *, text_searched=False, one_file=False, empty_lines_count=False, case_ignored=False):
    signed, logged, damaged = set(), set(), 0
    for path in tree.files("events", "07.jsonl" if one_file else ".jsonl"):
        for line in tree.text(path).splitlines():
            if not line.strip():
                damaged += empty_lines_count
                continue
            try:
                event = json.loads(line)
            except ValueError:
                event = None
            if not isinstance(event, dict):
                damaged += 1
                continue
            user = event["user"].lower() if case_ignored else event["user"]
            if event["type"] == "signup":
                signed.add(user)
            if event["type"] == "login" or (text_searched and '"login' in event.get("note", "")):
                logged.add(user)
    after = tree.copy()
    after.create("out/inactive.txt", "".join(f"{user}\n" for user in sorted(signed - logged)))
    return Outcome(after, damaged, forms={"out/inactive.txt": "lines"})
