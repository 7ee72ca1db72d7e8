"""Right outcomes on the tree `logs`; keyword parameters are mistakes that one can make."""

import gzip
import re

from judge import Outcome

LINE = re.compile(r'\S+ - - \[(\d\d)/Oct/2025:(\d\d):\d\d:\d\d \+0000\] "[^"]*" (\d{3}) \d+$')


def errors_per_hour(tree, *, every_day=False, compressed_left_out=False, digits_anywhere=False, newest_alone=False):
    counts = {}
    for path in tree.files("logs/web"):
        content = tree[path].content
        if (path.endswith(".gz") and compressed_left_out) or (newest_alone and not path.endswith("access.log")):
            continue
        content = gzip.decompress(content) if path.endswith(".gz") else content
        for line in content.decode().splitlines():
            found = LINE.match(line)
            if not found or (found[1] != "14" and not every_day):
                continue
            if found[3].startswith("5") or (digits_anywhere and re.search(r"\b50\d\b", line)):
                counts[found[2]] = counts.get(found[2], 0) + 1
    return Outcome(tree, counts)


def merge_logs(tree, *, lines_sorted=False, end_forgotten=False, gamma_first=False):
    entries = []
    services = ["gamma", "beta", "alpha"] if gamma_first else ["alpha", "beta", "gamma"]
    for service in services:
        text = tree.text(f"logs/apps/{service}.log")
        text += "" if text.endswith("\n") or end_forgotten else "\n"
        entries += re.split(r"^(?=\d{4}-\d\d-\d\dT)", text, flags=re.M)[1:]
    entries.sort(key=lambda entry: entry[:24])
    text = "".join(entries)
    if lines_sorted:
        text = "".join(sorted(text.splitlines(keepends=True)))
    after = tree.copy()
    after.create("logs/apps/merged.log", text)
    return Outcome(after, len(entries), forms={"logs/apps/merged.log": "lines"})
