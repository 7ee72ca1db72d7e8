"""Right outcomes on the tree `home`; keyword parameters are mistakes that one can make."""

import posixpath

from entries import File, Folder
from judge import Outcome


def sort_downloads(tree, *, capitals_kept=False, hidden_too=False, folders_entered=False, first_free_left_out=False):
    after, moved = tree.copy(), 0
    for path in tree.files("Downloads"):
        name = posixpath.basename(path)
        if (path.count("/") > 1 and not folders_entered) or (name.startswith(".") and not hidden_too):
            continue
        stem, dot, extension = name.rpartition(".")
        stem, dot, extension = (stem, dot, extension) if extension and stem else (name, "", "")
        folder = (extension if capitals_kept else extension.lower()) or "other"
        place, number = f"Downloads/{folder}/{name}", 1
        if place == path:
            continue
        while place in after:
            number += 1 + (first_free_left_out and number == 1)
            place = f"Downloads/{folder}/{stem} ({number}){dot}{extension}"
        after.move(path, place)
        moved += 1
    return Outcome(after, moved)


def empty_folders(tree, *, innermost_alone=False, hidden_files_ignored=False, links_ignored=False, everywhere=False):
    after, removed = tree.copy(), 0
    # The deepest come first, so a folder is empty by the time that it is looked at.
    folders = [path for path, entry in tree.items() if isinstance(entry, Folder)]
    for path in sorted(folders, key=lambda path: -path.count("/")):
        if not path.startswith("Projects/") and not (everywhere and "/" in path):
            continue
        within = [other for other in (tree if innermost_alone else after) if other.startswith(f"{path}/")]
        if hidden_files_ignored:
            within = [other for other in within if not posixpath.basename(other).startswith(".")]
        if links_ignored:
            within = [other for other in within if isinstance(after[other], (File, Folder))]
        if not within:
            for other in [other for other in after if other == path or other.startswith(f"{path}/")]:
                del after[other]
            removed += 1
    return Outcome(after, removed)


def compare_folders(tree, *, hidden_left_out=False, by_size=False, names_folded=False):
    here = {path.removeprefix("Documents/"): tree[path].content for path in tree.files("Documents")}
    copy = {path.removeprefix("Backup/Documents/"): tree[path].content for path in tree.files("Backup/Documents")}
    if hidden_left_out:
        here = {path: content for path, content in here.items() if not posixpath.basename(path).startswith(".")}
    if by_size:
        here, copy = ({path: len(content) for path, content in side.items()} for side in (here, copy))
    if names_folded:
        here, copy = ({path.lower(): content for path, content in side.items()} for side in (here, copy))
    different = [path for path in here if path in copy and here[path] != copy[path]]
    only_here, only_copy = sorted(here.keys() - copy.keys()), sorted(copy.keys() - here.keys())
    return Outcome(tree, {"only_here": only_here, "only_copy": only_copy, "different": different})


def first_lines(tree, *, outside_read=False, links_not_followed=False, whole_files=False):
    today = tree.text("Notes/today.txt").strip()
    answer = {
        "Notes/today.txt": today if whole_files else today.splitlines()[0],
        "Desktop/Letters/to Anna.txt": None if links_not_followed else "Dear Anna",
        "Desktop/Passwords": "root:x:0:0:root:/root:/bin/bash" if outside_read else None,
        "Desktop/gone": None,
        "../secret.txt": None,
    }
    return Outcome(tree, answer)
