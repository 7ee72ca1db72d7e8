#!/usr/bin/env python3
"""`ns mcp --http` against the conformance suite, and against requests that it must refuse.

    tests/clients/over_http.py NS

NS is built with `--features http`. The suite cannot send a token, so a relay puts it into every request.
"""

import http.client
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True

import tree  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
BINARIES = PACKAGE / "target/clients/node22/node_modules/.bin"
TOKEN = "a-token-for-the-test"
# The others need the suite's own tools, resources and prompts, which a server of files does not have.
SCENARIOS = ["server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"]


def start(ns, sandbox):
    environment = dict(os.environ, NS_MCP_TOKEN=TOKEN)
    command = [ns, "mcp", "--http", "127.0.0.1:0", "--sandbox", sandbox]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    address = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", process.stderr.readline())
    return process, int(address.group(1))


def pump(source, target, change):
    try:
        while data := source.recv(65536):
            target.sendall(change(data))
    except OSError:
        pass
    finally:
        target.close()


def relay(port):
    """A port that adds the token to what goes to the server's."""
    listener = socket.create_server(("127.0.0.1", 0))
    header = b"\r\nAuthorization: Bearer " + TOKEN.encode() + b"\r\n\\1:"

    def with_token(data):
        return re.sub(rb"\r\n([Hh]ost):", header, data, count=1)

    def serve():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            threading.Thread(target=pump, args=(client, server, with_token), daemon=True).start()
            threading.Thread(target=pump, args=(server, client, lambda data: data), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


HELLO = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"test","version":"1"}}}'
)


def status(port, path="/mcp", body=HELLO, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    given.update({name.replace("_", "-"): value for name, value in headers.items()})
    try:
        connection.request("POST", path, body, given)
        return connection.getresponse().status
    except (BrokenPipeError, ConnectionResetError):
        # It was refused before it was read.
        return 413
    finally:
        connection.close()


def refusals(port):
    mine = f"Bearer {TOKEN}"
    cases = [
        ("without a token", 401, status(port)),
        ("with another token", 401, status(port, Authorization="Bearer another")),
        ("with the token", 200, status(port, Authorization=mine)),
        ("at another path", 404, status(port, path="/", Authorization=mine)),
        ("for another host", 403, status(port, Authorization=mine, Host="evil.example")),
        ("from a page of the web", 403, status(port, Authorization=mine, Origin="https://evil.example")),
        ("with 17 MiB", 413, status(port, body="x" * (17 << 20), Authorization=mine)),
    ]
    for what, wanted, found in cases:
        if wanted != found:
            raise AssertionError(f"{what}: {found} instead of {wanted}")
    print(f"{len(cases)} requests answered as they should be")


def main():
    with tempfile.TemporaryDirectory() as place:
        tree.make(place)
        process, port = start(sys.argv[1], place)
        try:
            refusals(port)
            url = f"http://127.0.0.1:{relay(port)}/mcp"
            environment = dict(os.environ, PATH=f"{BINARIES}:{os.environ['PATH']}")
            for scenario in SCENARIOS:
                command = [BINARIES / "conformance", "server", "--url", url, "--scenario", scenario, "-o", place]
                ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
                if ran.returncode != 0:
                    raise AssertionError(f"{scenario}\n{ran.stdout}{ran.stderr}")
                print(f"conformance: {scenario}")
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
