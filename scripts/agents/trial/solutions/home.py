"""Ideal solutions on the tree `home`: with `ns` as a script, with the peer call by call."""

from session import NotPossible
from solutions.peer import DELETES, KNOWS_LINKS, paths_in, texts


def ns_sort_downloads(call):
    return call.script(r"""SET moved = 0
FOR EACH file IN FS.Find("Downloads", depth: 1, hidden: false) DO
  SET stem, ending = [PATH.Stem(file.name), "." + file.extension]
  IF file.extension == "" THEN
    SET stem, ending = [file.name, ""]
  END
  SET folder = "Downloads/other/"
  IF ending != "" THEN
    SET folder = "Downloads/" + STR.Lower(file.extension) + "/"
  END
  MUST CALL FS.CreateDirectory(folder)
  SET place, number = [folder + file.name, 1]
  WHILE FS.Exists(place) DO
    SET number = number + 1
    SET place = folder + stem + " (" + number + ")" + ending
  END
  MUST CALL FS.MoveFile(file.path, place)
  SET moved = moved + 1
END
RETURN moved
""")


peer_sort_downloads = NotPossible(
    "in its answers a link looks like a file, and a move takes the file behind it", KNOWS_LINKS
)


def ns_empty_folders(call):
    return call.script(r"""SET removed = 0
FOR EACH folder IN LIST.Reverse(FS.Find("Projects", type: "directory")) DO
  IF FS.Find(folder.path, type: "all", depth: 1, limit: 1) == [] THEN
    MUST CALL FS.DeleteFile(folder.path, recursive: true)
    SET removed = removed + 1
  END
END
RETURN removed
""")


peer_empty_folders = NotPossible("no tool deletes a folder", DELETES)


def ns_compare_folders(call):
    return call.script(r"""DEFINE PROCEDURE Sums(folder)
  SET sums = {}
  FOR EACH file IN FS.Find(folder) DO
    SET sums[STR.RemovePrefix(file.path, folder + "/")] = FS.HashFile(file.path).checksum
  END
  RETURN sums
END
SET here, copy = [Sums("Documents"), Sums("Backup/Documents")]
SET result = {"only_here": [], "only_copy": MAP.Keys(MAP.Remove(copy, MAP.Keys(here))), "different": []}
FOR EACH path, sum IN here DO
  IF path NOT IN copy THEN
    SET result.only_here = result.only_here + [path]
  ELSE IF copy[path] != sum THEN
    SET result.different = result.different + [path]
  END
END
RETURN result
""")


def peer_compare_folders(call):
    here, copy = (
        {path.removeprefix(f"{top}/") for path in paths_in(call, top)} for top in ("Documents", "Backup/Documents")
    )
    both = sorted(here & copy)
    contents = texts(call, [f"{top}/{path}" for path in both for top in ("Documents", "Backup/Documents")])
    different = [path for path in both if contents[f"Documents/{path}"] != contents[f"Backup/Documents/{path}"]]
    return {"only_here": list(here - copy), "only_copy": list(copy - here), "different": different}


NAMED = ["Notes/today.txt", "Desktop/Letters/to Anna.txt", "Desktop/Passwords", "Desktop/gone", "../secret.txt"]


def ns_first_lines(call):
    records = call.data("read_files", paths=NAMED, max_lines=1, on_error="record")["result"]
    return {record["path"]: record["content"] and record["content"].rstrip("\n") for record in records}


def peer_first_lines(call):
    parts = call.text("read_multiple_files", paths=NAMED).split("\n---\n")
    failed = [part.startswith(f"{path}: Error - ") for path, part in zip(NAMED, parts)]
    return {path: None if wrong else part.splitlines()[1] for path, part, wrong in zip(NAMED, parts, failed)}
