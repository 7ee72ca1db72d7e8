#!/usr/bin/env python3
"""A client of one server, for a model that has a shell and is shown nothing else: it makes the tree of the trial,
starts `ns mcp --write` there (NS is the program, TRIAL the folder), and keeps it running as clients do.

    python3 call.py                      what the server says of itself, and its tools
    python3 call.py TOOL '{"a": 1}'      a call; prints what the client gets
    python3 call.py TOOL - <<'END'       the same, the JSON on standard input
    python3 call.py TOOL key=VALUE key=@FILE   arguments one by one: a text, or the text of a file
    python3 call.py answer N TEXT        your answer to task N
    python3 call.py stop                 ends the server

Every call and its answer are in TRIAL/log.jsonl.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import tree  # noqa: E402

NS = os.environ.get("NS", "ns")
STATE = pathlib.Path(os.environ.get("TRIAL", "/tmp/ns-trial"))
SOCKET = STATE / "socket"


def serve():
    server = subprocess.Popen(
        [NS, "mcp", "--sandbox", str(STATE / "project"), "--write"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=open(STATE / "stderr", "ab"),
    )
    numbers = iter(range(1, 1 << 30))

    def request(method, params):
        number = next(numbers)
        frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        server.stdin.write(json.dumps(frame).encode() + b"\n")
        server.stdin.flush()
        while True:
            line = server.stdout.readline()
            if not line:
                return {"error": {"code": 0, "message": "the server has ended"}}
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer

    info = {"name": "shell", "version": "1"}
    hello = request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
    server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    server.stdin.flush()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(SOCKET))
        door.listen()
        door.settimeout(3 * 3600)
        while True:
            guest = door.accept()[0]
            with guest, guest.makefile("rw") as lines:
                asked = json.loads(lines.readline())
                if asked["method"] == "stop":
                    SOCKET.unlink()
                    break
                answer = hello if asked["method"] == "hello" else request(asked["method"], asked["params"])
                with open(STATE / "log.jsonl", "a", encoding="utf-8") as log:
                    log.write(json.dumps({"at": time.time(), "asked": asked, "answer": answer}) + "\n")
                lines.write(json.dumps(answer) + "\n")
                lines.flush()
    server.stdin.close()
    server.wait(timeout=30)


def ask(method, params):
    if not SOCKET.exists():
        subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=open(STATE / "stderr", "ab"),
        )
    for _ in range(200):
        try:
            with socket.socket(socket.AF_UNIX) as door:
                door.connect(str(SOCKET))
                with door.makefile("rw") as lines:
                    lines.write(json.dumps({"method": method, "params": params}) + "\n")
                    lines.flush()
                    return json.loads(lines.readline() or "{}")
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.1)
    sys.exit("the server cannot be reached")


def show_tools():
    print(ask("hello", {})["result"]["instructions"], end="\n\n")
    for tool in ask("tools/list", {})["result"]["tools"]:
        print(f"## {tool['name']}\n{tool['description']}")
        print(json.dumps(tool["inputSchema"], ensure_ascii=False), end="\n\n")


def argument(text):
    if text.startswith("@"):
        return pathlib.Path(text[1:]).read_text(encoding="utf-8")
    return json.loads(text) if text in ("true", "false") or text.isdecimal() else text


def call(tool, words):
    if words == ["-"]:
        arguments = json.load(sys.stdin)
    elif words and not words[0].lstrip().startswith("{"):
        pairs = [word.split("=", 1) for word in words]
        arguments = {key: argument(value) for key, value in pairs}
    else:
        arguments = json.loads(words[0]) if words else {}
    answer = ask("tools/call", {"name": tool, "arguments": arguments})
    if "error" in answer:
        print(f"protocol error {answer['error']['code']}: {answer['error']['message']}")
        return
    result = answer["result"]
    if result.get("isError"):
        print("[the tool reports a failure]")
    for block in result["content"]:
        print(block["text"])
    if result.get("_meta"):
        print("[_meta]", json.dumps(result["_meta"], ensure_ascii=False))


def main():
    if not (STATE / "project").exists():
        tree.make(STATE / "project")
    match sys.argv[1:]:
        case ["--serve"]:
            serve()
        case []:
            show_tools()
        case ["stop"]:
            if SOCKET.exists():
                ask("stop", {})
        case ["answer", number, *words]:
            with open(STATE / "answers.jsonl", "a", encoding="utf-8") as answers:
                answers.write(json.dumps({"task": int(number), "answer": " ".join(words)}) + "\n")
        case [tool, *words]:
            call(tool, words)


if __name__ == "__main__":
    main()
