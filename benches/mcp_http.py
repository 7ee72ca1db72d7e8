#!/usr/bin/env python3
"""Calls a second of `ns mcp --http` by one client and by 32 at once, of one token and of four.

    python3 benches/mcp_http.py [--quick] [--ns PATH]

The clients are processes that share the processors with the server, so the rates are lower than those of the server
alone. Answers are compared, times are not: the exit code is 1 when an answer differs.
"""

import argparse
import multiprocessing
import pathlib
import sys
import tempfile
import time
from statistics import median

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True
PACKAGE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE / "tests/clients"))
from http_server import Server, Session, new_token  # noqa: E402

CALLS = {"reads": ("read_file", {"file_path": "small.txt"}), "lists": ("list_dir", {"path": "fifty"})}


def tree(folder):
    (folder / "fifty").mkdir()
    for number in range(50):
        (folder / "fifty" / f"file-{number:02}.txt").write_text(f"{number}\n")
    (folder / "small.txt").write_text("a small file\n" * 20)


def work(server, token, kind, turns, wanted, ready, go):
    session = Session(server, token)
    tool, arguments = CALLS[kind]
    ready.release()
    go.wait()
    for _ in range(turns):
        if session.done(tool, **arguments) != wanted:
            sys.exit(1)
    session.close()


def rate(server, tokens, kind, clients, turns):
    """Calls a second of all clients together."""
    tool, arguments = CALLS[kind]
    first = Session(server, tokens[0])
    wanted = first.done(tool, **arguments)
    first.close()
    ready, go = multiprocessing.Semaphore(0), multiprocessing.Event()
    share = max(1, turns // clients)
    started = [
        multiprocessing.Process(
            target=work, args=(server, tokens[number % len(tokens)], kind, share, wanted, ready, go)
        )
        for number in range(clients)
    ]
    for process in started:
        process.start()
    for _ in started:
        ready.acquire()
    began = time.perf_counter()
    go.set()
    for process in started:
        process.join()
    took = time.perf_counter() - began
    if any(process.exitcode for process in started):
        raise SystemExit(f"{kind}: an answer differs")
    return share * clients / took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ns", default=str(PACKAGE / "target/dist/ns"))
    given = parser.parse_args()
    turns, rounds = (64, 1) if given.quick else (3200, 5)
    with tempfile.TemporaryDirectory() as place:
        sandbox, config = pathlib.Path(place, "box"), pathlib.Path(place, "config")
        sandbox.mkdir()
        config.mkdir()
        tree(sandbox)
        made = [new_token(given.ns, f"client-{number}") for number in range(4)]
        file = config / "tokens.toml"
        file.write_text("\n".join(entry for _, entry in made))
        tokens = [token for token, _ in made]
        with Server(given.ns, sandbox, "--tokens", file) as server:
            for kind in CALLS:
                columns = [("1 client", 1, 1), ("32 clients, 1 token", 32, 1), ("32 clients, 4 tokens", 32, 4)]
                found = {name: [] for name, _, _ in columns}
                for _ in range(rounds):
                    for name, clients, shared in columns:
                        found[name].append(rate(server, tokens[:shared], kind, clients, turns))
                print(f"{kind} a second: " + ", ".join(f"{name} {median(rates):.0f}" for name, rates in found.items()))


if __name__ == "__main__":
    main()
