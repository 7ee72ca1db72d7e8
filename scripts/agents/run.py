#!/usr/bin/env python3
"""Does the ten tasks of tasks.py both ways through `ns mcp`, and prints what each way costs a model.

    python3 scripts/agents/run.py [--ns PATH]

Counted are calls, and the bytes of their requests and answers, which a model writes and reads. The exit code is 1
when the two ways differ in their answers or in the files that they leave.
"""

import argparse
import pathlib
import sys
import tempfile

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True

from client import Client  # noqa: E402
from tasks import TASKS, make  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parents[2]


class Counted:
    """Calls of one way of doing a task."""

    def __init__(self, client):
        self.client, self.calls, self.bytes = client, 0, 0

    def __call__(self, tool, arguments):
        before = self.client.sent + self.client.heard
        result = self.client.call(tool, arguments)
        self.calls += 1
        self.bytes += self.client.sent + self.client.heard - before
        if result["isError"]:
            raise ValueError(f"{tool}: {result['structuredContent']['error']}")
        # An answer that is a text comes as this text alone.
        return result.get("structuredContent") or {"result": result["content"][0]["text"]}


def left(folder):
    """The files below a folder with their content."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".ns" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def do(task, ns, way):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        make(folder)
        client = Client([ns, "mcp", "--sandbox", place, "--write"])
        call = Counted(client)
        answer = task.by_tools(call) if way == "tools" else call("run_script", {"script": task.script})["value"]
        client.close()
        return answer, left(folder), call


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ns", default=str(PACKAGE / "target/release/ns"))
    options = parser.parse_args()
    print("| task | calls, tool by tool | bytes | calls, one script | bytes |\n|---|---:|---:|---:|---:|")
    sums, wrong = [0, 0, 0, 0], []
    for task in TASKS:
        answer, files, tools = do(task, options.ns, "tools")
        same, same_files, script = do(task, options.ns, "script")
        if (answer, files) != (same, same_files):
            wrong.append(f"{task.question} {answer} tool by tool, {same} as a script")
        row = [tools.calls, tools.bytes, script.calls, script.bytes]
        sums = [total + value for total, value in zip(sums, row)]
        print(f"| {task.question} | " + " | ".join(f"{value:,}" for value in row) + " |")
    print("| all | " + " | ".join(f"{value:,}" for value in sums) + " |")
    print(*wrong, sep="\n", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
