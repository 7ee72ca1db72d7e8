"""Steps that the solutions with server-filesystem share. Each reads only what an answer has.

The tools are those of @modelcontextprotocol/server-filesystem: files are found by names, read whole, several in one
call, and written or edited one by one."""

import json

# The words that a tool would have in its name or description if it did what a task needs.
DELETES = r"\bdelet|\bremov|trash|unlink"
INFLATES = r"gzip|compress|inflate|archive"
TAKES_BACK = r"undo|take back|revert|histor"
KNOWS_LINKS = r"symlink|symbolic|\blinks?\b"


def search(call, folder, pattern, exclude=()):
    """The paths of the files below a folder, from the root; in what it finds, folders look like files."""
    arguments = {"excludePatterns": list(exclude)} if exclude else {}
    found = call.text("search_files", path=folder, pattern=pattern, **arguments).splitlines()
    # The answer has whole paths; the folder that was searched is within each.
    return sorted(f"{folder}/{line.split(f'/{folder}/', 1)[1]}" for line in found if f"/{folder}/" in line)


def paths_in(call, folder, exclude=()):
    """The paths of all files below a folder, from the root. Links look like files."""
    arguments = {"excludePatterns": list(exclude)} if exclude else {}
    tree = json.loads(call.text("directory_tree", path=folder, **arguments))
    return sorted(flat(tree, "" if folder == "." else f"{folder}/"))


def flat(children, prefix):
    for child in children:
        if "children" in child:
            yield from flat(child["children"], f"{prefix}{child['name']}/")
        else:
            yield prefix + child["name"]


def texts(call, paths):
    """The contents of files, read by one call. What is no UTF-8 comes with marks of replacement."""
    answer, found = call.text("read_multiple_files", paths=paths), {}
    for path, following in zip(paths, [*paths[1:], None]):
        head = f"{path}:\n"
        if not answer.startswith(head):
            raise ValueError(f"{path} was not read: {answer[:200]}")
        end = answer.index(f"\n\n---\n{following}:\n") if following else len(answer) - 1
        found[path], answer = answer[len(head) : end], answer[end + len("\n\n---\n") :]
    return found


def edit(call, path, text, edits):
    """Changes a file that was read. An edit would make all line ends LF, so a file with others is written whole."""
    if "\r" not in text:
        call.text("edit_file", path=path, edits=[{"oldText": old, "newText": new} for old, new in edits])
        return
    for old, new in edits:
        text = text.replace(old, new, 1)
    write(call, path, text)


def write(call, path, text, new_folder=False):
    if new_folder:
        call.text("create_directory", path=path.rpartition("/")[0])
    call.text("write_file", path=path, content=text)
