#!/usr/bin/env python3
"""Does the tasks of trial/ as an ideal client would, with `ns mcp` and with server-filesystem, and prints the cost.

    python3 scripts/agents/run.py [--ns PATH] [--short] [--json]

Both speak the protocol, and the same judges decide. Counted are calls, and the bytes that a model writes (names and
arguments) and reads (answers). The exit code is 1 if an outcome is wrong, or if server-filesystem offers a tool for a
task that is listed as impossible with it. If it is not installed (`.ci/clients` installs it), its columns are left out.
"""

import argparse
import json
import pathlib
import re
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PACKAGE / "scripts/agents/trial"))

import session  # noqa: E402
from client import Client  # noqa: E402
from judge import faults  # noqa: E402
from tasks import all_tasks  # noqa: E402

HEAD = """| task | ns: calls | written | read | server-filesystem: calls | written | read |
|---|---:|---:|---:|---:|---:|---:|"""


@dataclass
class Row:
    """Costs of a task with one server, or the reason why that server cannot do it."""

    calls: int = 0
    written: int = 0
    read: int = 0
    why: str | None = None
    faults: list = None

    def cells(self):
        if self.why:
            return f"not possible: {self.why} | | "
        return f"{self.calls} | {self.written:,} | {self.read:,}"


def do(task, side, ns, offered):
    solution = task.solution(side)
    if isinstance(solution, session.NotPossible):
        able = [tool for tool in offered if re.search(solution.lacks, tool, re.I)]
        return Row(why=solution.why, faults=[f"{tool} may do what is said to be impossible" for tool in able])
    done, outcome = session.solve(task, side, ns)
    return Row(done.calls, done.written, done.read, faults=faults(task.truth(task.make_tree()), outcome))


def offered_tools(side, ns):
    """Returns a text for each tool that a server offers: its name, description and parameters."""
    with tempfile.TemporaryDirectory() as place:
        client = Client(session.command_of(side, ns, place))
        tools = client.request("tools/list", {})["result"]["tools"]
        client.close()
    return [" ".join([tool["name"], tool["description"], *tool["inputSchema"].get("properties", {})]) for tool in tools]


def summary(rows):
    done = [row for row in rows if not row.why]
    return {
        "tasks": len(done),
        "median_calls": statistics.median(row.calls for row in done),
        "calls": sum(row.calls for row in done),
        "written": sum(row.written for row in done),
        "read": sum(row.read for row in done),
    }


def summaries(rows, sides):
    """Returns the sums of each server, over its tasks and over those that both servers can do."""
    made = {side: summary([row[side] for row in rows.values()]) for side in sides}
    if len(sides) > 1:
        both = [row for row in rows.values() if not any(row[side].why for side in sides)]
        made |= {f"{side}_where_both_can": summary([row[side] for row in both]) for side in sides}
    return made


def show(rows, made, definitions):
    print(HEAD)
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(row[side].cells() for side in row) + " |")
    for name, sums in made.items():
        print(f"\n{name.replace('_', ' ')}: {sums['tasks']} tasks, median {sums['median_calls']:g} calls; ", end="")
        print(f"{sums['calls']:,} calls, {sums['written']:,} bytes written, {sums['read']:,} read", end="")
    print(
        "\n\ninstructions, tools and guide: "
        + ", ".join(f"{side} {size:,} bytes" for side, size in definitions.items())
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ns", default=str(PACKAGE / "target/release/ns"))
    parser.add_argument("--short", action="store_true", help="only the tasks that are done quickly")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    options = parser.parse_args()
    sides = ["ns", "peer"] if session.PEER.exists() else ["ns"]
    if len(sides) == 1:
        print("server-filesystem is not installed; `.ci/clients` does it", file=sys.stderr)
    tasks = [task for task in all_tasks() if task.short or not options.short]
    offered = {side: offered_tools(side, options.ns) for side in sides}
    # Trees are made one after another, since they share a source of chance.
    for task in tasks:
        task.make_tree()
    with ThreadPoolExecutor(2) as pool:
        asked = {
            (task.id, side): pool.submit(do, task, side, options.ns, offered[side]) for task in tasks for side in sides
        }
    rows = {task.id: {side: asked[task.id, side].result() for side in sides} for task in tasks}
    made = summaries(rows, sides)
    definitions = {side: session.definitions(side, options.ns) for side in sides}
    if options.json:
        listed = {name: {side: vars(row[side]) for side in row} for name, row in rows.items()}
        print(json.dumps({"tasks": listed, "sums": made, "definitions": definitions}, indent=2))
    else:
        show(rows, made, definitions)
    wrong = [f"{name}, {side}: {fault}" for name, row in rows.items() for side in row for fault in row[side].faults]
    print(*wrong, sep="\n", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
