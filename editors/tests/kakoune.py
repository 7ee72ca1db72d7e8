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
    setup = f"source {plugin}; {faces} set-option global autoinfo none"
    command = [kak, "-n", "-ui", "json", "-e", f"{setup}; edit -existing {path}", ]
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    size = {"jsonrpc": "2.0", "method": "resize", "params": [ROWS, COLUMNS]}
    process.stdin.write(json.dumps(size) + "\n")
    process.stdin.flush()
    lines = None
    wanted = Path(path).read_text().split("\n")
    for message in process.stdout:
        request = json.loads(message)
        if request["method"] == "draw":
            lines = request["params"][0]
            text = ["".join(atom["contents"] for atom in line).rstrip("\n") for line in lines]
            if text[: len(wanted) - 1] == wanted[: len(wanted) - 1]:
                break
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "keys", "params": ["<esc>:quit!<ret>"]}) + "\n")
    process.stdin.flush()
    process.stdin.close()
    process.wait(timeout=20)
    return [[face(atom["face"]) for atom in line for _ in atom["contents"]] for line in lines]


def face(colours):
    colour = colours["fg"]
    number = int(colour[1:3], 16) if colour.startswith("#") and colour.endswith("0000") else 0
    return FACES[number - 1] if 0 < number <= len(FACES) else "default"


def main(kak, plugin, folder):
    folder = Path(folder)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "XDG_CONFIG_HOME": str(folder)}
    current, lines = None, []
    with open(folder / "places.tsv") as places, open(folder / "kakoune.tsv", "w") as out:
        for place in places:
            number, line, column, _ = place.split("\t")
            if number != current:
                current, lines = number, drawn(kak, Path(plugin).resolve(), environment, str(folder / f"{number}.ns"))
            print(number, line, column, lines[int(line) - 1][int(column)], sep="\t", file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])
