"""Ten tasks, each done tool by tool and as one script.

`by_tools` gets a function that calls a tool and gives its answer; `script` is the same for `run_script`, and RETURNs
the same answer. Both leave the same files behind.
"""

import re


def make(folder):
    """The files that every task begins with."""
    def write(path, text):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    for number in range(1, 13):
        lines = "".join(f"Line {line} of page {number}.\n" for line in range(number * 3))
        write(f"docs/page-{number:02}.md", f"# Page {number}\n\n{lines}The colour of page {number} is blue.\n")
        todo = "// TODO: mend this\n" * (number % 4)
        write(f"src/part_{number:02}.rs", f"fn part_{number}() {{}}\n{todo}")
        write(f"photos/img_{number:03}.jpeg", f"picture {number % 5}\n")
        write(f"logs/2023-{number:02}.log", f"{number} ERROR disk\n{number} INFO fine\n" * number)
        write(f"logs/2024-{number:02}.log", f"{number} INFO fine\n" * number)
        rows = "".join(f"item-{row},{row * number}\n" for row in range(1, 6))
        write(f"sales/month-{number:02}.csv", f"item,amount\n{rows}")
        write(f"packages/p{number:02}/package.json", f'{{"name": "p{number:02}", "version": "1.{number}.0"}}\n')


class Task:
    """A question, and how it is answered."""

    def __init__(self, question, by_tools, script):
        self.question, self.by_tools, self.script = question, by_tools, script


def files_below(call, folder, pattern="*"):
    return [file["path"] for file in call("find", {"path": folder, "pattern": pattern})["result"]]


def read(call, path):
    return call("read_file", {"path": path})["content"]


def count_lines(call):
    return sum(len(read(call, path).splitlines()) for path in files_below(call, "docs", "*.md"))


def largest(call):
    return [file["path"] for file in call("find", {"sort": "size", "descending": True, "limit": 5})["result"]]


def todos(call):
    counts = {}
    for path in files_below(call, "src", "*.rs"):
        count = read(call, path).count("TODO")
        if count:
            counts[path] = count
    return counts


def rename(call):
    renamed = 0
    for path in files_below(call, "photos", "*.jpeg"):
        call("move_file", {"source": path, "destination": path.removesuffix("jpeg") + "jpg"})
        renamed += 1
    return renamed


def total_sales(call):
    total = 0
    for path in files_below(call, "sales", "*.csv"):
        total += sum(int(line.split(",")[1]) for line in read(call, path).splitlines()[1:])
    return total


def versions(call):
    found = {}
    for path in files_below(call, "packages", "package.json"):
        text = read(call, path)
        name, version = (re.search(rf'"{key}": "([^"]*)"', text).group(1) for key in ("name", "version"))
        found[name] = version
    return found


def duplicates(call):
    groups = {}
    for path in files_below(call, "photos"):
        groups.setdefault(read(call, path), []).append(path)
    return [paths for paths in groups.values() if len(paths) > 1]


def respell(call):
    changed = 0
    for path in files_below(call, "docs", "*.md"):
        if "colour" in read(call, path):
            call("edit_file", {"path": path, "old_text": "colour", "new_text": "color"})
            changed += 1
    return changed


def index(call):
    lines = []
    for path in files_below(call, "docs", "*.md"):
        heading = read(call, path).splitlines()[0].removeprefix("# ")
        lines.append(f"- [{heading}]({path.removeprefix('docs/')})")
    call("write_file", {"path": "docs/INDEX.md", "content": "# Index\n\n" + "\n".join(lines) + "\n"})
    return len(lines)


def archive(call):
    moved = 0
    call("create_directory", {"path": "archive/2023"})
    for path in files_below(call, "logs", "2023-*.log"):
        call("move_file", {"source": path, "destination": path.replace("logs/", "archive/2023/")})
        moved += 1
    return moved


TASKS = [
    Task(
        "How many lines have the pages in docs?",
        count_lines,
        """SET total = 0
FOR EACH page IN FS.Find("docs", "*.md") DO
  SET total = total + FS.ReadFile(page.path).lineCount
END
RETURN total
""",
    ),
    Task(
        "Which are the five largest files?",
        largest,
        """RETURN LIST.Column(FS.Find(sort: "size", descending: true, limit: 5), "path")
""",
    ),
    Task(
        "How many TODOs are in which source file?",
        todos,
        """RETURN LIST.CountBy(FS.SearchFiles("src", "TODO").matches, key: "path")
""",
    ),
    Task(
        "Rename the photos from .jpeg to .jpg.",
        rename,
        """SET photos = FS.Find("photos", "*.jpeg")
FOR EACH photo IN photos DO
  MUST CALL FS.MoveFile(photo.path, PATH.WithExtension(photo.path, "jpg"))
END
RETURN LEN(photos)
""",
    ),
    Task(
        "What is the sum of all amounts in sales?",
        total_sales,
        """SET total = 0
FOR EACH sheet IN FS.Find("sales", "*.csv") DO
  FOR EACH row IN CSV.Parse(FS.ReadFile(sheet.path).content) DO
    SET total = total + INT(row.amount)
  END
END
RETURN total
""",
    ),
    Task(
        "Which version has each package?",
        versions,
        """SET versions = {}
FOR EACH file IN FS.Find("packages", "package.json") DO
  SET package = JSON.Parse(FS.ReadFile(file.path).content)
  SET versions[package.name] = package.version
END
RETURN versions
""",
    ),
    Task(
        "Which photos have the same content?",
        duplicates,
        """SET groups = {}
FOR EACH photo IN FS.Find("photos") DO
  SET sum = FS.HashFile(photo.path).checksum
  SET groups[sum] = MAP.Get(groups, sum, []) + [photo.path]
END
SET same = []
FOR EACH sum, paths IN groups DO
  IF LEN(paths) > 1 THEN
    SET same = same + [paths]
  END
END
RETURN same
""",
    ),
    Task(
        "Spell colour as color in all pages.",
        respell,
        """SET changed = 0
FOR EACH page IN FS.Find("docs", "*.md") DO
  IF STR.Contains(FS.ReadFile(page.path).content, "colour") THEN
    MUST CALL FS.EditFile(page.path, "colour", "color")
    SET changed = changed + 1
  END
END
RETURN changed
""",
    ),
    Task(
        "Write docs/INDEX.md with the title of each page.",
        index,
        """SET lines = []
FOR EACH page IN FS.Find("docs", "*.md") DO
  SET title = STR.RemovePrefix(LIST.First(STR.Lines(FS.ReadFile(page.path).content)), "# ")
  SET lines = lines + ["- [" + title + "](" + page.name + ")"]
END
MUST CALL FS.WriteFile("docs/INDEX.md", "# Index\\n\\n" + STR.Join(lines, "\\n") + "\\n")
RETURN LEN(lines)
""",
    ),
    Task(
        "Move the logs of 2023 to archive/2023.",
        archive,
        """MUST CALL FS.CreateDirectory("archive/2023")
SET logs = FS.Find("logs", "2023-*.log")
FOR EACH log IN logs DO
  MUST CALL FS.MoveFile(log.path, PATH.Join(["archive/2023", log.name]))
END
RETURN LEN(logs)
""",
    ),
]
