"""Ideal solutions on the tree `photos`: with `ns` as a script, with the peer call by call."""

import datetime
import posixpath
import re

from session import NotPossible
from solutions.peer import DELETES, paths_in


def ns_photos_by_date(call):
    return call.script(r"""SET moved = 0
FOR EACH file IN FS.Find("camera", ["*.jpg", "*.jpeg", "*.png", "*.heic"], ignore_case: true) DO
  SET g = REGEX.Groups(file.name, '''(?:^|\D)(\d{4})(?:(\d\d)(\d\d)|-(\d\d)-(\d\d))(?:\D|$)''')
  IF g == nil THEN
    CONTINUE
  END
  SET date = REGEX.Replace(g["0"], '''\D''', "")
  IF TIME.Parse(date, "%Y%m%d", default: nil) == nil THEN
    CONTINUE
  END
  SET stem = "sorted/" + STR.Sub(date, 0, 4) + "/" + STR.Sub(date, 4, 6) + "/" + PATH.Stem(file.name)
  SET ending, number = ["." + PATH.Extension(file.name), 1]
  SET place = stem + ending
  WHILE FS.Exists(place) DO
    SET number = number + 1
    SET place = stem + "-" + number + ending
  END
  CALL FS.CreateDirectory(PATH.Parent(place))
  MUST CALL FS.MoveFile(file.path, place)
  SET moved = moved + 1
END
RETURN moved
""")


def peer_photos_by_date(call):
    taken, made, moved = set(), set(), 0
    for path in paths_in(call, "camera"):
        name = posixpath.basename(path)
        found = re.search(r"(?<!\d)(\d{4})(-?)(\d\d)\2(\d\d)(?!\d)", name)
        if not found or not re.search(r"\.(jpe?g|png|heic)$", name, re.I) or not real_day(found):
            continue
        folder = f"sorted/{found[1]}/{found[3]}"
        stem, ending = posixpath.splitext(name)
        place, number = f"{folder}/{name}", 1
        while place in taken:
            number += 1
            place = f"{folder}/{stem}-{number}{ending}"
        taken.add(place)
        if folder not in made:
            call.text("create_directory", path=folder)
            made.add(folder)
        call.text("move_file", source=path, destination=place)
        moved += 1
    return moved


def real_day(found):
    try:
        return datetime.date(int(found[1]), int(found[3]), int(found[4]))
    except ValueError:
        return None


def ns_delete_copies(call):
    return call.script(r"""SET known, deleted, bytes = [{}, 0, 0]
FOR EACH file IN FS.Find("library", ["*.jpg", "*.jpeg", "*.png"], ignore_case: true) DO
  SET sum = FS.HashFile(file.path).checksum
  IF sum IN known THEN
    MUST CALL FS.DeleteFile(file.path)
    SET deleted = deleted + 1
    SET bytes = bytes + file.size
  END
  SET known[sum] = true
END
RETURN {"deleted": deleted, "bytes": bytes}
""")


peer_delete_copies = NotPossible("no tool deletes a file", DELETES)


def ns_largest_files(call):
    found = call.data("find", sort="size", descending=True, limit=7)["result"]
    return [[file["path"], file["size"]] for file in found]


def peer_largest_files(call):
    folders = sorted({path.rpartition("/")[0] for path in paths_in(call, ".")})
    listed = []
    for folder in folders:
        answer = call.text("list_directory_with_sizes", path=folder, sortBy="size")
        for name, size, unit in re.findall(r"^\[FILE\] (.*?) +([\d.]+) (B|KB|MB)$", answer, re.M):
            listed.append((-float(size) * {"B": 1, "KB": 1024, "MB": 1 << 20}[unit], f"{folder}/{name}"))
    # The sizes are rounded, so the exact ones are asked for, and one more in case two round alike.
    exact = []
    for _, path in sorted(listed)[:8]:
        size = re.search(r"^size: (\d+)$", call.text("get_file_info", path=path), re.M)[1]
        exact.append([path, int(size)])
    return sorted(exact, key=lambda one: -one[1])[:7]
