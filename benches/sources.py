#!/usr/bin/env python3
"""The processor time of `ns fmt` and `ns check` on one large script and on a thousand files.

    cargo build --profile dist && python3 benches/sources.py [--rounds 5] [--quick] [--ns target/dist/ns]

The files are the scripts in `scripts/`, repeated. The time is user and system time of the whole
process, from wait4, as the median over the rounds. Before measuring, the answers are compared: a
formatted file stays as it is, and a checked file has no errors. No time is asserted.
`--quick` measures a small sample once.
"""
import argparse, glob, itertools, os, re, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOAL_MB_PER_S = 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ns", default=os.path.join(HERE, "..", "target", "release", "ns"))
    options = parser.parse_args()
    options.rounds = 1 if options.quick else options.rounds
    options.ns = os.path.abspath(options.ns)
    with tempfile.TemporaryDirectory() as place:
        files = make_files(place, 20 if options.quick else 1000)
        large = make_large(place, 200_000 if options.quick else 4_000_000)
        once(options, ["fmt", *files, large])
        once(options, ["fmt", "--check", *files, large])
        once(options, ["check", "--deny", "warnings", *files])
        once(options, ["check", large])
        raw = make_raw(place, large)
        print(f"{'':28} {'bytes':>10} {'ms':>8} {'MB/s':>6}   goal {GOAL_MB_PER_S} MB/s")
        for title, named in [(f"{len(files)} files", files), ("one large file", [large]), ("one not formatted", [raw])]:
            size = sum(map(os.path.getsize, named))
            for command in (["fmt", "--check"], ["check"]) if named != [raw] else (["fmt", "--check"],):
                times = [cost([options.ns, *command, *named]) for _ in range(options.rounds)]
                ms = statistics.median(times)
                print(f"{title + ', ns ' + ' '.join(command):28} {size:>10} {ms:>8.1f} {size / ms / 1000:>6.1f}")


def scripts():
    """The texts of `scripts/`."""
    paths = sorted(glob.glob(os.path.join(HERE, "..", "scripts", "*.ns")))
    return [open(path, encoding="utf-8").read() for path in paths]


def make_files(place, number):
    texts = scripts()
    files = []
    for index in range(number):
        path = os.path.join(place, f"{index:04}.ns")
        with open(path, "w", encoding="utf-8") as file:
            file.write(texts[index % len(texts)])
        files.append(path)
    return files


def make_large(place, size):
    """One file of about that size: the scripts after each other, with the procedures of each copy renamed."""
    path = os.path.join(place, "large.ns")
    written = 0
    with open(path, "w", encoding="utf-8") as file:
        for number, text in enumerate(itertools.cycle(scripts())):
            written += file.write(renamed(text.split("\n", 1)[1], number))
            if written >= size:
                return path


def renamed(text, number):
    """The text with the number after the name of every procedure that it defines."""
    for name in re.findall(r"^DEFINE PROCEDURE (\w+)", text, re.MULTILINE):
        text = re.sub(rf"\b{name}\b(?=\()", f"{name}{number}", text)
    return text


def make_raw(place, formatted):
    """The same with other indentation."""
    path = os.path.join(place, "raw.ns")
    with open(formatted, encoding="utf-8") as text, open(path, "w", encoding="utf-8") as file:
        file.write(text.read().replace("\n  ", "\n "))
    return path


def once(options, words):
    done = subprocess.run([options.ns, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ns {words[0]} ended with {done.returncode}:\n{done.stdout[:2000]}{done.stderr[:2000]}")


def cost(command):
    """Processor time in ms of one run."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime) * 1000


if __name__ == "__main__":
    main()
