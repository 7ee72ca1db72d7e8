#!/usr/bin/env python3
"""The door to a task for a reader who sees only the answers of `ns mcp`: a model at a shell, or a person.

    door.py --brief DIR --part 1/3 --ns PATH   creates DIR with the door of a reader, and prints their instructions
    door.py --summary DIR…                     the table of results: right or not, calls, bytes

Commands of a reader, in DIR:

    ./door --task ID                        the task
    ./door --task ID tools                  the instructions of the server, and its tools
    ./door --task ID call TOOL '{"a": 1}'   a call; prints the content of the answer
    ./door --task ID call TOOL - <<'END'    the same, the JSON on standard input
    ./door --task ID call TOOL a=TEXT b=@FILE   arguments one by one: JSON, or a text; @ takes the text of a file
    ./door --task ID answer JSON            the answer, which ends the task

Each task has a folder and a server of its own, which runs until the task is answered. Only the first answer counts.
DIR/ID/log.jsonl lists the calls. Nothing prevents a reader from reading the files in another way.
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

sys.dont_write_bytecode = True

import entries  # noqa: E402
from judge import Outcome, faults  # noqa: E402
from session import PACKAGE, Session, command_of, make_place  # noqa: E402
from tasks import all_tasks, task_of  # noqa: E402

HERE = pathlib.Path(__file__).resolve()
BRIEF = HERE.with_name("reader.md")
# A server stops after this time without a call.
PATIENCE_S = 3 * 3600


class Place:
    """The folder of one task of one reader: the files, the calls and the answer."""

    def __init__(self, state, task, ns=None):
        self.task, self.ns, self.folder = task, ns, pathlib.Path(state).resolve() / task.id
        self.files, self.socket = self.folder / "files", self.folder / "socket"
        self.log, self.answer = self.folder / "log.jsonl", self.folder / "answer.json"

    def make(self):
        if not self.files.exists():
            self.files.mkdir(parents=True)
            make_place(self.task, self.ns, self.files)

    def ask(self, request):
        """Sends a request to the server, and starts the server if it is not running."""
        if not self.socket.exists():
            with open(self.folder / "stderr", "ab") as errors:
                command = [sys.executable, str(HERE), "--task", self.task.id, "serve"]
                subprocess.Popen(
                    command,
                    start_new_session=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    env=os.environ | {"TRIAL": str(self.folder.parent), "NS": self.ns},
                )
        for _ in range(300):
            try:
                with socket.socket(socket.AF_UNIX) as guest:
                    guest.connect(str(self.socket))
                    with guest.makefile("rw", encoding="utf-8") as lines:
                        lines.write(json.dumps(request) + "\n")
                        lines.flush()
                        return json.loads(lines.readline())
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.1)
        sys.exit(f"the server cannot be reached; {self.folder / 'stderr'} may say why")

    def calls(self):
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


def serve(place):
    """Runs the server of a task, and passes requests on to it one by one."""
    session = Session(command_of("ns", place.ns, place.files))
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(place.socket))
        door.listen()
        door.settimeout(PATIENCE_S)
        try:
            is_open = True
            while is_open:
                guest = door.accept()[0]
                with guest, guest.makefile("rw", encoding="utf-8") as lines:
                    request = json.loads(lines.readline())
                    is_open = "stop" not in request
                    lines.write(json.dumps(answer_to(request, session, place)) + "\n")
        finally:
            place.socket.unlink()
            session.client.close()


def answer_to(request, session, place):
    if "tool" not in request:
        hello = session.client.hello["result"].get("instructions", "")
        return {"instructions": hello, "tools": session.client.request("tools/list", {})["result"]["tools"]}
    before = session.written, session.read
    try:
        result = session.result(request["tool"], request["arguments"])
    except ValueError as error:
        # A protocol error, such as an unknown tool.
        session.calls += 1
        result = {"isError": True, "content": [{"type": "text", "text": str(error)}]}
    written, read = session.written - before[0], session.read - before[1]
    with open(place.log, "a", encoding="utf-8") as log:
        log.write(json.dumps(request | {"result": result, "written": written, "read": read}, ensure_ascii=False) + "\n")
    return result


def show_task(place):
    place.make()
    print(f"{place.task.ask}\n\nForm of the answer: {place.task.answer}")


def show_tools(place):
    place.make()
    said = place.ask({})
    print(f"# What the server says of itself\n\n{said['instructions']}\n\n# Its tools")
    for tool in said["tools"]:
        print(f"\n## {tool['name']}\n{tool['description']}\n{json.dumps(tool['inputSchema'], ensure_ascii=False)}")


def call(place, tool, words):
    if place.answer.exists():
        sys.exit("this task is answered; it takes no more calls")
    place.make()
    result = place.ask({"tool": tool, "arguments": arguments_of(words)})
    if result.get("isError"):
        print("[the call failed]")
    for block in result["content"]:
        print(block.get("text", json.dumps(block)))


def arguments_of(words):
    if words == ["-"]:
        return json.load(sys.stdin)
    if not words or words[0].lstrip().startswith("{"):
        return json.loads(" ".join(words) or "{}")
    pairs = [word.split("=", 1) for word in words]
    return {key: argument_of(value) for key, value in pairs}


def argument_of(text):
    if text.startswith("@"):
        return pathlib.Path(text[1:]).read_text(encoding="utf-8")
    try:
        return json.loads(text)
    except ValueError:
        return text


def give_answer(place, text):
    if place.answer.exists():
        sys.exit("this task is answered; the first answer counts")
    try:
        value = json.loads(text)
    except ValueError:
        sys.exit(f"the answer must be JSON of the form {place.task.answer}")
    place.make()
    if place.socket.exists():
        place.ask({"stop": True})
    place.answer.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    print("the answer is noted")


@dataclass
class Record:
    """Result of one task of a reader."""

    task: str
    calls: int
    failed: int
    written: int
    read: int
    faults: list

    def line(self):
        what = "right" if not self.faults else "; ".join(self.faults[:3]).replace("|", "\\|")
        return f"| {self.task} | {what} | {self.calls} | {self.failed} | {self.written:,} | {self.read:,} |"


def record_of(place):
    calls = place.calls()
    answer = json.loads(place.answer.read_text(encoding="utf-8"))
    right = place.task.truth(place.task.make_tree())
    found = faults(right, Outcome(entries.read(place.files), answer))
    failed = sum(bool(call["result"].get("isError")) for call in calls)
    sums = [sum(call[key] for call in calls) for key in ("written", "read")]
    return Record(place.task.id, len(calls), failed, *sums, found)


def summary(states):
    places = [Place(state, task) for task in all_tasks() for state in states]
    records = [record_of(place) for place in places if place.answer.exists()]
    if not records:
        sys.exit("no task is answered there")
    print("| task | outcome | calls | failed | written | read |\n|---|---|---:|---:|---:|---:|")
    print(*(record.line() for record in records), sep="\n")
    right = sum(not record.faults for record in records)
    median = statistics.median(record.calls for record in records)
    print(f"\nright at the first try: {right} of {len(records)} answered; median calls: {median:g}", end="; ")
    print(
        f"calls: {sum(record.calls for record in records)}, {sum(record.failed for record in records)} of them failed"
    )
    return right == len(records)


def brief(options):
    """Creates the folder of a reader, and prints the instructions for them."""
    number, parts = map(int, options.part.split("/"))
    state, ns = (pathlib.Path(path).resolve() for path in (options.brief, options.ns))
    state.mkdir(parents=True, exist_ok=True)
    door = state / "door"
    door.write_text(f'#!/bin/sh\nNS="{ns}" TRIAL="{state}" exec python3 "{HERE}" "$@"\n')
    door.chmod(0o755)
    tasks = " ".join(task.id for task in all_tasks()[number - 1 :: parts])
    print(BRIEF.read_text(encoding="utf-8").replace("DOOR", str(door)).replace("TASKS", tasks))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", metavar="ID")
    parser.add_argument("--brief", metavar="DIR")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every Nth task, from the Kth on")
    parser.add_argument("--ns", default=os.environ.get("NS", PACKAGE / "target/release/ns"), help="the program")
    parser.add_argument("--summary", nargs="+", metavar="DIR")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.summary:
        sys.exit(not summary(options.summary))
    if options.brief:
        return brief(options)
    place = Place(os.environ.get("TRIAL", "/tmp/ns-trial"), task_of(options.task), str(options.ns))
    match options.words:
        case []:
            show_task(place)
        case ["tools"]:
            show_tools(place)
        case ["call", tool, *words]:
            call(place, tool, words)
        case ["answer", *words]:
            give_answer(place, " ".join(words))
        case ["serve"]:
            serve(place)
        case _:
            parser.error("after the task: `tools`, `call TOOL …` or `answer JSON`")


if __name__ == "__main__":
    main()
