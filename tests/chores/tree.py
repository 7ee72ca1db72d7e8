"""Trees of files as models see them: made on the disk, read from it, and compared.

Paths are texts with `surrogateescape`, so that names which are no UTF-8 have a text too. What `ns` keeps for itself
(`.ns`) is no part of a tree.
"""

import dataclasses
import os
import re
import unicodedata

DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
DEVICES |= {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file, directory or link."""

    kind: str
    content: bytes = b""
    target: str = ""
    mode: int = 0o644
    modified: int = 1_600_000_000

    @property
    def is_closed(self):
        """Whether nobody but root can read it."""
        return self.mode & 0o400 == 0


def file(content=b"", **more):
    return Entry("file", content if isinstance(content, bytes) else content.encode(), **more)


def directory(**more):
    return Entry("directory", mode=more.pop("mode", 0o755), **more)


def link(target):
    return Entry("link", target=target)


class Failure(Exception):
    """The script is to end with a failure that says this."""


class Tree(dict):
    """Entries by their paths; directories above them are there without being named."""

    def copy(self):
        return Tree(self)

    def kind(self, path):
        """What is at a path, links not followed: a kind, or None."""
        if path in self:
            return self[path].kind
        return "directory" if path in ("", ".") or any(other.startswith(path + "/") for other in self) else None

    def make(self, root):
        """Makes the tree on the disk, below a folder."""
        for path in sorted(self, key=lambda path: path.count("/")):
            entry, place = self[path], os.path.join(root, path)
            os.makedirs(place if entry.kind == "directory" else os.path.dirname(place), exist_ok=True)
            if entry.kind == "file":
                with open(place, "wb") as out:
                    out.write(entry.content)
                os.utime(place, (entry.modified, entry.modified))
            elif entry.kind == "link":
                os.symlink(entry.target, place)

    def close(self, root):
        """Takes away what may be read, once everything belongs to whom it shall."""
        for path, entry in self.items():
            if entry.kind != "link" and entry.mode not in (0o644, 0o755):
                os.chmod(os.path.join(root, path), entry.mode)

    def directories(self):
        """All directories, named or not."""
        found = {path for path, entry in self.items() if entry.kind == "directory"}
        for path in self:
            parts = path.split("/")[:-1]
            found |= {"/".join(parts[: count + 1]) for count in range(len(parts))}
        return found

    def find(self, folder, wanted, depth=None, hidden=True, kinds=("file",), fits=lambda path: True):
        """What `FS.Find` gives: paths of entries whose names are wanted, in the order of their bytes."""
        base = "" if folder == "." else folder + "/"
        if self.kind(folder) != "directory":
            raise Failure("does not exist" if self.kind(folder) is None else "not a directory")
        self.refuse_shut(base, depth)
        found = []
        for path in [*self, *(self.directories() if "directory" in kinds else ())]:
            below = path[len(base):]
            parts = below.split("/")
            if not path.startswith(base) or (depth and len(parts) > depth):
                continue
            if (hidden or not any(part.startswith(".") for part in parts)) and self.kind(path) in kinds and wanted(parts[-1]):
                found += [path] if fits(path) else []
        for path in found:
            if not is_text(path):
                raise Failure("is not UTF-8")
        return sorted(set(found), key=os.fsencode)

    def search(self, folder, suffix, fits, everything=False):
        """What `FS.SearchFiles` gives: `(path, line number, line)` of the lines that fit; with `everything` also of hidden
        files and of those that git ignores."""
        base = folder + "/"
        ignored = set() if everything else self.ignored()
        files = [folder] if self.kind(folder) == "file" else [
            path for path, entry in self.items()
            if path.startswith(base) and entry.kind == "file" and path.endswith(suffix)
            and (everything or not any(part.startswith(".") for part in path[len(base):].split("/")))
            and not ignored & set(path.split("/")) and not is_refused(path)
        ]
        if self.kind(folder) in (None, "link"):
            raise Failure("does not exist")
        self.refuse_shut(base)
        found = []
        for path in sorted(files, key=lambda path: [os.fsencode(part) for part in path.split("/")]):
            entry = self[path]
            if entry.is_closed:
                raise Failure("permission denied")
            text = lines_of(entry.content)
            if text is None:
                if self.kind(folder) == "file":
                    raise Failure("is binary")
                continue
            matches = [(path, number + 1, line) for number, line in enumerate(text) if fits(line)]
            if matches and not is_text(path):
                raise Failure("is not UTF-8")
            found += matches
        return found

    def ignored(self):
        """The directories that a `.gitignore` names."""
        text = self.get(".gitignore", file()).content.decode()
        return {line.removesuffix("/") for line in text.split("\n") if line.endswith("/")}

    def refuse_shut(self, base, depth=None):
        """Fails where a directory that is searched cannot be read."""
        for path, entry in self.items():
            is_below = path.startswith(base) and (depth is None or path[len(base):].count("/") + 1 < depth)
            if is_below and entry.kind == "directory" and entry.is_closed:
                raise Failure("permission denied")

    def read(self, path):
        """The text of a file with how it is encoded."""
        entry = self.get(path)
        if self.kind(path) != "file":
            # Links that models read lead to nothing.
            raise Failure("is a directory" if self.kind(path) == "directory" else "does not exist")
        if is_refused(path):
            raise Failure("the policy refuses")
        if entry.is_closed:
            raise Failure("permission denied")
        text, encoding = decoded(entry.content)
        if text is None:
            raise Failure("is binary")
        return text, encoding

    def write(self, path, content):
        """Writes a file anew."""
        if self.kind(path) == "directory":
            raise Failure("is a directory")
        self[path] = dataclasses.replace(self.get(path, file()), content=content)

    def move(self, source, destination):
        """Moves a file as `FS.MoveFile` does, or says why not."""
        parent = os.path.dirname(destination)
        old, new = os.path.basename(source), os.path.basename(destination)
        if new != old and is_odd(new) or is_refused(source) or self.kind(destination) is not None:
            return False
        if self.kind(parent) != "directory" and self.resolved(parent) is None:
            return False
        self[destination if self.kind(parent) == "directory" else f"{self.resolved(parent)}/{os.path.basename(destination)}"] = self.pop(source)
        return True

    def resolved(self, path):
        """The directory inside the tree to which a link leads."""
        entry = self.get(path)
        if entry is None or entry.kind != "link" or entry.target.startswith("/"):
            return None
        target = os.path.normpath(os.path.join(os.path.dirname(path), entry.target))
        return target if not target.startswith("..") and self.kind(target) == "directory" else None


def seen(root):
    """The tree that is on the disk below a folder."""
    tree = Tree()
    for at, folders, files in os.walk(os.fsencode(root)):
        below = os.fsdecode(os.path.relpath(at, os.fsencode(root)))
        folders[:] = [name for name in folders if not (below == "." and name == b".ns")]
        if not folders and not files and below != ".":
            tree[below] = directory()
        for name in [*files, *folders]:
            place = os.path.join(at, name)
            path = os.fsdecode(name) if below == "." else f"{below}/{os.fsdecode(name)}"
            if os.path.islink(place):
                tree[path] = link(os.fsdecode(os.readlink(place)))
            elif os.path.isfile(place):
                with open(place, "rb") as read:
                    tree[path] = file(read.read(), modified=int(os.path.getmtime(place)))
    return tree


def same(wanted, there):
    """Where two trees differ: a list of sentences. Modes and times do not count, nor directories that hold something."""
    plain = lambda entry: (entry.kind, entry.content, entry.target)  # noqa: E731
    empty = lambda tree: {  # noqa: E731
        path for path in tree.directories() if not any(other.startswith(path + "/") for other in tree)
    }
    faults = []
    files = lambda tree: {path: plain(entry) for path, entry in tree.items() if entry.kind != "directory"}  # noqa: E731
    wanted_files, there_files = files(wanted), files(there)
    for path in sorted(wanted_files.keys() | there_files.keys()):
        if wanted_files.get(path) != there_files.get(path):
            faults.append(f"{path!r}: wanted {str(wanted_files.get(path))[:300]}, found {str(there_files.get(path))[:300]}")
    for path in sorted(empty(wanted) ^ empty(there)):
        faults.append(f"directory {path!r}: {'missing' if path in empty(wanted) else 'not wanted'}")
    return faults


def is_text(path):
    """Whether a path is UTF-8."""
    try:
        path.encode()
        return True
    except UnicodeEncodeError:
        return False


def is_refused(path):
    """Whether the policy lets nobody read or change this."""
    return any(part in (".env", ".git") for part in path.split("/"))


def is_odd(name):
    """Whether a name is never made. Joiners stand only within joined emoji and Persian words in these trees."""
    seen = name.replace("\u200c", "").replace("\u200d", "")
    unseen = any(unicodedata.category(character) in ("Cc", "Cf") for character in seen)
    streams = re.search(r"^:|:([A-Za-z$:]|\Z)", name)
    return bool(unseen or streams) or "\\" in name or name.split(".")[0].rstrip().lower() in DEVICES or len(name.encode()) > 255


def decoded(content):
    """A text and its encoding: a mark first, then UTF-8, then what a Western file is taken for."""
    if content.startswith(b"\xef\xbb\xbf"):
        return content[3:].decode(), "utf-8-sig"
    if content.startswith(b"\xff\xfe"):
        return content[2:].decode("utf-16-le"), "utf-16-le"
    if b"\0" in content:
        return None, None
    try:
        return content.decode(), "utf-8"
    except UnicodeDecodeError:
        return content.decode("cp1252"), "cp1252"


def encoded(text, encoding):
    """The bytes of a text, with the mark that its encoding has."""
    return b"\xff\xfe" + text.encode(encoding) if encoding == "utf-16-le" else text.encode(encoding)


def lines_of(content):
    """The lines of a file as a search sees them; None of what is no text."""
    if content.startswith(b"\xff\xfe"):
        text = content[2:].decode("utf-16-le", "replace")
    elif b"\0" in content:
        return None
    else:
        text = content.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def edited(tree, path, change):
    """Changes the text of a file as `FS.EditFile` does: a file whose lines all end in CRLF keeps them, and a change sees
    line feeds. Gives the text before and after."""
    text, encoding = tree.read(path)
    is_crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")
    old = text.replace("\r\n", "\n") if is_crlf else text
    new = change(old)
    if new != old:
        tree.write(path, encoded(new.replace("\n", "\r\n") if is_crlf else new, encoding))
    return old, new
