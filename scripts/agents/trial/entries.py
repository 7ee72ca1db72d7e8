"""A tree of files as data: `Tree` maps each path below a root to its entry. `make` writes a tree to a disk, and `read`
reads it back unchanged."""

import os
import pathlib
import stat
from dataclasses import dataclass

# Modification time of every entry, so that answers with times are the same in every run.
MODIFIED = 1_759_312_800


@dataclass(frozen=True)
class File:
    """A file. In an expected tree, the mode None accepts any mode."""

    content: bytes
    mode: int | None = 0o644


@dataclass(frozen=True)
class Folder:
    mode: int | None = 0o755


@dataclass(frozen=True)
class Link:
    target: str


class Tree(dict):
    """Maps paths from the root to entries. The folders above a file are entries too."""

    def write(self, path, content, encoding="utf-8", mode=0o644):
        """Adds a file and the missing folders above it. A text is encoded."""
        self.folder(os.path.dirname(path))
        self[path] = File(content.encode(encoding) if isinstance(content, str) else content, mode)

    def folder(self, path, mode=0o755):
        """Adds a folder and the missing ones above it."""
        if path and path not in self:
            self.folder(os.path.dirname(path))
            self[path] = Folder(mode)

    def link(self, path, target):
        self.folder(os.path.dirname(path))
        self[path] = Link(target)

    def create(self, path, content):
        """Adds a file that a task creates. Any mode is right, for the file and for new folders above it."""
        parts = path.split("/")[:-1]
        for end in range(1, len(parts) + 1):
            self.setdefault("/".join(parts[:end]), Folder(None))
        self[path] = File(content.encode() if isinstance(content, str) else content, None)

    def change(self, path, content):
        """Replaces the content of a file. Its mode stays."""
        self[path] = File(content.encode() if isinstance(content, str) else content, self[path].mode)

    def move(self, source, destination):
        """Moves an entry. New folders above it may have any mode."""
        if destination in self:
            raise ValueError(f"{destination} is there already")
        entry = self.pop(source)
        self.create(destination, b"")
        self[destination] = entry

    def files(self, folder="", ending=""):
        """Returns the paths of the files below a folder that have an ending, in the order of code points."""
        prefix = f"{folder}/" if folder else ""
        return sorted(
            path
            for path, entry in self.items()
            if isinstance(entry, File) and path.startswith(prefix) and path.endswith(ending)
        )

    def text(self, path, encoding="utf-8"):
        return self[path].content.decode(encoding)

    def copy(self):
        return Tree(self)


def make(tree, root):
    """Writes a tree into an empty folder."""
    root = pathlib.Path(root)
    for path, entry in sorted(tree.items()):
        place = root / path
        match entry:
            case Folder():
                place.mkdir()
            case Link(target):
                place.symlink_to(target)
            case File(content, mode):
                place.write_bytes(content)
                place.chmod(mode)
        if not isinstance(entry, Folder):
            os.utime(place, (MODIFIED, MODIFIED), follow_symlinks=False)
    for path, entry in sorted(tree.items(), reverse=True):
        if isinstance(entry, Folder):
            os.utime(root / path, (MODIFIED, MODIFIED))
            (root / path).chmod(entry.mode)


def read(root):
    """Returns the tree below a folder, without the server's own `.ns`."""
    tree = Tree()
    for here, folders, files in os.walk(root):
        relative = os.path.relpath(here, root)
        if relative == ".":
            folders[:] = [name for name in folders if name != ".ns"]
        for name in folders + files:
            place = os.path.join(here, name)
            tree[os.path.normpath(os.path.join(relative, name))] = entry_at(place)
    return tree


def entry_at(place):
    state = os.lstat(place)
    mode = stat.S_IMODE(state.st_mode)
    if stat.S_ISLNK(state.st_mode):
        return Link(os.readlink(place))
    if stat.S_ISDIR(state.st_mode):
        return Folder(mode)
    with open(place, "rb") as file:
        return File(file.read(), mode)
