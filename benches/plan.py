#!/usr/bin/env python3
"""What planning costs beside running.

    cargo build --profile dist && python3 benches/plan.py [--files 100000] [--rounds 9] [--quick] [--ns target/dist/ns]

A script that reads a tree of many files in several ways and changes three of them is run, and planned; the
programs take turns, and a run is taken back outside of the times. What they print is compared, and that a
plan leaves the tree alone; no time is asserted. `--quick` does it once, with few files.
"""
import argparse, os, statistics, subprocess, sys, tempfile

import changes

HERE = os.path.dirname(os.path.abspath(__file__))
CHANGES = "".join(f'MUST FS.WriteFile("changed/{number}", "new")\n' for number in range(3))
SCRIPTS = {
    "walk, then change": 'EMIT LEN(FS.WalkDir("."))\n' + CHANGES,
    "change, then walk another folder": CHANGES + 'EMIT LEN(FS.WalkDir("files"))\n',
    "change, then walk all": CHANGES + 'EMIT LEN(FS.WalkDir("."))\n',
    "search all, then change": 'EMIT FS.SearchFiles(".", "needle")["totalMatches"]\n' + CHANGES,
    "change, then search all": CHANGES + 'EMIT FS.SearchFiles(".", "needle")["totalMatches"]\n',
}


def make(top, files):
    os.mkdir(os.path.join(top, "changed"))
    for number in range(3):
        with open(os.path.join(top, "changed", str(number)), "w") as file:
            file.write("old")
    for number in range(files):
        folder = os.path.join(top, "files", f"{number // 1000}", f"{number // 50 % 20}")
        if number % 50 == 0:
            os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"file{number}.txt"), "w") as file:
            file.write(f"line {number}\n" * 4 + ("needle\n" if number % 100 == 0 else ""))


def printed(command, top):
    ran = subprocess.run(command, cwd=top, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with {ran.returncode}")
    return ran.stdout


def contents(top):
    return [open(os.path.join(top, "changed", str(number))).read() for number in range(3)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ns", default=os.path.join(HERE, "..", "target", "release", "ns"))
    args = parser.parse_args()
    ns = os.path.abspath(args.ns)
    with tempfile.TemporaryDirectory() as top:
        make(top, 1_000 if args.quick else args.files)
        os.sync()
        for name, script in SCRIPTS.items():
            plan = printed([ns, "run", "--plan", "-e", script], top)
            if contents(top) != ["old"] * 3:
                sys.exit(f"{name}: planning changed something")
            run = printed([ns, "run", "-e", script], top)
            if not plan.startswith(run) or "3 changed" not in plan:
                sys.exit(f"{name}: the plan says something else:\n{run}\n{plan}")
            printed([ns, "undo"], top)
            if args.quick:
                continue

            def planned():
                return changes.run([ns, "run", "--plan", "-e", script], top, errors=subprocess.DEVNULL)

            def ran():
                times = changes.run([ns, "run", "-e", script], top, errors=subprocess.DEVNULL)
                printed([ns, "undo"], top)
                return times

            times = changes.take_turns({"run": ran, "plan": planned}, args.rounds)
            medians = {key: statistics.median(clock for clock, _ in rounds) * 1000 for key, rounds in times.items()}
            ratio = statistics.median(plan[0] / run[0] for run, plan in zip(times["run"], times["plan"]))
            print(f"{name:<34}run {medians['run']:>8.1f} ms   plan {medians['plan']:>8.1f} ms   ratio {ratio:.2f}")
    if args.quick:
        print("plan: the answers agree")


if __name__ == "__main__":
    main()
