"""A folder as people have them at home: blanks and letters of every kind, depth, hidden files, links, locked files."""

import unicodedata

OUTSIDE = "Desktop/Passwords"


def make(tree):
    documents(tree)
    downloads(tree)
    projects(tree)
    tree.link(OUTSIDE, "/etc/passwd")
    tree.link("Desktop/Letters", "../Documents/Letters")
    tree.link("Desktop/gone", "../Documents/deleted.txt")
    tree.write("Notes/today.txt", "Buy bread\nCall Zoë\n")
    tree.write(".config/app/settings.ini", "[app]\nkey=1\n", mode=0o600)


def documents(tree):
    deep = "/".join(f"level {number}" for number in range(12))
    decomposed = unicodedata.normalize("NFD", "Übersicht.txt")
    same = {
        "contract.txt": "Signed.\n",
        "Letters/to Anna.txt": "Dear Anna\n",
        "Letters/to Ödön.txt": "Dear Ödön\n",
        f"{deep}/bottom.txt": "deep\n",
        ".hidden.txt": "hidden\n",
        "budget (1).csv": "a,b\n",
        "data.bin": "\x00\x01\x02",
    }
    for name, text in same.items():
        mode = 0o444 if name == "contract.txt" else 0o644
        tree.write(f"Documents/{name}", text, mode=mode)
        tree.write(f"Backup/Documents/{name}", text, mode=mode)
    different = {"plan.txt": ("version 2\n", "version 1\n"), "Letters/to Ben.txt": ("Hi Ben\n", "Hi Ben!\n")}
    different |= {"long.txt": ("x" * 5000 + "a", "x" * 5000 + "b"), "empty.txt": ("", "\n")}
    for name, (now, then) in different.items():
        tree.write(f"Documents/{name}", now)
        tree.write(f"Backup/Documents/{name}", then)
    for name in ("new idea.txt", "Letters/to Zoë.txt", "README", f"{deep}/new.txt", ".new-hidden", "it's [odd].txt"):
        tree.write(f"Documents/{name}", f"{name}\n")
    for name in ("old idea.txt", "readme", "Taxes/2019.pdf", decomposed):
        tree.write(f"Backup/Documents/{name}", f"{name}\n")
    tree.write("Documents/Übersicht.txt", "composed\n")


def downloads(tree):
    names = ["report.pdf", "Report.PDF", "invoice 2024.pdf", "photo.JPG", "photo.jpeg", "archive.tar.gz", "LICENSE"]
    names += ["music ♫.mp3", "résumé.docx", "a.b.c.txt", "trailing.", "setup.exe", "numbers.CSV", "notes.txt"]
    for number, name in enumerate(names):
        tree.write(f"Downloads/{name}", f"download {number}\n", mode=0o444 if name == "setup.exe" else 0o644)
    tree.write("Downloads/run me", "#!/bin/sh\n", mode=0o755)
    tree.write("Downloads/.part", "unfinished\n")
    tree.link("Downloads/latest.pdf", "report.pdf")
    tree.write("Downloads/pdf/report.pdf", "older\n")
    tree.write("Downloads/pdf/report (2).pdf", "older, too\n")
    tree.write("Downloads/txt/notes.txt", "older notes\n")
    tree.write("Downloads/other/README", "older readme\n")
    tree.write("Downloads/Holiday pictures/beach.jpg", "beach\n")


def projects(tree):
    for path in ("a/b/c/d", "e", "f/g", "with space/ü", "kept/empty", "hidden-only/sub", ".git-like/refs/tags"):
        tree.folder(f"Projects/{path}")
    tree.write("Projects/kept/main.py", "print(1)\n")
    tree.write("Projects/hidden-only/.keep", "")
    tree.link("Projects/links/to-f", "../f")
    tree.write("Projects/deep/1/2/3/file.txt", "x\n")
    tree.folder("Projects/deep/1/2/4/5")
    tree.folder("Documents/Empty on purpose")
