"""`ns mcp --http` as a process, and a client that knows HTTP, frames and nothing else."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess

# Seconds to wait for what must come.
PATIENCE = 60
TOKEN = "a-token-for-the-test"


def new_token(ns, name, **settings):
    """A new token, and its entry for a tokens file with these settings."""
    made = subprocess.run([ns, "mcp", "--new-token", name], capture_output=True, text=True, check=True)
    token = re.fullmatch(r"Authorization: Bearer ([0-9a-f]{64})", made.stderr.strip()).group(1)
    assert token not in made.stdout, "the token stands in its entry"
    return token, made.stdout + "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())


class Server:
    """A server that listens. Its token is TOKEN, unless `--tokens` is among the options."""

    def __init__(self, ns, sandbox, *options, home=None):
        environment = dict(os.environ, NS_MCP_TOKEN=TOKEN)
        if home:
            environment["HOME"] = str(home)
        command = [ns, "mcp", "--http", "127.0.0.1:0", "--sandbox", str(sandbox), *map(str, options)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        line = self.process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", line)
        if not address:
            raise AssertionError(f"{command} does not listen: {line}{self.process.stderr.read()}")
        self.port = int(address.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def request(self, method, path="/mcp", body=None, token=TOKEN, **headers):
        """The status, the headers and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, self.headers(token, headers))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    @staticmethod
    def headers(token=TOKEN, more=None):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        headers.update({name.replace("_", "-"): value for name, value in (more or {}).items()})
        return headers

    def end(self, how=signal.SIGTERM):
        """Tells the server to end, and returns its exit code."""
        self.process.send_signal(how)
        return self.process.wait(timeout=PATIENCE)


def frame(method, params, number=None):
    whole = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(whole if number is None else {**whole, "id": number})


HELLO = frame(
    "initialize",
    {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    0,
)


class Session:
    """A session of revision 2025-11-25."""

    def __init__(self, server, token=TOKEN):
        self.server, self.token, self.next = server, token, 0
        self.kept = None
        status, headers, body = server.request("POST", body=HELLO, token=token)
        if status != 200:
            raise AssertionError(f"the handshake is answered with {status}: {body}")
        self.id = headers["Mcp-Session-Id"]
        status, _, body = self.post(frame("notifications/initialized", {}))
        if status != 202:
            raise AssertionError(f"the notification is answered with {status}: {body}")

    def own_headers(self):
        return {"Mcp-Session-Id": self.id, "MCP-Protocol-Version": "2025-11-25"}

    def post(self, body):
        """Sends a frame on a connection that stays open."""
        for _ in range(2):
            kept, self.kept = self.kept, None
            connection = kept or http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
            try:
                connection.request("POST", "/mcp", body, self.server.headers(self.token, self.own_headers()))
                answer = connection.getresponse()
                read = answer.status, answer.headers, answer.read().decode()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                connection.close()
                # The server closes a connection that was idle for long.
                if not kept:
                    raise
                continue
            self.kept = connection
            return read
        raise AssertionError("the connection was closed twice")

    def request(self, method, params):
        self.next += 1
        status, _, body = self.post(frame(method, params, self.next))
        if status != 200:
            raise AssertionError(f"{method} is answered with {status}: {body}")
        answers = [event for _, event in events(body) if event and event.get("id") == self.next]
        return answers[0]

    def call(self, tool, **arguments):
        """The result of a call."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})["result"]

    def done(self, tool, **arguments):
        result = self.call(tool, **arguments)
        if result["isError"]:
            raise AssertionError(f"{tool} {arguments}: {result['structuredContent']}")
        # A plain text result has no `structuredContent`.
        return result.get("structuredContent") or {"result": result["content"][0]["text"]}

    def failed(self, tool, **arguments):
        result = self.call(tool, **arguments)
        if not result["isError"]:
            raise AssertionError(f"{tool} {arguments} did not fail: {result['structuredContent']}")
        return result["structuredContent"]["error"]

    def begin(self, tool, **arguments):
        """Begins a call on a connection of its own, and returns the connection and the id of its first event."""
        self.next += 1
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        body = frame("tools/call", {"name": tool, "arguments": arguments}, self.next)
        connection.request("POST", "/mcp", body, self.server.headers(self.token, self.own_headers()))
        answer = connection.getresponse()
        if answer.status != 200:
            raise AssertionError(f"{tool} is answered with {answer.status}: {answer.read()}")
        while True:
            line = answer.readline().decode()
            if line.startswith("id:"):
                return connection, answer, line[3:].strip()
            if not line:
                raise AssertionError("the stream has no event")

    def resume(self, last):
        """The events after one, up to the end of the stream."""
        headers = {**self.own_headers(), "Last-Event-ID": last}
        status, _, body = self.server.request("GET", token=self.token, **headers)
        if status != 200:
            raise AssertionError(f"the stream is answered with {status}: {body}")
        return [event for _, event in events(body) if event]

    def close(self):
        """Ends the session."""
        self.server.request("DELETE", token=self.token, **self.own_headers())
        if self.kept:
            self.kept.close()


def events(body):
    """The events of a stream: id and frame."""
    if not body:
        return []
    if not body.lstrip().startswith(("data", "id", "retry", "event", ":")):
        return [(None, json.loads(body))]
    found = []
    for block in re.split(r"\r?\n\r?\n", body):
        lines = [line.split(":", 1) for line in block.splitlines() if ":" in line]
        fields = {name: value.strip() for name, value in lines}
        if "data" in fields:
            found.append((fields.get("id"), json.loads(fields["data"]) if fields["data"] else None))
    return found
