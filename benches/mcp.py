#!/usr/bin/env python3
"""`ns mcp` beside @modelcontextprotocol/server-filesystem, on the same tree, over standard input and output.

    python3 benches/mcp.py [--quick] [--ns PATH]

The peer comes from `.ci/clients`, which installs it into target/. Answers are compared, times are not: the exit
code is 1 when a list or a text differs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

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


def first_answer(command, rounds):
    """Milliseconds from the start of the process to its first answer."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        client = Client(command)
        times.append((time.perf_counter() - begin) * 1000)
        client.close()
    return sorted(times)[len(times) // 2]


def per_second(client, tool, arguments, calls):
    """Calls a second, so many in flight. Frames are made before and looked at after, so that what is measured is the
    server and not this client."""
    frames = []
    for _ in range(calls):
        client.next += 1
        params = {"name": tool, "arguments": arguments}
        frame = {"jsonrpc": "2.0", "id": client.next, "method": "tools/call", "params": params}
        frames.append(json.dumps(frame, separators=(",", ":")).encode() + b"\n")
    answers = []
    begin = time.perf_counter()
    for number, frame in enumerate(frames):
        client.process.stdin.write(frame)
        if number >= IN_FLIGHT:
            answers.append(client.lines.readline())
    while len(answers) < calls:
        answers.append(client.lines.readline())
    rate = calls / (time.perf_counter() - begin)
    if any(json.loads(line)["result"].get("isError") for line in answers):
        raise ValueError(f"{tool} fails")
    return rate


def processor(client):
    """Seconds of the processor that the server has taken."""
    with open(f"/proc/{client.process.pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(command, names, calls, rounds):
    (read, read_arguments), (listing, fifty), (_, many) = names
    row = {"first answer, ms": first_answer(command, rounds)}
    client = Client(command)
    tools = client.request("tools/list", {})["result"]["tools"]
    row["definitions, bytes"] = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())
    text = client.call(read, read_arguments)
    per_second(client, read, read_arguments, calls // 10)
    before = processor(client)
    row["small reads a second"] = per_second(client, read, read_arguments, calls)
    between = processor(client)
    row["lists of 50 entries a second"] = per_second(client, listing, fifty, calls)
    row["processor, µs of a read"] = (between - before) / calls * 1e6
    row["processor, µs of a list"] = (processor(client) - between) / calls * 1e6
    row["memory, MiB"] = client.memory() / (1 << 20)
    listed = client.call(listing, many)
    row["text of 10,000 entries, bytes"] = len(listed["content"][0]["text"])
    client.close()
    return row, text, listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a little of everything, for CI")
    parser.add_argument("--ns", default=str(PACKAGE / "target/release/ns"))
    options = parser.parse_args()
    if not os.path.exists(options.ns):
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=PACKAGE, check=True)
    calls, rounds = (500, 3) if options.quick else (5_000, 9)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place).resolve()
        tree(folder)
        # A server takes some 300 KiB of such a list at once; so much is let through here, to compare it whole.
        policy = folder.parent / f"{folder.name}.toml"
        policy.write_text("[limits]\ntool_output_bytes = 4194304\n")
        ours = [options.ns, "mcp", "--sandbox", str(folder), "--policy", str(policy)]
        peer = ["node", str(PEER), str(folder)]
        try:
            mine, my_text, my_list = measure(
                ours,
                [
                    ("read_file", {"file_path": "small.txt"}),
                    ("list_dir", {"path": "fifty"}),
                    ("list_dir", {"path": "many"}),
                ],
                calls,
                rounds,
            )
            theirs, their_text, their_list = measure(
                peer,
                [
                    ("read_text_file", {"path": str(folder / "small.txt")}),
                    ("list_directory", {"path": str(folder / "fifty")}),
                    ("list_directory", {"path": str(folder / "many")}),
                ],
                max(calls // 10, 50),
                min(rounds, 3),
            )
        finally:
            policy.unlink()
    print("| what | ns mcp | server-filesystem | ratio |\n|---|---:|---:|---:|")
    for name, value in mine.items():
        print(f"| {name} | {value:,.1f} | {theirs[name]:,.1f} | {value / theirs[name]:.3f} |")
    names = [line.strip() for line in my_list["structuredContent"]["result"].splitlines()[1:]]
    their_names = sorted(line.split("] ", 1)[1] for line in their_list["content"][0]["text"].splitlines())
    agree = names == their_names
    agree &= my_text["structuredContent"]["content"] == their_text["content"][0]["text"]
    if not agree:
        print("the answers differ", file=sys.stderr)
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
