#!/usr/bin/env python3
"""Tests the judge of every task: it accepts the right outcome, and refuses wrong outcomes made from it.

    python3 scripts/agents/trial/test_judge.py [--list]

Wrong outcomes come from the mistakes that the truth of a task can make, and from changes of the right outcome: another
answer, a file missed, an additional file touched, other line ends, another mode.
"""

import json
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import entries  # noqa: E402
from entries import File, Folder, Tree  # noqa: E402
from judge import InOrder, Outcome, faults, meaning  # noqa: E402
from tasks import all_tasks  # noqa: E402


def wrong_answers(answer):
    """Yields answers that are nearly right, and no answer."""
    match answer:
        case bool() | None:
            return
        case int() | float():
            yield "one more", answer + 1
            yield "one less", answer - 1
            yield "a cent less", answer - 0.01
        case dict():
            for key, value in answer.items():
                yield f"without {key}", {other: answer[other] for other in answer if other != key}
                for name, wrong in wrong_answers(value):
                    yield f"{key}: {name}", answer | {key: wrong}
            yield "a key more", answer | {"none": 1}
        case list():
            yield "the last left out", answer[:-1]
            yield "one twice", answer + answer[:1]
            if isinstance(answer, InOrder) and len(answer) > 1:
                yield "the other way round", answer[::-1]
        case str():
            yield "another text", answer + "x"
    yield "no answer", None


def wrong_trees(before, right):
    """Yields trees that differ from the right one in one way each."""
    after = right.tree
    changed = [path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
    changed = [path for path in changed if isinstance(before.get(path, after.get(path)), File)]
    if changed:
        yield "nothing was changed", before
    for path in {min(changed), max(changed)} if changed else ():
        yield f"{path} was missed", with_entry(after, path, before.get(path))
    for path in untouched(before, after):
        content = after[path].content
        yield f"{path} was touched", with_entry(after, path, File(content + b"\n", after[path].mode))
        yield f"{path} was deleted", with_entry(after, path, None)
        yield f"{path} has another mode", with_entry(after, path, File(content, after[path].mode ^ 0o100))
    for path in changed:
        if path in after:
            yield from wrong_contents(right, path)
    yield "a file was left behind", with_entry(after, "left.tmp", File(b""))
    yield "a folder was left behind", with_entry(after, "left", Folder())


def untouched(before, after):
    """Returns the first and the last file that the task does not change."""
    same = [path for path in before if isinstance(before[path], File) and before[path] == after.get(path)]
    return {min(same), max(same)} if same else set()


def wrong_contents(right, path):
    """Yields trees in which a changed file has a wrong content or mode."""
    entry, form = right.tree[path], (right.forms or {}).get(path, bytes)
    content = entry.content
    made = {
        "other line ends": content.replace(b"\r\n", b"\n") if b"\r\n" in content else content.replace(b"\n", b"\r\n"),
        "the last line lost": b"".join(content.splitlines(keepends=True)[:-1]),
        "a blank more": content + b" ",
        "the last line end lost": content.removesuffix(b"\n"),
    }
    for name, wrong in made.items():
        if meaning(form, wrong) != meaning(form, content):
            yield f"{path}: {name}", with_entry(right.tree, path, File(wrong, entry.mode or 0o644))
    if entry.mode is not None:
        yield f"{path}: another mode", with_entry(right.tree, path, File(content, entry.mode ^ 0o100))


def with_entry(tree, path, entry):
    made = Tree(tree)
    made.pop(path, None)
    if entry is not None:
        made[path] = entry
    return made


def wrong_outcomes(task, before, right):
    for mistake in task.mistakes:
        yield mistake, task.truth(before, **{mistake: True})
    for name, answer in wrong_answers(right.answer):
        yield f"answer: {name}", Outcome(right.tree, answer)
    for name, tree in wrong_trees(before, right):
        yield f"files: {name}", Outcome(tree, right.answer)


def other_orders(value):
    """Returns an equal answer in another order and with rounded fractions."""
    if isinstance(value, dict):
        return {key: other_orders(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        listed = [other_orders(one) for one in value]
        return listed if isinstance(value, InOrder) else listed[::-1]
    return round(value, 2) if isinstance(value, float) else value


class Judge(unittest.TestCase):
    def test_every_task_has_a_judge_that_can_fail(self):
        tasks = all_tasks()
        self.assertEqual(len(tasks), 30)
        for task in tasks:
            before = task.make_tree()
            right = task.truth(before)
            with self.subTest(task=task.id):
                self.assertEqual(faults(right, Outcome(Tree(right.tree), other_orders(right.answer))), [])
                self.assertEqual(right.tree != before, task.changes)
                self.assertGreaterEqual(len(task.mistakes), 2, "a task has at least two mistakes of its own")
                wrong = list(wrong_outcomes(task, before, right))
                self.assertGreaterEqual(len(wrong), 3)
                for name, outcome in wrong:
                    self.assertNotEqual(faults(right, outcome), [], f"{name} is accepted")
                if "--list" in sys.argv:
                    print(f"{task.id}: {len(wrong)} refused, such as {', '.join(task.mistakes)}")

    def test_an_answer_is_judged_as_json_gives_it(self):
        for task in all_tasks():
            right = task.truth(task.make_tree())
            given = json.loads(json.dumps(right.answer))
            self.assertEqual(faults(right, Outcome(right.tree, given)), [], task.id)

    def test_a_tree_is_read_as_it_was_made(self):
        made = {task.tree: task.make_tree() for task in all_tasks()}
        self.assertGreaterEqual(len(made), 7)
        for name, tree in made.items():
            with self.subTest(tree=name), tempfile.TemporaryDirectory() as place:
                entries.make(tree, place)
                self.assertEqual(entries.read(place), tree)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--list"])
