"""Ideal solutions on the tree `exports`: with `ns` as a script, with the peer call by call."""

import base64
import codecs
import csv
import io
import json
import re

from solutions.peer import search, texts, write


def ns_sum_by_region(call):
    return call.script(r"""SET cents, sums, skipped = [{}, {}, 0]
FOR EACH file IN FS.Find("sales", "*.csv") DO
  FOR EACH row IN CSV.Parse(FS.ReadFile(file.path).content, separator: ";") DO
    IF NOT REGEX.Match(row.Amount, '''^-?[\d.]+,\d\d$''') THEN
      SET skipped = skipped + 1
      CONTINUE
    END
    SET region = STR.Lower(STR.Trim(row.Region))
    SET cents[region] = MAP.Get(cents, region, 0) + INT(REGEX.Replace(row.Amount, "[.,]", ""))
  END
END
FOR EACH region, sum IN cents DO
  SET sums[region] = sum / 100
END
RETURN {"sums": sums, "skipped": skipped}
""")


def peer_sum_by_region(call):
    cents, skipped = {}, 0
    for text in texts(call, search(call, "sales", "*.csv")).values():
        # UTF-16 comes with a zero after each letter. The letter that was lost in "S?d" can be guessed.
        text = text.replace("\0", "").lstrip("\ufeff\ufffd")
        for row in csv.DictReader(io.StringIO(text), delimiter=";"):
            if not re.fullmatch(r"-?[\d.]+,\d\d", row["Amount"]):
                skipped += 1
                continue
            region = row["Region"].strip().lower().replace("\ufffd", "ü")
            cents[region] = cents.get(region, 0) + int(re.sub("[.,]", "", row["Amount"]))
    return {"sums": {region: total / 100 for region, total in cents.items()}, "skipped": skipped}


def ns_to_utf8(call):
    return call.script(r"""SET changed = []
FOR EACH file IN FS.Find("legacy", ["*.csv", "*.txt"]) DO
  SET read = FS.ReadFile(file.path, encoding: "utf-8")
  IF read.malformed THEN
    SET read = FS.ReadFile(file.path, encoding: "latin-1")
  END
  SET text = STR.Replace(read.content, "\r\n", "\n")
  IF text != read.content OR read.byteOrderMark OR read.encoding != "utf-8" THEN
    MUST CALL FS.WriteFile(file.path, text)
    SET changed = changed + [file.path]
  END
END
RETURN changed
""")


def peer_to_utf8(call):
    changed = []
    for path, text in texts(call, search(call, "legacy", "**/*.{csv,txt}")).items():
        if "\ufffd" not in text and not text.startswith("\ufeff") and "\r" not in text:
            continue
        if "\ufffd" in text:
            # Short enough for a model to decode the base64 by itself.
            text = decoded(call, path)
        write(call, path, text.removeprefix("\ufeff").replace("\r\n", "\n"))
        changed.append(path)
    return changed


def decoded(call, path):
    result = call.result("read_media_file", {"path": path})
    content = base64.b64decode(result["content"][0]["resource"]["blob"])
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if is_utf16 else "latin-1")


def ns_inactive_users(call):
    return call.script(r"""SET signed, active, damaged = [{}, {}, 0]
FOR EACH file IN FS.Find("events", "*.jsonl") DO
  FOR EACH line IN FS.Lines(file.path) DO
    IF STR.Trim(line) == "" THEN
      CONTINUE
    END
    SET event = JSON.Parse(line, default: nil)
    IF TYPEOF(event) != "map" THEN
      SET damaged = damaged + 1
    ELSE IF event.type == "signup" THEN
      SET signed[event.user] = true
    ELSE IF event.type == "login" THEN
      SET active[event.user] = true
    END
  END
END
SET users = LIST.Sort(MAP.Keys(MAP.Remove(signed, MAP.Keys(active))))
MUST CALL FS.WriteFile("out/inactive.txt", STR.Join(users, "\n") + "\n")
RETURN damaged
""")


def peer_inactive_users(call):
    users, damaged = {"signup": set(), "login": set()}, 0
    for text in texts(call, search(call, "events", "*.jsonl")).values():
        for line in filter(str.strip, text.splitlines()):
            try:
                event = json.loads(line)
                users.setdefault(event["type"], set()).add(event["user"])
            except (ValueError, TypeError):
                damaged += 1
    inactive = sorted(users["signup"] - users["login"])
    write(call, "out/inactive.txt", "".join(f"{user}\n" for user in inactive), new_folder=True)
    return damaged
