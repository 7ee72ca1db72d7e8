"""Right outcomes on the tree `site`; keyword parameters are mistakes that one can make."""

import posixpath
import re
import urllib.parse

from judge import Outcome

DATE = rb'^(date: ?"?)(\d{1,2})\.(\d{1,2})\.(\d{4})'


def iso(found):
    return b"%s%s-%02d-%02d" % (found[1], found[4], int(found[3]), int(found[2]))


def front_matter(tree, *, body_too=False, drafts_everywhere=False, short_dates_left=False, months_first=False):
    after, changed = tree.copy(), 0
    for path in tree.files("content", ".md"):
        content = tree[path].content
        found = re.match(rb"---\r?\n(.*?)^---(?=\r?\n|$)", content, re.S | re.M)
        if not found:
            continue
        form = DATE.replace(rb"\d{1,2}", rb"\d\d") if short_dates_left else DATE
        made = re.sub(form, swapped if months_first else iso, found[1], flags=re.M)
        if drafts_everywhere or not re.search(rb"^draft:", made, re.M):
            made += b"draft: false\r\n" if b"\r\n" in made else b"draft: false\n"
        rest = content[found.end(1) :]
        made = content[: found.start(1)] + made + (re.sub(DATE, iso, rest, flags=re.M) if body_too else rest)
        changed += made != content
        after.change(path, made)
    return Outcome(after, changed)


def swapped(found):
    return b"%s%s-%02d-%02d" % (found[1], found[4], int(found[2]), int(found[3]))


def unused_pictures(tree, *, names_alone=False, encoded_left=False, other_files_too=False, case_ignored=False):
    named = set()
    for path in tree.files("content", "" if other_files_too else ".md"):
        for word in re.findall(r"[^\s\"'()<>\[\]]+", tree.text(path)):
            place = re.split(r"[?#]", word)[0]
            place = place if encoded_left else urllib.parse.unquote(place)
            if place.startswith("/img/"):
                named.add(f"static{place}")
            elif "/" in place:
                named.add(posixpath.normpath(posixpath.join(posixpath.dirname(path), place)))
    pictures = tree.files("static/img")
    if names_alone:
        named = {picture for picture in pictures for name in named if name.endswith(posixpath.basename(picture))}
    if case_ignored:
        named = {picture for picture in pictures for name in named if name.lower() == picture.lower()}
    return Outcome(tree, [picture for picture in pictures if picture not in named])
