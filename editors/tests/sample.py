"""Writes a sample of scripts with places whose highlighting is known, and compares what an editor shows there.

`sample.py write CORPUS FOLDER EVERY` takes every so many scripts, one generated program in ten times as many, and
`everything.ns`, and writes `N.ns` and `places.tsv`: file, line from 1, column from 0, kind of the token.
`sample.py compare EDITOR FOLDER` reads `EDITOR.tsv`, which has the same lines with the editor's class in place of the
kind. The class is what the editor calls it: a scope, a capture, a face or a syntax group.
"""

import json
import re
import sys
from pathlib import Path

# A script with all that is easy to show wrongly.
ALWAYS = "editors/tests/everything.ns"
# No longer text is taken.
LONGEST = 4000
SHOWN = 12

# The patterns of the classes of each kind, by editor. A kind that is left out is not compared.
NAME = r"(Name|Label|Property|Group|Function)$"
CLASSES = {
    "vim": {
        "keyword": r"(Keyword|HeadWord|Statement|WordOperator)$",
        "constant": r"Constant$",
        "name": NAME,
        "callee": r"(Function|Builtin)$",
        "number": r"Number$",
        "text": r"String",
        "comment": r"Comment|Block",
        "metadata": r"Metadata|Key$",
        "mark": r"(Operator|Delimiter)$",
    },
    "neovim": {
        "keyword": r"^keyword",
        "constant": r"^(boolean|constant|variable.builtin)",
        "name": r"^(variable|module|function$|function.call)",
        "callee": r"^function",
        "number": r"^number",
        "text": r"^(string|property)",
        "comment": r"^comment",
        "metadata": r"^(punctuation|attribute|string.documentation)",
        "mark": r"^(operator|punctuation)",
    },
    "emacs": {
        "keyword": r"keyword",
        "constant": r"constant",
        "name": r"^(nil|font-lock-(variable-name|type|function-name)-face)$",
        "callee": r"function-name|builtin",
        "number": r"^nil$",
        "text": r"string",
        "comment": r"comment",
        "metadata": r"preprocessor",
        "mark": r"^nil$",
    },
    "bat": {
        "keyword": r"keyword",
        "constant": r"constant.language",
        "name": r"variable.other|variable.parameter|support.class",
        "callee": r"function",
        "number": r"constant.numeric",
        "text": r"string",
        "comment": r"comment",
        "metadata": r"metadata",
        "mark": r"keyword.operator|punctuation",
    },
    "kakoune": {
        "keyword": r"keyword",
        "constant": r"value",
        "name": r"default|variable|module",
        "callee": r"function|builtin",
        "number": r"value",
        "text": r"string",
        "comment": r"comment",
        "metadata": r"meta",
        "mark": r"operator|default",
    },
}


# Editors whose patterns do not know that a line is inside brackets, so that words there may be shown otherwise.
BY_LINES = ["kakoune"]


def kind_of(kind, text):
    if len(kind) == 1:
        return "mark"
    return "metadata" if kind == "comment" and text.startswith("::") else kind


def places(entry):
    """Yields the line, column and kind of the tokens, and the ends of texts and comments.

    The kind of a word has a `*` if its line begins inside brackets.
    """
    text, depth, line, inside = entry["text"], 0, 0, False
    for start, end, kind in entry["tokens"]:
        if text.count("\n", 0, start) > line:
            line, inside = text.count("\n", 0, start), depth > 0
        depth += (kind in "([{") - (kind in ")]}")
        kind = kind_of(kind, text[start:end]) + ("*" if inside and kind in ("keyword", "name") else "")
        last = end - 1 if kind in ("text", "comment") and not text[end - 1].isspace() else start
        for at in sorted({start, last}):
            before = text[:at]
            yield before.count("\n") + 1, at - before.rfind("\n") - 1, kind


def is_plain(text):
    """Whether byte offsets are columns in every editor."""
    return text.isascii() and not re.search(r"[\r\t\x00-\x08]", text) and len(text) < LONGEST


def write(corpus, folder, every):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(corpus, encoding="utf-8") as lines, open(folder / "places.tsv", "w", encoding="utf-8") as out:
        entries = [entry for entry in map(json.loads, lines) if entry["accepted"] and is_plain(entry["text"])]
        always = [entry for entry in entries if entry["place"] == ALWAYS]
        if not always:
            sys.exit(f"{ALWAYS} is not in the corpus, or the parser refuses it")
        scripts = [entry for entry in entries if entry["kind"] == "script"][:: int(every)]
        programs = [entry for entry in entries if entry["kind"] == "program"][:: 10 * int(every)]
        taken = always + scripts + programs
        for number, entry in enumerate(taken):
            (folder / f"{number}.ns").write_text(entry["text"], encoding="utf-8")
            for line, column, kind in places(entry):
                print(number, line, column, kind, sep="\t", file=out)
    print(f"sample: {len(taken)} texts")


def compare(editor, folder):
    folder = Path(folder)
    wanted = (folder / "places.tsv").read_text(encoding="utf-8").splitlines()
    found = (folder / f"{editor}.tsv").read_text(encoding="utf-8").splitlines()
    if len(wanted) != len(found) or not wanted:
        sys.exit(f"{editor}: {len(found)} of {len(wanted)} places were looked at")
    classes = {kind: re.compile(pattern) for kind, pattern in CLASSES[editor].items()}
    faults = []
    for place, shown in zip(wanted, found):
        number, line, column, kind = place.split("\t")
        if kind.endswith("*") and editor in BY_LINES:
            continue
        kind = kind.rstrip("*")
        if shown.split("\t")[:3] != [number, line, column]:
            sys.exit(f"{editor}: {shown!r} is not about {place!r}")
        name = shown.split("\t")[3]
        if not classes[kind].search(name):
            text = (folder / f"{number}.ns").read_text(encoding="utf-8").split("\n")[int(line) - 1]
            faults.append(f"{editor}: {number}.ns:{line}:{column}: {kind} is shown as `{name}` in `{text}`")
    for fault in faults[:SHOWN]:
        print(fault, file=sys.stderr)
    print(f"{editor}: {len(wanted)} places, {len(faults)} are shown otherwise")
    sys.exit(bool(faults))


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:])
