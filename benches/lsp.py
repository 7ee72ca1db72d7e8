#!/usr/bin/env python3
"""How long language servers take for documents of 5,000 lines: lsp.py [--quick] [--peers] [--save] [NS].

For `ns lsp` there are three documents (statements, procedures, literals) and three keys (a letter inside a word, a new
line, and a quote that opens a text), each typed and taken back in the middle of the document, as an editor sends it.
Measured are the time to the diagnostics of that version, the time to completions that are asked for right after a key,
the start up to the first diagnostics, and the largest memory. The answers are compared with what they must be; the
times are printed only.

`--peers` installs other servers below target/lsp-peers and measures a letter inside a word with them, on documents of
the same length in their languages. `--save` writes the table of docs/lsp.md.
"""

import json
import os
import queue
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

LINES = 5_000
TOP = Path(__file__).resolve().parent.parent
PEERS = TOP / "target/lsp-peers"
PACKAGES = ["basedpyright==1.40.2"], ["deno@2.9.6", "nushell@0.115.1"]
PATIENCE = 60

PROCEDURES = """DEFINE PROCEDURE Work{n}(path, limit: {n})
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
STATEMENTS = """SET total{n} = {n} * 2 + LEN("text")
IF total{n} > 10 AND total{n} != 12 THEN
  EMIT "total: " + STR.Upper("text"), total{n}
ELSE
  FOR EACH entry IN FS.ListDir("src") DO
    IF entry.size > total{n} THEN
      EMIT entry.name, entry.size
    END
  END
END
"""
LITERALS = """SET table{n} = {{
  "name": "row {n}", "values": [1, 2, 3, {n}, 5.5, true, nil],
  "inner": {{"key": "value", "list": ["a", "b", "c", {{"deep": [1, [2, [3]]]}}]}},
  "path": 'data/{n}.csv',
}}
EMIT ```
Row {{{{table{n}.name}}}} has {{{{table{n}.values}}}},
and its path is {{{{table{n}.path}}}}.
```
EMIT table{n}.inner
"""
PYTHON = """def work{n}(path: str, limit: int = {n}) -> int:
    total = 0
    for entry in os.scandir(path):
        if not entry.is_dir() and entry.stat().st_size > limit:
            total = total + entry.stat().st_size
        else:
            total = total + 1
    return total

print(work{n}("a", limit={n} + 1))
"""
TYPESCRIPT = """function work{n}(path: string, limit: number = {n}): number {{
  let total = 0;
  for (const entry of Deno.readDirSync(path)) {{
    if (!entry.isDirectory && entry.name.length > limit) {{
      total = total + entry.name.length;
    }}
  }}
  return total;
}}
console.log(work{n}("a", {n} + 1));
"""
NUSHELL = """def work{n} [path: string, limit: int = {n}] {{
  mut total = 0
  for entry in (ls $path) {{
    if $entry.type != dir and $entry.size > 1b {{
      $total = $total + 1
    }}
  }}
  $total
}}
print (work{n} "a" ({n} + 1))
"""


def document(block, head=""):
    """A document of 5,000 lines."""
    is_doubled = block is not PROCEDURES and block is not STATEMENTS
    text = "".join(block.format(n=n) if is_doubled else block.replace("{n}", str(n)) for n in range(LINES // 10))
    text = head + "".join(text.splitlines(keepends=True)[:LINES - head.count("\n")])
    assert text.count("\n") == LINES
    return text


class Editor:
    """An editor that answers what servers ask."""

    def __init__(self, command, folder, environment=None):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      cwd=folder, env=environment)
        self.next, self.settings = 0, None
        self.heard = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            length = 0
            while (line := self.child.stdout.readline()) != b"\r\n":
                if not line:
                    return self.heard.put((time.perf_counter(), None))
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            body = self.child.stdout.read(length)
            self.heard.put((time.perf_counter(), body))

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.child.stdin.flush()

    def hear(self):
        """Returns the next message and when it came. Questions of the server are answered."""
        while True:
            at, body = self.heard.get(timeout=PATIENCE)
            if body is None:
                raise SystemExit("error: the server ended")
            message = json.loads(body)
            if "id" not in message or "method" not in message:
                return message, at
            items = (message.get("params") or {}).get("items", [])
            is_configuration = message["method"] == "workspace/configuration"
            self.send({"id": message["id"], "result": [self.settings for _ in items] if is_configuration else None})

    def ask(self, method, params):
        self.next += 1
        # Some servers refuse the parameters of a request that has none.
        self.send({"id": self.next, "method": method, **({} if params is None else {"params": params})})
        while True:
            message, at = self.hear()
            if message.get("id") == self.next:
                if "error" in message:
                    raise SystemExit(f"error: {method}: {message['error']}")
                return message["result"], at

    def start(self, folder, options=None):
        text = {"publishDiagnostics": {"versionSupport": True}, "completion": {}, "synchronization": {}}
        uri, self.settings = Path(folder).as_uri(), options
        self.ask("initialize", {
            "processId": os.getpid(), "capabilities": {"textDocument": text, "workspace": {"configuration": True}},
            "rootUri": uri, "workspaceFolders": [{"uri": uri, "name": "bench"}], "initializationOptions": options,
        })
        self.send({"method": "initialized", "params": {}})

    def open(self, uri, language, text):
        self.send({"method": "textDocument/didOpen",
                   "params": {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}}})

    def published(self, uri, version):
        """Returns the diagnostics of a version, or the next ones of a server that names no version."""
        while True:
            message, at = self.hear()
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                if params["uri"] == uri and params.get("version") in (None, version):
                    return params["diagnostics"], at

    def change(self, uri, version, start, end, text):
        spot = {"start": {"line": start[0], "character": start[1]}, "end": {"line": end[0], "character": end[1]}}
        self.send({"method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": spot, "text": text}]}})

    def memory(self):
        """Returns the largest memory of the server and of its children, in MiB."""
        total = 0
        for process in [self.child.pid, *children(self.child.pid)]:
            try:
                status = Path(f"/proc/{process}/status").read_text()
            except OSError:
                continue
            total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
        return total / 1024

    def leave(self):
        self.ask("shutdown", None)
        self.send({"method": "exit"})
        try:
            self.child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        return self.child.returncode


def children(process):
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == process:
            found += [int(status.parent.name), *children(int(status.parent.name))]
    return found


class Figures:
    """Times in milliseconds."""

    def __init__(self, times):
        self.times = sorted(time * 1e3 for time in times)

    def median(self):
        return statistics.median(self.times)

    def at99(self):
        return self.times[min(len(self.times) - 1, int(len(self.times) * 0.99))]

    def __str__(self):
        return f"median {self.median():.1f} ms, 99 % {self.at99():.1f} ms"


# Where the keys are typed: the document, the language, the line in the middle and the column in it.
DOCUMENTS = {
    "statements": (STATEMENTS, "EMIT entry.name, entry.size", "EMIT entr"),
    "procedures": (PROCEDURES, "RETURN total", "RETURN tot"),
    "literals": (LITERALS, "EMIT table{n}.inner", "EMIT tab"),
}
KEYS = {"a letter in a word": "x", "a new line": "\n", "a quote": '"'}


def place(text, line, before):
    """Returns the line in the middle of a text, and the column after a beginning."""
    lines = text.splitlines()
    middle = len(lines) // 2
    start = line.split("{n}")[0]
    number = next(number for number in range(middle, len(lines)) if lines[number].lstrip().startswith(start))
    return number, lines[number].index(before) + len(before)


def type_keys(editor, uri, spot, key, count, version):
    """Types a key and takes it back, some times. Returns the times to the diagnostics, and the next version."""
    line, column = spot
    after = (line + 1, 0) if key == "\n" else (line, column + len(key))
    times = []
    for _ in range(count):
        for start, end, text in ((spot, spot, key), (spot, after, "")):
            version += 1
            begun = time.perf_counter()
            editor.change(uri, version, start, end, text)
            found, at = editor.published(uri, version)
            times.append(at - begun)
            assert bool(found) == bool(text), f"version {version}: {found[:3]}"
    return times, version


def complete(editor, uri, spot, count, version):
    """Types a letter and removes it, and asks for completions at once. Returns the times of the answers with names, which
    those after the letter is gone have, and the next version."""
    line, column = spot
    times = []
    for _ in range(count):
        for start, end, text in ((spot, spot, "x"), (spot, (line, column + 1), "")):
            version += 1
            begun = time.perf_counter()
            editor.change(uri, version, start, end, text)
            position = {"line": line, "character": column + len(text)}
            result, at = editor.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": position})
            items = result["items"] if isinstance(result, dict) else result
            if items:
                times.append(at - begun)
            settle(editor)
    return times, version


def settle(editor, quiet=0.3):
    """Waits until the server says nothing any more."""
    while True:
        try:
            at, body = editor.heard.get(timeout=quiet)
        except queue.Empty:
            return
        message = json.loads(body)
        if "id" in message and "method" in message:
            editor.send({"id": message["id"], "result": None})


def measure(ns, name, quick):
    block, line, before = DOCUMENTS[name]
    text = document(block)
    spot = place(text, line, before)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/src")
        uri = Path(folder, "a.ns").as_uri()
        starts = []
        for _ in range(1 if quick else 15):
            begun = time.perf_counter()
            editor = Editor([ns, "lsp"], folder)
            editor.start(folder)
            editor.open(uri, "neuroscript", text)
            found, at = editor.published(uri, 1)
            assert found == [], found[:3]
            starts.append(at - begun)
            if len(starts) < (1 if quick else 15):
                assert editor.leave() == 0
        version, keys = 1, {}
        for key in KEYS:
            keys[key], version = type_keys(editor, uri, spot, KEYS[key], 1 if quick else 60, version)
        count = 1 if quick else 15
        completions, version = complete(editor, uri, spot, count, version)
        assert len(completions) == count, "there are names that begin so"
        tokens, _ = editor.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})
        assert tokens["data"], "there are tokens"
        memory = editor.memory()
        assert editor.leave() == 0
    figures = {key: Figures(times) for key, times in keys.items()}
    print(f"{name}, {LINES} lines")
    print(f"  start to first diagnostics: {Figures(starts)}")
    for key, times in figures.items():
        print(f"  diagnostics after {key}: {times}")
    print(f"  completion after a key: {Figures(completions)}")
    print(f"  memory at most: {memory:.0f} MiB", flush=True)
    return {"start": Figures(starts), "keys": figures, "completion": Figures(completions), "memory": memory}


def install():
    """Installs the peers from PyPI and npm. Those that cannot be installed are left out, and named."""
    PEERS.mkdir(parents=True, exist_ok=True)
    python, node = PACKAGES
    bin = PEERS / "python/bin"
    if not (bin / "basedpyright-langserver").exists():
        subprocess.run([sys.executable, "-m", "venv", PEERS / "python"], check=True)
        subprocess.run([bin / "pip", "install", "--quiet", "--disable-pip-version-check", *python], check=False)
    if not (PEERS / "node/.done").exists():
        (PEERS / "node").mkdir(exist_ok=True)
        (PEERS / "node/package.json").write_text('{"private":true}')
        command = ["npm", "install", "--prefix", PEERS / "node", "--no-audit", "--no-fund", "--loglevel", "error"]
        command += node
        if subprocess.run(command, check=False).returncode == 0:
            (PEERS / "node/.done").touch()
    modules = PEERS / "node/node_modules/.bin"
    quiet = {**os.environ, "NO_COLOR": "1", "DENO_DIR": str(PEERS / "deno"), "DENO_NO_UPDATE_CHECK": "1"}
    deno = {"enable": True, "lint": False}
    python_text = faulty(document(PYTHON, "import os\n"), "undefined_name")
    typescript_text = faulty(document(TYPESCRIPT), "undefinedName;")
    nushell_text = faulty(document(NUSHELL), "print $undefined_name")
    found = {
        "basedpyright": ([bin / "basedpyright-langserver", "--stdio"], "a.py", "python", python_text, "return total",
                         "return tot", None, quiet),
        "deno lsp": ([modules / "deno", "lsp"], "a.ts", "typescript", typescript_text, "return total", "return tot", deno,
                     quiet),
        "nu --lsp": ([modules / "nu", "--lsp"], "a.nu", "nushell", nushell_text, "$total", "$tot", None, quiet),
    }
    return {name: peer for name, peer in found.items() if shutil.which(peer[0][0])}, list(found)


def find(editor, uri, version, fits):
    """Waits for diagnostics whose number fits: some servers send those of the parser before the others."""
    while True:
        found, at = editor.published(uri, version)
        if fits(len(found)):
            return len(found), at


def faulty(text, fault):
    """A document whose last line uses a name that nothing defines, so that its first diagnostics can be told."""
    return "".join(text.splitlines(keepends=True)[:-1]) + fault + "\n"


def measure_peer(peer):
    command, file, language, text, line, before, options, environment = peer
    with tempfile.TemporaryDirectory() as folder:
        uri = Path(folder, file).as_uri()
        Path(folder, file).write_text(text)
        starts = []
        for _ in range(2):
            begun = time.perf_counter()
            editor = Editor(command, folder, environment)
            editor.start(folder, options)
            editor.open(uri, language, text)
            faults, at = find(editor, uri, 1, lambda found: found > 0)
            starts.append(at - begun)
            settle(editor, 1)
            if len(starts) < 2:
                editor.leave()
        spot = place(text, line, before)
        times, version = [], 1
        for _ in range(8):
            for start, end, new in ((spot, spot, "x"), (spot, (spot[0], spot[1] + 1), "")):
                version += 1
                begun = time.perf_counter()
                editor.change(uri, version, start, end, new)
                _, at = find(editor, uri, version, lambda found: (found > faults) == bool(new))
                times.append(at - begun)
                settle(editor)
        completions, version = complete(editor, uri, spot, 3, version)
        memory = editor.memory()
        editor.leave()
    return {"start": Figures(starts), "keys": Figures(times), "completion": Figures(completions), "memory": memory}


def row(name, start, keys, completion, memory):
    """Returns a row of the table."""
    times = f"{keys.median():.0f} ms | {keys.at99():.0f} ms"
    return f"| {name} | {start.median():.0f} ms | {times} | {completion.median():.0f} ms | {memory:.0f} MiB |"


def table(own, peers):
    lines = ["| server | start to first diagnostics | diagnostics after a key, median | 99 % | completion | memory |",
             "|---|---|---|---|---|---|"]
    for name, figures in own.items():
        worst = max(figures["keys"].values(), key=lambda times: times.median())
        lines.append(row(f"`ns lsp`, {name}", figures["start"], worst, figures["completion"], figures["memory"]))
    for name, figures in peers.items():
        lines.append(row(f"`{name}`", figures["start"], figures["keys"], figures["completion"], figures["memory"]))
    load = os.getloadavg()
    lines.append(f"\nMeasured on {os.cpu_count()} processors, with a load average of {load[1]:.1f}.")
    return "\n".join(lines)


def save(text):
    page = TOP / "docs/lsp.md"
    begin, end = "<!-- speed -->\n", "<!-- end of speed -->"
    before, _, rest = page.read_text().partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}{text}\n{end}{after}")


def main():
    quick = "--quick" in sys.argv
    named = [word for word in sys.argv[1:] if not word.startswith("--")]
    ns = os.path.abspath(named[0] if named else "target/dist/ns")
    own = {name: measure(ns, name, quick) for name in DOCUMENTS}
    peers = {}
    if "--peers" in sys.argv:
        found, wanted = install()
        for name in wanted:
            if name in found:
                try:
                    peers[name] = measure_peer(found[name])
                except (queue.Empty, OSError):
                    print(f"{name}: not measured, it sends no diagnostics of the faults in {PATIENCE} s", flush=True)
                else:
                    print(f"{name}: measured", flush=True)
            else:
                print(f"{name}: cannot be installed", flush=True)
    print(table(own, peers))
    if "--save" in sys.argv:
        save(table(own, peers))


main()
