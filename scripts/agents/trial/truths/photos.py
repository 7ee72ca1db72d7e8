"""Right outcomes on the tree `photos`; keyword parameters are mistakes that one can make."""

import datetime
import posixpath
import re

from judge import InOrder, Outcome

PICTURE = r"\.(jpe?g|png|heic)$"


def date_in(name, any_digits=False):
    found = re.search(r"(?<!\d)(\d{4})(-?)(\d\d)\2(\d\d)(?!\d)", name)
    if not found:
        return None
    try:
        day = datetime.date(int(found[1]), int(found[3]), int(found[4]))
    except ValueError:
        return (found[1], found[3]) if any_digits else None
    return f"{day.year:04}", f"{day.month:02}"


def photos_by_date(tree, *, impossible_days=False, capitals_left=False, last_keeps_its_name=False, sidecars_too=False):
    after, moved = tree.copy(), 0
    form = PICTURE + r"|\.xmp$" if sidecars_too else PICTURE
    for path in sorted(tree.files("camera"), reverse=last_keeps_its_name):
        day = date_in(posixpath.basename(path), impossible_days)
        if day is None or not re.search(form, path, 0 if capitals_left else re.I):
            continue
        stem, extension = posixpath.splitext(posixpath.basename(path))
        place, number = f"sorted/{day[0]}/{day[1]}/{stem}{extension}", 1
        while place in after:
            number += 1
            place = f"sorted/{day[0]}/{day[1]}/{stem}-{number}{extension}"
        after.move(path, place)
        moved += 1
    # The task does not say whether a folder stays when it has become empty.
    folders = {path for path in tree if path.startswith("camera/") and not tree.files(path) == []}
    return Outcome(after, moved, either=frozenset(folder for folder in folders if not after.files(folder)))


def delete_copies(tree, *, last_stays=False, by_size=False, texts_too=False):
    after, size, deleted, known = tree.copy(), 0, 0, set()
    for path in sorted(tree.files("library"), reverse=last_stays):
        if not re.search(PICTURE, path, re.I) and not texts_too:
            continue
        content = tree[path].content
        key = len(content) if by_size else content
        if key in known:
            size += len(after.pop(path).content)
            deleted += 1
        known.add(key)
    return Outcome(after, {"deleted": deleted, "bytes": size})


def largest_files(tree, *, one_folder=False, smallest=False):
    sizes = [(len(tree[path].content), path) for path in tree.files("library" if one_folder else "")]
    largest = sorted(sizes, key=lambda one: (one[0] if smallest else -one[0], one[1]))[:7]
    return Outcome(tree, InOrder([InOrder([path, size]) for size, path in largest]))
