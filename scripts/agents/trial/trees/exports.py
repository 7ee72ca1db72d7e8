"""Exports of other programs: tables in four encodings with dirty rows, old texts, and events as lines of JSON."""

import codecs
import json
import random

REGIONS = ["Nord", "Süd", "Ost", "West"]
DIRTY = ["", "n/a", "-", "12,3,4", "EUR"]


def make(tree):
    sales(tree, random.Random(17))
    legacy(tree)
    events(tree, random.Random(19))


def sales(tree, chance):
    encodings = {"2025-q1": "latin-1", "2025-q2": "utf-8-sig", "2025-q3": "utf-16", "2025-q4": "utf-8"}
    number = 0
    for quarter, encoding in encodings.items():
        lines = ["Order;Region;Amount;Note"]
        for _ in range(120):
            number += 1
            region = chance.choice(REGIONS)
            region = chance.choice([region, region, region.upper(), f" {region.lower()}", f"{region} "])
            cents = chance.randint(-20_000, 900_000)
            amount = f"{abs(cents) // 100:,}".replace(",", ".") + f",{abs(cents) % 100:02}"
            amount = f"-{amount}" if cents < 0 else amount
            if number % 23 == 5:
                amount = DIRTY[number % len(DIRTY)]
            note = ["", "paid", '"see; below"', '"two\nlines; 1,00"', '"said ""no"""', "Müller"][number % 6]
            lines.append(f"A{number:04};{region};{amount};{note}")
        newline = "\n" if quarter == "2025-q4" else "\r\n"
        text = "\n".join(lines + [""]).replace("\n", newline)
        # Python would add the mark of its own machine; the file has always this one.
        content = codecs.BOM_UTF16_LE + text.encode("utf-16-le") if encoding == "utf-16" else text.encode(encoding)
        tree.write(f"sales/{quarter}.csv", content)
    tree.write("sales/README.txt", "Amount is in EUR; a comma begins the cents.\n")


def legacy(tree):
    text = "name,city\r\nÉva,Győr\r\nJörg,Köln\r\n"
    narrow = "name,city\r\nZoë,Orléans\r\nJörg,Köln\r\n"
    tree.write("legacy/a-latin1.csv", narrow.encode("latin-1"), mode=0o640)
    tree.write("legacy/b-utf16le.txt", codecs.BOM_UTF16_LE + text.encode("utf-16-le"))
    tree.write("legacy/c-utf16be.csv", codecs.BOM_UTF16_BE + text.replace("\r", "").encode("utf-16-be"))
    tree.write("legacy/d-mark.txt", codecs.BOM_UTF8 + text.replace("\r", "").encode())
    tree.write("legacy/e-crlf.csv", text.encode())
    tree.write("legacy/f-fine.txt", text.replace("\r", "").encode())
    tree.write("legacy/g-mixed.txt", "one\r\ntwo\nthree\r\n\r\nno end\r\nhere")
    tree.write("legacy/h-empty.csv", "")
    tree.write("legacy/deep/er/i-latin1.txt", "Straße\nÀ la carte\n".encode("latin-1"))
    tree.write("legacy/deep/j-crlf.md", "# Not asked for\r\n")
    tree.write("legacy/k.dat", b"\x00\xff\r\n" * 20)
    tree.write("legacy/l-ascii.csv", "a,b\n1,2\n", mode=0o444)


def events(tree, chance):
    users = [f"u{number:03}" for number in range(60)] + ["U007", "ü-1", "x y"]
    lines = {month: [] for month in ("2025-07", "2025-08", "2025-09")}
    for month, listed in lines.items():
        for number in range(300):
            user = chance.choice(users)
            kind = chance.choice(["signup", "login", "view", "logout", "view"])
            if kind == "login" and user[1:3] in ("00", "1", "02") or (kind == "login" and user > "u045"):
                kind = "view"
            event = {"type": kind, "user": user, "at": f"{month}-{number % 28 + 1:02}"}
            if kind == "view":
                event["note"] = f'"type": "login", user {chance.choice(users)}'
            listed.append(json.dumps(event, ensure_ascii=number % 2 == 0))
            if number % 41 == 7:
                listed.append([f'{{"type": "login", "user": "{user}"', "null,", "--- cut ---", "[1, 2"][number % 4])
            if number % 60 == 9:
                listed.append("")
    for month, listed in lines.items():
        newline = "\r\n" if month == "2025-08" else "\n"
        tree.write(f"events/{month}.jsonl", newline.join(listed) + newline)
