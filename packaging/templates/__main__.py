"""Finds the `ns` that was installed with this package, and becomes it."""
import importlib.metadata
import os
import sys


def find_ns():
    """Returns the path of `ns`, as the installer recorded it."""
    recorded = importlib.metadata.files("neuroscript") or ()
    places = [str(path.locate()) for path in recorded if path.name == "ns"]
    # `pip install --target` moves the scripts afterwards.
    places.append(os.path.join(os.path.dirname(__file__), "../bin/ns"))
    for path in places:
        if os.path.isfile(path):
            return path
    raise SystemExit(f"neuroscript: `ns` is in none of {', '.join(places)}; install the package again")


def main():
    path = find_ns()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
