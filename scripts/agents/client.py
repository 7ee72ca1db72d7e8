"""A client of a server on standard input and output: frames, and nothing else."""

import json
import subprocess


class Client:
    """A server that was started, and the handshake. `options` are those of `subprocess.Popen`."""

    def __init__(self, command, version="2025-06-18", stderr=subprocess.DEVNULL, **options):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, bufsize=0, **options
        )
        self.lines = open(self.process.stdout.fileno(), "rb", closefd=False)
        self.next = 0
        # Bytes that went either way.
        self.sent = self.heard = 0
        info = {"name": "bench", "version": "1"}
        self.hello = self.request(
            "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
        )
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, frame):
        line = json.dumps(frame, separators=(",", ":")).encode() + b"\n"
        self.sent += len(line)
        self.process.stdin.write(line)

    def ask(self, method, params):
        self.next += 1
        self.say({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        return self.next

    def hear(self):
        """The next answer; what is no answer is left."""
        while True:
            line = self.lines.readline()
            if not line:
                raise EOFError("the server has ended")
            self.heard += len(line)
            frame = json.loads(line)
            if "id" in frame and "method" not in frame:
                return frame

    def request(self, method, params):
        self.ask(method, params)
        return self.hear()

    def call(self, tool, arguments):
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            raise ValueError(f"{tool}: {answer['error']['message']}")
        return answer["result"]

    def memory(self, kind="VmRSS"):
        """Bytes of memory that the server holds, its children too; as RssAnon what no file is behind."""
        total = 0
        for process in self.family(self.process.pid):
            with open(f"/proc/{process}/status") as status:
                total += next((int(line.split()[1]) * 1024 for line in status if line.startswith(f"{kind}:")), 0)
        return total

    def family(self, process):
        yield process
        with open(f"/proc/{process}/task/{process}/children") as children:
            for child in children.read().split():
                yield from self.family(int(child))

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.lines.close()
        self.process.stdout.close()
