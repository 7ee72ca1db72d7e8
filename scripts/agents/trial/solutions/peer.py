"""Steps of several solutions with server-filesystem. Each reads only the answers.

The tools are those of @modelcontextprotocol/server-filesystem: files are found by names, read whole, several in one
call, and written or edited one by one."""

import json

# Words in the name or description of a tool that could do what a task needs.
DELETES = r"\bdelet|\bremov|trash|unlink"
INFLATES = r"gzip|compress|inflate|archive"
TAKES_BACK = r"undo|take back|revert|histor"
KNOWS_LINKS = r"symlink|symbolic|\blinks?\b"


def search(call, folder, pattern, exclude=()):
    """Returns the paths below a folder that match, from the root. The tool does not tell folders from files."""
    arguments = {"excludePatterns": list(exclude)} if exclude else {}
    found = call.text("search_files", path=folder, pattern=pattern, **arguments).splitlines()
    # The answer has absolute paths, which contain the folder.
    return sorted(f"{folder}/{line.split(f'/{folder}/', 1)[1]}" for line in found if f"/{folder}/" in line)


def paths_in(call, folder, exclude=()):
    """Returns the paths of all files below a folder, from the root. The tool does not tell links from files."""
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
    """Reads files by one call and returns their contents. Bytes that are not UTF-8 arrive as U+FFFD."""
    answer, found = call.text("read_multiple_files", paths=paths), {}
    for path, following in zip(paths, [*paths[1:], None]):
        head = f"{path}:\n"
        if not answer.startswith(head):
            raise ValueError(f"{path} was not read: {answer[:200]}")
        end = answer.index(f"\n\n---\n{following}:\n") if following else len(answer) - 1
        found[path], answer = answer[len(head) : end], answer[end + len("\n\n---\n") :]
    return found


def edit(call, path, text, edits):
    """Changes a file that was read. An edit turns all line ends into LF, so a file with CRLF is written whole."""
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
