// The sample folders and their scripts. Contents are written here, so that every visitor and every test sees the same.

const at = (day, time = "09:00") => Date.parse(`${day}T${time}:00Z`);
const file = (path, text, modified = at("2026-03-02")) => ({ path, modified, bytes: new TextEncoder().encode(text) });
const folder = (path, modified = at("2026-03-02")) => ({ path, kind: "folder", modified });

const TIDY = `# Sorts the files of the folder into folders by kind.
# Press Plan to see what it would do, Run to do it, and Undo to take it back.
SET kinds = {
  "jpg": "Pictures", "png": "Pictures",
  "pdf": "Documents", "txt": "Documents", "md": "Documents",
  "csv": "Tables",
}
SET moved = 0
FOR EACH file IN FS.Find(".", depth: 1) DO
  SET kind = MAP.Get(kinds, STR.Lower(file.extension))
  IF kind == nil THEN
    CONTINUE
  END
  MUST CALL FS.CreateDirectory(kind)
  SET result = FS.MoveFile(file.path, PATH.Join([kind, file.name]))
  IF result.error == nil THEN
    SET moved = moved + 1
  ELSE
    EMIT "not moved: ", result.error
  END
END
EMIT moved, " moved"
`;

const DUPLICATES = `# Lists files with the same content.
SET seen = {}
FOR EACH file IN FS.Find(".") DO
  SET sum = FS.HashFile(file.path).checksum
  IF sum IN seen THEN
    EMIT file.path, " is a copy of ", seen[sum]
  ELSE
    SET seen[sum] = file.path
  END
END
`;

const LEVELS = `# Counts the lines of all logs by level, and writes a report.
SET levels = []
FOR EACH file IN FS.Find("logs", "*.log") DO
  FOR EACH line IN FS.Lines(file.path) DO
    SET level = REGEX.Find(line, '''\\b(INFO|WARN|ERROR)\\b''')
    IF level != nil THEN
      SET levels = levels + [level]
    END
  END
END
SET counts = LIST.CountBy(levels)
FOR EACH level, count IN MAP.SortValues(counts, descending: true) DO
  EMIT STR.PadRight(level, 6), STR.Repeat("▇", count), " ", count
END
MUST CALL FS.WriteFile("report.json", JSON.Pretty(counts) + "\\n")
`;

const ARCHIVE = `# Packs the logs of February and deletes them. Plan it first: the plan lists every file that would go.
SET old = FS.Find("logs", older_than: "2026-03-01T00:00:00Z")
MUST LEN(old) > 0, "no old logs"
MUST CALL FS.Compress(paths: LIST.Column(old, "path"), destination: "archive/february.zip")
FOR EACH file IN old DO
  MUST CALL FS.DeleteFile(file.path)
END
EMIT LEN(old), " packed"
`;

const TOTALS = `# Sums the amounts by category, the largest total first.
SET totals = {}
FOR EACH row IN CSV.Rows("spending.csv") DO
  SET totals[row.category] = MAP.Get(totals, row.category, 0) + FLOAT(row.amount)
END
FOR EACH category, total IN MAP.SortValues(totals, descending: true) DO
  EMIT STR.Format("{:<10} {:>8.2}", [category, total])
END
`;

const CONVERT = `# Turns each table into JSON beside it.
FOR EACH file IN FS.Find(".", "*.csv") DO
  SET rows = LIST.Map(CSV.Rows(file.path), Row)
  SET target = PATH.WithExtension(file.path, "json")
  MUST CALL FS.WriteFile(target, JSON.Pretty(rows) + "\\n")
  EMIT file.path, " → ", target, ", ", LEN(rows), " rows"
END

DEFINE PROCEDURE Row(row)
  RETURN row
END
`;

const PHOTOS = `# Names photos by their day and a number: 2026-02-14_1.jpg
SET numbers = {}
FOR EACH photo IN FS.Find(".", ["*.jpg", "*.JPG"]) DO
  SET day = TIME.Format(photo.modified, "%Y-%m-%d")
  SET numbers[day] = MAP.Get(numbers, day, 0) + 1
  SET target = PATH.Join([STR.Sub(day, 0, 4), day + "_" + numbers[day] + ".jpg"])
  MUST CALL FS.CreateDirectory(PATH.Parent(target))
  MUST CALL FS.MoveFile(photo.path, target)
  EMIT photo.path, " → ", target
END
`;

const HELLO = `EMIT "Hello from a folder in memory."
MUST CALL FS.WriteFile("notes/hello.txt", "written by a script\\n")
FOR EACH file IN FS.Find(".") DO
  EMIT file.path, ", ", file.size, " bytes"
END
`;

const MISTAKES = `# The engine points at mistakes, and says what to write.
SET name = "Ana"
EMIT "Hello ", nmae
x = 5
IF name == "Ana" THEN
  EMIT FS.ReadFil("notes.txt")
EN
`;

const log = (day, lines) => lines.map(([time, text]) => `${day}T${time}Z ${text}`).join("\n") + "\n";

export const SAMPLES = {
  downloads: {
    title: "A messy downloads folder",
    entries: [
      folder("Pictures"),
      file("Pictures/holiday.jpg", "snow\n", at("2026-01-04")),
      file("Invoice-04.PDF", "april\n", at("2026-04-03")),
      file("invoice-03.pdf", "march\n", at("2026-03-05")),
      file("holiday.jpg", "holiday\n", at("2026-02-11")),
      file("holiday (1).jpg", "holiday\n", at("2026-02-12")),
      file("screenshot 2026-03-01.png", "not really a picture\n"),
      file("to do.txt", "buy milk\ncall Björn\n"),
      file("sales.csv", "day,amount\n2026-03-01,120\n2026-03-02,80\n"),
      file("movie.mkv.part", "unfinished\n"),
      file("résumé.md", "# Résumé\n"),
      file("setup.exe", "MZ\0\0"),
    ],
    examples: [
      { title: "Tidy by kind", script: TIDY },
      { title: "Find duplicates", script: DUPLICATES },
    ],
  },
  logs: {
    title: "Logs of a server",
    entries: [
      file("logs/app-02-27.log", log("2026-02-27", [["10:00:01", "INFO started"], ["10:00:09", "WARN slow disk"], ["11:30:00", "ERROR no space"]]), at("2026-02-27")),
      file("logs/app-02-28.log", log("2026-02-28", [["00:00:02", "INFO started"], ["09:14:40", "ERROR no space"], ["09:14:41", "ERROR no space"]]), at("2026-02-28")),
      file("logs/app-03-01.log", log("2026-03-01", [["00:00:01", "INFO started"], ["08:00:00", "INFO disk replaced"], ["12:31:07", "WARN 3 retries"]]), at("2026-03-01", "20:00")),
      file("logs/web/access.log", log("2026-03-01", [["12:00:00", "INFO GET /"], ["12:00:01", "INFO GET /style.css"], ["12:31:07", "ERROR GET /börse 502"]]), at("2026-03-01", "20:00")),
      file("app.toml", "[server]\nport = 8080 # as in the firewall\n\n[logs]\nkeep_days = 30\n"),
    ],
    examples: [
      { title: "Count by level", script: LEVELS },
      { title: "Pack old logs", script: ARCHIVE },
    ],
  },
  tables: {
    title: "Tables",
    entries: [
      file("spending.csv", "date,category,amount\n2026-05-01,food,12.50\n2026-05-02,travel,80.00\n2026-05-03,food,7.25\n2026-05-04,books,31.90\n2026-05-06,food,22.40\n"),
      file("people.csv", "name,age,city\nAna,31,Lisboa\nBo,27,Malmö\n\"Chen, Li\",45,杭州\n"),
    ],
    examples: [
      { title: "Totals by category", script: TOTALS },
      { title: "CSV to JSON", script: CONVERT },
    ],
  },
  photos: {
    title: "Photos",
    entries: [
      file("DSC_0001.JPG", "1", at("2026-02-14", "10:02")),
      file("DSC_0002.JPG", "2", at("2026-02-14", "10:03")),
      file("DSC_0003.JPG", "3", at("2026-02-15", "18:40")),
      file("phone/IMG_20260301_080000.jpg", "4", at("2026-03-01", "08:00")),
      file("phone/IMG_20260301_081500.jpg", "5", at("2026-03-01", "08:15")),
      file("phone/cat.jpg", "6", at("2025-12-24", "17:00")),
    ],
    examples: [{ title: "Name by day", script: PHOTOS }],
  },
  empty: {
    title: "An empty folder",
    entries: [],
    examples: [
      { title: "Hello", script: HELLO },
      { title: "Mistakes", script: MISTAKES },
    ],
  },
};
