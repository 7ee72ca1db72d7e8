"""Compiles the queries of all editors, and runs the tests of the grammar in `test/corpus`: queries.py PARSER"""

import re
import sys
from pathlib import Path

import tree_sitter

from grammar import language

EDITORS = Path(__file__).resolve().parent.parent
# Number of queries below; one that is lost must not go unnoticed.
QUERIES = 14


def compile_queries(neuroscript):
    folders = ["tree-sitter/queries", "helix/queries/neuroscript", "zed/languages/neuroscript"]
    files = [file for folder in folders for file in sorted((EDITORS / folder).glob("*.scm"))]
    for file in files:
        try:
            query = tree_sitter.Query(neuroscript, file.read_text())
        except tree_sitter.QueryError as error:
            sys.exit(f"{file.relative_to(EDITORS)}: {error}")
        if query.capture_count == 0:
            sys.exit(f"{file.relative_to(EDITORS)} captures nothing")
    if len(files) != QUERIES:
        sys.exit(f"{len(files)} queries were found, and {QUERIES} were expected")
    return len(files)


def cases():
    """Yields the title, the attributes, the text and the expected tree of each case."""
    for file in sorted((EDITORS / "tree-sitter/test/corpus").glob("*.txt")):
        parts = re.split(r"^=+\n((?:.+\n)+?)=+\n", file.read_text(), flags=re.MULTILINE)[1:]
        for head, body in zip(parts[::2], parts[1::2]):
            title, *attributes = head.splitlines()
            text, tree = re.split(r"^---\n", body, flags=re.MULTILINE)
            yield f"{file.name}: {title}", attributes, text.strip("\n"), tree


def shape(tree):
    """Returns a tree without the names of fields and without layout."""
    return re.sub(r"\s+", " ", re.sub(r"[a-z_]+: ", "", tree)).replace("( ", "(").replace(" )", ")").strip()


def run_cases(parser):
    count = 0
    for title, attributes, text, expected in cases():
        root = parser.parse(text.encode()).root_node
        count += 1
        if ":error" in attributes:
            if not root.has_error:
                sys.exit(f"{title}: there is no error")
        elif shape(str(root)) != shape(expected):
            sys.exit(f"{title}: the tree is\n{root}")
    return count


def main(library):
    neuroscript = language(library)
    compiled = compile_queries(neuroscript)
    print(f"tree-sitter: {compiled} queries, {run_cases(tree_sitter.Parser(neuroscript))} trees of test/corpus")


if __name__ == "__main__":
    main(*sys.argv[1:])
