//! Examples for error codes: a script that causes each code, where a script can.

/// An example that causes an error code.
#[derive(Debug)]
pub struct CodeExample {
    /// The policy file, or an empty text if none is needed.
    pub policy: &'static str,
    /// Files of the sandbox: path and content.
    pub files: &'static [(&'static str, &'static str)],
    /// The script.
    pub script: &'static str,
}

/// Returns the example of a code by its id, or `None` if no script alone can cause it.
pub fn code_example(id: &str) -> Option<&'static CodeExample> {
    EXAMPLES.iter().find(|(code, _)| code.eq_ignore_ascii_case(id)).map(|(_, example)| example)
}

const fn script(script: &'static str) -> CodeExample {
    CodeExample { policy: "", files: &[], script }
}

const fn limited(policy: &'static str, script: &'static str) -> CodeExample {
    CodeExample { policy, files: &[], script }
}

const fn with(files: &'static [(&'static str, &'static str)], script: &'static str) -> CodeExample {
    CodeExample { policy: "", files, script }
}

const EXAMPLES: [(&str, CodeExample); 103] = [
    ("NS0001", script("EMIT 1 2")),
    ("NS0002", script("EMIT LEN([1, 2]")),
    ("NS0003", script("EMIT (1 + 2))")),
    ("NS0004", script("EMIT \"hello")),
    ("NS0005", script("EMIT \"50\\%\"")),
    ("NS0006", script("EMIT 9223372036854775808")),
    ("NS0007", script("IF true THEN\n  EMIT 1")),
    ("NS0008", script("WHILE true DO\n  BREAK\nENDIF")),
    ("NS0009", script("SET\u{a0}x = 1")),
    ("NS0011", script("print \"hello\"")),
    ("NS0012", script("n = 1")),
    ("NS0013", script("IF true THEN EMIT 1 END")),
    ("NS0014", script("SET end = 1")),
    ("NS0015", script("SET m = {size: 1}")),
    ("NS0016", script("EMIT 1 < 2 < 3")),
    ("NS0017", script("ask \"your name?\"")),
    ("NS0018", script("BREAK")),
    ("NS0019", script("EMIT 1 + \\\n# no value here")),
    ("NS0020", script("SET n = 1\nIF n = 1 THEN\n  EMIT n\nEND")),
    ("NS0021", script("SET n = 3\nEMIT n--n")),
    ("NS0022", script("SET a = 1\nEMIT NOT a == 2")),
    ("NS0023", script("EMIT {\"k\": 1, \"k\": 2}")),
    (
        "NS0025",
        script(
            "DEFINE PROCEDURE Shown(text, width: LEN(text))\n  RETURN STR.PadLeft(text, width)\nEND\nEMIT Shown(\"a\")",
        ),
    ),
    ("NS0101", script("SET total = 1\nEMIT totl")),
    ("NS0102", script("IF LEN(ARGS) > 0 THEN\n  SET name = ARGS[0]\nEND\nEMIT name")),
    ("NS0103", script("CALL FS.ReedFile(\"a.txt\")")),
    ("NS0104", script("DEFINE PROCEDURE One()\nEND\nDEFINE PROCEDURE One()\nEND")),
    ("NS0105", script("DEFINE PROCEDURE Add(a, a)\nEND")),
    ("NS0106", script("SET total = 0\nDEFINE PROCEDURE Add(n)\n  SET total = total + n\nEND\nCALL Add(1)")),
    ("NS0107", script("DEFINE PROCEDURE One()\nEND\nDEFINE PROCEDURE Two()\nEND")),
    ("NS0108", script("USE \"lib/dates.ns\" AS dates")),
    ("NS0109", with(&[("a.ns", "USE \"b.ns\" AS b\n"), ("b.ns", "USE \"a.ns\" AS a\n")], "USE \"a.ns\" AS a")),
    ("NS0110", with(&[("a.ns", "EMIT \"loaded\"\n")], "USE \"a.ns\" AS a")),
    ("NS0111", with(&[("files.ns", "")], "USE \"files.ns\" AS fs")),
    ("NS0112", script("SET total = 1\nSET totel = total + 1\nEMIT total")),
    (
        "NS0113",
        script(
            "SET name = \"a\"\nDEFINE PROCEDURE Shown()\n  SET name = \"b\"\n  RETURN name\nEND\nEMIT Shown(), name",
        ),
    ),
    ("NS0114", script("DEFINE PROCEDURE One()\n  RETURN 1\n  EMIT 2\nEND\nEMIT One()")),
    ("NS0115", script("CALL FS.WriteFile(\"a.txt\", \"text\")")),
    ("NS0116", script("SET kind = \"a\"\nIF kind == \"a\" OR \"b\" THEN\n  EMIT kind\nEND")),
    ("NS0117", script("SET file = FS.ReadFile(\"a.txt\")\nIF file == nil THEN\n  EMIT \"not there\"\nEND")),
    ("NS0118", script("# ns: allow NS0112\nEMIT 1")),
    (
        "NS0119",
        script(
            ":: arg foldr: where to look\nDEFINE PROCEDURE Main(folder: \".\")\n  EMIT LEN(FS.WalkDir(folder))\nEND",
        ),
    ),
    ("NS0120", script("DEFINE PROCEDURE Main(output: \"report.md\")\n  EMIT output\nEND")),
    ("NS0121", script("EMIT TIME.Now() + 3600")),
    ("NS0122", script("SET size = 12\nEMIT \"{size} bytes\", size")),
    ("NS0123", script("SET days = 30\nDEFINE PROCEDURE Main(folder)\n  EMIT folder, days\nEND")),
    ("NS0124", script(":: descripton: Counts files.\nEMIT LEN(FS.Find(\".\"))")),
    (
        "NS0125",
        script(
            "ON ERROR AS err DO\n  EMIT err.message\n  CLEAR_ERROR\nEND\nMUST CALL FS.CopyFile(\"a.txt\", \"b.txt\")\nMUST CALL FS.DeleteFile(\"a.txt\")",
        ),
    ),
    ("NS0126", script("EMIT tool.str.Substring(\"abcdef\", 1, 3)")),
    ("NS0201", script("EMIT STR.Repeat(\"ab\")")),
    ("NS0202", script("EMIT LEN(\"a\", \"b\")")),
    ("NS0203", script("EMIT STR.Repeat(\"ab\", tims: 2)")),
    ("NS0204", script("EMIT STR.Upper(\"a\", text: \"b\")")),
    ("NS0205", script("EMIT STR.Repeat(text: \"ab\", 2)")),
    ("NS0206", script("EMIT STR.Upper(5)")),
    ("NS0207", script("EMIT STR.Repeat(\"ab\", -1)")),
    (
        "NS0208",
        script(":: arg files...: what to read\nDEFINE PROCEDURE Main(files, target)\n  EMIT target, files\nEND"),
    ),
    ("NS0209", script(":: needs: 99.0\nEMIT 1")),
    ("NS0301", script("EMIT \"ab\" - 1")),
    ("NS0302", script("SET n = 9223372036854775807\nEMIT n + 1")),
    ("NS0303", script("SET n = 0\nEMIT 1 / n")),
    ("NS0304", script("SET list = [1, 2]\nEMIT list[2]")),
    ("NS0305", script("SET entry = {\"name\": \"a\"}\nEMIT entry.nmae")),
    ("NS0306", script("SET n = 5\nEMIT n[0]")),
    ("NS0307", script("SET text = \"twelve\"\nEMIT INT(text)")),
    ("NS0308", script("SET a, b = [1, 2, 3]")),
    ("NS0309", script("SET n = -1\nEMIT SQRT(n)")),
    ("NS0310", script("SET n = 5\nFOR EACH x IN n DO\n  EMIT x\nEND")),
    ("NS0401", limited("[limits]\nmax_step = 5\n", "EMIT 1")),
    ("NS0402", limited("[tools]\ndeny = [\"FS.DeleteFile\"]\n", "SET r = FS.DeleteFile(\"a.txt\")\nEMIT r.error")),
    ("NS0502", script("EMIT FS.ReadFile(\"../notes.txt\").error")),
    ("NS0601", limited("[limits]\nscript_bytes = 10\n", "EMIT \"more than ten bytes\"")),
    ("NS0602", limited("[limits]\nnesting = 2\n", "EMIT (((1)))")),
    ("NS0603", limited("[limits]\nmax_steps = 1000\n", "WHILE true DO\n  SET n = 1\nEND")),
    ("NS0604", limited("[limits]\ntimeout_s = 0.05\n", "WHILE true DO\n  SET n = 1\nEND")),
    ("NS0605", script("DEFINE PROCEDURE Again(n)\n  RETURN Again(n + 1)\nEND\nEMIT Again(0)")),
    ("NS0606", limited("[limits]\nvalue_depth = 3\n", "SET list = []\nWHILE true DO\n  SET list = [list]\nEND")),
    (
        "NS0607",
        limited("[limits]\nmemory_bytes = 100000\n", "SET list = []\nWHILE true DO\n  SET list = list + [0]\nEND"),
    ),
    (
        "NS0608",
        limited("[limits]\nstring_bytes = 100\n", "SET text = \"ab\"\nWHILE true DO\n  SET text = text + text\nEND"),
    ),
    ("NS0609", limited("[limits]\ncollection_items = 10\n", "EMIT RANGE(11)")),
    ("NS0610", limited("[limits]\noutput_bytes = 10\n", "EMIT \"more than ten bytes\"")),
    ("NS0611", limited("[limits]\ntool_output_bytes = 10\n", "EMIT STR.Upper(\"more than ten bytes\")")),
    (
        "NS0612",
        limited(
            "[limits]\nfiles_changed = 1\n",
            "CALL FS.WriteFile(\"a.txt\", \"a\")\nCALL FS.WriteFile(\"b.txt\", \"b\")",
        ),
    ),
    ("NS0613", limited("[limits]\nbytes_written = 3\n", "CALL FS.WriteFile(\"a.txt\", \"four\")")),
    (
        "NS0615",
        CodeExample {
            policy: "[limits]\nmodules = 1\n",
            files: &[("a.ns", ""), ("b.ns", "")],
            script: "USE \"a.ns\" AS a\nUSE \"b.ns\" AS b",
        },
    ),
    (
        "bad_args",
        script(
            "SET count = -1\nON ERROR AS err DO\n  EMIT err.code\n  CLEAR_ERROR\nEND\nEMIT STR.Repeat(\"ab\", count)",
        ),
    ),
    ("sandbox_violation", script("SET r = FS.ReadFile(\"../secret.txt\")\nEMIT LAST_ERROR.code")),
    (
        "policy_denied",
        limited("[tools]\ndeny = [\"FS.WriteFile\"]\n", "SET r = FS.WriteFile(\"a.txt\", \"x\")\nEMIT LAST_ERROR.code"),
    ),
    ("not_found", script("SET r = FS.ReadFile(\"none.txt\")\nEMIT LAST_ERROR.code")),
    ("not_a_directory", with(&[("a.txt", "x")], "SET r = FS.ListDirectory(\"a.txt\")\nEMIT LAST_ERROR.code")),
    ("is_a_directory", script("SET r = FS.ReadFile(\".\")\nEMIT LAST_ERROR.code")),
    (
        "already_exists",
        with(&[("a.txt", "x"), ("b.txt", "y")], "SET r = FS.MoveFile(\"a.txt\", \"b.txt\")\nEMIT LAST_ERROR.code"),
    ),
    (
        "too_large",
        script(
            "CALL FS.WriteFile(\"a.txt\", STR.Repeat(\"0123456789\", 200000))\nSET r = FS.ReadFile(\"a.txt\", max_size_mb: 1)\nEMIT LAST_ERROR.code",
        ),
    ),
    (
        "not_text",
        script(
            "CALL FS.WriteFile(\"a.bin\", \"AAECAwA=\", encoding: \"base64\")\nSET r = FS.ReadFile(\"a.bin\")\nEMIT LAST_ERROR.code",
        ),
    ),
    (
        "encoding",
        script("SET r = FS.WriteFile(\"a.txt\", \"snowman \\u2603\", encoding: \"latin-1\")\nEMIT LAST_ERROR.code"),
    ),
    (
        "invalid_archive",
        with(&[("a.zip", "no archive")], "SET r = FS.Extract(\"a.zip\", \"out\")\nEMIT LAST_ERROR.code"),
    ),
    ("invalid_media", with(&[("a.png", "no image")], "SET r = FS.ReadMedia(\"a.png\")\nEMIT LAST_ERROR.code")),
    (
        "conflict",
        with(
            &[("a.txt", "mine")],
            "SET seen = HASH.Sha256(\"what I read before\")\nSET r = FS.WriteFile(\"a.txt\", \"new\", if_match: seen)\nEMIT LAST_ERROR.code",
        ),
    ),
    (
        "fail",
        script("ON ERROR AS err DO\n  EMIT err.code, \": \", err.message\n  CLEAR_ERROR\nEND\nFAIL \"nothing to do\""),
    ),
    ("permission_denied", script(HANDLED)),
    ("no_space", script(HANDLED)),
    ("io_error", script(HANDLED)),
    (
        "unknown_tool",
        script("# from a shell: ns call no_such_tool '{}'\nEMIT \"a script meets NS0103 before it runs\""),
    ),
];

/// How a script handles failures that no script can cause.
const HANDLED: &str = "SET r = FS.WriteFile(\"report.txt\", \"all is well\")\nIF LAST_ERROR != nil THEN\n  FAIL \"the report cannot be written (\" + LAST_ERROR.code + \"): \" + LAST_ERROR.message\nEND\nEMIT \"written\"";
