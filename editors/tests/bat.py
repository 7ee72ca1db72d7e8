"""Writes the scopes that bat shows at the places of the sample: bat.py BAT SYNTAXES FOLDER

A theme gives each scope a colour of its own, and the colours in the output name the scopes.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

SCOPES = [
    "meta.metadata", "comment", "string", "keyword.control", "keyword.operator", "keyword.operator.word",
    "keyword.other.metadata", "constant.language", "constant.numeric", "constant.character", "variable.other",
    "variable.parameter", "variable.function", "support.function", "support.class", "punctuation", "invalid",
]
# The colour of a scope that is listed nowhere.
NONE = 200


def theme():
    rows = "".join(
        f"<dict><key>scope</key><string>{scope}</string><key>settings</key><dict><key>foreground</key>"
        f"<string>#{number + 1:02x}0000</string></dict></dict>"
        for number, scope in enumerate(SCOPES)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>name</key><string>Scopes</string>'
        "<key>settings</key><array><dict><key>settings</key><dict><key>foreground</key>"
        f"<string>#{NONE:02x}0000</string></dict></dict>{rows}</array></dict></plist>"
    )


def shown(bat, environment, path):
    """Returns the scopes of each character of each line."""
    command = [bat, "--style=plain", "--color=always", "--theme=Scopes", "--paging=never", "--wrap=never", path]
    output = subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout
    lines = []
    for line in output.split("\n"):
        scopes, scope = [], "none"
        for escape, char in re.findall(r"\x1b\[([\d;]*)m|(.)", line):
            if char:
                scopes.append(scope)
                continue
            colour = re.search(r"38;2;(\d+)", escape)
            number = int(colour[1]) if colour else NONE
            scope = SCOPES[number - 1] if number <= len(SCOPES) else "none"
        lines.append(scopes)
    return lines


def main(bat, syntaxes, folder):
    folder = Path(folder)
    config = folder / "bat"
    for name in ["themes", "syntaxes", "cache"]:
        (config / name).mkdir(parents=True, exist_ok=True)
    (config / "themes/Scopes.tmTheme").write_text(theme())
    (config / "syntaxes/NeuroScript.sublime-syntax").write_text(Path(syntaxes).read_text())
    environment = {
        **os.environ, "BAT_CONFIG_DIR": str(config), "BAT_CACHE_PATH": str(config / "cache"), "COLORTERM": "truecolor",
    }
    subprocess.run([bat, "cache", "--build"], env=environment, check=True, stdout=subprocess.DEVNULL)
    current, lines = None, []
    with open(folder / "places.tsv") as places, open(folder / "bat.tsv", "w") as out:
        for place in places:
            number, line, column, _ = place.split("\t")
            if number != current:
                current, lines = number, shown(bat, environment, str(folder / f"{number}.ns"))
            print(number, line, column, lines[int(line) - 1][int(column)], sep="\t", file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])
