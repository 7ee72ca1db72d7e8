#!/usr/bin/env python3
"""How long `ns lsp` takes for a document of 5,000 lines: lsp.py [--quick] [NS].

A key is typed in the middle of the document, as an editor sends it. Measured are the time to the diagnostics of that
version, the time to completions that are asked for right after the key, the start up to the answer to `initialize`,
and the memory at the end. The answers are compared with what they must be; the times are printed only.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

LINES = 5_000
BLOCK = """DEFINE PROCEDURE Work{n}(path, limit: {n})
  SET total = 0
  FOR EACH entry IN FS.WalkDir(path) DO
    IF NOT entry.isDir AND entry.size > limit THEN
      SET total = total + entry.size
    END
  END
  RETURN total
END
EMIT Work{n}("a", limit: {n} + 1)
"""


class Editor:
    def __init__(self, ns, folder):
        self.child = subprocess.Popen([ns, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.next = 0

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.child.stdin.flush()

    def hear(self):
        length = 0
        while (line := self.child.stdout.readline()) != b"\r\n":
            if not line:
                raise SystemExit("error: the server ended")
            length = int(line.split(b":")[1])
        return json.loads(self.child.stdout.read(length))

    def ask(self, method, params):
        self.next += 1
        self.send({"id": self.next, "method": method, "params": params})
        while (answer := self.hear()).get("id") != self.next:
            pass
        return answer["result"]

    def published(self, version):
        while True:
            heard = self.hear()
            if heard.get("method") == "textDocument/publishDiagnostics" and heard["params"]["version"] == version:
                return heard["params"]["diagnostics"]

    def memory(self):
        with open(f"/proc/{self.child.pid}/status") as status:
            return {line.split(":")[0]: int(line.split()[1]) for line in status if line.startswith(("VmHWM", "VmRSS"))}


def main():
    quick = "--quick" in sys.argv
    named = [word for word in sys.argv[1:] if not word.startswith("--")]
    ns = os.path.abspath(named[0] if named else "target/dist/ns")
    keys = 10 if quick else 200
    with tempfile.TemporaryDirectory() as folder:
        starts = []
        for _ in range(2 if quick else 20):
            begun = time.perf_counter()
            editor = Editor(ns, folder)
            editor.ask("initialize", {"capabilities": {}, "rootUri": f"file://{folder}"})
            starts.append(time.perf_counter() - begun)
            if len(starts) < (2 if quick else 20):
                editor.child.kill()
                editor.child.wait()
        text = "".join(BLOCK.replace("{n}", str(number)) for number in range(LINES // 10))
        assert text.count("\n") == LINES
        uri = f"file://{folder}/a.ns"
        document = {"uri": uri, "languageId": "neuroscript", "version": 1, "text": text}
        editor.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        assert editor.published(1) == []
        checks, completions = [], []
        for key in range(keys):
            # A letter behind `entry.`, and back.
            line, version = LINES // 2 + 3, key + 2
            start, end, new = (17, 17, "i") if key % 2 == 0 else (17, 18, "")
            place = {"line": line, "character": 17 + (key + 1) % 2}
            spot = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
            change = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": spot, "text": new}]}
            begun = time.perf_counter()
            editor.send({"method": "textDocument/didChange", "params": change})
            if key % 4 < 2:
                assert editor.published(version) == [], "the field of another name is no finding"
                checks.append(time.perf_counter() - begun)
            else:
                editor.next += 1
                editor.send({"id": editor.next, "method": "textDocument/completion",
                             "params": {"textDocument": {"uri": uri}, "position": place}})
                # The diagnostics may come first.
                heard = []
                while (answer := editor.hear()).get("id") != editor.next:
                    heard.append(answer)
                completions.append(time.perf_counter() - begun)
                assert answer["result"]["items"], answer
                if not heard:
                    editor.published(version)
        memory = editor.memory()
        editor.ask("shutdown", None)
        editor.send({"method": "exit"})
        assert editor.child.wait() == 0
    shown = lambda times: f"median {statistics.median(times) * 1e3:.1f} ms, longest {max(times) * 1e3:.1f} ms"
    print(f"start: {shown(starts)}")
    print(f"diagnostics after a key, {LINES} lines: {shown(checks)}")
    print(f"completions after a key: {shown(completions)}")
    print(f"memory: {memory['VmRSS'] / 1024:.0f} MiB, at most {memory['VmHWM'] / 1024:.0f} MiB")


main()
