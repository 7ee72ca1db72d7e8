#!/usr/bin/env python3
"""Tests the door as a reader uses it: `python3 scripts/agents/trial/test_door.py NS`."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

DOOR = pathlib.Path(__file__).resolve().with_name("door.py")
SCRIPT = 'MUST CALL FS.DeleteFile("{}")\n'


class Door(unittest.TestCase):
    ns = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.state = pathlib.Path(place.name)
        brief = self.run_command(sys.executable, DOOR, "--brief", self.state, "--part", "1/3", "--ns", self.ns)
        self.assertIn(str(self.state.resolve() / "door"), brief)
        self.assertIn("open-invoices", brief)

    def run_command(self, *words, code=0, **options):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def door(self, *words, **options):
        return self.run_command(self.state / "door", "--task", *words, **options)

    def summary(self, code):
        return self.run_command(sys.executable, DOOR, "--summary", self.state, code=code)

    def test_a_reader_sees_the_task_and_the_tools(self):
        self.assertIn("seven largest files", self.door("largest-files"))
        tools = self.door("largest-files", "tools")
        self.assertIn("read `language_guide`, then `run_script`", tools)
        self.assertIn("## find\n", tools)
        self.door("largest-files", "answer", "[]")

    def test_what_was_done_is_counted_and_judged(self):
        found = self.door("largest-files", "call", "find", "sort=size", "descending=true", "limit=7")
        self.assertIn("[the call failed]", self.door("largest-files", "call", "fined", "{}"))
        answer = [[file["path"], file["size"]] for file in json.loads(found)["result"]]
        self.assertIn("must be JSON", self.door("largest-files", "answer", "seven files", code=1))
        self.door("largest-files", "answer", json.dumps(answer))
        self.assertIn("no more calls", self.door("largest-files", "call", "find", code=1))
        self.assertIn("the first answer counts", self.door("largest-files", "answer", "[]", code=1))
        table = self.summary(0)
        self.assertIn("| largest-files | right | 2 | 1 |", table)
        self.assertIn("right at the first try: 1 of 1 answered; median calls: 2; calls: 2, 1 of them failed", table)

    def test_what_was_done_wrong_is_told(self):
        script = self.state / "mine.ns"
        script.write_text(SCRIPT.format("Notes/today.txt"))
        self.door("first-lines", "call", "run_script", f"script=@{script}")
        self.door("first-lines", "answer", "{}")
        table = self.summary(1)
        self.assertIn("answer {} instead of", table)
        self.assertIn("'Notes/today.txt' is missing", table)

    def test_what_was_prepared_can_be_taken_back(self):
        self.door("undo-the-last", "call", "undo", "-", input="{}")
        self.door("undo-the-last", "answer", "25")
        self.assertIn("| undo-the-last | right | 1 | 0 |", self.summary(0))


if __name__ == "__main__":
    Door.ns = sys.argv.pop(1)
    unittest.main()
