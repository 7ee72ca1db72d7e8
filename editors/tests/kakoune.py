"""Writes the faces that Kakoune shows at the places of the sample: kakoune.py KAK FILE.kak FOLDER

The interface in JSON draws the whole buffer; each face has a colour of its own, which names it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FACES = ["keyword", "value", "string", "comment", "meta", "operator", "function", "builtin", "variable", "module"]
ROWS, COLUMNS = 900, 400


def drawn(kak, plugin, environment, path):
    """Returns the face of each character of each line of a file."""
    faces = "".join(f"set-face global {face} rgb:{number + 1:02x}0000;" for number, face in enumerate(FACES))
    cursors = "".join(f"set-face global Primary{name} default;" for name in ["Cursor", "CursorEol", "Selection"])
    command = [kak, "-ui", "json", "-e", f"source {plugin}; {faces} {cursors} edit -existing {path}"]
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    texts = Path(path).read_text().removesuffix("\n").split("\n")
    length, rows = max(map(len, texts)), len(texts)
    lines = None
    for message in process.stdout:
        request = json.loads(message)
        if request["method"] == "draw_status" and any(atom["face"]["bg"] == "red" for atom in request["params"][0]):
            sys.exit(f"kakoune: {request['params'][0]}")
        if request["method"] == "draw":
            lines = request["params"][0]
            if max(sum(len(atom["contents"]) for atom in line) for line in lines) >= length and len(lines) >= rows:
                break
            # The first one has the size of a terminal.
            send(process, "resize", [ROWS, COLUMNS])
    send(process, "keys", ["<esc>:quit!<ret>"])
    process.stdin.close()
    process.stdout.read()
    process.wait(timeout=20)
    return [[face(atom["face"]) for atom in line for _ in atom["contents"]] for line in lines]


def send(process, method, params):
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}) + "\n")
    process.stdin.flush()


def face(colours):
    colour = colours["fg"]
    number = int(colour[4:6], 16) if colour.startswith("rgb:") and colour.endswith("0000") else 0
    return FACES[number - 1] if 0 < number <= len(FACES) else "default"


# Lines that are typed without blanks, and what they become.
TYPED = ["IF x THEN", "EMIT f(", "1", ")", "ELSE", "FOR EACH a IN b DO", "EMIT a", "END", "ENDIF", "EMIT 2"]
INDENTED = "IF x THEN\n  EMIT f(\n    1\n  )\nELSE\n  FOR EACH a IN b DO\n    EMIT a\n  END\nENDIF\nEMIT 2"


def check_typing(kak, plugin, environment, path):
    """Fails if lines are not indented while they are typed."""
    path.write_text("")
    command = [kak, "-ui", "json", "-e", f"source {plugin}; edit {path}"]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    next(message for message in process.stdout if '"refresh"' in message)
    keys = "<ret>".join(line.replace("<", "<lt>").replace(" ", "<space>") for line in TYPED)
    send(process, "keys", [f"i{keys}<esc>:write-quit<ret>"])
    process.stdout.read()
    process.wait(timeout=20)
    found = path.read_text().rstrip("\n")
    if found != INDENTED:
        sys.exit(f"kakoune: what was typed is indented as\n{found}")


def main(kak, plugin, folder):
    folder = Path(folder)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "XDG_CONFIG_HOME": str(folder)}
    check_typing(kak, Path(plugin).resolve(), environment, folder / "typed.ns")
    current, lines = None, []
    with open(folder / "places.tsv") as places, open(folder / "kakoune.tsv", "w") as out:
        for place in places:
            number, line, column, _ = place.split("\t")
            if number != current:
                current, lines = number, drawn(kak, Path(plugin).resolve(), environment, str(folder / f"{number}.ns"))
            print(number, line, column, lines[int(line) - 1][int(column)], sep="\t", file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])
