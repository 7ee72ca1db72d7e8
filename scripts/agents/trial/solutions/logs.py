"""Ideal solutions on the tree `logs`: with `ns` as a script, with the peer call by call."""

import re

from session import NotPossible
from solutions.peer import INFLATES, texts, write


def ns_errors_per_hour(call):
    return call.script(r"""SET hours = []
FOR EACH file IN FS.Find("logs/web") DO
  SET text = FS.ReadFile(file.path, decompress: file.extension == "gz", max_size_mb: 100).content
  FOR EACH g IN REGEX.AllGroups(text, '''(?m)\[14/Oct/2025:(\d\d):[^\]]*\] "[^"]*" 5\d\d \d+$''') DO
    SET hours[LEN(hours)] = g["1"]
  END
END
RETURN LIST.CountBy(hours)
""")


peer_errors_per_hour = NotPossible("a gzip can be read only as base64, which no model inflates", INFLATES)


def ns_merge_logs(call):
    return call.script(r"""SET entries = []
FOR EACH service IN ["alpha", "beta", "gamma"] DO
  FOR EACH line IN FS.Lines("logs/apps/" + service + ".log") DO
    SET time = REGEX.Find(line, '''^\d{4}-\d\d-\d\dT\S+Z''')
    IF time == nil THEN
      SET entries[-1].text = entries[-1].text + line + "\n"
    ELSE
      SET entries[LEN(entries)] = {"time": time, "text": line + "\n"}
    END
  END
END
MUST CALL FS.WriteFile("logs/apps/merged.log", STR.Join(LIST.Column(LIST.Sort(entries, key: "time"), "text"), ""))
RETURN LEN(entries)
""")


def peer_merge_logs(call):
    entries = []
    for text in texts(call, [f"logs/apps/{service}.log" for service in ("alpha", "beta", "gamma")]).values():
        text += "" if text.endswith("\n") else "\n"
        entries += re.split(r"^(?=\d{4}-\d\d-\d\dT)", text, flags=re.M)[1:]
    entries.sort(key=lambda entry: entry[:24])
    write(call, "logs/apps/merged.log", "".join(entries))
    return len(entries)
