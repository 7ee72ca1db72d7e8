"""Joins the tasks of `tasks.toml` with their trees, right outcomes and solutions."""

import functools
import importlib
import inspect
import pathlib
import tomllib
from dataclasses import dataclass

from entries import Tree

HERE = pathlib.Path(__file__).resolve().parent

# Scripts that run before a task begins.
PREPARED = {
    "undo-the-last": [
        """FOR EACH file IN FS.Find("services", "config.toml") DO
  MUST CALL FS.EditFile(file.path, "level = \\"info\\"", "level = \\"debug\\"")
END
""",
        """FOR EACH file IN FS.Find("services", ["README.md", "config.yaml"]) DO
  IF file.name == "README.md" THEN
    MUST CALL FS.DeleteFile(file.path)
  ELSE
    MUST CALL FS.EditFile(file.path, "5432", "5433", replace_all: true)
  END
END
""",
    ]
}


@dataclass
class Task:
    """A task; `id` is its name in `tasks.toml`."""

    id: str
    tree: str
    ask: str
    answer: str
    changes: bool = False
    short: bool = False

    @property
    def name(self):
        return self.id.replace("-", "_")

    def make_tree(self):
        """Returns the tree at the beginning of the task, without the prepared changes."""
        return tree_of(self.tree).copy()

    @property
    def truth(self):
        """The function that returns the right outcome for a tree."""
        return getattr(importlib.import_module(f"truths.{self.tree}"), self.name)

    @property
    def mistakes(self):
        """The mistakes that `truth` can make: its keyword parameters."""
        parameters = inspect.signature(self.truth).parameters.values()
        return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]

    def solution(self, side):
        """Returns the solution with `ns` or with `peer`: a function, or `NotPossible`."""
        return getattr(importlib.import_module(f"solutions.{self.tree}"), f"{side}_{self.name}")

    @property
    def prepared(self):
        return PREPARED.get(self.id, [])


@functools.cache
def tree_of(name):
    tree = Tree()
    importlib.import_module(f"trees.{name}").make(tree)
    return tree


def all_tasks():
    listed = tomllib.loads((HERE / "tasks.toml").read_text(encoding="utf-8"))
    return [Task(name, ask=" ".join(data.pop("ask").split()), **data) for name, data in listed.items()]


def task_of(name):
    found = next((task for task in all_tasks() if task.id == name), None)
    if not found:
        raise SystemExit(f"no task is named {name}: {', '.join(task.id for task in all_tasks())}")
    return found
