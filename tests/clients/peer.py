#!/usr/bin/env python3
"""Fifty requests to `ns mcp` and to @modelcontextprotocol/server-filesystem on equal trees: what both say of the
same thing must be the same; where they differ on purpose, the difference is named, and a test of it.

    tests/clients/peer.py NS
"""

import json
import pathlib
import sys
import tempfile

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True

import tree  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PACKAGE / "scripts/agents"))
from client import Client  # noqa: E402

PEER = PACKAGE / "target/clients/node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"

FILES = ["docs/a.md", "docs/b.md", "src/main.rs", "src/deep/ünïcode.txt", "empty.txt", "long.txt"]
FOLDERS = [".", "docs", "src", "src/deep"]
OUTSIDE = ["../outside.txt", "/etc/passwd", "docs/../../outside.txt", "none.txt", "docs/none/none.txt"]


class Both:
    """The two servers, and what came of every request."""

    def __init__(self, ns, here, there):
        self.here, self.there = pathlib.Path(here).resolve(), pathlib.Path(there).resolve()
        self.ns = Client([ns, "mcp", "--sandbox", str(self.here), "--write", "--tools", "default,file_info"])
        self.peer = Client(["node", str(PEER), str(self.there)])
        self.same, self.different = 0, []

    def ask(self, what, ours, theirs, difference=None):
        """Two requests for one thing; each is (tool, arguments, how its answer is read)."""
        (tool, arguments, read), (their_tool, their_arguments, their_read) = ours, theirs
        mine = self.ns.call(tool, arguments)
        their_arguments = {key: self.absolute(key, value) for key, value in their_arguments.items()}
        their = self.peer.call(their_tool, their_arguments)
        failed, they_failed = mine.get("isError", False), their.get("isError", False)
        answer = "error" if failed else read(mine.get("structuredContent") or mine["content"][0]["text"])
        their_answer = "error" if they_failed else their_read(their["content"][0]["text"])
        if answer == their_answer:
            self.same += 1
        elif difference:
            self.different.append((what, difference))
        else:
            raise AssertionError(f"{what}: {answer!r} here, {their_answer!r} there")

    def absolute(self, key, value):
        is_path = key in ("path", "source", "destination") and not str(value).startswith("/")
        return str(self.there / value) if is_path else value


def names(text):
    return sorted(line.split("] ", 1)[1] for line in text.splitlines())


def our_names(answer):
    return sorted(line.strip().rstrip("/") for line in answer.splitlines()[1:])


def below(folder):
    """The relative paths that the peer prints whole."""
    return lambda text: sorted(str(pathlib.Path(line).relative_to(folder)) for line in text.splitlines() if "/" in line)


def below_of(folder, path):
    """A path from the root as one from a folder."""
    return path if folder == "." else path.removeprefix(folder + "/")


def flat(children, prefix=""):
    paths = []
    for child in children:
        paths.append(prefix + child["name"])
        paths += flat(child.get("children", []), f"{prefix}{child['name']}/")
    return sorted(paths)


def info(text):
    fields = dict(line.split(": ", 1) for line in text.splitlines())
    return int(fields["size"]), fields["isDirectory"] == "true"


def requests(both):
    content = lambda answer: answer["content"]  # noqa: E731
    same = lambda text: text  # noqa: E731
    done = lambda _: "done"  # noqa: E731
    for path in FILES:
        both.ask(f"read {path}", ("read_file", {"file_path": path}, content), ("read_text_file", {"path": path}, same))
    for path in OUTSIDE:
        ours = ("read_file", {"file_path": path}, content)
        both.ask(f"read {path}", ours, ("read_text_file", {"path": path}, same))
    for lines in (1, 3, 10):
        ours = ("read_file", {"path": "long.txt", "head": lines}, lambda it: it["content"].splitlines())
        theirs = ("read_text_file", {"path": "long.txt", "head": lines}, str.splitlines)
        both.ask(f"the first {lines} lines", ours, theirs)
        ours = ("read_file", {"path": "long.txt", "tail": lines}, lambda it: it["content"].splitlines())
        theirs = ("read_text_file", {"path": "long.txt", "tail": lines}, str.splitlines)
        both.ask(f"the last {lines} lines", ours, theirs, "there, what follows the last line end is a line")
    for path in FOLDERS:
        both.ask(f"list {path}", ("list_dir", {"path": path}, our_names), ("list_directory", {"path": path}, names))
    for path in OUTSIDE[:3]:
        both.ask(f"list {path}", ("list_dir", {"path": path}, our_names), ("list_directory", {"path": path}, names))
    for path in FOLDERS:
        walked = lambda answer: sorted(below_of(path, entry["path"]) for entry in answer["result"])  # noqa: E731
        ours = ("find", {"path": path, "type": "all"}, walked)
        both.ask(f"walk {path}", ours, ("directory_tree", {"path": path}, lambda text: flat(json.loads(text))))
    for path in FILES + FOLDERS[1:]:
        looked = lambda answer: (answer["sizeBytes"], answer["type"] == "directory")  # noqa: E731
        ours = ("file_info", {"path": path}, looked)
        is_folder = path in FOLDERS
        why = "the size of a directory is none here, and that of its own blocks there" if is_folder else None
        both.ask(f"look at {path}", ours, ("get_file_info", {"path": path}, info), why)
    for pattern in ("*.md", "*.txt", "*.none"):
        found = lambda answer: sorted(it["path"] for it in answer["result"])  # noqa: E731
        ours = ("find", {"pattern": pattern}, found)
        theirs = ("search_files", {"path": ".", "pattern": f"**/{pattern}"}, below(both.there))
        both.ask(f"find {pattern}", ours, theirs)
    both.ask("make a directory", ("create_directory", {"directory_path": "new"}, done), ("create_directory", {"path": "new"}, done))
    for number in range(5):
        path, text = f"new/{number}.txt", f"text {number}\n"
        ours = ("write_file", {"path": path, "content": text}, done)
        both.ask(f"write {path}", ours, ("write_file", {"path": path, "content": text}, done))
        both.ask(f"read {path}", ("read_file", {"file_path": path}, content), ("read_text_file", {"path": path}, same))
    edits = [{"oldText": "text", "newText": "edited"}, {"oldText": "edited 0", "newText": "edited twice"}]
    for dry in (True, False):
        edit = ("edit_file", {"path": "new/0.txt", "edits": edits, "dryRun": dry}, done)
        both.ask("edit a file", edit, edit)
        both.ask("read it", ("read_file", {"path": "new/0.txt"}, content), ("read_text_file", {"path": "new/0.txt"}, same))
    ours = ("read_file", {"file_path": "new/0.txt"}, content)
    both.ask("read what was edited", ours, ("read_text_file", {"path": "new/0.txt"}, same))
    ours = ("move_file", {"source": "new/0.txt", "destination": "new/9.txt"}, done)
    both.ask("move a file", ours, ("move_file", {"source": "new/0.txt", "destination": "new/9.txt"}, done))
    ours = ("move_file", {"source": "new/1.txt", "destination": "new/2.txt"}, done)
    why = "a move never replaces a file here"
    both.ask("move onto a file", ours, ("move_file", {"source": "new/1.txt", "destination": "new/2.txt"}, done), why)


def main():
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        tree.make(here)
        tree.make(there)
        both = Both(sys.argv[1], here, there)
        requests(both)
        both.ns.close()
        both.peer.close()
    count = both.same + len(both.different)
    print(f"{count} requests to both: {both.same} answers the same, {len(both.different)} different on purpose")
    for what, why in both.different:
        print(f"  {what}: {why}")
    if count < 50:
        raise AssertionError("fewer than fifty requests")


if __name__ == "__main__":
    main()
