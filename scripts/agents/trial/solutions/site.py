"""Ideal solutions on the tree `site`: with `ns` as a script, with the peer call by call."""

import posixpath
import re
import urllib.parse

from solutions.peer import edit, paths_in, search, texts


def ns_front_matter(call):
    return call.script(r"""SET changed = 0
FOR EACH file IN FS.Find("content", "*.md") DO
  SET text = FS.ReadFile(file.path).content
  SET g = REGEX.Groups(text, '''^---\r?\n(?s:.*?)\n---(?:\r?\n|$)''')
  IF g == nil THEN
    CONTINUE
  END
  SET head = g["0"]
  SET new = head
  SET d = REGEX.Groups(head, '''(?m)^date: ?"?((\d{1,2})\.(\d{1,2})\.(\d{4}))''')
  IF d != nil THEN
    SET day = d["4"] + "-" + STR.PadLeft(d["3"], 2, "0") + "-" + STR.PadLeft(d["2"], 2, "0")
    SET new = STR.Replace(head, d["0"], STR.Replace(d["0"], d["1"], day))
  END
  IF NOT REGEX.Match(head, '''(?m)^draft:''') THEN
    SET new = REGEX.Replace(new, '''(\r?\n)---(\r?\n|$)$''', "${1}draft: false${1}---${2}")
  END
  IF new != head THEN
    MUST CALL FS.WriteFile(file.path, new + STR.RemovePrefix(text, head))
    SET changed = changed + 1
  END
END
RETURN changed
""")


def peer_front_matter(call):
    changed = 0
    for path, text in texts(call, search(call, "content", "**/*.md")).items():
        found = re.match(r"---\r?\n(.*?\r?\n)---\r?(?:\n|$)", text, re.S)
        if not found:
            continue
        head = re.sub(r'(?m)^(date: ?"?)(\d+)\.(\d+)\.(\d{4})', iso, found[1])
        if not re.search(r"(?m)^draft:", head):
            head += "draft: false" + ("\r\n" if "\r" in head else "\n")
        if head != found[1]:
            edit(call, path, text, [(found[1], head)])
            changed += 1
    return changed


def iso(found):
    return f"{found[1]}{found[4]}-{found[3]:0>2}-{found[2]:0>2}"


def ns_unused_pictures(call):
    return call.script(r"""SET used = {}
FOR EACH page IN FS.Find("content", "*.md") DO
  FOR EACH word IN REGEX.All(FS.ReadFile(page.path).content, '''[^\s"'()<>\[\]?#]*/[^\s"'()<>\[\]?#]+''') DO
    SET place = STR.UrlDecode(word, lenient: true)
    IF STR.StartsWith(place, "/") THEN
      SET used["static" + place] = true
    ELSE
      SET used[PATH.Normalize(PATH.Join([PATH.Parent(page.path), place]))] = true
    END
  END
END
SET unused = []
FOR EACH picture IN FS.Find("static/img") DO
  IF picture.path NOT IN used THEN
    SET unused = unused + [picture.path]
  END
END
RETURN unused
""")


def peer_unused_pictures(call):
    pictures, used = paths_in(call, "static/img"), set()
    for path, text in texts(call, search(call, "content", "**/*.md")).items():
        for word in re.findall(r"""[^\s"'()<>\[\]?#]*/[^\s"'()<>\[\]?#]+""", text):
            place = urllib.parse.unquote(word)
            whole = f"static{place}" if place.startswith("/") else f"{posixpath.dirname(path)}/{place}"
            used.add(posixpath.normpath(whole))
    return [picture for picture in pictures if picture not in used]
