"""Decides whether a task was done right, only from the answer and from the tree after the task."""

import csv
import io
import json
import unicodedata
from dataclasses import dataclass

from entries import File, Folder, Tree


@dataclass
class Outcome:
    """The tree after a task, and the answer. In a right outcome, the folders in `either` may exist or not, and `forms`
    maps files to the form in which they are compared, instead of byte by byte."""

    tree: Tree
    answer: object = None
    either: frozenset = frozenset()
    forms: dict = None


class InOrder(list):
    """A list whose order counts. The order of other lists does not."""


def faults(right, given):
    """Returns the faults of an outcome as texts; an empty list if it is right."""
    found = []
    if not same(right.answer, given.answer):
        found.append(f"answer {shown(given.answer)} instead of {shown(right.answer)}")
    for path in sorted(right.tree.keys() | given.tree.keys()):
        fault = difference(right, path, given.tree.get(path))
        if fault:
            found.append(f"{path!r} {fault}")
    return found


def same(expected, given):
    """Returns whether an answer is the expected one. Fractions may be rounded to two decimals; numbers may be texts."""
    match expected:
        case None | bool():
            return expected is given
        case int() | float():
            number = number_of(given)
            return number is not None and abs(number - expected) < (0.0051 if isinstance(expected, float) else 1e-9)
        case dict():
            return (
                isinstance(given, dict)
                and expected.keys() == given.keys()
                and all(same(value, given[key]) for key, value in expected.items())
            )
        case list():
            return isinstance(given, list) and len(given) == len(expected) and same_elements(expected, given)
        case _:
            # Composed and decomposed letters look alike, and a model cannot choose which it writes.
            return isinstance(given, str) and composed(given.strip()) == composed(expected)


def composed(text):
    return unicodedata.normalize("NFC", text)


def same_elements(expected, given):
    if isinstance(expected, InOrder):
        return all(same(one, other) for one, other in zip(expected, given))
    left = list(given)
    for one in expected:
        other = next((number for number, value in enumerate(left) if same(one, value)), None)
        if other is None:
            return False
        del left[other]
    return True


def number_of(value):
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def difference(right, path, given):
    """Returns the fault of one entry, or None."""
    expected = right.tree.get(path)
    if path in right.either and (expected is None or given is None):
        return None
    if expected is None:
        return "should not be there"
    if given is None:
        return "is missing"
    if type(expected) is not type(given):
        return f"is a {type(given).__name__.lower()} instead of a {type(expected).__name__.lower()}"
    if isinstance(expected, (File, Folder)) and expected.mode is not None and expected.mode != given.mode:
        return f"has the mode {given.mode:o} instead of {expected.mode:o}"
    if isinstance(expected, File):
        form = (right.forms or {}).get(path, bytes)
        return None if meaning(form, given.content) == meaning(form, expected.content) else "has another content"
    return None if isinstance(expected, Folder) or expected == given else "leads elsewhere"


def meaning(form, content):
    """Returns the value of a file for a comparison: parsed, or its bytes if it does not parse."""
    try:
        match form:
            case "csv":
                return list(csv.reader(io.StringIO(content.decode())))
            case "json":
                return list(json.loads(content).items())
            case "lines":
                return content.decode().splitlines()
    except (ValueError, AttributeError):
        pass
    return bytes(content)


def shown(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 400 else text[:400] + "…"
