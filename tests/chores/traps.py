"""Trees on which recipes once did something other than their pages say, by the chore and by what is in them.

`tree.py` knows two of the names that the default policy refuses: `.env` and `.git`.
"""

import gzip

from chores import many_pages, site
from tree import Tree, directory, file, link

LONG = "x" * 600
RUST = '[package]\nname = "app"\n'


def one(path, *contents):
    """A tree for each content of one file."""
    return [Tree({path: file(content)}) for content in contents]


def mirrors():
    work = {"work/a.txt": file("new"), "work/d/c.txt": file("deep")}
    return {
        "a link to a file outside": work | {"important.txt": file("keep me"), "mirror/a.txt": link("../important.txt")},
        "a link to a folder outside": work | {"other/c.txt": file("keep me"), "mirror/d": link("../other")},
        "a link to nothing": work | {"mirror/a.txt": link("../nowhere"), "mirror/old": link("a.txt")},
        "a name that is refused": work | {"mirror/.env": file("secret"), "mirror/z.txt": file("gone")},
        "names that are refused": work | {"work/.env": file("new"), "mirror/.env": file("old"), "work/z.txt": file("z")},
        "links in the source": work | {"work/l.txt": link("a.txt"), "work/e": link("d"), "mirror/l.txt": file("old")},
        "the mirror is a link": work | {"other/keep.txt": file("keep me"), "mirror": link("other")},
        "no source": {"mirror/a.txt": file("keep me")},
        "an empty source": {"work": directory(), "mirror/a.txt": file("gone")},
    }


CONTENTS = "# Guide\n<!-- contents -->\n<!-- end -->\n"
HEADINGS = """\
## What's new?
## `code` & more
## Same
### Same
## Same-1
## Guide
## Closed ##
#### Deep #
##### [A link](a.md) in it
####### seven
##no blank
  ## Three blanks ✓ Ünï_code
## C# and F#
    ## code
```sh
## not a heading
```
~~~
```
## nor this
~~~
````
```
## nor this one
````
``` `inline` ```
> ```
> ## quoted code
> ```
## The end
"""

LINKS = """\
See [one](a.md) and [lost](lost1.md).
{long} [two](two.md) {long} [three](lost2.md) [four](b.md)
[blank](my%20file.md) [wide](<my file.md>) [wider](<no file.md>) [ü](caf%C3%A9.md) [bad](%FF.md)
[query](b.md?x=1) [part](b.md#x) [here](#x) [title](b.md "a (title)") [lost](lost3.md 'title')
[paren](paren_(x).md) [escaped](paren_\\(x\\).md) [under](snake\\_case.md) [lost](lost_(x).md)
[root](/docs/b.md) [root](/b.md) [folder](sub/) [up](../docs/b.md) [out](../../b.md)
`[code](lost4.md)` and ``a ` [code](lost5.md)`` and [real](lost6.md)
[mail](mailto:a@example.org) [other](//example.org/x) [web](HTTPS://example.org)
![image](lost7.png) \\[no link\\](lost8.md) [open](lost9.md
```
[code](lost10.md)
```
[after](lost11.md)
""".replace("{long}", LONG)

TARGETS = r"""
[a](%00) [b](~/a) [c](a//b.md) [d](..) [e](a\b.md) [f](/) [g](.) [h](./) [i](...) [j](%2e%2e/docs) [k]() [l](<>)
[m](%C3%A9%20%2520.md) [[n]](n.md) [o](mailto:) [p](.env) [q](*.md) [r](a:b) [s](../../../..) [t](../other/../docs/b.md)
[u](LONG) [v](%zz.md) [w]( b.md ) [x](b.md/c) [y](b.md/) [z]({{x}}) [$1]($1)
""".replace("LONG", "a/" * 3_000)

REQUESTS = f"""\
GET /fraction 200 1840.5
GET /{LONG} 200 1900
GET /more 200 - {LONG} 1800
GET /minus 200 -99999
GET /unit 200 99999ms
GET /eastern 200 ٩٩٩٩٩٩
GET /great 200 {'9' * 400}
GET /short 1850
/none 99999
12:30:45.123456
"""

LEVELS = f"""\
{'y' * 300} ERROR INFO {LONG} WARN
W_ERROR{'.' * 94} INFO {LONG}
{LONG} WARN {LONG} ERROR
ERRORS and INFORMATION
"""

SERIES = {"scans/scan (1).png": file("1"), "scans/scan (2).png": file("2"), "scans/scan (١).png": file("one")}

BUILD = {"web/package.json": file("{}"), "web/node_modules/lib/index.js": file("code"), "z/Cargo.toml": file(RUST), "z/target/z": file("binary")}

TRAPS = {
    "Find files with the same content": {"a name that is refused": [Tree({"a/.env": file("same"), "b/x": file("same"), "b/y": file("same")})]},
    "Rename photos by the day they were taken": {
        "changed after it was named": [Tree({"photos/2024-05-12_a.jpg": file("edited", modified=1_717_000_000), "photos/2024-05-12 b.jpg": file("b"), "photos/.jpg": file("hidden")})],
        "names that are refused": [Tree({"photos/.git/x.jpg": file("x"), "photos/y.jpg": file("y")})],
        "long ago and far ahead": [Tree({"photos/a.jpg": file("a", modified=-86_400), "photos/b.jpg": file("b", modified=4_102_444_800)})],
    },
    "scripts/rename_photos.ns": {
        "changed after it was named": [Tree({"Photos/2024-05-12_101500_a.jpg": file("edited", modified=1_717_000_000)})],
    },
    "Make file names portable": {
        "nothing is left": [Tree({f"inbox/{name}": file(name) for name in ("??.txt", "!!.md", "?", "-.-.png", "- -", "...", "a-.-b.txt", "c?on", "con?")})],
        "names for shells": [Tree({f"inbox/{name}": file(name) for name in ("a&b;c.txt", "$(x).sh", "`y`", "it's.md", "~z", "-rf", "#1!.txt", "日 本.txt")})],
        "hidden": [Tree({"inbox/.Hidden File.txt": file("1"), "inbox/.txt": file("2"), "inbox/.D/A B.txt": file("3")})],
    },
    "Delete the build output of all projects": {
        "a name that is refused": [Tree(BUILD | {"web/node_modules/.env": file("secret")})],
        "projects in it": [Tree(BUILD | {
            "web/node_modules/lib/package.json": file("{}"), "web/node_modules/lib/node_modules/i.js": file("inner"),
            "web/node_modules/lib/.env": file("secret"),
        })],
    },
    "Renumber a series": {"digits of other scripts": [Tree(SERIES)]},
    "Sort lines and remove duplicates": {"mixed ends": one("words.txt", "b\r\na\nb\n", "a\r\nb\n", "b\r\na", "\n\n", " \nx\n")},
    "Add a header to every source file": {
        "first lines": one(
            "src/a.py", "#!/bin/sh", "#!/bin/sh\r\n", "#!/bin/sh\r\nx\n", "a\r\nb\n", "#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\nx = 1\n",
            "# vim: set fileencoding=utf-8 :\nx\n", "x = 1\n# coding: none\n", "# Copyright 2024 Somebody Else\n", "# Copyright 2024 Somebody",
            b"\xef\xbb\xbf#!/bin/sh\nx\n",
        ),
    },
    "Remove trailing spaces": {
        "ignored by git": [Tree({".gitignore": file("build/\n"), "a.md": file("a \n"), "build/b.md": file("b \n"), ".git/c.md": file("c \n")})],
        "ends": one("a.md", "one", "one\r\ntwo \r\n\r\n", "a \r\nb \nc", "a\nb\r\n\r\n\n", "  ", "\n\n", "a\r\nb", "a \rb \n")},
    "Generate a table of contents": {
        "headings": one("guide.md", CONTENTS + HEADINGS, (CONTENTS + HEADINGS).replace("\n", "\r\n"), CONTENTS.replace("\n", "\r\n", 1) + HEADINGS),
        "only in code": one("guide.md", CONTENTS + "```\n## not a heading\n```\n"),
    },
    "Bump a version in a manifest": {
        "the text is elsewhere too": one(
            "Cargo.toml", RUST + 'version="1.4.2"\nrust-version = "1.4.2"\n', RUST + 'rust-version = "1.4.2"\nversion = "1.4.2"\n',
            RUST + "version = '1.4.2' # ours\r\n", RUST + 'version = "1.4.2-rc.1"\n', RUST + 'version = "1.4.2+build.7"\n',
            '# version = "1.4.2"\n' + RUST + '"version" = "1.4.2"\n[dependencies]\nx = { version = "1.4.2" }\n',
        ),
        "none": one("Cargo.toml", RUST, RUST + "version.workspace = true\n", RUST + 'version = "1.4"\n', RUST + 'version = "x1.2.3"\n', "[workspace]\n"),
    },
    "Convert CSV to JSON": {"ages that are no numbers": one("people.csv", "name,age\nAna,\n", "name,age\nAna,31.5\n", "name\nAna\n")},
    "Set one value in a configuration file": {
        "it has the value": one("compose.yaml", "services:\n  web:\n    image: shop:1.5 # built by CI\n"),
        "an alias": one("compose.yaml", "services:\n  web: &b\n    image: shop:1.4\nother: *b\n"),
    },
    "Convert YAML to TOML": {
        "bad files": [Tree({
            "config/a.yaml": file("# nothing\n"), "config/b.yaml": file("- 1\n- 2\n"), "config/c.yaml": file("a: 1\n---\nb: 2\n"),
            "config/d.yaml": file("a: [\n"), "config/e.yaml": file("n: 5\n"), "config/f.yaml": file(""), "config/g.yaml": file("a: [1, null]\n"),
            "config/h.yml": file("n: 99999999999999999999\n"), "config/i.yaml": link("nowhere"), "config/.env/j.yaml": file("n: 1\n"),
            "config/l.yaml": file("a: 1\r\nb: null\r\n"), "config/k.yaml": file("users: [{name: a, email: null}]\n"),
        })],
    },
    "Count lines by level": {
        "ignored by git": [Tree({".gitignore": file("*.log\n"), "logs/app.log": file("WARN\n"), "logs/.old/b.log": file("ERROR\n")})],
        "long lines": one("logs/app.log", LEVELS),
    },
    "Count errors by hour": {"ignored by git": [Tree({".gitignore": file("*.log\n"), "app.log": file(f"2024-05-31T10:00:00Z ERROR {LONG}\n")})]},
    "Find the slowest requests": {
        "lines": one("access.log", REQUESTS, REQUESTS.replace("\n", "\r\n"), "", "GET /a 200 1\nGET /b 200 1\nGET /c 200 1", "GET /tab\t200\t12\n"),
        "ignored by git": [Tree({".gitignore": file("*.log\n"), "access.log": file("GET /a 200 12\n")})],
    },
    "Read new lines since the last run": {"ends": one("app.log", "10%\r20%\rdone\nsecond\n", "a\r\nb\r\n", "a\rb\n\r\n", "\n")},
    "Rotate a large log": {
        "no log": [Tree({"app.log.1": file("older")})],
        "links to nothing": [Tree({"app.log": file("x" * 30), "app.log.3": link("nowhere"), "app.log.2": link("nowhere"), "app.log.1": file("1")})],
        "the log is a link": [Tree({"app.log": link("a/long/path/to/a/log.txt"), "app.log.1": file("1")})],
        "a directory": [Tree({"app.log": directory(), "app.log.1": file("1")})],
    },
    "Archive a folder once a day": {"a name that is refused": [Tree({"project/a.rs": file("a"), "project/.env": file("secret")})]},
    "Keep only the newest three archives": {
        "other names": [Tree({f"backups/p-{name}.zip": file(name) for name in (
            "notes", "2024-05-01", "2024-05-08", "2024-05-15", "2024-05-22", "2024-05-29-copy", "2024-5-30", "99999999", "abcd-ef-gh",
        )})],
    },
    "Mirror a folder": {name: [Tree(tree)] for name, tree in mirrors().items()},
    "Search rotated logs": {
        "gzip of several members": [Tree({
            "logs/app.log": file("3 ERROR new\n"), "logs/app.log.1": file("2 ERROR\n"),
            "logs/app.log.2.gz": file(gzip.compress(b"1 ERROR first\n") + gzip.compress(b"1 ERROR second\n")),
            "logs/other.log.gz": file(gzip.compress(b"0 ERROR elsewhere\n")), "logs/app.log.3.gz": file("0 ERROR not compressed\n"),
        })],
    },
    "Extract a part of an archive": {
        "a hundred folders": [Tree({"site.zip": file(site(*many_pages(100)))})],
        "no page": [Tree({"site.zip": file(site("a.png", "html"))})],
        "no archive": one("site.zip", "text\n", b"PK\x03\x04", ""),
        "there already": [Tree({"site.zip": file(site("a.html", "b.html")), "out/b.html": file("mine")})],
        "a link": [Tree({"site.zip": link("nowhere")})],
    },
    "Give copies the times of their originals": {
        "other things at their places": [Tree({
            "photos/a": file("a"), "copies/a": directory(), "photos/b": file("b"), "copies/b": link("../photos/b"),
            "photos/c": file("c"), "photos/d/e": file("e"), "copies/d": file("no directory"), "photos/f g": file("f"), "copies/f g": file("f", modified=1),
        })],
        "a name that is refused": [Tree({"photos/.env": file("secret"), "copies/.env": file("secret", modified=1)})],
    },
    "Write and verify a list of checksums": {"a name that is refused": [Tree({"data/b.bin": file("b"), "data/.env": file("secret")})]},
    "Find broken links": {
        "kinds of links": [Tree({f"docs/{name}": file(f"{name}\n") for name in (
            "a.md", "b.md", "my file.md", "café.md", "paren_(x).md", "two.md", "snake_case.md", "sub/x", "a'b.md",
        )} | {"docs/index.md": file(LINKS), "docs/.hidden.md": file("[x](lost.md)\n"), ".gitignore": file("docs/\n"), "docs/.git/x.md": file("[x](y.md)\n")})],
        "strange targets": [Tree({"docs/a.md": file(TARGETS), "docs/b.md": file("text\n"), "docs/.env": file("secret")})],
    },
    "Find empty files and folders": {"our own files": [Tree({"a/neuroscript.toml": file(), "b/neuroscript.toml": file(), "b/c": file("x")})]},
    "scripts/project_report.ns": {"names that are refused": [Tree({"src/a.py": file("TODO\n"), ".env/b.py": file("TODO\n"), ".git/c.py": file("TODO\n")})]},
    "scripts/find_duplicates.ns": {"names that are refused": [Tree({".git/a": file("same"), ".env": file("same"), "b": file("same"), "c": file("same")})]},
    "scripts/inventory.ns": {"names that are refused": [Tree({".git/a": file("same"), ".env": file("same"), "b.TXT": file("same")})]},
    "Sum a column of a CSV file by category": {"long names": one("spending.csv", "date,category,amount\n1,entertainment,12345678.5\n2,food,0.1\n3,food,0.2\n")},
    "Replace text in many files": {
        "ignored by git": [Tree({".gitignore": file("build/\n"), "docs/a.md": file("http://example.org\r\nx\n"), "docs/build/b.md": file("http://example.org\n"),
                                 "docs/.h.md": file("http://example.org\n")})],
    },
    "Collect to-do notes": {
        "ignored by git": [Tree({".gitignore": file("build/\n"), "src/a.rs": file("// TODO: mend\n"), "src/build/b.rs": file("// TODO: no\n")})],
    },
}
