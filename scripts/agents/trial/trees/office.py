"""The disk of an office: invoices, described photos, settings, exports, a handbook, drafts, code."""

import json
import os
import random

chance = random.Random()


def make(tree):
    """Chance begins anew, so every part is the same every time."""
    chance.seed(20261122)
    for part in (invoices, photos, services, customers, access, handbook, drafts, tool, events, code):
        part(tree.write)


def invoices(write):
    firms = ["Ábel & Co", "Borealis GmbH", "Crête SARL", "Dunmore Ltd", "Ekström AB", "Farkas Kft"]
    for number in range(1, 41):
        total = chance.randint(5_000, 950_000)
        status = chance.choice(["PAID", "OPEN", "OPEN", "CANCELLED"])
        month, day = chance.randint(1, 12), chance.randint(1, 28)
        text = (
            f"Invoice no. 2025-{number:03}\nCustomer: {firms[number % 6]}\nDue: 2025-{month:02}-{day:02}\n"
            f"Items: {chance.randint(1, 9)}\nTotal: EUR {total // 100:,}.{total % 100:02}\nStatus: {status}\n"
        )
        write(f"invoices/2025/inv_{number:03}.txt", text, "iso-8859-1" if number % 12 == 2 else "utf-8")


def photos(write):
    for number in range(60):
        name = f"photos/IMG_{4100 + number}.jpg"
        write(name, f"jpeg bytes of {number}\n")
        if number % 9 != 4:
            taken = f"2024-{number % 6 + 3:02}-{number % 27 + 1:02}T{number % 24:02}:15:00Z"
            write(f"{name}.json", json.dumps({"camera": "X100", "taken": taken, "title": f"Shot {number}"}, indent=1))


def services(write):
    for number, service in enumerate(["auth", "billing", "catalog", "mailer", "search", "web"]):
        text = (
            f"# {service}: see the handbook before you change anything\n"
            f'[db]\nurl = "postgres://db/{service}"\ntimeout = 30  # seconds\n\n'
            f"[http]\nport = {8000 + number}\ntimeout = {30 if number != 3 else 45}  # seconds\nretries = 3\n\n"
            "[cache]\ntimeout = 30\n"
        )
        write(f"services/{service}/config.toml", text.replace("\n", "\r\n") if service == "search" else text)


def customers(write):
    firsts, lasts = ("anna", "ben", "carla", "dora", "emil", "fritz"), ("kovacs", "lindt", "meyer", "nagy", "olsen")
    people = [(first, last) for first in firsts for last in lasts]
    orders = [["email", "name", "city", "updated"], ["updated", "email", "city", "name"]]
    orders.append(["name", "email", "updated", "city"])
    for number, columns in enumerate(orders):
        lines = [",".join(columns)]
        for first, last in chance.sample(people, 20):
            email = f"{first}.{last}@example.com"
            row = {
                "email": chance.choice([email, email, email.title(), email.upper()]),
                "name": f"{last.title()}, {first.title()}",
                "city": chance.choice(["Budapest", "Oslo", "Frankfurt, Main", 'Saint "Denis"', "Wien"]),
                # No two files have the same day, so one is always the newest.
                "updated": f"2025-{chance.randint(1, 12):02}-{number * 9 + chance.randint(1, 9):02}",
            }
            lines.append(",".join(quoted(row[column]) for column in columns))
        write(f"exports/customers_{number + 1}.csv", "\n".join(lines) + "\n")


def quoted(text):
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"') else text


def access(write):
    lines = []
    for second in range(6 * 3600):
        hour, minute = 8 + second // 3600, second // 60 % 60
        address = f"10.{chance.randint(0, 3)}.{chance.randint(0, 9)}.{chance.randint(1, 30)}"
        status = chance.choice([200] * 30 + [301, 404, 500])
        if 9 <= hour < 11 and chance.random() < 0.02:
            address, status = "10.2.7.19", chance.choice([502, 503])
        elif hour != 10 and chance.random() < 0.03:
            address, status = "10.0.4.4", 500
        path = chance.choice(["/", "/cart", "/login", "/api/items", "/api/items/7?ref=500", "/static/app.js"])
        lines.append(
            f"{address} - - [14/Oct/2025:{hour:02}:{minute:02}:{second % 60:02} +0000] "
            f'"GET {path} HTTP/1.1" {status} {chance.randint(100, 50000)} {chance.randint(1, 900)}ms'
        )
    write("logs/access.log", "\n".join(lines) + "\n")


def handbook(write):
    pages = ["index", "setup", "style guide", "release", "faq", "team/people", "team/on-call"]
    more = {
        "setup": "Old: [gone](old/setup.md)\nPicture: ![logo](img/logo.png)\n",
        "team/people": "Old: [gone](old/setup.md)\nPicture: ![logo](img/logo.png)\n",
        "faq": "An [anchor](setup.md#install) and a [lost one](setupp.md#install).\n",
        "release": "Two in a line: [a](release-1.md), [b](faq.md), [c](team/nobody.md).\n"
        "```sh\ncat [not](a-link.md)\n```\n",
    }
    for page in pages:
        text = f"# {page.title()}\n\n"
        for other in pages:
            if other != page:
                target = os.path.relpath(f"{other}.md", os.path.dirname(page) or ".").replace(" ", "%20")
                text += f"See [{other}]({target}) for more.\n"
        text += "\nOur site: [home](https://example.com/x.md), and [top](#top).\n"
        write(f"handbook/{page}.md", text + more.get(page, ""))
    write("handbook/img/logo.png", "png\n")


def drafts(write):
    for number in range(30):
        text = f"draft {number}\n" * (number % 7 + 1)
        write(f"drafts/chapter-{number:02}.txt", text)
        match number % 5:
            case 0 | 3:
                write(f"drafts/chapter-{number:02}.txt.bak", text)
            case 1:
                write(f"drafts/chapter-{number:02}.txt.bak", text + "lost paragraph\n")
            case 2:
                write(f"drafts/old/chapter-{number:02}.txt.bak", text)
    write("drafts/orphan.txt.bak", "nobody knows\n")


def tool(write):
    for number in range(18):
        head = ["", "#!/usr/bin/env python3\n", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"][number % 3]
        licence = "# SPDX-License-Identifier: MIT\n" if number % 4 == 0 else ""
        place = "tool/vendor/lib" if number in (5, 10) else ["tool", "tool/net", "tool/ui/widgets"][number % 3]
        text = f'{head}{licence}"""Module {number}."""\n\n\ndef run():\n    return {number}\n'
        write(f"{place}/mod_{number:02}.py", text)
    write("tool/empty/__init__.py", "")


def events(write):
    def event(number):
        kind = chance.choice(["login", "logout", "purchase", "view", "error"])
        user, amount = f"u{chance.randint(1, 400):03}", chance.randint(1, 5000) / 100
        return {"id": number, "type": kind, "user": user, "amount": amount}

    listed = [event(number) for number in range(9_000)]
    write("data/events.json", json.dumps({"version": 3, "events": listed}, separators=(",", ":")))


def code(write):
    for number in range(16):
        who = "anna" if number % 3 else "ben"
        text = f"fn part_{number}() {{\n    // TODO({who}): mend part {number}\n    // anna wrote this\n}}\n"
        text += f"// TODO({who}): and this\n" if number % 5 == 0 else ""
        write(f"code/part_{number:02}.rs", text)
    write("code/notes.md", "TODO(anna): not a source\n")
    write("code/.env", "SECRET=TODO(anna)\n")
