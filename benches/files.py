#!/usr/bin/env python3
"""Reading and searching files against sed and ripgrep.

    cargo build --profile dist && python3 benches/files.py [read] [search] [--rounds 9] [--quick] [--ns target/dist/ns]

Everything is made in a temporary folder and removed again. The programs take turns; what counts is
processor time (user and system, of the whole process, by wait4), the median over all rounds, and a
ratio is the median over pairs of one round. Before that the answers are compared. `--quick` makes
little and compares only.

read    lines of a text of 256 MB, from its middle, its end and its beginning, against `sed -n`
search  a text in all files of a tree (the machine's Rust crates and /usr/share/doc and the like,
        copied) against `rg -j1`; without ripgrep only Python's answer is compared
"""
import argparse, json, os, shutil, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Bench:
    def __init__(self, options, place):
        self.options, self.place = options, place
        self.ns = os.path.abspath(options.ns)

    def call(self, tool, **args):
        return [self.ns, "call", tool, json.dumps(args), "--sandbox", self.place]

    def answer(self, tool, **args):
        return json.loads(output_of(self.call(tool, **args), self.place))

    def compare(self, title, ours, theirs, goal):
        """Measures two commands in turn and prints one row."""
        pairs, peak = [], 0
        for turn in range(self.options.rounds + 1):
            our, kib = cost(ours, self.place)
            their, _ = cost(theirs, self.place)
            if turn:
                pairs.append((our, their))
                peak = max(peak, kib)
        our, their = (statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(our / their for our, their in pairs)
        name = os.path.basename(theirs[0])
        print(f"  {title:38} ns {our:7.1f} ms  {name:9} {their:7.1f} ms  ns/it {ratio:4.2f} (goal {goal:.1f})  peak {peak >> 10} MiB")


def output_of(command, place):
    return subprocess.run(command, cwd=place, check=True, capture_output=True).stdout


def cost(command, place):
    """Processor time in ms and peak memory in KiB of one run, its output going to a file."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, cwd=place, stdout=out, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    # Programs that search end with 1 when there is nothing.
    if child.returncode > 1:
        sys.exit(f"{command} ended with {child.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss


def make_text(path, size, words):
    """A text of so many bytes in lines of different lengths; gives the number of its lines."""
    lines, written = 0, 0
    with open(path, "wb") as file:
        block, count = [], 0
        for number in range(20_000):
            block.append(f"{number} " + " ".join(words[(number * 7 + at) % len(words)] for at in range(number % 17)) + "\n")
        block = "".join(block).encode()
        while written < size:
            file.write(block)
            written += len(block)
            lines += 20_000
    return lines


ENGLISH = "the quick brown fox jumps over a lazy dog while nobody reads along".split()
MIXED = "größe façade naïve straße Ærø €uro 日本語 plain words between them".split()


def read(bench):
    size = 2 << 20 if bench.options.quick else 256 << 20
    print(f"read: {size >> 20} MiB")
    for kind, words in ("ASCII", ENGLISH), ("UTF-8", MIXED):
        lines = make_text(os.path.join(bench.place, "text"), size, words)
        for title, skip, most in ("middle", lines // 2, 1000), ("end", lines - 1000, 1000), ("beginning", 0, 1000):
            args = dict(file_path="text", skip_lines=skip, max_lines=most, max_size_mb=1024)
            # `q` lets sed stop after the last line, as we do.
            sed = ["sed", "-n", f"{skip + 1},{skip + most}p;{skip + most}q", "text"]
            ours, theirs = bench.answer("read_file", **args)["content"], output_of(sed, bench.place).decode()
            assert ours == theirs, f"the lines at the {title} of the {kind} text differ"
            # At the beginning only the start of the programs would be measured.
            if skip and not bench.options.quick:
                bench.compare(f"1,000 lines, {title}, {kind}", bench.call("read_file", **args), sed, 1.2)
    os.remove(os.path.join(bench.place, "text"))


def make_tree(place, quick):
    """Files of programs and documents; gives what is in them."""
    sources = [os.path.join(HERE, "..", folder) for folder in ("src", "crates", "tests", "docs")]
    crates = os.path.expanduser("~/.cargo/registry/src")
    if not quick:
        sources += [path for path in (crates, "/usr/share/doc", "/usr/lib/python3") if os.path.isdir(path)]
    top = os.path.join(place, "tree")
    for number, source in enumerate(sources):
        shutil.copytree(source, os.path.join(top, str(number)), symlinks=True, ignore_dangling_symlinks=True)
    return top


def found_by_python(top, wanted):
    """Lines with a text in the files that hold no NUL, as (path, line)."""
    found = set()
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = os.path.join(folder, name)
            if name.startswith(".") or os.path.islink(path):
                continue
            content = open(path, "rb").read()
            if b"\0" not in content:
                shown = os.path.relpath(path, os.path.dirname(top))
                found |= {(shown, at) for at, line in enumerate(content.split(b"\n"), 1) if wanted in line}
    return found


def search(bench):
    top = make_tree(bench.place, bench.options.quick)
    total = sum(len(files) for _, _, files in os.walk(top))
    print(f"search: {total} files")
    base = dict(directory_path="tree", use_gitignore=False, max_matches=100_000)
    ours = bench.answer("search_files", text="unreachable", **base)
    mine = {(match["path"], match["line"]) for match in ours["matches"]}
    theirs = found_by_python(top, b"unreachable")
    assert mine == theirs, f"ns and Python differ: {sorted(mine ^ theirs)[:5]}"
    rg = shutil.which("rg")
    if not rg:
        return print("  no ripgrep on this machine: the answer agrees with Python's, nothing is measured")
    if bench.options.quick:
        return
    flags = [rg, "-j1", "--no-ignore", "--no-heading", "--line-number", "--column", "--no-mmap", "--sort", "path"]
    for title, text, extra in (
        ("a rare text", "unreachable", {}),
        ("a text that is not there", "no such thing here", {}),
        ("a text, letter case aside", "unreachable", {"ignore_case": True}),
        ("an expression", r"fn \w+_(mut|ref)\(", {"regex": True}),
    ):
        their = flags + (["-F"] if not extra.get("regex") else []) + (["-i"] if extra.get("ignore_case") else [])
        bench.compare(title, bench.call("search_files", text=text, **base, **extra), their + [text, "tree"], 2.0)


BENCHES = {"read": read, "search": search}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", choices=[*BENCHES, []], help="all when none is named")
    parser.add_argument("--ns", default=os.path.join(HERE, "..", "target", "release", "ns"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    for name in options.benches or BENCHES:
        with tempfile.TemporaryDirectory(prefix="files-") as place:
            BENCHES[name](Bench(options, place))
    print("the answers agree")


if __name__ == "__main__":
    main()
