#!/usr/bin/env python3
"""Runs every recipe of the cookbook and every script of `scripts/` on trees that are made to break it, and compares
what is printed and what is left with a model of the chore.

    python3 tests/chores/run.py --ns PATH [--quick] [--only WORD] [--keep]

Scripts run as an ordinary user, also where this runs as root, so that closed files are closed. `--quick` takes 1,001
files where the long form takes 10,001, in fewer chores. On small trees each chore runs twice, because people do so.
The exit code is 1 when anything differs.
"""

import argparse
import concurrent.futures
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from chores import CHORES, HOLDS, Said  # noqa: E402
from traps import TRAPS  # noqa: E402
from tree import Failure, Tree, directory, file, link, same, seen  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65_534
# Operations may concern as many files as a run at a terminal may change.
POLICY = "[policy]\nmax_files_per_operation = 100000\n"

ODD = [
    "two  blanks", " lead", "it's", 'say "x"', "line\nfeed", "tab\tbed", "ret\rurn", "back\\slash", "12:30", "日本語", "é", "e\u0301", "🙂", "👩\u200d👧",
    "می\u200cخواهم", "-rf", "$HOME", "[a]", "{b}", "*", "`c`", "#d", "a&b;c", "%20", "x.tar", "\u202egpj",
]


def of(chore, count):
    """So many files as the chore looks for."""
    return Tree({chore.slot.path(f"{number:05}"): file(chore.slot.content(number), modified=chore.slot.modified(number)) for number in range(count)})


def some(chore):
    return chore.base() | of(chore, 4)


def folders(chore):
    """Directories that are called as files are, with files in them."""
    name = chore.slot.path("folder")
    return some(chore) | {name + "/inner.txt": file("inner"), chore.slot.path("hollow"): directory()} if "many" not in chore.without else \
        chore.base() | {chore.slot.path("x"): directory()}


def none(chore):
    """The directory is there, and nothing in it."""
    found = chore.base()
    for path in [path for path in found if path.startswith(chore.slot.folder + "/")]:
        del found[path]
    if chore.slot.folder != ".":
        found[chore.slot.folder] = directory()
    return found


def links(chore):
    """Links of such names: to a file, to a directory, out of the sandbox, to nothing."""
    if "many" in chore.without:
        return chore.base() | {chore.slot.path("x"): link("nowhere")}
    inner = chore.slot.path("00001")
    more = {"in": os.path.basename(inner), "out": "/etc/passwd", "away": "../../../etc", "dead": "nowhere", "loop": ".", "self": "self"}
    return some(chore) | {chore.slot.path(stem): link(target) for stem, target in more.items()}


def names(chore):
    """Names that shells, other systems and other tools stumble over."""
    return some(chore) | {
        chore.slot.path(stem): file(chore.slot.content(number), modified=chore.slot.modified(number)) for number, stem in enumerate(ODD)
    }


def texts(chore):
    """The same text in other encodings and with other line ends, an empty file, and one that is no text."""
    is_alone = "many" in chore.without
    text = chore.slot.content(1).decode() if is_alone else (chore.slot.content(1) + chore.slot.content(2)).decode()
    accent = "" if is_alone else "é "
    contents = {
        "crlf": text.replace("\n", "\r\n").encode(), "latin": (accent + text + accent).encode("cp1252"), "empty": b"",
        "mark": b"\xef\xbb\xbf" + text.encode(), "wide": b"\xff\xfe" + text.encode("utf-16-le"), "binary": b"a\0b" + text.encode(),
        "endless": text.rstrip("\n").encode(),
    }
    if is_alone:
        return [chore.base() | {chore.slot.path("x"): file(content)} for content in contents.values()]
    return some(chore) | {chore.slot.path(stem): file(content) for stem, content in contents.items()}


def closed(chore):
    """A file that nobody may read."""
    return some(chore) | {chore.slot.path("00001"): file(chore.slot.content(1), mode=0)}


def shut(chore):
    """A directory that nobody may read."""
    return some(chore) | {f"{chore.slot.folder}/shut/x".removeprefix("./"): file("x"), f"{chore.slot.folder}/shut".removeprefix("./"): directory(mode=0)}


def nameless(chore):
    """A name that is no UTF-8."""
    return some(chore) | {chore.slot.path("caf\udce9"): file(chore.slot.content(1), modified=chore.slot.modified(1))}


def refused(chore):
    """Files of such names in a directory that the policy lets nobody read or change."""
    name = posixpath.basename(chore.slot.path("x"))
    base = "" if chore.slot.folder == "." else chore.slot.folder + "/"
    return some(chore) | {f"{base}{folder}/{name}": file(chore.slot.content(1), modified=chore.slot.modified(1)) for folder in (".git", "d/.env")}


TWISTS = {
    "some": some, "folders": folders, "none": none, "links": links, "names": names, "texts": texts, "closed": closed,
    "shut": shut, "bytes": nameless, "refused": refused,
}


def cases(chore, quick):
    """Names and trees of all twists of a chore."""
    for name, twist in TWISTS.items():
        if name in chore.without:
            continue
        trees = twist(chore)
        for number, tree in enumerate(trees if isinstance(trees, list) else [trees]):
            yield f"{name} {number}" if number else name, Tree(tree)
    if chore.taken:
        yield "taken", Tree(chore.taken(some(chore)))
    for name, trees in TRAPS.get(chore.script, {}).items():
        for number, tree in enumerate(trees):
            yield f"{name} {number}" if number else name, Tree(tree)
    if "many" not in chore.without:
        count = 1_001 if quick else chore.many
        yield f"{count} files", Tree(chore.base() | of(chore, count))


def script_of(chore, pages):
    if chore.script.endswith(".ns"):
        return (PACKAGE / chore.script).read_text(encoding="utf-8")
    section = pages[chore.script]
    return section[section.index("```neuroscript\n") + len("```neuroscript\n"):].split("\n```\n")[0]


def sections():
    """The recipes of the cookbook by their headings."""
    found = {}
    for page in sorted((PACKAGE / "docs/cookbook").glob("*.md")):
        fence = None
        heading = None
        for line in page.read_text(encoding="utf-8").splitlines(keepends=True):
            mark = re.match(r"(`{3,}|~{3,})", line)
            if mark and fence is None:
                fence = mark.group()
            elif mark and line.strip() == fence:
                fence = None
            elif fence is None and line.startswith("## "):
                heading = line[3:].strip()
            if heading:
                found[heading] = found.get(heading, "") + line
    return found


class Runner:
    def __init__(self, ns, keep):
        self.ns, self.keep = ns, keep
        self.is_root = os.geteuid() == 0
        self.base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

    def run(self, script, chore, tree):
        """Faults of a chore on a tree."""
        place = tempfile.mkdtemp(prefix="ns-chores-", dir=self.base)
        try:
            return self.run_in(pathlib.Path(place), script, chore, tree)
        finally:
            if not self.keep:
                subprocess.run(["chmod", "-R", "u+rwX", place], check=False)
                shutil.rmtree(place)

    def run_in(self, place, script, chore, tree):
        root, home = place / "root", place / "home"
        for folder in (root, home):
            folder.mkdir()
        (place / "policy.toml").write_text(POLICY)
        (place / "script.ns").write_text(script, encoding="utf-8")
        place.chmod(0o755)
        tree.make(root)
        command = [self.ns, "run", "--sandbox", str(root), "--policy", str(place / "policy.toml"), str(place / "script.ns"), "--", *chore.args]
        if self.is_root:
            subprocess.run(["chown", "-hR", f"{NOBODY}:{NOBODY}", root, home], check=True)
            command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
        tree.close(root)
        environment = {"HOME": str(home), "NO_COLOR": "1", "PATH": os.environ["PATH"]}
        run = lambda: subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)  # noqa: E731
        ran = run()
        subprocess.run(["chmod", "-R", "u+rwX", root], check=True)
        after = seen(root)
        faults = judged(chore, tree, ran, after)
        is_open = not any(entry.is_closed for entry in tree.values())
        if faults or not chore.again or not is_open or len(tree) > 500:
            return faults
        return [f"in a second run, {fault}" for fault in judged(chore, after, run(), seen(root))]


def judged(chore, before, ran, after):
    """What a run did that it should not have done, in sentences."""
    out, err = ran.stdout.decode(errors="surrogateescape"), ran.stderr.decode(errors="replace")
    wanted = before.copy()
    try:
        said = chore.model(wanted)
    except Failure as failure:
        faults = same(wanted, after)
        if ran.returncode == 0:
            faults.append(f"it went on, although it should have failed: {failure}; it printed {out[:300]!r}")
        elif str(failure) not in err:
            faults.append(f"it failed without {str(failure)!r}: {err[:500]}")
        return faults
    if ran.returncode != 0:
        return [f"it failed: {err[:800]}"]
    if chore.model in HOLDS:
        return HOLDS[chore.model](before, after, out)
    faults = same(wanted, after)
    if not fits(said, out):
        faults.append(f"wanted {[str(piece) for piece in said][:12]}\nprinted {out[:1500]!r}")
    return faults


def fits(said, out):
    """Whether an output is what a model says."""
    checks = [piece for piece in said if callable(piece)]
    at, is_loose = 0, False
    for piece in (piece for piece in said if not callable(piece)):
        text = piece.beginning if isinstance(piece, Said) else piece
        found = out.find(text, at) if is_loose else (at if out.startswith(text, at) else -1)
        if found < 0:
            return False
        at, is_loose = found + len(text), isinstance(piece, Said)
    return (is_loose or at == len(out)) and all(check(out) for check in checks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ns", required=True, help="the binary")
    parser.add_argument("--quick", action="store_true", help="1,001 files instead of 10,001")
    parser.add_argument("--only", default="", help="chores and twists whose names hold this")
    parser.add_argument("--keep", action="store_true", help="leave the trees")
    options = parser.parse_args()
    pages, runner = sections(), Runner(os.path.abspath(options.ns), options.keep)
    known = {chore.script for chore in CHORES}
    scripts = {f"scripts/{path.name}" for path in (PACKAGE / "scripts").glob("*.ns")}
    unknown = (pages.keys() | scripts) - known
    faults = [f"{name} has no model" for name in sorted(unknown)]
    faults += [f"{name} has a trap and no model" for name in sorted(TRAPS.keys() - known)]
    jobs = [
        (f"{chore.script} [{twist}]", chore, tree)
        for chore in CHORES for twist, tree in cases(chore, options.quick)
        if options.only.lower() in f"{chore.script} [{twist}]".lower()
    ]
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = {pool.submit(runner.run, script_of(chore, pages), chore, tree): name for name, chore, tree in jobs}
        for done in concurrent.futures.as_completed(work):
            try:
                found = done.result()
            except Exception as error:  # noqa: BLE001
                found = [f"{type(error).__name__}: {error}"]
            if found:
                faults.append(f"{work[done]}:\n    " + "\n    ".join(found[:6]))
    print("\n".join(sorted(faults)))
    print(f"{len(jobs)} runs of {len(CHORES)} chores, {len(faults)} at odds, {time.monotonic() - begun:.0f} s")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
