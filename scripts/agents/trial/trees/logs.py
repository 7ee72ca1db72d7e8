"""Logs: 100,000 lines of a web server in rotated files, most of them compressed, and three services that crash."""

import gzip
import random

LINES = 100_000
# The newest first, as rotation leaves them.
FILES = ["access.log", "access.log.1", "access.log.2.gz", "access.log.3.gz", "access.log.4.gz"]
SERVICES = ["alpha", "beta", "gamma"]


def make(tree):
    access(tree, random.Random(11))
    services(tree, random.Random(13))
    tree.write("logs/other/error.log", "2025-10-14 10:00:00 503 is no status here\n")


def access(tree, chance):
    """From the evening of the 13th to the early morning of the 15th, a second or so between two lines."""
    lines, seconds = [], 22 * 3600
    for number in range(LINES):
        seconds += 1 if number % 20 else 2
        day, hour = 13 + seconds // 86400, seconds // 3600 % 24
        status = chance.choice([200] * 40 + [204, 301, 404, 404])
        if chance.random() < (0.03 if hour in (9, 10, 17) else 0.004):
            status = chance.choice([500, 502, 503, 504])
        path = chance.choice(["/", "/cart", "/api/items/500", "/status/503", "/login", "/q?s=502+503"])
        size = chance.choice([500, 503, chance.randint(100, 9000)])
        clock = f"{hour:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        lines.append(
            f"10.0.{chance.randint(0, 9)}.{chance.randint(1, 99)} - - [{day}/Oct/2025:{clock} +0000] "
            f'"GET {path} HTTP/1.1" {status} {size}\n'
        )
    lines[500] = "-- log turned over --\n"
    part = LINES // len(FILES)
    for number, name in enumerate(reversed(FILES)):
        content = "".join(lines[number * part : (number + 1) * part]).encode()
        tree.write(f"logs/web/{name}", gzip.compress(content, mtime=0) if name.endswith(".gz") else content)


def services(tree, chance):
    for number, service in enumerate(SERVICES):
        text, moment = "", 36_000_000
        for entry in range(220 + 20 * number):
            # Many moments are equal, in one service and between them.
            moment += chance.choice([0, 250, 250, 500, 1000])
            clock = f"{moment // 3_600_000:02}:{moment // 60_000 % 60:02}:{moment // 1000 % 60:02}.{moment % 1000:03}"
            text += f"2025-10-14T{clock}Z {service} entry {entry}\n"
            if entry % 17 == number:
                text += f"Traceback of {service}:\n  at line {entry}\n\nError: 2025-10-14 is no day\n"
        # The log of a service that died ends without a line end.
        tree.write(f"logs/apps/{service}.log", text.removesuffix("\n") if service == "alpha" else text)
