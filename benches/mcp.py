#!/usr/bin/env python3
"""`ns mcp` beside @modelcontextprotocol/server-filesystem, on the same tree, over standard input and output.

    python3 benches/mcp.py [--quick] [--ns PATH]

The peer comes from `.ci/clients`, which installs it into target/. The two take turns; a ratio is the median over the
rounds. Answers are compared, times are not: the exit code is 1 when a list or a text differs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from statistics import median

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts/agents"))
from client import Client  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
PEER = PACKAGE / "target/clients/node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
IN_FLIGHT = 8


def tree(folder):
    (folder / "fifty").mkdir()
    for number in range(50):
        (folder / "fifty" / f"file-{number:02}.txt").write_text(f"{number}\n")
    (folder / "many").mkdir()
    for number in range(10_000):
        (folder / "many" / f"entry-{number:05}.txt").touch()
    (folder / "small.txt").write_text("a small file\n" * 20)


def first_answer(command):
    """Milliseconds from the start of the process to its first answer."""
    begin = time.perf_counter()
    client = Client(command)
    taken = (time.perf_counter() - begin) * 1000
    client.close()
    return taken


def write(target, data):
    while data:
        data = data[os.write(target, data) :]


def per_second(client, tool, arguments, calls):
    """Calls a second, so many in flight, and the seconds of the processor that this client takes. Frames are made
    before and looked at after, and as many go out at once as answers have come in at once, so that what is measured
    is the server and not this client."""
    frames = []
    for _ in range(calls):
        client.next += 1
        params = {"name": tool, "arguments": arguments}
        frame = {"jsonrpc": "2.0", "id": client.next, "method": "tools/call", "params": params}
        frames.append(json.dumps(frame, separators=(",", ":")).encode() + b"\n")
    source, target = client.process.stdout.fileno(), client.process.stdin.fileno()
    pieces, sent, heard = [], 0, 0
    begin, own = time.perf_counter(), time.process_time()
    while heard < calls:
        more = frames[sent : heard + IN_FLIGHT]
        if more:
            write(target, b"".join(more))
            sent += len(more)
        pieces.append(os.read(source, 1 << 18))
        if not pieces[-1]:
            raise EOFError("the server has ended")
        heard += pieces[-1].count(b"\n")
    rate, own = calls / (time.perf_counter() - begin), time.process_time() - own
    if any(json.loads(line)["result"].get("isError") for line in b"".join(pieces).splitlines()):
        raise ValueError(f"{tool} fails")
    return rate, own


def processor(client):
    """Seconds of the processor that the server has taken."""
    with open(f"/proc/{client.process.pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Side:
    """A server that is measured, and how its tools are called."""

    def __init__(self, command, read, listing, many, calls):
        self.command, self.read, self.listing, self.many, self.calls = command, read, listing, many, calls
        self.client = Client(command)
        # What each round has measured, by row.
        self.rows = {}

    def note(self, row, value):
        self.rows.setdefault(row, []).append(value)

    def round(self):
        self.note("first answer, ms", first_answer(self.command))
        for what, one, (tool, arguments) in [
            ("small reads", "a read", self.read),
            ("lists of 50 entries", "a list", self.listing),
        ]:
            before = processor(self.client)
            rate, own = per_second(self.client, tool, arguments, self.calls)
            taken = (processor(self.client) - before) / self.calls
            self.note(f"{what} a second", rate)
            self.note(f"processor, µs of {one}", taken * 1e6)
            self.note(f"the client's, µs of {one}", own / self.calls * 1e6)
        self.note("memory, MiB", self.client.memory() / (1 << 20))
        self.note("of it its own, MiB", self.client.memory("RssAnon") / (1 << 20))

    def end(self):
        """What is the same in every round, and the answers that are compared."""
        tools = self.client.request("tools/list", {})["result"]["tools"]
        self.note("definitions, bytes", len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()))
        text, listed = self.client.call(*self.read), self.client.call(*self.many)
        self.note("text of 10,000 entries, bytes", len(listed["content"][0]["text"]))
        self.client.close()
        return text, listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a little of everything, for CI")
    parser.add_argument("--ns", default=str(PACKAGE / "target/release/ns"))
    options = parser.parse_args()
    if not os.path.exists(options.ns):
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=PACKAGE, check=True)
    calls, rounds = (500, 1) if options.quick else (5_000, 7)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place).resolve()
        tree(folder)
        # A server takes some 300 KiB of such a list at once; so much is let through here, to compare it whole.
        policy = folder.parent / f"{folder.name}.toml"
        policy.write_text("[limits]\ntool_output_bytes = 4194304\n")
        ours = [options.ns, "mcp", "--sandbox", str(folder), "--policy", str(policy)]
        peer = ["node", str(PEER), str(folder)]
        try:
            mine = Side(
                ours,
                ("read_file", {"file_path": "small.txt"}),
                ("list_dir", {"path": "fifty"}),
                ("list_dir", {"path": "many"}),
                calls,
            )
            theirs = Side(
                peer,
                ("read_text_file", {"path": str(folder / "small.txt")}),
                ("list_directory", {"path": str(folder / "fifty")}),
                ("list_directory", {"path": str(folder / "many")}),
                max(calls // 10, 50),
            )
            for _ in range(rounds):
                mine.round()
                theirs.round()
            (my_text, my_list), (their_text, their_list) = mine.end(), theirs.end()
        finally:
            policy.unlink()
    print("| what | ns mcp | server-filesystem | ratio |\n|---|---:|---:|---:|")
    for row, values in mine.rows.items():
        others = theirs.rows[row]
        ratio = median([one / max(other, 1e-9) for one, other in zip(values, others)])
        print(f"| {row} | {median(values):,.1f} | {median(others):,.1f} | {ratio:.3f} |")
    names = [line.strip() for line in my_list["content"][0]["text"].splitlines()[1:]]
    their_names = sorted(line.split("] ", 1)[1] for line in their_list["content"][0]["text"].splitlines())
    agree = names == their_names
    agree &= my_text["structuredContent"]["content"] == their_text["content"][0]["text"]
    if not agree:
        print("the answers differ", file=sys.stderr)
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
