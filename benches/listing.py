#!/usr/bin/env python3
"""`FS.ListDir` against fd and ripgrep on a tree like a repository with its build folders.

    cargo build --release && python3 benches/listing.py [--rounds 15] [--quick] [--ns target/release/ns]

About 80,000 entries are made in a temporary folder, of which about 5,400 are not ignored. The
programs take turns; what counts is processor time (user and system, of the whole process, by
wait4), the median of all rounds. Before that the number of entries each one shows is compared
with what `git ls-files` and the tree itself say. `--quick` makes a small tree and compares only.
"""
import argparse, json, os, shutil, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = """# what builds and editors leave behind
/target/
node_modules/
dist/
build/
*.log
*.tmp
*.py[cod]
__pycache__/
.env
.env.*
!.env.example
.DS_Store
Thumbs.db
*.sw?
*~
/coverage
.idea/
.vscode/*
!.vscode/settings.json
**/generated/*.rs
docs/_build/
npm-debug.log*
yarn-error.log
/tmp
*.orig
"""


def fill(folder, folders, files, suffixes, width=12):
    """So many folders in a tree below one, and so many files in them."""
    made = [folder]
    os.makedirs(folder, exist_ok=True)
    for number in range(folders):
        parent = made[number // width]
        made.append(os.path.join(parent, f"part_{number % width:02d}"))
        os.mkdir(made[-1])
    for number in range(files):
        name = f"module_{number:05d}{suffixes[number % len(suffixes)]}"
        open(os.path.join(made[number % len(made)], name), "w").close()


def make_tree(top, share):
    """The repository; `share` of its full size."""
    many = lambda number: max(4, int(number * share))
    subprocess.run(["git", "init", "-q", "--template=", top], check=True)
    with open(os.path.join(top, ".gitignore"), "w") as file:
        file.write(RULES)
    fill(os.path.join(top, "src"), many(440), many(3_500), [".rs", ".toml", ".md", ".log", ".rs", ".py"])
    fill(os.path.join(top, "web"), many(310), many(2_150), [".ts", ".css", ".html", ".ts", ".tmp"])
    for number in range(8):
        with open(os.path.join(top, "src", f"part_{number % 4:02d}", ".gitignore"), "w") as file:
            file.write("*.bak\n/local\n!keep.bak\n")
    fill(os.path.join(top, "node_modules"), many(6_000), many(44_000), [".js", ".json", ".d.ts", ".md"])
    fill(os.path.join(top, "target"), many(2_000), many(22_000), [".o", ".d", ".rmeta"])


def count(top, leave_out=()):
    total = 0
    for folder, folders, files in os.walk(top):
        if folder == top:
            folders[:] = [name for name in folders if name not in leave_out]
        total += len(folders) + len(files)
    return total


def output_of(command, top):
    return subprocess.run(command, cwd=top, check=True, capture_output=True).stdout


def lines(output):
    return len(output.splitlines())


def cpu_ms(command, top):
    """Processor time of one run, its output going to a file."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, cwd=top, stdout=out, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command} ended with {child.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000


def measure(commands, top, rounds):
    times = {name: [] for name in commands}
    for turn in range(rounds + 2):
        for name, command in commands.items():
            spent = cpu_ms(command, top)
            if turn >= 2:
                times[name].append(spent)
    return {name: (statistics.median(spent), min(spent)) for name, spent in times.items()}


def report(title, times, ours, goals):
    print(f"\n{title}")
    for name, (middle, least) in times.items():
        goal = f"   ns is {times[ours][0] / middle:4.2f} of it (goal {goals[name]:.1f})" if name in goals else ""
        print(f"  {name:34} {middle:7.1f} ms median {least:7.1f} ms least{goal}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ns", default=os.path.join(HERE, "..", "target", "release", "ns"))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    fd = shutil.which("fdfind") or shutil.which("fd")
    rg = shutil.which("rg")
    with tempfile.TemporaryDirectory(prefix="listing-") as place:
        top = os.path.join(place, "repository")
        make_tree(top, 0.02 if options.quick else 1.0)
        ns = os.path.abspath(options.ns)
        call = lambda **args: [ns, "call", "list_dir", json.dumps(args | {"recursive": True}), "--sandbox", top]

        all_entries, in_git = count(top), count(os.path.join(top, ".git"))
        git_files = lines(output_of(["git", "ls-files", "-o", "--exclude-standard"], top))
        shown_files = lines(output_of(call(filter="files", use_gitignore=True), top))
        kept = lines(output_of(call(use_gitignore=True), top)) - 1
        everything = lines(output_of(call(), top)) - 1
        print(f"{all_entries} entries, {kept} not ignored, {git_files} files among them")
        assert shown_files == git_files, f"git shows {git_files} files, ns {shown_files}"
        assert everything == all_entries, f"the tree has {all_entries} entries, ns shows {everything}"
        if fd:
            # fd and rg look into `.git` when hidden entries are asked for.
            by_fd = lines(output_of([fd, "-H"], top)) - in_git - 1
            assert by_fd == kept, f"fd shows {by_fd} entries, ns {kept}"
            assert lines(output_of([fd, "-uu"], top)) == everything
        if options.quick:
            return print("the numbers of entries agree")

        tree, flat, plain = "ns, tree of all", "ns, files alone", "ns"
        ignoring = {tree: call(use_gitignore=True), flat: call(use_gitignore=True, filter="files")}
        listing = {plain: call()}
        if fd:
            ignoring["fd -H"] = [fd, "-H"]
            ignoring["fd -H -j1"] = [fd, "-H", "-j1"]
            listing["fd -uu"] = [fd, "-uu"]
            listing["fd -uu -j1"] = [fd, "-uu", "-j1"]
        if rg:
            ignoring["rg --files --hidden"] = [rg, "--files", "--hidden"]
        ignoring["git ls-files -o"] = ["git", "ls-files", "-o", "--exclude-standard"]
        ignoring["ns, an empty folder"] = [ns, "call", "list_dir", "{}", "--sandbox", os.path.join(top, ".git", "refs", "tags")]
        started = time.time()
        report("with .gitignore", measure(ignoring, top, options.rounds), tree, {"fd -H": 0.6, "rg --files --hidden": 0.6})
        report("without", measure(listing, top, options.rounds), plain, {"fd -uu": 1.0})
        print(f"\n{options.rounds} rounds in {time.time() - started:.0f} s")


main()
