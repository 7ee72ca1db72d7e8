"""Compares the tree-sitter grammar with the parser of the language.

`target/tmp/editors/corpus.jsonl` has the texts, and for each whether the parser accepts it
(`cargo test --test integration -- editors::` writes it). Whatever the parser accepts must have no ERROR and no MISSING
node. Reports the rate of refused texts that have one, and the speed.
"""

import ctypes
import json
import sys
import time

import tree_sitter

# Number of faults that are printed.
SHOWN = 10


def language(library):
    """Returns the language in a shared library."""
    function = ctypes.CDLL(library).tree_sitter_neuroscript
    function.restype = ctypes.c_void_p
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return tree_sitter.Language(new_capsule(function(), b"tree_sitter.Language", None))


def texts(corpus):
    """Yields the entries of the corpus."""
    with open(corpus, encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def first_fault(node):
    """Returns the first ERROR or MISSING node of a tree."""
    while True:
        if node.is_error or node.is_missing:
            return node
        node = next(child for child in node.children if child.has_error)


def described(entry, text, node):
    line, column = node.start_point
    lines = text.decode().split("\n")
    around = "\n".join("    " + line for line in lines[max(0, line - 2) : line + 2])
    return f"{entry['place']}:{line + 1}:{column + 1}: {'MISSING ' + node.type if node.is_missing else 'ERROR'}\n{around}"


def speed(parser, accepted):
    """Returns how many megabytes a second are parsed, as one text of at least four, in processor time."""
    whole = b"".join(text + b"\n" for text in accepted if not text.startswith(b"\xef\xbb\xbf"))
    whole *= 1 + (4 << 20) // len(whole)
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        parser.parse(whole)
        best = min(best, time.process_time() - begun)
    return len(whole) / best / 1e6


def main(library, corpus):
    parser = tree_sitter.Parser(language(library))
    accepted, faults, refused, noticed = {}, [], 0, 0
    for entry in texts(corpus):
        text = entry["text"].encode()
        root = parser.parse(text).root_node
        if entry["accepted"]:
            accepted.setdefault(entry["kind"], []).append(text)
            if root.has_error:
                faults.append(described(entry, text, first_fault(root)))
        else:
            refused += 1
            noticed += root.has_error
    for fault in faults[:SHOWN]:
        print(fault, file=sys.stderr)
    listed = ", ".join(f"{len(group)} of kind {kind}" for kind, group in sorted(accepted.items()))
    print(f"accepted by the parser: {listed}; {len(faults)} of them have an error node")
    print(f"refused by the parser: {refused}; {noticed} of them have an error node ({100 * noticed // max(1, refused)} %)")
    speeds = ", ".join(f"{kind} {speed(parser, group):.1f}" for kind, group in sorted(accepted.items()))
    whole = speed(parser, [text for group in accepted.values() for text in group])
    print(f"MB/s in processor time: all {whole:.1f}, {speeds}")
    if not accepted or faults:
        sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
