"""The chores of the cookbook and of `scripts/`, each with what it does by a model that shares no code with `ns`.

A model is given the tree and changes it as the chore shall. It gives what is printed, in pieces: texts as they stand,
and `Said` for a line that only begins so, because reasons of failures are in `ns`'s own words.
"""

import collections
import dataclasses
import datetime
import gzip
import hashlib
import io
import json
import os
import posixpath
import re
import time
import tomllib
import unicodedata
import urllib.parse
import zipfile

from tree import Failure, Tree, directory, edited, file, is_odd, is_refused, is_text, link, same

DAY = 86_400


@dataclasses.dataclass(frozen=True)
class Said:
    """A line, or several, of which only the beginning is known."""

    beginning: str


@dataclasses.dataclass(frozen=True)
class Slot:
    """Where a chore looks for files, and what they are like."""

    folder: str
    name: object = lambda stem: f"{stem}.txt"
    content: object = lambda number: b"text %d\n" % number
    modified: object = lambda number: 1_600_000_000

    def path(self, stem):
        name = self.name(stem)
        return name if self.folder == "." else f"{self.folder}/{name}"


@dataclasses.dataclass(frozen=True)
class Chore:
    """A script of the cookbook (a heading) or of `scripts/` (a path), and its model."""

    script: str
    model: object
    slot: Slot = Slot(".")
    base: object = Tree
    args: tuple = ()
    taken: object = None
    # Files of the tree that stands for many; chores that change each file are slow where every change is synced.
    many: int = 10_001
    # Whether the model also tells what a second run does.
    again: bool = True
    # Twists that say nothing of this chore.
    without: tuple = ()


CHORES = []


def chore(script, **more):
    """Names what a model is the model of."""
    def add(model):
        CHORES.append(Chore(script, model, **more))
        return model
    return add


def stamp(entry, form="%Y-%m-%dT%H:%M:%SZ"):
    return time.strftime(form, time.gmtime(entry.modified))


def digest(entry):
    return hashlib.sha256(entry.content).hexdigest()


def suffix(name):
    """What follows the last dot of a name."""
    stem, dot, extension = name.rpartition(".")
    return extension if dot and stem and extension else ""


def anything(_):
    return True


# Finding

@chore("Find the largest files", slot=Slot(".", content=lambda number: b"x" * (number % 500)))
def largest(tree):
    files = tree.find(".", anything)
    files.sort(key=lambda path: -len(tree[path].content))
    return [f"{len(tree[path].content):>9,}  {path}\n" for path in files[:5]]


def days_ago(number):
    return int(time.time()) - number % 10 * DAY - DAY // 2


@chore("Find files changed in the last week", slot=Slot("notes", modified=days_ago))
def changed(tree):
    since = time.time() - 7 * DAY
    found = tree.find(".", anything, fits=lambda path: tree[path].modified >= since)
    return [f"{stamp(tree[path])}  {path}\n" for path in found]


def alike(tree, folder, unread):
    """Groups of files with the same content, by size and then by content, as they are met."""
    sizes = collections.defaultdict(list)
    for path in tree.find(folder, anything):
        if tree[path].content:
            sizes[len(tree[path].content)].append(path)
    for size, paths in sizes.items():
        sums = collections.defaultdict(list)
        for path in paths if len(paths) > 1 else ():
            if tree[path].is_closed or is_refused(path):
                unread(path)
            else:
                sums[digest(tree[path])].append(path)
        yield size, [group for group in sums.values() if len(group) > 1]


@chore("Find files with the same content", slot=Slot("a", content=lambda number: b"same" if number % 3 == 0 else b"%04d" % number))
def duplicates(tree):
    def unread(path):
        if not is_refused(path):
            raise Failure("permission denied")
    groups = [(size * (len(group) - 1), size, group) for size, found in alike(tree, ".", unread) for group in found]
    groups.sort(key=lambda group: (-group[0], os.fsencode(group[2][0])))
    return [f"{size} bytes: {', '.join(group)}\n" for _, size, group in groups]


@chore("Find empty files and folders", slot=Slot("a", content=lambda number: b"" if number % 2 else b"text"))
def empty(tree):
    out = []
    directories = tree.directories()
    tree = Tree({path: entry for path, entry in tree.items() if posixpath.basename(path) != "neuroscript.toml"})
    tree.find(".", anything, kinds=("file", "directory", "link"))
    holding = {posixpath.dirname(path) for path in [*tree, *directories]}
    for path in sorted({*tree, *directories}, key=os.fsencode):
        if path in directories and path not in holding:
            out.append(f"{path}/\n")
        elif path in tree and tree[path].kind == "file" and not tree[path].content:
            out.append(f"{path}\n")
    return out


def todo_lines(number):
    return b"// TODO(ana): mend %d\nfn f() {} // TODO later\n" % number if number % 2 else b"nothing\n"


def closed_list(tree):
    tree["TODO.md"] = file("old")
    return tree


@chore("Collect to-do notes", slot=Slot("src", lambda stem: f"{stem}.rs", todo_lines), taken=closed_list)
def todos(tree):
    found = tree.search("src", "", lambda line: re.search(r"\bTODO\b", line))
    lines = ["# To do", ""]
    for path, number, line in found:
        note = re.sub(r"^.*?\bTODO\b(\(\w+\))?:?\s*", "", line)
        lines.append(f"- [ ] {note} ({path}:{number})")
    text = "\n".join(lines) + "\n"
    tree.write("TODO.md", text.encode())
    return [text + "\n"]


# Tidying

def renamed(tree, out, path, name, shown):
    """Renames a file, and says so or that it was not."""
    if tree.move(path, posixpath.join(posixpath.dirname(path), name)):
        out.append(shown)
        return True
    out.append(Said("not renamed: "))
    return False


def taken_photo(tree):
    tree["photos/x.JPG"] = file("new", modified=1_600_000_000)
    tree["photos/2020-09-13_x.jpg"] = file("old", modified=1_700_000_000)
    return tree


@chore("Rename photos by the day they were taken", slot=Slot("photos", lambda stem: f"{stem}.JPG"), taken=taken_photo, many=1_001)
def photos(tree):
    out = []
    is_photo = lambda name: re.search(r"\.(jpg|jpeg|png|heic)\Z", name, re.I | re.S)  # noqa: E731
    for path in tree.find("photos", is_photo):
        name, date = posixpath.basename(path), stamp(tree[path], "%Y-%m-%d")
        if not re.match(r"\d{4}-\d\d-\d\d", name):
            extension = suffix(name)
            new = f"{date}_{name[:len(name) - len(extension)]}{extension.lower()}"
            renamed(tree, out, path, new, f"{name} -> {new}\n")
    return out


@chore("Sort music by its tags", slot=Slot("music", lambda stem: f"{stem}.MP3"), many=1_001)
def music(tree):
    """No file of these trees has tags."""
    is_song = lambda name: re.search(r"\.(mp3|flac|ogg|opus|m4a)\Z", name, re.I | re.S)  # noqa: E731
    return [f"left alone: {posixpath.basename(path)}\n" for path in tree.find("music", is_song, depth=1)]


def taken_download(tree):
    tree["Downloads/b.mp3"] = file("new")
    tree["Downloads/Music/b.mp3"] = file("old")
    tree["Downloads/Documents"] = file("a file where a folder belongs")
    tree["Downloads/c.pdf"] = file("text")
    return tree


KINDS = {"mp3": "Music", "wav": "Music", "pdf": "Documents", "docx": "Documents", "jpg": "Pictures", "png": "Pictures"}


@chore("Sort downloads by type", slot=Slot("Downloads", lambda stem: f"{stem}.MP3"), taken=taken_download, many=1_001)
def downloads(tree):
    out = []
    for path in tree.find("Downloads", anything, depth=1, hidden=False):
        name = posixpath.basename(path)
        kind = KINDS.get(suffix(name).lower())
        if kind is None:
            continue
        folder = f"Downloads/{kind}"
        if tree.kind(folder) == "file" or not tree.move(path, made(tree, folder, name)):
            made(tree, folder, name)
            out.append(Said("not moved: "))
        else:
            out.append(f"{name} -> {kind}\n")
    return out


def made(tree, folder, name):
    """The path of a name in a folder, which is made where nothing is."""
    if tree.kind(folder) is None:
        tree[folder] = directory()
    return f"{folder}/{name}"


def fine(name):
    """Whether a name is one that the chore leaves alone, or gives."""
    is_plain = all(character in "-._" or unicodedata.category(character)[0] in "LMN" for character in name)
    return is_plain and not is_odd(name) and name == name.lower() and not re.search(r"[-.]{2}|^[-.]|[-.]\Z", name)


def is_hidden(path):
    return any(part.startswith(".") for part in path.split("/"))


def taken_name(tree):
    tree["inbox/A B.txt"] = file("new")
    tree["inbox/a-b.txt"] = file("old")
    return tree


@chore("Make file names portable", slot=Slot("inbox", lambda stem: f"My {stem}.TXT"), taken=taken_name, many=1_001)
def names(tree):
    """How a name is tidied is the business of `PATH.Sanitize`; here counts what holds of the outcome."""
    tree.find("inbox", anything, hidden=False)
    return None


def names_hold(before, after, out):
    """What holds after names were tidied: nothing is lost, and what has no good name was said not to be renamed."""
    faults = []
    contents = lambda tree: collections.Counter(entry.content for entry in tree.values() if entry.kind == "file")  # noqa: E731
    if contents(before) != contents(after):
        faults.append("contents were lost or made")
    for path, entry in before.items():
        name = posixpath.basename(path)
        stays = entry.kind != "file" or fine(name) or is_hidden(path)
        if stays and after.get(path) is None and entry.kind != "directory":
            faults.append(f"{path!r} is gone")
    seen = [path for path, entry in after.items() if entry.kind == "file" and not is_hidden(path)]
    ill = [path for path in seen if not fine(posixpath.basename(path))]
    if len(seen) != len([path for path, entry in before.items() if entry.kind == "file" and not is_hidden(path)]):
        faults.append("files became hidden, or came to light")
    if len(ill) != out.count("not renamed: "):
        faults.append(f"{len(ill)} files have names such as {ill[:3]}, {out.count('not renamed: ')} are said to have kept theirs")
    return faults


def builds_of(number):
    return b"[package]\n"


def build_base():
    return Tree({
        "app/Cargo.toml": file("[package]"), "app/target/debug/app": file("binary"),
        "web/package.json": file("{}"), "web/node_modules/lib/package.json": file("{}"),
        "web/node_modules/lib/node_modules/x/index.js": file("code"), "notes/target/aims.md": file("text"),
    })


def build_taken(tree):
    tree["file/Cargo.toml"] = file("[package]")
    tree["file/target"] = file("a file of that name")
    tree["link/package.json"] = file("{}")
    tree["link/node_modules"] = link("../web")
    return tree


@chore("Delete the build output of all projects", base=build_base, taken=build_taken,
       slot=Slot("app/target/deps", lambda stem: f"{stem}.o"))
def builds(tree):
    outputs = {"Cargo.toml": "target", "package.json": "node_modules", "pyproject.toml": ".venv"}
    out = []
    outside = Tree({path: entry for path, entry in tree.items() if not set(outputs.values()) & set(path.split("/")[:-1])})
    for path in outside.find(".", lambda name: name in outputs):
        output = posixpath.join(posixpath.dirname(path), outputs[posixpath.basename(path)])
        if tree.kind(output) == "directory":
            inside = [other for other in tree if other == output or other.startswith(output + "/")]
            if any(is_refused(other) or tree[other].kind == "directory" and tree[other].is_closed for other in inside):
                out.append(Said("not deleted: "))
                continue
            for below in inside:
                del tree[below]
            keep_parent(tree, output)
            out.append(f"deleted {output}\n")
    return out


def keep_parent(tree, path):
    """A directory stays when the last thing in it goes."""
    parent = posixpath.dirname(path)
    if parent and tree.kind(parent) is None:
        tree[parent] = directory()


def taken_page(tree):
    tree["scans/scan (7).png"] = file("seven")
    tree["scans/page-001.png"] = file("taken")
    return tree


def scan_base():
    return Tree({f"scans/scan ({number}).png": file(f"{number}") for number in (1, 10, 2, 9)})


@chore("Renumber a series", base=scan_base, taken=taken_page, many=1_001,
       slot=Slot("scans", lambda stem: f"scan ({stem}).png"))
def series(tree):
    form = re.compile(r"scan \((\d{1,15})\)\.png\Z", re.ASCII)
    scans = tree.find("scans", lambda name: name.startswith("scan (") and name.endswith(").png"), depth=1)
    scans = [path for path in scans if form.match(posixpath.basename(path))]
    new = [f"page-{index + 1:03}.png" for index in range(len(scans))]
    if any(tree.kind(f"scans/{name}") is not None for name in new):
        raise Failure("nothing was done (move): destination path already exists")
    scans.sort(key=lambda path: int(form.match(posixpath.basename(path)).group(1)))
    moves = [(path, tree.pop(path)) for path in scans]
    for name, (_, entry) in zip(new, moves):
        tree[f"scans/{name}"] = entry
    return [f"{posixpath.basename(path)} -> {name}\n" for name, (path, _) in zip(new, moves)]


# Texts

def example_lines(number):
    return b"See http://example.org and http://example.org/%d.\n" % number if number % 2 else b"Nothing.\n"


@chore("Replace text in many files", slot=Slot("docs", lambda stem: f"{stem}.md", example_lines))
def replaced(tree):
    found = tree.search("docs", ".md", lambda line: "http://example.org" in line)
    out = []
    for path in dict.fromkeys(path for path, _, _ in found):
        count = tree.read(path)[0].count("http://example.org")
        edited(tree, path, lambda text: text.replace("http://example.org", "https://example.org"))
        out.append(f"{path}: {count}\n")
    return out


def sole(path, content=b"text\n"):
    """A chore with one file: it has no slot for others, but its own file is twisted."""
    return Slot(posixpath.dirname(path) or ".", lambda _: posixpath.basename(path), lambda _: content)


ONE = ("many", "names", "none", "bytes", "shut", "refused")


@chore("Sort lines and remove duplicates", slot=sole("words.txt", b"pear\napple\npear\n\nfig\n"), without=ONE)
def words(tree):
    text, _ = tree.read("words.txt")
    old = text.replace("\r\n", "\n").split("\n")
    old = old[:-1] if old[-1] == "" else old
    new = sorted({line for line in old if line})
    if new != old:
        edited(tree, "words.txt", lambda _: "".join(f"{line}\n" for line in new))
    return [json.dumps(new, ensure_ascii=False) + "\n"]


HEADER = "# Copyright 2024 Somebody\n"


def headed(text):
    """A text with the header, below what has to come first."""
    if re.search(r"^# Copyright 2024 Somebody\r?$", text, re.M):
        return text
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    count = 1 if lines[0].startswith("#!") else 0
    if len(lines) > count and re.match(r"#.*coding[:=]", lines[count]):
        count += 1
    first, rest = "".join(lines[:count]), "".join(lines[count:])
    return first + ("\n" if first and first[-1] != "\n" else "") + HEADER + rest


@chore("Add a header to every source file", many=1_001,
       slot=Slot("src", lambda stem: f"{stem}.py", lambda number: [b"print(1)\n", b"#!/bin/x\nprint()\n", HEADER.encode()][number % 3]))
def headers(tree):
    out = []
    for path in tree.find("src", lambda name: name.endswith(".py")):
        if not tree[path].content:
            continue
        try:
            old, new = edited(tree, path, headed)
            if old != new:
                out.append(f"{path}\n")
        except Failure:
            out.append(Said("not edited: "))
    return out


def trimmed(text):
    """A text without blanks at the ends of lines and without empty lines at its end."""
    parts = re.split(r"(\r?\n)", text)
    rows = [[body.rstrip(" \t"), end] for body, end in zip(parts[::2], [*parts[1::2], ""])]
    while len(rows) > 1 and rows[-1][0] == "":
        rows.pop()
    rows[-1][1] = rows[-1][1] or "\n"
    return "".join(body + end for body, end in rows)


@chore("Remove trailing spaces", many=1_001,
       slot=Slot("notes", lambda stem: f"{stem}.md", lambda number: [b"one  \ntwo\t\n\n\n", b"fine\n", b"no end"][number % 3]))
def blanks(tree):
    out = []
    for path in tree.find(".", lambda name: re.search(r"\.(md|txt)\Z", name)):
        if not tree[path].content or {".git", *tree.ignored()} & set(path.split("/")):
            continue
        try:
            old, new = edited(tree, path, trimmed)
            if old != new:
                out.append(f"{path}\n")
        except Failure:
            out.append(Said("not edited: "))
    return out


GUIDE = b"# Guide\n<!-- contents -->\nold\n<!-- end -->\n## First steps\n### Install $1\ntext\n## Last\n"


@chore("Generate a table of contents", slot=sole("guide.md", GUIDE), without=ONE)
def contents(tree):
    text, lines, known = tree.read("guide.md")[0], ["<!-- contents -->"], set()
    for _, line in prose(text):
        heading = re.match(r" {0,3}(#{1,6})[ \t]+([^ \t].*)", line)
        if heading is None:
            continue
        title = re.sub(r"[ \t]+#+[ \t]*\Z", "", heading.group(2)).strip(" \t")
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        anchor = next(name for name in slugs(title) if name not in known)
        known.add(anchor)
        if len(heading.group(1)) > 1:
            lines.append("  " * (len(heading.group(1)) - 2) + f"- [{title}](#{anchor})")
    new = "\n".join(lines + ["<!-- end -->"])
    marks = re.compile(r"<!-- contents -->.*?<!-- end -->", re.S)
    if not marks.search(text):
        raise Failure("no marks")
    edited(tree, "guide.md", lambda text: marks.sub(lambda _: new, text, count=1))
    return [new + "\n"]


def slugs(title):
    """The anchors that GitHub gives to headings of one title."""
    def is_kept(character):
        kind = unicodedata.category(character)
        return character in " -" or kind[0] in "LM" or kind in ("Nd", "Pc")
    base = "".join("-" if character == " " else character for character in title.lower() if is_kept(character))
    yield base
    for number in range(1, 1_000):
        yield f"{base}-{number}"


def prose(text):
    """The lines of a Markdown text outside of fenced code, with their numbers."""
    fence = None
    for number, line in enumerate(re.split(r"\r?\n", text), 1):
        bare = line.lstrip(" \t>")
        mark = re.match(r"`{3,}|~{3,}", bare)
        if fence:
            fence = None if bare.startswith(fence) and not bare.strip().strip(fence[0]) else fence
        elif mark and "`" not in bare[mark.end():]:
            fence = mark.group()
        else:
            yield number, line


# Data

@chore("Sum a column of a CSV file by category", slot=sole("spending.csv", b"date,category,amount\n1,food,12.50\n2,travel,80\n3,food,7.25\n"), without=ONE)
def totals(tree):
    sums = {}
    for row in rows(tree.read("spending.csv")[0]):
        sums[row["category"]] = sums.get(row["category"], 0) + float(row["amount"])
    return [f"{category:<9} {total:>8.2f}\n" for category, total in sorted(sums.items(), key=lambda pair: -pair[1])]


def rows(text):
    import csv
    return csv.DictReader(text.replace("\r\n", "\n").splitlines())


@chore("Convert CSV to JSON", slot=sole("people.csv", "name,age\nAna,31\nBó,27\n".encode()), without=ONE,
       taken=lambda tree: Tree({**tree, "people.json": file("old")}))
def people(tree):
    try:
        found = [{**row, "age": int(row["age"])} for row in rows(tree.read("people.csv")[0])]
    except (KeyError, ValueError):
        raise Failure("") from None
    tree.write("people.json", (json.dumps(found, ensure_ascii=False, indent=2) + "\n").encode())
    return [json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n"]


MANIFEST = b'[package]\nname = "app" # ours\nversion = "1.4.2"\n'


@chore("Bump a version in a manifest", slot=sole("Cargo.toml", MANIFEST), without=ONE,
       taken=lambda tree: Tree({**tree, "Cargo.toml": file(MANIFEST + b'[dependencies.x]\nversion = "1.4.2"\n')}))
def version(tree):
    text, _ = tree.read("Cargo.toml")
    found = tomllib.loads(text).get("package", {}).get("version")
    parts = re.match(r"(\d+)\.(\d+)\.\d", found) if isinstance(found, str) else None
    if parts is None:
        raise Failure("version")
    new = f"{parts.group(1)}.{int(parts.group(2)) + 1}.0"
    line = re.compile(rf"""(\[package\](?:\n[^\[].*)*?\n"?version"? *= *["']){re.escape(found)}""")
    edited(tree, "Cargo.toml", lambda text: line.sub(lambda match: match.group(1) + new, text, count=1))
    return [f"{found} -> {new}\n"]


COMPOSE = b'services:\n  web:\n    image: shop:1.4 # built by CI\n    ports: ["80:80"]\n'


@chore("Set one value in a configuration file", slot=sole("compose.yaml", COMPOSE), without=ONE,
       taken=lambda tree: Tree({**tree, "compose.yaml": file(COMPOSE + b"  other:\n    image: shop:1.4\n")}))
def image(tree):
    text, _ = tree.read("compose.yaml")
    if not re.search("    image: shop:1.[45] # built by CI", text):
        raise Failure("")
    change = lambda text: re.sub("image: shop:1.[45]", "image: shop:1.5", text, count=1)  # noqa: E731
    edited(tree, "compose.yaml", change)
    return [change(text) + "\n"]


@chore("Merge settings with defaults", slot=sole("local.json", b'{"server": {"port": 8080}}'), without=ONE,
       base=lambda: Tree({"defaults.json": file('{"server": {"port": 80, "host": "localhost"}, "debug": false}')}))
def settings(tree):
    def load(path):
        if tree.kind(path) is None or tree[path].kind == "link":
            return {}
        return json.loads(tree.read(path)[0])

    def merged(below, over):
        if isinstance(below, dict) and isinstance(over, dict):
            return {key: merged(below[key], over[key]) if key in below and key in over else over.get(key, below.get(key)) for key in {**below, **over}}
        return over
    try:
        found = merged(merged(load("defaults.json"), load("local.json")), load("secret.json"))
    except ValueError:
        raise Failure("")
    return [json.dumps(found, separators=(",", ":")) + "\n"]


def taken_toml(tree):
    tree["config/b.yml"] = file("a: 1\n")
    tree["config/b.toml"] = file("old = true\n")
    return tree


@chore("Convert YAML to TOML", slot=Slot("config", lambda stem: f"{stem}.yaml", lambda number: b"name: app\nowner: null\nn: %d\n" % number),
       taken=taken_toml, many=1_001)
def toml(tree):
    out = []
    for path in tree.find("config", lambda name: re.search(r"\.(yaml|yml)\Z", name)):
        new = path[: path.rindex(".")] + ".toml"
        try:
            if is_odd(posixpath.basename(new)) or tree.kind(new) is not None:
                raise Failure("taken")
            text = toml_of(tree.read(path)[0])
            tree.write(new, text.encode())
            out.append(f"{new}\n{text}\n")
        except Failure:
            out.append(Said("not converted: "))
    return out


def toml_of(text):
    """The TOML for the few kinds of YAML that are in the trees."""
    if text == "users: [{name: a, email: null}]\n":
        return '[[users]]\nname = "a"\n'
    text = text.replace("\r\n", "\n")
    if not re.fullmatch(r"(\w+: (\d{1,18}|[a-z]+)\n)+", text):
        raise Failure("no map of numbers and words")
    pairs = [line.split(": ") for line in text.splitlines()]
    if len(dict(pairs)) != len(pairs):
        raise Failure("a key comes twice")
    return "".join(f"{key} = {value if value.isdigit() else json.dumps(value)}\n" for key, value in pairs if value != "null")


# Logs

def log_lines(number):
    return b"2024-05-31T1%d:00:00Z ERROR disk\n2024-05-31T11:00:00Z INFO fine\nno level\n" % (number % 3)


LEVELS = r"\b(INFO|WARN|ERROR)\b"


@chore("Count lines by level", slot=Slot("logs", lambda stem: f"{stem}.log", log_lines))
def levels(tree):
    found = tree.search("logs", ".log", lambda line: re.search(LEVELS, line), everything=True)
    counts = collections.Counter(re.search(LEVELS, line).group() for _, _, line in found)
    return [f"{level:<6}{count}\n" for level, count in counts.items()]


@chore("Count errors by hour", slot=sole("app.log", log_lines(0) + log_lines(1) * 60 + b"ERROR\n ERROR \n"), without=ONE)
def hours(tree):
    found = tree.search("app.log", "", lambda line: re.match(r"\d{4}-\d\d-\d\dT\d\d:\S* ERROR ", line))
    counts = collections.Counter(line[11:13] for _, _, line in found)
    return [f"{hour}:00 {'#' * min(count, 50)} {count}\n" for hour, count in counts.items()]


@chore("Find the slowest requests", slot=sole("access.log", b"GET /a 200 12\n\nGET /b 200 1840\nbroken\nPOST /c 500 930\nGET /d 200 -\n"), without=ONE)
def slowest(tree):
    requests = []
    for line in re.split(r"\r?\n", tree.read("access.log")[0]):
        columns = re.split(r"[ \t]+", line)
        if len(columns) > 2 and columns[0] and re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", columns[-1]):
            requests.append((columns[-1], columns[1]))
    requests.sort(key=lambda request: -float(request[0]))
    return [f"{ms:>6} ms  {path}\n" for ms, path in requests[:2]]


def unpacked(entry):
    """What a file is decompressed to, or itself."""
    return gzip.decompress(entry.content) if entry.kind == "file" and entry.content.startswith(b"\x1f\x8b\x08") else entry.content


@chore("Search rotated logs", slot=Slot("logs", lambda stem: f"app.log.{stem}.gz", lambda number: gzip.compress(log_lines(number))),
       base=lambda: Tree({"logs/app.log": file(log_lines(1))}), without=("texts",))
def rotated(tree):
    plain = Tree({path: dataclasses.replace(entry, content=unpacked(entry)) for path, entry in tree.items()})
    for path in [path for path in plain if not posixpath.basename(path).startswith("app.log") and plain.kind(path) == "file"]:
        del plain[path]
    found = plain.search("logs", "", lambda line: re.search(r"\bERROR\b", line), everything=True)
    return [f"{path}:{number}: {line}\n" for path, number, line in sorted(found, key=lambda match: match[2])]


@chore("Read new lines since the last run", slot=sole("app.log", b"first\nsecond\n"), without=(*ONE, "texts"), again=False)
def news(tree):
    def whole_lines():
        text, _ = tree.read("app.log")
        return re.split(r"\r\n?|\n", text[: text.rfind("\n") + 1])[:-1]
    whole = whole_lines()
    tree.write("app.log", tree["app.log"].content + b"third\n")
    later = whole_lines()[len(whole):]
    return [json.dumps(part, ensure_ascii=False).replace('","', '", "') + "\n" for part in (whole, later, [])]


def taken_logs(tree):
    tree.update({f"app.log.{number}": file(f"old {number}") for number in (1, 2, 3)})
    return tree


@chore("Rotate a large log", slot=sole("app.log", b"a line that is more than twenty bytes long\n"),
       base=lambda: Tree({"app.log.1": file("older")}), taken=taken_logs, without=ONE)
def rotation(tree):
    if tree.kind("app.log") is None:
        raise Failure("")
    if tree.kind("app.log") == "file" and len(tree["app.log"].content) > 20:
        tree.pop("app.log.3", None)
        for number in (2, 1):
            if tree.kind(f"app.log.{number}") is not None:
                tree[f"app.log.{number + 1}"] = tree.pop(f"app.log.{number}")
        tree["app.log.1"] = tree.pop("app.log")
        tree["app.log"] = file()
    return [f"{posixpath.basename(path)} {len(tree[path].content)}\n" for path in tree.find(".", anything)]


# Keeping

@chore("Archive a folder once a day", slot=Slot("project", lambda stem: f"{stem}.rs"), base=lambda: Tree({"project/main.rs": file("fn main() {}")}),
       many=1_001)
def archived(tree):
    """What is in the archive is compared by `archive_holds`."""
    if any(entry.is_closed for entry in tree.values() if entry.kind != "link"):
        raise Failure("permission denied")
    if any(is_refused(path) for path in tree):
        raise Failure("the policy refuses")
    if not all(is_text(path) for path in tree):
        raise Failure("is not UTF-8")
    return None


def archive_holds(before, after, out):
    """The archive of the day holds what the folder held."""
    import tarfile
    name = f"backups/project-{time.strftime('%Y-%m-%d', time.gmtime())}.tar.gz"
    if name not in after:
        return [f"there is no {name}"]
    with tarfile.open(fileobj=io.BytesIO(after[name].content)) as packed:
        members = packed.getmembers()
        files = {member.name: packed.extractfile(member).read() for member in members if member.isfile()}
    wanted = {path: entry.content for path, entry in before.items() if entry.kind == "file" and path.startswith("project/")}
    faults = [] if files == wanted else [f"packed {sorted(files)[:9]}, not {sorted(wanted)[:9]}"]
    rest = lambda tree: Tree({path: entry for path, entry in tree.items() if path != name})  # noqa: E731
    return faults + same(rest(before), rest(after)) + ([] if f"{name}: {len(wanted)} file" in out else [f"printed {out!r}"])


def archive_base():
    return Tree({f"backups/p-2024-05-{day:02}.zip": file(f"{day}") for day in (1, 8, 15, 22, 29)})


# Directories and links have names of archives too, newer ones than all files.
LATEST = ("folder", "hollow", "in", "out", "away", "dead", "loop", "self")


def archive_name(stem):
    if stem in LATEST:
        return f"p-{2040 + LATEST.index(stem)}-01-01.zip"
    return f"p-{datetime.date(1990, 1, 1) + datetime.timedelta(int(stem))}.zip" if stem.isdigit() else f"p-2023-{stem}.zip"


@chore("Keep only the newest three archives", base=archive_base, slot=Slot("backups", archive_name), many=1_001)
def newest(tree):
    archives = tree.find("backups", lambda name: re.fullmatch(r"p-\d{4}-\d\d-\d\d\.zip", name), depth=1)
    archives.sort(key=lambda path: os.fsencode(posixpath.basename(path)), reverse=True)
    for path in archives[3:]:
        del tree[path]
    return [f"deleted {path}\n" for path in archives[3:]]


def mirror_base():
    return Tree({
        "work/a.txt": file("new text"), "work/b.txt": file("same"), "work/d/c.txt": file("deep"),
        "mirror/a.txt": file("old text"), "mirror/b.txt": file("same"), "mirror/gone.txt": file("gone"),
    })


def mirror_taken(tree):
    tree["work/x"] = file("a file")
    tree["mirror/x/in"] = file("no longer in work")
    tree["work/y/in"] = file("a folder")
    tree["mirror/y"] = file("no longer a file in work")
    return tree


@chore("Mirror a folder", base=mirror_base, taken=mirror_taken, slot=Slot("work"), many=1_001)
def mirrored(tree):
    out = []
    if tree.kind("mirror") == "link":
        raise Failure("the mirror is a link")
    here = {path[5:]: tree[path] for path in tree.find("work", anything)}
    for path in tree.find("mirror", anything, kinds=("file", "link")) if tree.kind("mirror") else ():
        if is_refused(path):
            out += [] if path[7:] in here else [Said("not deleted: ")]
        elif path[7:] not in here or tree[path].kind == "link":
            del tree[path]
            keep_parent(tree, path)
            out.append(f"deleted {path[7:]}\n")
    if tree.kind("mirror") is None:
        tree["mirror"] = directory()
    there = {path[7:]: tree[path] for path in tree.find("mirror", anything)}
    for path, entry in here.items():
        if not entry.is_closed and not is_refused(path) and path in there and there[path].content == entry.content:
            continue
        place = "mirror/" + path
        fails = entry.is_closed or is_refused(path) or tree.kind(place) == "directory"
        if not fails:
            tree.write(place, entry.content)
        out.append(Said("not copied: ") if fails else f"copied {path}\n")
    return out


@chore("Write and verify a list of checksums", slot=Slot("data", lambda stem: f"{stem}.bin"),
       base=lambda: Tree({"data/b.bin": file("two")}), taken=lambda tree: Tree({**tree, "SHA256SUMS": file("old")}))
def checksums(tree):
    lines = []
    for path in tree.find("data", anything):
        if is_refused(path):
            raise Failure("the policy refuses")
        if tree[path].is_closed:
            raise Failure("permission denied")
        escaped = path.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
        lines.append(f"{'' if escaped == path else chr(92)}{digest(tree[path])}  {escaped}\n")
    tree.write("SHA256SUMS", "".join(lines).encode() or b"")
    is_new = tree.kind("data/b.bin") is None
    is_other = is_new or tree["data/b.bin"].content != b"changed\n"
    tree.write("data/b.bin", b"changed\n")
    return ["data/b.bin is not what it was\n"] if is_other and not is_new else []


def site(*names):
    """An archive with a file of each name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, f"<p>{name}</p>\n")
    return packed.getvalue()


def many_pages(count):
    return [name for number in range(count) for name in (f"site/d{number}/x.html", f"site/d{number}/{number}/y.png")]


@chore("Extract a part of an archive", slot=sole("site.zip", site("site/a.html", "site/b/c.html", "site/b/d.png")), without=(*ONE, "texts", "folders", "links"), again=False)
def extracted(tree):
    entry = tree.get("site.zip")
    if entry is None or entry.kind != "file":
        raise Failure("does not exist" if entry is None else "")
    if entry.is_closed:
        raise Failure("permission denied")
    if not zipfile.is_zipfile(io.BytesIO(entry.content)):
        raise Failure("the archive is refused")
    with zipfile.ZipFile(io.BytesIO(entry.content)) as archive:
        pages = {name: archive.read(name) for name in sorted(archive.namelist(), key=lambda name: name.split("/")) if name.endswith(".html")}
    if any(f"out/{name}" in tree for name in pages):
        raise Failure("already exists")
    tree.update({f"out/{name}": file(content, modified=0) for name, content in pages.items()})
    return [f"{name} {len(content)}\n" for name, content in pages.items()] + ([f"{len(pages)} extracted\n"] if pages else [])


@chore("Give copies the times of their originals", slot=Slot("photos", lambda stem: f"{stem}.jpg", lambda number: b"photo %d" % number, lambda number: 1_600_000_000 + number),
       base=lambda: Tree({f"copies/{number:05}.jpg": file(f"photo {number // 2 * 2}", modified=1_500_000_000) for number in range(4)}), again=True)
def dated(tree):
    out = []
    for path in tree.find("photos", anything):
        copy = "copies/" + path.removeprefix("photos/")
        entry, other = tree[path], tree.get(copy)
        if other is None or other.kind != "file" or other.modified == entry.modified or len(other.content) != len(entry.content):
            continue
        if is_refused(path):
            raise Failure("the policy refuses")
        if entry.is_closed or other.is_closed:
            raise Failure("permission denied")
        if other.content != entry.content:
            continue
        tree[copy] = dataclasses.replace(other, modified=entry.modified)
        out.append(f"{copy} {stamp(entry, '%Y-%m-%d')}\n")
    return out


@chore("Find broken links", slot=Slot("docs", lambda stem: f"{stem}.md", lambda number: b"[a](a.md#x) [b](lost%d.md) [c](https://x.org) [d](../../out.md) [e](<x y>)\n" % number))
def dead_links(tree):
    out = []
    for path in tree.find("docs", lambda name: name.endswith(".md")):
        try:
            lines = list(prose(tree.read(path)[0]))
        except Failure:
            out.append(Said("not read: "))
            continue
        for number, line in lines:
            out += [f"{path}:{number}: {target}\n" for target in targets(line) if is_dead(tree, path, target)]
    return out


def targets(line):
    """The targets of the links of a line, as they are written."""
    line = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
    for start in re.finditer(r"(?<!\\)\]\([ \t]*", line):
        rest = line[start.end():]
        if ")" not in rest:
            continue
        if re.match("<[^>]*>", rest):
            yield rest[: rest.index(">") + 1]
            continue
        end = depth = 0
        while end < len(rest) and rest[end] not in " \t" and (rest[end] != ")" or depth):
            depth += {"(": 1, ")": -1}.get(rest[end], 0)
            end += 2 if rest[end] == "\\" else 1
        yield rest[:end]


def is_dead(tree, page, target):
    """Whether a link leads to a file that is not there."""
    place = re.split("[?#]", target.strip("<>"))[0]
    if place == "" or place.startswith("//") or re.match(r"[A-Za-z][\w+.-]*:", place):
        return False
    place = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", place)
    try:
        place = urllib.parse.unquote(place, errors="strict")
    except UnicodeDecodeError:
        pass
    place = place[1:] if place.startswith("/") else posixpath.join(posixpath.dirname(page), place)
    place = posixpath.normpath(place)
    return place.startswith("..") or tree.kind(place) is None


# Scripts

@chore("scripts/find_duplicates.ns", slot=Slot("a", content=lambda number: b"same" if number % 3 == 0 else b"%04d" % number))
def duplicate_groups(tree):
    said, unread, groups = [], [], []
    for size, found in alike(tree, ".", lambda path: (unread.append(path), said.append(Said("not read: ")))):
        groups += [(size * (len(paths) - 1), size, paths) for paths in found]
    groups.sort(key=lambda group: -group[0])
    for _, size, paths in groups:
        said.append(f"{len(paths)} times {size} bytes\n" + "".join(f"  {path}\n" for path in paths))
    said.append(f"{len(groups)} groups, {sum(group[0] for group in groups)} bytes could be saved\n")
    return said + ([f"{len(unread)} files could not be read\n"] if unread else [])


@chore("scripts/inventory.ns", slot=Slot("a", lambda stem: f"{stem}.TXT"))
def inventory(tree):
    files, folders = tree.find(".", anything), len(tree.directories())
    total = sum(len(tree[path].content) for path in files)
    kinds = collections.Counter()
    for path in files:
        kinds[suffix(posixpath.basename(path)).lower() or "(none)"] += 1
    beginning = f"Inventory of .: {len(files)} files in {folders} folders, "
    rows = [re.compile(re.escape(f"{kind:<14}{count:>10}")) for kind, count in kinds.items()]
    return [Said(beginning), lambda out: f" ({total} bytes)\n" in out and all(row.search(out) for row in rows)]


@chore("scripts/project_report.ns", slot=Slot("src", lambda stem: f"{stem}.py", lambda number: b"x = 1  # TODO %d\n\n" % number),
       base=lambda: Tree({"target/x.py": file("TODO\n"), "src/target": file("x"), "a/node_modules/y.py": file("TODO\n")}))
def report(tree):
    left_out = {"target", "node_modules", ".git", "dist", "build", "vendor"}
    lines = files = 0
    notes, unread = [], 0
    for path in tree.find(".", lambda name: suffix(name).lower() == "py"):
        if any(part in left_out for part in path.split("/")[:-1]):
            continue
        try:
            text, _ = tree.read(path)
        except Failure:
            unread += 1
            continue
        found = re.split(r"\r\n|\n|\r", text)
        files, lines = files + 1, lines + len(found) - (found[-1] == "")
        plain = text.split("\n")
        notes += [f"- `{path}:{number + 1}` {line.strip()}\n" for number, line in enumerate(plain) if "TODO" in line]
    row = f"| Python | {files} | {lines} | " if files else "## Notes"
    return [Said("# Project report\n"), lambda out: row in out and all(note in out for note in notes) and out.count("\n- ") >= unread]


def taken_stamp(tree):
    tree["Photos/x.JPG"] = file("new", modified=1_600_000_000)
    tree["Photos/2020-09-13_122640_x.jpg"] = file("old", modified=1_700_000_000)
    return tree


@chore("scripts/rename_photos.ns", args=("Photos", "--go"), slot=Slot("Photos", lambda stem: f"{stem}.JPG"), taken=taken_stamp, many=1_001)
def photo_stamps(tree):
    out, done, left = [], 0, 0
    is_photo = lambda name: re.search(r"\.(jpg|jpeg|png|heic|webp|dng|cr2|nef)\Z", name, re.I | re.S)  # noqa: E731
    for path in tree.find("Photos", is_photo):
        name, mark = posixpath.basename(path), stamp(tree[path], "%Y-%m-%d_%H%M%S")
        if re.match(r"\d{4}-\d\d-\d\d_\d{6}", name):
            left += 1
            continue
        extension = suffix(name)
        new = f"{mark}_{name[:len(name) - len(extension)]}{extension.lower()}"
        if renamed(tree, out, path, new, f"{path} -> {new}\n"):
            done += 1
        else:
            left += 1
    return out + [f"{done} renamed, {left} left alone\n"]


@chore("scripts/tidy_downloads.ns", args=("Downloads", "--go"), slot=Slot("Downloads", lambda stem: f"{stem}.MP3"), taken=taken_download, many=1_001)
def tidied(tree):
    kinds = {"mp3": "Music", "pdf": "Documents", "txt": "Documents", "zip": "Archives", "rs": None}
    out, moved, failed = [], 0, 0
    taken = {}
    for path in tree.find("Downloads", anything, depth=1, hidden=False):
        name = posixpath.basename(path)
        kind = kinds.get(suffix(name).lower())
        if kind is None:
            continue
        folder = f"Downloads/{kind}"
        if kind not in taken:
            taken[kind] = {posixpath.basename(other) for other in [*tree, *tree.directories()] if posixpath.dirname(other) == folder}
        new, number = name, 1
        while new in taken[kind]:
            number += 1
            new = f"{name[:-len(suffix(name)) - 1]} ({number}).{suffix(name)}"
        taken[kind].add(new)
        out.append(f"{path} -> {folder}/{new}\n")
        if tree.kind(folder) == "file" or not tree.move(path, made(tree, folder, new)):
            out.append(Said("  not moved: "))
            failed += 1
        else:
            moved += 1
    return out + [f"{moved} moved, {failed} not moved\n"]


HOLDS = {names: names_hold, archived: archive_holds}
