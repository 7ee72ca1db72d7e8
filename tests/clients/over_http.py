#!/usr/bin/env python3
"""`ns mcp --http` as its users meet it: tokens and their limits, streams that break, many clients at once, the end of
the server, the clients of PyPI and npm, and the conformance suite.

    tests/clients/over_http.py NS [WORD…]     the parts whose name holds a word; all without words
"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True

import tree  # noqa: E402
from http_server import HELLO, PATIENCE, TOKEN, Server, Session, events, frame, new_token  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = PACKAGE / "target/clients"
BASELINE = PACKAGE / "tests/clients/conformance.yml"
# Writes a file, and then runs until it is stopped.
ENDLESS = 'MUST CALL FS.WriteFile("begun.txt", "x")\nWHILE true DO\n  SET a = 1\nEND'
# Waits for a file, and then writes another.
WAITING = 'WHILE NOT FS.Exists("go") DO\n  SET a = 1\nEND\nMUST CALL FS.WriteFile("done.txt", "x")\nRETURN "done"'


def same(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} instead of {wanted!r}")


def until(what, holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come")
        time.sleep(0.02)


class Place:
    """A sandbox with the tree of the clients, beside it a folder for tokens and policies, and a home of its own."""

    def __init__(self, folder, ns):
        self.ns, self.sandbox, self.config = ns, pathlib.Path(folder, "box"), pathlib.Path(folder, "config")
        self.home = pathlib.Path(folder, "home")
        for made in (self.sandbox, self.config, self.home):
            made.mkdir()
        tree.make(self.sandbox)

    def serve(self, *options):
        return Server(self.ns, self.sandbox, *options, home=self.home)

    def tokens(self, **clients):
        """Writes a tokens file, and returns its path and the tokens by name."""
        made = {name: new_token(self.ns, name, **settings) for name, settings in clients.items()}
        path = self.config / "tokens.toml"
        path.write_text("\n".join(entry for _, entry in made.values()))
        return path, {name: token for name, (token, _) in made.items()}

    def log(self):
        """The runs as the user sees them."""
        command = [self.ns, "log", "--sandbox", self.sandbox, "--output", "json"]
        environment = dict(os.environ, HOME=str(self.home))
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return json.loads(ran.stdout)


def refusals(place):
    """Requests that are refused, and why."""
    with place.serve() as server:

        def status(body=HELLO, method="POST", **given):
            try:
                return server.request(method, body=body, **given)[0]
            except (BrokenPipeError, ConnectionResetError):
                # It was refused before it was read.
                return 413

        same("without a token", status(token=None), 401)
        same("with another token", status(token="another"), 401)
        same("with the token", status(), 200)
        same("with the scheme in lower case", status(token=None, Authorization=f"bearer {TOKEN}"), 200)
        same("with another scheme", status(token=None, Authorization=f"Basic {TOKEN}"), 401)
        same("at another path", status(path="/"), 404)
        same("for another host", status(Host="evil.example"), 403)
        same("for a name that was bound to this machine", status(Host=f"evil.example:{server.port}"), 403)
        same("for localhost", status(Host=f"localhost:{server.port}"), 200)
        same("from a page of the web", status(Origin="https://evil.example"), 403)
        same("from a page without an origin", status(Origin="null"), 403)
        same("from a page of this machine", status(Origin="http://localhost:3000"), 200)
        same("with 17 MiB", status(body="x" * (17 << 20)), 413)
        same("with 17 MiB in chunks", status(body=(b"x" * (1 << 20) for _ in range(17))), 413)
        same("with a large head", status(X_Large="x" * (40 << 10)), 431)
        same("with another method", status(method="PUT"), 405)
        _, headers, _ = server.request("POST", token=None, body=HELLO)
        same("the challenge", headers["WWW-Authenticate"], 'Bearer realm="ns mcp"')
        _, headers, _ = server.request("POST", token="another", body=HELLO)
        assert 'error="invalid_token"' in headers["WWW-Authenticate"], headers["WWW-Authenticate"]
        same("no metrics", server.request("GET", "/metrics")[0], 404)
        same("no metadata", server.request("GET", "/.well-known/oauth-protected-resource", token=None)[0], 404)


def failures_are_limited(place):
    """Wrong tokens come to be refused at once, and the right one never."""
    with place.serve() as server:
        found = [server.request("POST", token=f"wrong {number}", body=HELLO) for number in range(20)]
        same("the statuses", sorted({status for status, _, _ in found}), [401, 429])
        assert int(found[-1][1]["Retry-After"]) >= 1
        Session(server).done("list_dir")
        same("a client that begins without a token", server.request("POST", token=None, body=HELLO)[0], 401)


def tokens_files(place):
    """Faults of tokens files, with their places."""
    path = place.config / "tokens.toml"
    token, entry = new_token(place.ns, "ci")

    def refused(text, said, at=path):
        at.write_text(text)
        command = [place.ns, "mcp", "--http", "127.0.0.1:0", "--sandbox", place.sandbox, "--tokens", at]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        same(f"the exit code for {text!r}", ran.returncode, 2)
        assert said in ran.stderr, f"{said!r} is not in {ran.stderr!r}"
        assert token not in ran.stderr

    refused("", "there are 0 entries")
    refused("[[token]]\nname = 3\n", "tokens.toml:2")
    refused(entry + entry, "tokens.toml:4: there are two tokens `ci`")
    refused(entry + "policy = 'none.toml'\n", "none.toml")
    refused(entry, "is in the sandbox", at=place.sandbox / "tokens.toml")
    (place.sandbox / "tokens.toml").unlink()
    (place.sandbox / "policy.toml").write_text("")
    refused(entry + f"policy = '{place.sandbox}/policy.toml'\n", "policy.toml` is in the sandbox")
    ran = subprocess.run([place.ns, "mcp", "--new-token", "a b"], capture_output=True, text=True, check=False)
    same("a name with a blank", ran.returncode, 2)


def old_tokens(place):
    """A token that was taken out of the file, or replaced, is wrong; the history belongs to the name."""
    path, tokens = place.tokens(ci={"write": True}, guest={})
    with place.serve("--tokens", path) as server:
        Session(server, tokens["ci"]).done("write_file", file_path="new.txt", content="1")
        same("the variable does not count", server.request("POST", token=TOKEN, body=HELLO)[0], 401)
    path, newer = place.tokens(ci={"write": True})
    with place.serve("--tokens", path) as server:
        for old in tokens.values():
            same("an old token", server.request("POST", token=old, body=HELLO)[0], 401)
        session = Session(server, newer["ci"])
        same("the history", len(session.done("history")["runs"]), 1)
        session.done("undo")
        assert not (place.sandbox / "new.txt").exists()


def clients_are_apart(place):
    """Each token has its policy, its history and undo, its memory, answers and sessions."""
    (place.config / "guest.toml").write_text('[policy]\nallowed_directories = ["docs"]\n')
    path, tokens = place.tokens(
        ci={"write": True}, guest={"write": True, "policy": "guest.toml"}, reader={}, meter={"access": "metrics"}
    )
    with place.serve("--tokens", path, "--metrics") as server:
        ci, guest, reader = (Session(server, tokens[name]) for name in ("ci", "guest", "reader"))
        # Policies.
        same("outside of its directories", guest.failed("read_file", file_path="src/main.rs")["code"], "policy_denied")
        guest.done("read_file", file_path="docs/a.md")
        names = {tool["name"] for tool in reader.request("tools/list", {})["result"]["tools"]}
        assert "write_file" not in names and "read_file" in names, names
        # Histories.
        written = ci.call("write_file", file_path="docs/ci.txt", content="1")["_meta"]["undo_id"]
        ci.done("run_script", script='MUST CALL FS.WriteFile("docs/script.txt", "1")')
        same("the history of the guest", guest.done("history")["runs"], [])
        same("nothing to undo", guest.failed("undo")["code"], "not_found")
        for name in (written, written[-8:], written[:12]):
            same(f"the run of another by {name}", guest.failed("undo", run=name)["code"], "not_found")
        same("the history of the reader", [run["id"] for run in guest.done("history")["runs"]], [])
        commands = [run["command"] for run in ci.done("history")["runs"]]
        assert len(commands) == 2 and all(command.startswith("ns mcp (ci) ") for command in commands), commands
        # What another changed since is in the way, and it is not told who it was.
        later = guest.call("write_file", file_path="docs/ci.txt", content="2", overwrite=True)
        later = later["_meta"]["undo_id"]
        error = ci.failed("undo", run=written)
        same("a file that another changed", error["code"], "conflict")
        assert later not in json.dumps(error) and later[-8:] not in json.dumps(error), error
        ci.done("undo")
        assert not (place.sandbox / "docs/script.txt").exists()
        guest.done("undo")
        same("the older text", (place.sandbox / "docs/ci.txt").read_text(), "1")
        ci.done("undo", run=written)
        same("the runs of the user", len(place.log()), 3)
        # Memory and truncated answers.
        ci.done("run_script", script='CALL MEMORY.Set("key", "of ci")')
        same("its memory", ci.done("run_script", script='RETURN MEMORY.Get("key")')["value"], "of ci")
        same("the memory of another", reader.done("run_script", script='RETURN MEMORY.Get("key")')["value"], None)
        (place.sandbox / "docs/large.txt").write_text("x" * 200_000)
        cursor = ci.call("read_file", file_path="docs/large.txt")["_meta"]["next_cursor"]
        assert reader.call("read_result", cursor=cursor)["isError"]
        ci.done("read_result", cursor=cursor)
        # Sessions.
        stolen = server.request("POST", token=tokens["guest"], body=frame("ping", {}, 1), Mcp_Session_Id=ci.id)
        same("the session of another", stolen[0], 404)
        # Metrics.
        same("tools by the token for metrics", server.request("POST", token=tokens["meter"], body=HELLO)[0], 403)
        same("metrics by it", server.request("GET", "/metrics", token=tokens["meter"])[0], 200)
        same("metrics by another", server.request("GET", "/metrics", token=tokens["ci"])[0], 403)
        same("metrics without a token", server.request("GET", "/metrics", token=None)[0], 401)


def rates(place):
    """A token has so many requests per minute, and another its own."""
    path, tokens = place.tokens(slow={"rate": 5}, other={})
    with place.serve("--tokens", path, "--rate", 1000) as server:
        found = [server.request("POST", token=tokens["slow"], body=HELLO) for _ in range(8)]
        same("the statuses", [status for status, _, _ in found], [200] * 5 + [429] * 3)
        assert 1 <= int(found[-1][1]["Retry-After"]) <= 12
        session = Session(server, tokens["other"])
        for _ in range(20):
            session.done("list_dir")


def sessions(place):
    """Sessions end when they are idle or deleted, and there are only so many."""
    with place.serve("--session-idle", 2) as server:
        session = Session(server)
        deleted = server.request("DELETE", **session.own_headers())
        same("the end of a session", deleted[0], 204)
        same("a session that has ended", session.post(frame("ping", {}, 1))[0], 404)
        idle = Session(server)
        time.sleep(3)
        same("a session that was idle", idle.post(frame("ping", {}, 1))[0], 404)
    with place.serve() as server:
        first, second = Session(server), Session(server)
        for _ in range(254):
            same("a session", server.request("POST", body=HELLO)[0], 200)
        first.done("list_dir")
        Session(server).done("list_dir")
        first.done("list_dir")
        same("the session that was idle for longest", second.post(frame("ping", {}, 1))[0], 404)


def resumption(place):
    """A stream that breaks goes on after the last event, before and after its call has ended."""
    with place.serve("--write") as server:
        session = Session(server)
        connection, answer, last = session.begin("run_script", script=WAITING)
        answer.close()
        connection.close()
        threading.Timer(0.2, (place.sandbox / "go").touch).start()
        [end] = [event for event in session.resume(last) if event.get("id") == session.next]
        same("the answer of the call", end["result"]["structuredContent"]["value"], "done")
        again = session.resume(last)
        same("the answer after its end", [event.get("id") for event in again], [session.next])
        same("an event that is not known", session.resume("77-0"), [])
        connection, answer, last = session.begin("list_dir")
        answer.close()
        connection.close()
        [end] = [event for event in session.resume(last) if event.get("id") == session.next]
        assert not end["result"]["isError"]
        # From 2026-07-28 on, a client that closes the stream cancels its request.
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = frame(
            "tools/call", {"name": "run_script", "arguments": {"script": ENDLESS}, "_meta": meta}, 1
        ).encode()
        named = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call", "Mcp_Name": "run_script"}
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("POST", "/mcp", body, server.headers(TOKEN, named))
        until("the change of the script", (place.sandbox / "begun.txt").exists)
        connection.close()
        until("its rollback", lambda: not (place.sandbox / "begun.txt").exists())
        resumed = server.request("GET", MCP_Protocol_Version="2026-07-28", Last_Event_ID="0-0")
        same("no stream to continue", resumed[0], 405)


def many(place):
    """32 clients read at once while one runs a script, for which none of them waits."""
    with place.serve("--write", "--max-steps", 10**12, "--timeout", 600, "--grace", "0.2") as server:
        script = threading.Event()
        runner = Session(server)

        def run():
            connection, answer, _ = runner.begin("run_script", script=ENDLESS)
            answer.read()
            connection.close()
            script.set()

        running = threading.Thread(target=run)
        running.start()
        until("the script", (place.sandbox / "begun.txt").exists)

        def read(number):
            session = Session(server)
            for turn in range(10):
                same("a file", session.done("read_file", file_path="docs/a.md")["content"], "# A\n\nneedle one\n")
                assert session.done("list_dir", path="src")["result"]
            session.close()
            return 20

        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            done = sum(pool.map(read, range(32)))
        assert not script.is_set(), "the script ended before the reads"
        same("answers", done, 640)
        server.end()
        running.join(PATIENCE)


def slow_clients(place):
    """Clients that send their heads or bodies slowly are disconnected, and others do not notice."""
    with place.serve() as server:
        heads = []
        for _ in range(100):
            connection = server.connect()
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n")
            heads.append(connection)
        body = server.connect()
        sent = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100\r\n\r\n{{"
        body.sendall(sent.encode())
        Session(server).done("list_dir")
        # It does not help to send a byte from time to time.
        until("the end of a head", lambda: drips(heads[0]))
        for connection in heads[1:]:
            until("the end of a head", lambda: is_closed(connection))
            connection.close()
        body.settimeout(PATIENCE)
        answer = body.recv(4096)
        assert answer.startswith(b"HTTP/1.1 408"), answer
        Session(server).done("list_dir")


def drips(connection):
    """Sends one byte more of a head, and returns whether the server has closed the connection."""
    try:
        connection.sendall(b"X")
    except OSError:
        return True
    return is_closed(connection)


def is_closed(connection):
    """Whether the server has closed a connection, perhaps after an answer."""
    try:
        connection.settimeout(0.2)
        while connection.recv(4096):
            pass
        return True
    except TimeoutError:
        return False
    except OSError:
        return True


def idle_readers(place):
    """A client that does not read its answer is disconnected."""
    (place.sandbox / "large.txt").write_text("x" * (8 << 20))
    with place.serve("--patience", 2, "--max-output-bytes", 16 << 20, "--metrics") as server:
        session = Session(server)
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE)
        connection.connect(("127.0.0.1", server.port))
        call = {"name": "read_file", "arguments": {"file_path": "large.txt", "max_size_mb": 16}}
        body = frame("tools/call", call, 7)
        head = {**server.headers(TOKEN, session.own_headers()), "Host": "localhost", "Content-Length": str(len(body))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n{body}".encode())
        session.kept.close()
        answered = r'(?m)^ns_calls_total\{tool="read_file",outcome="ok"\} 1$'
        until("the answer", lambda: re.search(answered, server.request("GET", "/metrics")[2]))
        open_now = r"(?m)^ns_connections 1$"
        until("the end of the connection", lambda: re.search(open_now, server.request("GET", "/metrics")[2]))
        connection.close()


def ending(place):
    """SIGTERM: calls end in time, others are rolled back, and what was changed is in the journal."""
    with place.serve("--write", "--grace", 30) as server:
        session = Session(server)
        connection, answer, _ = session.begin("run_script", script=WAITING)
        stream = server.connect()
        head = {**server.headers(TOKEN, session.own_headers()), "Host": "localhost"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        stream.sendall(f"GET /mcp HTTP/1.1\r\n{lines}\r\n".encode())
        assert stream.recv(4096).startswith(b"HTTP/1.1 200")
        same("healthy", server.request("GET", "/healthz", token=None)[::2], (200, "ok\n"))
        server.process.send_signal(signal.SIGTERM)
        until("an unhealthy answer", lambda: server.request("GET", "/healthz", token=None)[0] == 503)
        status, headers, _ = server.request("POST", body=HELLO)
        same("a new call", (status, "Retry-After" in headers), (503, True))
        (place.sandbox / "go").touch()
        ended = events("data:\n\n" + answer.read().decode())
        same("the answer of the call", ended[-1][1]["result"]["structuredContent"]["value"], "done")
        connection.close()
        same("the exit code", server.process.wait(timeout=PATIENCE), 0)
        while stream.recv(4096):
            pass
    same("the changes that stay", [run["command"].split()[2] for run in place.log()], ["run_script:"])
    for how in (signal.SIGTERM, signal.SIGINT):
        with place.serve("--write", "--grace", "0.2") as server:
            session = Session(server)
            connection, answer, _ = session.begin("run_script", script=ENDLESS)
            until("the change of the script", (place.sandbox / "begun.txt").exists)
            same("the exit code", server.end(how), 0)
            connection.close()
        assert not (place.sandbox / "begun.txt").exists(), "the change of a script that was stopped stays"
    # A change by a call is whole, and in the journal, wherever the signal meets it.
    for number in range(10):
        before = len(place.log())
        with place.serve("--write", "--grace", "0.2") as server:
            session = Session(server)
            connection, answer, _ = session.begin("copy_file", source_path="src", destination_path=f"copy {number}")
            time.sleep(0.002 * number)
            same("the exit code", server.end(), 0)
            connection.close()
        copied = sorted(str(path.relative_to(place.sandbox / f"copy {number}")) for path in
                        (place.sandbox / f"copy {number}").rglob("*"))
        assert copied in ([], ["deep", "deep/ünïcode.txt", "main.rs"]), copied
        same("the runs", len(place.log()) - before, 1 if copied else 0)


def metrics(place):
    """The metrics, read by the parser of Prometheus' own client."""
    with place.serve("--metrics") as server:
        session = Session(server)
        session.done("list_dir")
        session.failed("read_file", file_path="none.txt")
        session.done("run_script", script="RETURN 1")
        session.request("tools/call", {"name": "no such tool", "arguments": {}})
        server.request("POST", token="another", body=HELLO)
        server.request("POST", body=HELLO, Host="evil.example")
        status, headers, text = server.request("GET", "/metrics")
        same("the status", status, 200)
        assert headers["Content-Type"].startswith("application/openmetrics-text"), headers["Content-Type"]
        for parser in ("prometheus_client.parser", "prometheus_client.openmetrics.parser"):
            samples = parsed(parser, text)
            wanted = {
                'ns_calls_total{"outcome": "ok", "tool": "list_dir"}': 1,
                'ns_calls_total{"outcome": "error", "tool": "read_file"}': 1,
                'ns_calls_total{"outcome": "ok", "tool": "run_script"}': 1,
                'ns_call_duration_seconds_count{"tool": "list_dir"}': 1,
                'ns_call_duration_seconds_bucket{"le": "+Inf", "tool": "list_dir"}': 1,
                'ns_http_requests_total{"method": "POST", "status": "401"}': 1,
                'ns_refused_requests_total{"reason": "token"}': 1,
                'ns_refused_requests_total{"reason": "host_or_origin"}': 1,
                "ns_sessions{}": 1,
                "ns_scripts{}": 0,
                "ns_calls_in_progress{}": 0,
            }
            same(parser, {name: samples.get(name) for name in wanted}, wanted)
            assert "no such tool" not in text and "none.txt" not in text and session.id not in text


def parsed(parser, text):
    program = (
        f"import json, sys\nfrom {parser} import text_string_to_metric_families as read\n"
        "found = {s.name + json.dumps(s.labels, sort_keys=True): s.value for f in read(sys.stdin.read()) for s in f.samples}\n"
        "print(json.dumps(found))"
    )
    python = CLIENTS / "metrics/bin/python"
    ran = subprocess.run([python, "-c", program], input=text, capture_output=True, text=True, check=False)
    same(f"{parser} {ran.stderr}", ran.returncode, 0)
    return json.loads(ran.stdout)


def authorization_server(place):
    """Clients without a token are told where to get one (RFC 9728)."""
    url, login = "https://files.example.com/team/mcp", "https://login.example.com"
    with place.serve("--url", url, "--authorization-server", login) as server:
        _, headers, _ = server.request("POST", token=None, body=HELLO)
        at = re.search(r'resource_metadata="https://files\.example\.com([^"]*)"', headers["WWW-Authenticate"]).group(1)
        same("its path", at, "/.well-known/oauth-protected-resource/team/mcp")
        status, headers, text = server.request("GET", at, token=None)
        same("the metadata", (status, headers["Content-Type"]), (200, "application/json"))
        metadata = json.loads(text)
        same("the resource", (metadata["resource"], metadata["authorization_servers"]), (url, [login]))
        same("for the host of the URL", server.request("POST", body=HELLO, Host="files.example.com")[0], 200)
        same("from its pages", server.request("POST", body=HELLO, Origin="https://files.example.com")[0], 200)
        same("from another host", server.request("POST", body=HELLO, Host="files.example.org")[0], 403)


def real_clients(place):
    """The clients of PyPI and npm, which do the same work as over standard input and output."""
    (place.sandbox / "neuroscript.toml").write_text('[tools]\nask = ["delete_file"]\n')
    with place.serve("--write", "--tools", "default,read_media") as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        for generation in ("old", "new"):
            python = CLIENTS / generation / "bin/python"
            run([python, PACKAGE / "tests/clients/pypi.py", url], NS_MCP_TOKEN=TOKEN)
    with place.serve("--write", "--tools", "all") as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        run(["node", PACKAGE / "tests/clients/typescript.mjs", url, place.sandbox], CLIENTS / "typescript", NS_MCP_TOKEN=TOKEN)


def run(command, folder=PACKAGE, **environment):
    ran = subprocess.run(
        command, cwd=folder, env=dict(os.environ, **environment), capture_output=True, text=True, check=False
    )
    if ran.returncode != 0:
        raise AssertionError(f"{command}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def pump(source, target, change):
    try:
        while data := source.recv(65536):
            target.sendall(change(data))
    except OSError:
        pass
    finally:
        target.close()


def relay(port):
    """A port that adds the token to what goes to the server's: the suite cannot send one."""
    listener = socket.create_server(("127.0.0.1", 0))
    header = b"\r\nAuthorization: Bearer " + TOKEN.encode() + b"\r\n\\1:"

    def with_token(data):
        return re.sub(rb"\r\n([Hh]ost):", header, data)

    def serve():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            threading.Thread(target=pump, args=(client, server, with_token), daemon=True).start()
            threading.Thread(target=pump, args=(server, client, lambda data: data), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


# Tools that the conformance suite calls, as scripts: what they show is done by the server.
CONFORMANCE_TOOLS = {
    "test_simple_text": 'RETURN "This is a simple text response for testing."',
    "test_error_handling": 'FAIL "This tool intentionally returns an error for testing"',
    "test_reconnection": "RETURN 1",
    # The policy has the server ask before a deletion.
    "test_elicitation": 'DEFINE PROCEDURE Main(message)\n  CALL FS.DeleteFile("empty.txt")\n  RETURN message\nEND',
    # Each search goes on for a while, and its progress is told.
    "test_tool_with_progress": (
        "SET began = TIME.Now()\n"
        "WHILE TIME.Difference(TIME.Now(), began) < 4 DO\n"
        '  SET found = FS.SearchFiles("large", text: "(x+x+)+y", regex: true)\n'
        "END\n"
        "RETURN 1"
    ),
}


def conformance(place):
    """The conformance suite. Those checks fail that its list names, each with a reason, and no others."""
    (place.sandbox / "neuroscript.toml").write_text('[tools]\nask = ["delete_file"]\n')
    (place.sandbox / "large").mkdir()
    for number in range(8):
        (place.sandbox / f"large/{number}.txt").write_text(("x" * 99 + "\n") * 20_000)
    scripts = []
    for name, text in CONFORMANCE_TOOLS.items():
        path = place.config / f"{name}.ns"
        path.write_text(f":: description: For the conformance suite.\n{text}\n")
        scripts += ["--script", path]
    environment = {"PATH": f"{CLIENTS / 'node22/node_modules/.bin'}:{os.environ['PATH']}"}
    with place.serve("--write", *scripts) as server:
        url = f"http://127.0.0.1:{relay(server.port)}/mcp"
        command = ["conformance", "server", "--url", url, "--suite", "all", "-o", place.config / "results"]
        said = run([*command, "--expected-failures", BASELINE], **environment)
    listed = re.findall(r"(?m)^ +- (\S+) +# (.+)$", BASELINE.read_text())
    assert listed, "the list of expected failures is empty"
    page = (PACKAGE / "docs/agents.md").read_text()
    missing = [name for name, _ in listed if f"`{name}`" not in page]
    same("checks that docs/agents.md does not name", missing, [])
    passed = re.search(r"Total: (\d+) passed", said)
    print(f"  {passed.group(1)} checks pass, {len(listed)} scenarios do not apply")


def page_of_the_server(place):
    """docs/server.md: its files, its command and its proxy do what it says."""
    page = (PACKAGE / "docs/server.md").read_text()
    files = {pathlib.PurePath(name).name: text for name, text in re.findall(r"(?ms)^```\w+ (\S+)\n(.*?)^```$", page)}
    for name in ("policy.toml", "reports.toml"):
        (place.config / name).write_text(files[name])
    for folder in ("reports", "private"):
        (place.sandbox / folder).mkdir()
    clients = {client.pop("name"): client for client in tomllib.loads(files["tokens.toml"])["token"]}
    _, tokens = place.tokens(**{name: {k: v for k, v in it.items() if k != "hash"} for name, it in clients.items()})
    command = re.search(r"(?m)^ExecStart=\S+ mcp --http 127.0.0.1:\d+ (.*)$", files["ns.service"]).group(1)
    options = command.replace("--sandbox /srv/files ", "").replace("/etc/ns", str(place.config)).split()
    with place.serve(*options) as server:
        ana, ci = Session(server, tokens["ana"]), Session(server, tokens["ci"])
        ana.done("write_file", file_path="reports/a.txt", content="1")
        refused = ana.failed("write_file", file_path="private/a.txt", content="1")
        same("a path that the rules block", refused["code"], "policy_denied")
        ci.done("read_file", file_path="reports/a.txt")
        same("what it may not see", ci.failed("read_file", file_path="docs/a.md")["code"], "policy_denied")
        unknown = ci.request("tools/call", {"name": "write_file", "arguments": {}})["error"]["message"]
        assert "`write = true` of a token" in unknown, unknown
        same("the measures", server.request("GET", "/metrics", token=tokens["metrics"])[0], 200)
        same("the run", place.log()[0]["command"], "ns mcp (ana) FS.WriteFile reports/a.txt")
        if shutil.which("nginx"):
            through_nginx(place, files["files.conf"], server.port, tokens["ana"])
        else:
            print("  the proxy of docs/server.md is not tried: nginx is not installed")


def through_nginx(place, block, port, token):
    """A request through the proxy that the page configures."""
    folder = place.config
    names = ["-subj", "/CN=files.example.com", "-addext", "subjectAltName=DNS:files.example.com"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    run([*made, "-keyout", folder / "files.key", "-out", folder / "files.pem"])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        at = free.getsockname()[1]
    block = block.replace("listen 443", f"listen 127.0.0.1:{at}").replace("/etc/ssl", str(folder))
    block = block.replace("127.0.0.1:8765", f"127.0.0.1:{port}")
    head = f"daemon off; pid {folder}/pid; error_log {folder}/errors; events {{}}"
    (folder / "nginx.conf").write_text(f"{head}\nhttp {{ access_log off;\n{block}}}\n")
    proxy = subprocess.Popen(["nginx", "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        until("the proxy", lambda: socket.socket().connect_ex(("127.0.0.1", at)) == 0)
        context = ssl.create_default_context(cafile=folder / "files.pem")
        plain = socket.create_connection(("127.0.0.1", at), timeout=PATIENCE)
        with context.wrap_socket(plain, server_hostname="files.example.com") as tls:
            head = "".join(f"{name}: {value}\r\n" for name, value in Server.headers(token).items())
            sized = f"Content-Length: {len(HELLO)}\r\nConnection: close\r\n"
            tls.sendall(f"POST /mcp HTTP/1.1\r\nHost: files.example.com\r\n{head}{sized}\r\n{HELLO}".encode())
            answer = b"".join(iter(lambda: tls.recv(4096), b"")).decode()
        same("the status through the proxy", answer.split("\r\n", 1)[0], "HTTP/1.1 200 OK")
        assert '"serverInfo"' in answer, answer
    finally:
        proxy.terminate()
        proxy.wait()


PARTS = [
    page_of_the_server,
    refusals,
    failures_are_limited,
    tokens_files,
    old_tokens,
    clients_are_apart,
    rates,
    sessions,
    resumption,
    many,
    slow_clients,
    idle_readers,
    ending,
    metrics,
    authorization_server,
    real_clients,
    conformance,
]


def main():
    ns, words = os.path.realpath(sys.argv[1]), sys.argv[2:]
    chosen = [part for part in PARTS if not words or any(word in part.__name__ for word in words)]
    for part in chosen:
        with tempfile.TemporaryDirectory() as folder:
            print(f"-- {part.__name__}", flush=True)
            part(Place(folder, ns))
    print(f"{len(chosen)} of {len(PARTS)} parts passed")


if __name__ == "__main__":
    main()
