"""One task with one server: the tree on a disk, the server, its calls, and the outcome.

A session counts calls, the bytes that a model writes (the name of the tool and the arguments), and the bytes that it
reads (the content of the answers). `structuredContent` repeats that content, so it is not counted."""

import json
import pathlib
import sys
import tempfile
from dataclasses import dataclass

import entries
from judge import Outcome

PACKAGE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PACKAGE / "scripts/agents"))
from client import Client  # noqa: E402

PEER = PACKAGE / "target/clients/node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"


@dataclass
class NotPossible:
    """The reason why a server cannot do a task. The description of a tool that could do it would match `lacks`."""

    why: str
    lacks: str


class Session:
    """Calls one server and counts. A failed call raises an exception."""

    def __init__(self, command):
        self.client = Client(command)
        self.calls = self.written = self.read = 0

    def result(self, tool, arguments):
        result = self.client.call(tool, arguments)
        self.calls += 1
        self.written += size({"name": tool, "arguments": arguments})
        self.read += sum(len(block["text"].encode()) if "text" in block else size(block) for block in result["content"])
        return result

    def text(self, tool, **arguments):
        """Calls a tool and returns the text of its answer."""
        result = self.result(tool, arguments)
        text = result["content"][0]["text"]
        if result.get("isError"):
            raise ValueError(f"{tool}: {text}")
        return text

    def data(self, tool, **arguments):
        """Calls a tool and returns the data of its answer."""
        result = self.result(tool, arguments)
        if result.get("isError"):
            raise ValueError(f"{tool}: {json.dumps(result['structuredContent'])[:3000]}")
        # An answer that is a text comes as this text alone.
        return result.get("structuredContent", result["content"][0]["text"])

    def script(self, script):
        """Runs a script and returns its value."""
        return self.data("run_script", script=script)["value"]


def size(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def command_of(side, ns, place):
    if side == "ns":
        return [ns, "mcp", "--sandbox", str(place), "--write"]
    return ["node", str(PEER), str(place)]


def make_place(task, ns, place):
    """Creates the tree of a task in an empty folder, and makes the changes that precede the task."""
    entries.make(task.make_tree(), place)
    for script in task.prepared:
        session = Session(command_of("ns", ns, place))
        session.script(script)
        session.client.close()


def definitions(side, ns):
    """Returns the bytes that a model reads before its first task: `instructions`, the list of tools, and a guide."""
    with tempfile.TemporaryDirectory() as place:
        session = Session(command_of(side, ns, place))
        said = len(session.client.hello["result"].get("instructions", "").encode())
        tools = session.client.request("tools/list", {})["result"]["tools"]
        if any(tool["name"] == "language_guide" for tool in tools):
            said += len(session.text("language_guide").encode())
        session.client.close()
    return said + sum(size({key: tool[key] for key in ("name", "description", "inputSchema")}) for tool in tools)


def solve(task, side, ns):
    """Runs the ideal solution of a task; returns the session and the outcome."""
    with tempfile.TemporaryDirectory() as above:
        place = pathlib.Path(above).resolve() / "files"
        place.mkdir()
        make_place(task, ns, place)
        session = Session(command_of(side, ns, place))
        try:
            answer = task.solution(side)(session)
        finally:
            session.client.close()
        return session, Outcome(entries.read(place), answer)
