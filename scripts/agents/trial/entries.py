"""A tree of files as data: `Tree` maps each path below a root to what is there. `make` writes one to a disk, and
`read` reads one back; what `read` gives for a tree that `make` wrote is equal to it."""

import os
import pathlib
import stat
from dataclasses import dataclass

# Every entry is as old as this, so that answers which tell times are the same every time.
MODIFIED = 1_759_312_800


@dataclass(frozen=True)
class File:
    """A file. `mode` is None in an expectation for which any mode is right."""

    content: bytes
    mode: int | None = 0o644


@dataclass(frozen=True)
class Folder:
    mode: int | None = 0o755


@dataclass(frozen=True)
class Link:
    target: str


class Tree(dict):
    """Paths from the root, with `/`, and their entries. Folders on the way to a file are entries too."""

    def write(self, path, content, encoding="utf-8", mode=0o644):
        """Adds a file, and the folders above it; a text is encoded."""
        self.folder(os.path.dirname(path))
        self[path] = File(content.encode(encoding) if isinstance(content, str) else content, mode)

    def folder(self, path, mode=0o755):
        """Adds a folder and those above it, unless they are there."""
        if path and path not in self:
            self.folder(os.path.dirname(path))
            self[path] = Folder(mode)

    def link(self, path, target):
        self.folder(os.path.dirname(path))
        self[path] = Link(target)

    def create(self, path, content):
        """Expects a file that a task makes: any mode is right, for the file and for new folders above it."""
        parts = path.split("/")[:-1]
        for end in range(1, len(parts) + 1):
            self.setdefault("/".join(parts[:end]), Folder(None))
        self[path] = File(content.encode() if isinstance(content, str) else content, None)

    def change(self, path, content):
        """Expects another content of a file that is there; its mode stays."""
        self[path] = File(content.encode() if isinstance(content, str) else content, self[path].mode)

    def move(self, source, destination):
        """Expects an entry elsewhere; new folders above it may have any mode."""
        if destination in self:
            raise ValueError(f"{destination} is there already")
        entry = self.pop(source)
        self.create(destination, b"")
        self[destination] = entry

    def files(self, folder="", ending=""):
        """The paths of the files below a folder whose names end so, in the order of code points."""
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
    """Writes a tree below a folder that is there."""
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
    """The tree below a folder, without what the server keeps in `.ns`."""
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
