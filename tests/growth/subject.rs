//! The parsers: how to call each, and the pieces of its texts.

use neuroscript::engine::{EmitError, Engine, Invocation, Meter, Output, Script, Value};
use serde_json::json;

/// A parser.
pub struct Subject {
    /// The name, also of its corpus.
    pub name: &'static str,
    /// The pieces of its texts.
    pub pieces: &'static [&'static str],
    /// Number of texts that a short search tries.
    pub rounds: usize,
    /// Passes a text to the parser. The error is the reason for a refusal.
    pub give: fn(&Engine, &str) -> Result<(), String>,
}

/// Calls a tool. The error is its message.
pub fn call(engine: &Engine, tool: &str, arguments: serde_json::Value) -> Result<(), String> {
    let arguments: Value = serde_json::from_value(arguments).expect("JSON is a value");
    match engine.call(tool, &arguments) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{}: {}", error.code.id(), error.message)),
    }
}

/// Changes a text at a few paths.
fn edit(engine: &Engine, form: &str, text: &str) -> Result<(), String> {
    let mut last = Ok(());
    for (path, value) in
        [("", json!({"a": [1]})), ("a", json!([1, {"b": "c"}])), ("[0]", json!({"a": 1})), ("a.b", json!(1))]
    {
        last = call(engine, &format!("{form}.Set"), json!({"text": text, "path": path, "value": value}));
        if !path.is_empty() {
            last = last.and(call(engine, &format!("{form}.Remove"), json!({"text": text, "path": path})));
        }
    }
    last
}

fn check(engine: &Engine, script: &Script) -> Result<(), String> {
    let checked = engine.check(script);
    checked.findings.first().map_or(Ok(()), |finding| Err(format!("{}: {}", finding.code.id(), finding.message)))
}

fn run(engine: &Engine, script: &Script) -> Result<(), String> {
    let outcome = engine.run(script, &Invocation::default(), Box::new(Unread));
    outcome.findings.first().map_or(Ok(()), |finding| Err(format!("{}: {}", finding.code.id(), finding.message)))
}

/// An output that discards everything.
struct Unread;

impl Output for Unread {
    fn emit(&mut self, _values: &[Value], _meter: &mut Meter) -> Result<(), EmitError> {
        Ok(())
    }

    fn warn(&mut self, _text: &str) {}
}

/// Pieces of scripts.
const SCRIPT: &[&str] = &[
    "SET a = ",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    "0",
    "a",
    "\"a\"",
    "'''",
    "```",
    "{{a}}",
    "+",
    "NOT ",
    "-",
    ".b",
    "[0]",
    "\n",
    "IF a THEN\n",
    "END\n",
    "CALL ",
    "EMIT ",
    "FS.ReadFile(\"a\")",
    ":: a: b\n",
    "# ",
    "\\\n",
    "\"k\": ",
    "AND ",
    ";",
];

/// All parsers that take a text.
pub const SUBJECTS: &[Subject] = &[
    Subject {
        name: "json",
        rounds: 60,
        pieces: &[
            "[", "]", "{", "}", "[]", "{}", ",", ":", "\"a\":", "0", "1.5", "null", "\"\"", "\"\\n\"", "\"é\"", " ",
        ],
        give: |engine, text| call(engine, "JSON.Parse", json!({"text": text})),
    },
    Subject {
        name: "csv",
        rounds: 60,
        pieces: &[",", "\n", "a", "\"", "\"\"", "\r\n", "\"a\",", "é"],
        give: |engine, text| call(engine, "CSV.Parse", json!({"text": text})),
    },
    Subject {
        name: "csv_lists",
        rounds: 60,
        pieces: &[",", "\n", "a", "\"", "\"\"", "\r\n", "\"a\",", "é"],
        give: |engine, text| call(engine, "CSV.Parse", json!({"text": text, "header": false})),
    },
    Subject {
        name: "toml",
        rounds: 60,
        pieces: &[
            "a", ".", "=", "[", "]", "[[", "]]", "{", "}", ",", "0", "\"\"", "''", "\n", "#", "a=0\n", "[a]\n", "a.",
            " ",
        ],
        give: |engine, text| call(engine, "TOML.Parse", json!({"text": text})),
    },
    Subject {
        name: "yaml",
        rounds: 60,
        pieces: &[
            "- ", "-", ": ", ":", "?", "? ", "[", "]", "{", "}", ",", "a", "&a ", "*a", "!", "!!str ", "\n", "  ", "#",
            "'", "\"", "|\n", ">\n", "---\n", "...\n", "<<", "%", "[[],", "a: ", "{a: b}", "\t",
        ],
        give: |engine, text| call(engine, "YAML.Parse", json!({"text": text, "all": true})),
    },
    Subject {
        name: "ini",
        rounds: 20,
        pieces: &["[", "]", "a", "=", ":", "1", "\n", "\r\n", " ", "  b", "#", ";", "\\", "[a]\n", "a=1\n", "\t"],
        give: |engine, text| {
            let arguments = |way: &str| json!({"text": text, "repeated": "list", "continuation": way});
            call(engine, "INI.Parse", arguments("join")).and(call(engine, "INI.Parse", arguments("keep")))
        },
    },
    Subject {
        name: "xml",
        rounds: 40,
        pieces: &[
            "<",
            ">",
            "</",
            "/>",
            "a",
            "<a>",
            "</a>",
            "<b/>",
            "\"",
            "=",
            " x=\"1\"",
            "&amp;",
            "&#65;",
            "&",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<?",
            "?>",
            "<!DOCTYPE",
            "\n",
        ],
        give: |engine, text| call(engine, "XML.Parse", json!({"text": text})),
    },
    Subject {
        name: "ini_edit",
        rounds: 10,
        pieces: &["[", "]", "a", "=", ":", "1", "\n", "\r\n", " ", "  b", "#", ";", "\\", "[a]\n", "a=1\n", "\t"],
        give: |engine, text| edit(engine, "INI", text),
    },
    Subject {
        name: "json_edit",
        rounds: 40,
        pieces: &[
            "[", "]", "{", "}", "[]", "{}", ",", ":", "\"a\":", "0", "1.5", "null", "\"\"", "\"\\n\"", "\"é\"", " ",
        ],
        give: |engine, text| edit(engine, "JSON", text),
    },
    Subject {
        name: "toml_edit",
        rounds: 40,
        pieces: &[
            "a", ".", "=", "[", "]", "[[", "]]", "{", "}", ",", "0", "\"\"", "''", "\n", "#", "a=0\n", "[a]\n", "a.",
            " ",
        ],
        give: |engine, text| edit(engine, "TOML", text),
    },
    Subject {
        name: "yaml_edit",
        rounds: 40,
        pieces: &[
            "- ", "-", ": ", ":", "?", "? ", "[", "]", "{", "}", ",", "a", "&a ", "*a", "!", "!!str ", "\n", "  ", "#",
            "'", "\"", "|\n", ">\n", "---\n", "...\n", "<<", "%", "[[],", "a: ", "{a: b}", "\t",
        ],
        give: |engine, text| edit(engine, "YAML", text),
    },
    Subject {
        name: "regex",
        rounds: 20,
        pieces: &[
            "a",
            "\\w",
            "\\pL",
            "\\b",
            "(?i)",
            "(",
            ")",
            "|",
            "*",
            "+",
            "?",
            "{9}",
            "{1,9}",
            "[",
            "]",
            "^",
            "-",
            "é",
            "&&",
            ".",
            "(?x)",
            "\\x{10FFFF}",
            "\\PL",
            "[^a]",
            "(?<a>",
            "(?:",
        ],
        give: |engine, text| call(engine, "REGEX.Match", json!({"text": "aé", "pattern": text})),
    },
    Subject {
        name: "regex_text",
        rounds: 20,
        pieces: &["a", "b", "1", " ", "\n", "é"],
        give: |engine, text| call(engine, "REGEX.AllGroups", json!({"text": text, "pattern": "(?<word>\\w)?(\\d)?"})),
    },
    Subject {
        name: "regex_split",
        rounds: 20,
        pieces: &["a", "b", "1", " ", "\n", "é"],
        give: |engine, text| call(engine, "REGEX.Split", json!({"text": text, "pattern": ""})),
    },
    Subject {
        name: "glob",
        rounds: 30,
        pieces: &["*", "**", "?", "[", "]", "[!a]", "[à-ü]", "{", "}", ",", "a", "/", "\\", "é", "-"],
        give: |engine, text| call(engine, "FS.FindFiles", json!({"base_path": ".", "pattern": text})),
    },
    Subject {
        name: "globs",
        rounds: 20,
        pieces: &["*", "**", "?\n", "[", "]", "[!a]", "[à-ü]", "{", "}", ",", "a\n", "/", "\n!", "é", "a/b/c\n", "\n"],
        give: |engine, text| {
            let patterns: Vec<&str> = text.split('\n').filter(|text| !text.is_empty()).take(1_001).collect();
            call(engine, "FS.Find", json!({"path": ".", "pattern": patterns, "ignore_case": true}))
        },
    },
    Subject {
        name: "format",
        rounds: 60,
        pieces: &["{}", "{0}", "{0:>9999}", "{{", "}}", "{1:.300f}", "{2}", "a", "{3:é^99}", ":"],
        give: |engine, text| {
            call(engine, "STR.Format", json!({"template": text, "values": ["a", 1.5, [[1], {}], "é"]}))
        },
    },
    Subject {
        name: "template",
        rounds: 60,
        pieces: &["{{a}}", "{{b}}", "{{c.d}}", "{{", "}}", "a", " ", "{"],
        give: |engine, text| {
            call(
                engine,
                "TEXT.Template",
                json!({"template": text, "values": {"a": [[1, 2], [3]], "b": 1.5, "c": {"d": "e"}}}),
            )
        },
    },
    Subject {
        name: "base64",
        rounds: 60,
        pieces: &["A", "AA==", "\n", " ", "-", "_", "+", "="],
        give: |engine, text| call(engine, "BASE64.Decode", json!({"text": text, "format": "hex"})),
    },
    Subject {
        name: "difference",
        rounds: 30,
        pieces: &["a", "\n", "b", "a\n", "b\n", "|", "é"],
        give: |engine, text| {
            let (old, new) = text.split_at(text.floor_char_boundary(text.len() / 2));
            call(engine, "TEXT.Diff", json!({"old": old, "new": new.to_uppercase(), "context_lines": 1000}))
        },
    },
    Subject {
        name: "similarity",
        rounds: 60,
        pieces: &["a", "b", "é", "𝄞", " "],
        give: |engine, text| call(engine, "STR.Similarity", json!({"text": text, "other": "a"})),
    },
    Subject {
        name: "time",
        rounds: 60,
        pieces: &["%Y", "%c", "%+", "%%", "%D", "a", "é", "%.9f"],
        give: |engine, text| call(engine, "TIME.Format", json!({"time": "2024-05-01", "format": text})),
    },
    Subject {
        name: "script",
        rounds: 20,
        pieces: SCRIPT,
        give: |engine, text| check(engine, &Script::new("growth.ns", text)),
    },
    Subject {
        name: "program",
        rounds: 20,
        pieces: SCRIPT,
        give: |engine, text| run(engine, &Script::new("growth.ns", text)),
    },
    Subject {
        name: "markdown",
        rounds: 30,
        pieces: &[
            "*", "_", "`", "[", "]", "(", ")", "!", "<", ">", "- ", "1. ", "#", "\n", "\n\n", "    ", "```ns\n",
            "```\n", "|", "&amp;", "~", "a",
        ],
        give: |engine, text| check(engine, &Script::markdown("growth.md", text)),
    },
    Subject {
        name: "memory",
        rounds: 60,
        pieces: &["{", "}", "\"key\":", "\"value\":", "\"a\"", "[", "]", "[]", "{}", ",", "0", ":", "\n"],
        give: |engine, text| {
            engine.import_memory(text).map(drop).map_err(|error| format!("{}: {}", error.code.id(), error.message))
        },
    },
];
