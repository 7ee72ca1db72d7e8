//! The format of the vectors: `tests/cases/attacks.json`, whose head explains it, and our own in
//! `tests/attacks/vectors/*.json`, which may have more fields.
//!
//! A file of ours has a head: `once` lists categories for which one mode suffices, because they are about texts;
//! `setups` are set-ups shared by several vectors. Nothing here accesses a disk or runs anything.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A file of vectors.
#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    once: Vec<String>,
    #[serde(default)]
    setups: Map<String, Value>,
    vectors: Vec<Map<String, Value>>,
}

/// One attack: a tree, a call and the expected result.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    pub id: String,
    pub category: String,
    #[serde(default)]
    pub setup: Vec<Op>,
    pub tool: String,
    #[serde(default)]
    pub args: Value,
    /// The arguments as text, if they are not valid JSON.
    #[serde(default)]
    pub raw_args: Option<Value>,
    /// Additional arguments of the command line.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Another spelling of the sandbox directory.
    #[serde(default)]
    pub sandbox: Option<String>,
    /// `ok`, `error`, `violation` or `bad_args`; several are separated by `|`.
    pub expected: String,
    /// The error code, if the class is not specific enough.
    #[serde(default)]
    pub code: Option<String>,
    #[serde(default)]
    pub policy: Option<String>,
    #[serde(default)]
    pub post: Vec<String>,
    /// Whether a warning about omitted or refused items is allowed.
    #[serde(default)]
    pub warns: bool,
    /// `root`, `mount`, `unprivileged` or `privileged`.
    #[serde(default)]
    pub requires: Option<String>,
    /// Whether a server understands the arguments although they are wrong, so that only other entry points refuse them.
    #[serde(default)]
    pub guess: bool,
    /// Whether it needs a driver of its own.
    #[serde(default)]
    pub harness: bool,
    /// A known defect because of which the vector fails.
    #[serde(default)]
    pub known: Option<String>,
    /// Whether it runs in one mode only.
    #[serde(skip)]
    pub once: bool,
    #[serde(default, rename = "note")]
    pub _note: Option<String>,
    #[serde(default, rename = "ref")]
    pub _reference: Option<String>,
}

/// One step of a set-up. Paths are relative to the sandbox root unless they begin with `${…}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Op {
    Dir {
        path: String,
    },
    File {
        path: String,
        #[serde(default)]
        content: Value,
    },
    Symlink {
        path: String,
        #[serde(default)]
        target: Value,
        #[serde(default)]
        target_hex: Option<String>,
    },
    Hardlink {
        path: String,
        target: String,
    },
    Fifo {
        path: String,
    },
    Socket {
        path: String,
    },
    MknodChar {
        path: String,
        major: u32,
        minor: u32,
    },
    MknodBlock {
        path: String,
        major: u32,
        minor: u32,
    },
    /// A sparse file without data.
    Sparse {
        path: String,
        bytes: u64,
    },
    /// A name that need not be UTF-8, directly below `in`: a file, a `dir`, or a link to `target`.
    RawName {
        path_hex: String,
        #[serde(default)]
        content: Option<String>,
        #[serde(default)]
        dir: bool,
        #[serde(default)]
        target: Option<String>,
        #[serde(default, rename = "in")]
        folder: Option<String>,
    },
    /// Sets permission bits (octal) after everything else has been created.
    Chmod {
        path: String,
        mode: String,
    },
    /// Changes the owner after everything else has been created; as root only.
    Chown {
        path: String,
        user: u32,
    },
    /// Nested directories, optionally each with an empty one `beside` the next.
    Deep {
        path: String,
        depth: usize,
        #[serde(default)]
        beside: bool,
    },
    /// Empty files, or links to `target`, named `0` and so on, in a new directory.
    Many {
        path: String,
        count: usize,
        #[serde(default)]
        target: Option<String>,
    },
    /// Links of which each names the previous one twice.
    Bomb {
        path: String,
        count: usize,
    },
    /// Created by a driver.
    Gen {
        #[serde(rename = "name")]
        _name: String,
        #[serde(rename = "swap")]
        _swap: String,
        #[serde(rename = "seconds")]
        _seconds: u64,
    },
    /// Created by the `devices` group.
    MountTmpfs {
        #[serde(rename = "path")]
        _path: String,
        #[serde(rename = "size")]
        _size: String,
        #[serde(rename = "fill_to")]
        _fill_to: String,
    },
}

/// Returns the vectors that the project was given.
pub fn shown() -> Vec<Vector> {
    load(&package("tests/cases/attacks.json"))
}

/// Returns the project's own vectors.
pub fn own() -> Vec<Vector> {
    let folder = std::fs::read_dir(package("tests/attacks/vectors")).expect("the vectors lie beside the test");
    let mut files: Vec<_> = folder.map(|entry| entry.expect("a folder of ours can be read").path()).collect();
    files.sort();
    files.iter().flat_map(|file| load(file)).collect()
}

fn package(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn load(path: &Path) -> Vec<Vector> {
    let wrong = |error: serde_json::Error| -> ! { panic!("{}: {error}", path.display()) };
    let text = std::fs::read_to_string(path).expect("the vectors lie beside the test");
    let file: File = serde_json::from_str(&text).unwrap_or_else(|error| wrong(error));
    let vector = |mut fields: Map<String, Value>| {
        if let Some(Value::String(name)) = fields.get("setup") {
            let setup = file.setups.get(name).unwrap_or_else(|| panic!("there is no set-up `{name}`"));
            fields.insert("setup".to_owned(), setup.clone());
        }
        let mut vector: Vector = serde_json::from_value(fields.into()).unwrap_or_else(|error| wrong(error));
        vector.once = file.once.contains(&vector.category);
        vector
    };
    file.vectors.into_iter().map(vector).collect()
}

/// Expands `${…}`, `$concat`, `$repeat` and `gen:…` everywhere in a value.
pub fn expand(value: &Value, names: &[(&str, String)]) -> Value {
    match value {
        Value::String(text) => Value::String(expand_text(text, names)),
        Value::Array(items) => items.iter().map(|item| expand(item, names)).collect(),
        Value::Object(map) => match map.get("$concat") {
            Some(Value::Array(parts)) => Value::String(parts.iter().map(|part| piece(part, names)).collect()),
            _ => map.iter().map(|(key, value)| (key.clone(), expand(value, names))).collect::<Map<_, _>>().into(),
        },
        other => other.clone(),
    }
}

/// Returns the text of a value that is a string or a `$concat`.
pub fn text_of(value: &Value, names: &[(&str, String)]) -> String {
    match expand(value, names) {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Expands `${…}` in a text.
pub fn expand_text(text: &str, names: &[(&str, String)]) -> String {
    if text == "gen:1MiB" {
        return "x".repeat(1 << 20);
    }
    names.iter().fold(text.to_owned(), |text, (name, path)| text.replace(name, path))
}

fn piece(part: &Value, names: &[(&str, String)]) -> String {
    let repeat = part.get("$repeat").and_then(Value::as_array).map(Vec::as_slice);
    match repeat {
        Some([unit, count]) => {
            let count = count.as_u64().expect("$repeat has a count") as usize;
            text_of(unit, names).repeat(count)
        }
        _ => text_of(part, names),
    }
}

/// Decodes hexadecimal digits.
pub fn from_hex(text: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(byte).collect()
}
