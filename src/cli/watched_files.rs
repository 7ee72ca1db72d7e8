//! The files that `ns watch` looks at, found by `FS.Find`, which lists all of them or fails.
//!
//! Anybody who can put an entry into a watched directory could make it fail. So an entry that `FS.Find` fails at is
//! reported, and left out of further looks by a pattern of its own; from time to time all of them are tried again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::terminal::report::{report_failure, report_notes};
use crate::text::ToolCode;
use crate::toolkit::ToolError;

/// Maximum number of entries that are left out; `FS.Find` takes 1,000 patterns.
const MOST_LEFT_OUT: usize = 500;
/// Time after which entries that were left out are tried again.
const RETRY: Duration = Duration::from_secs(60);
/// Maximum number of looks in a row at a tree of which directories disappear meanwhile.
const PATIENCE: usize = 3;
/// The pattern for names that are not UTF-8, in which U+FFFD stands for other bytes.
const WITHOUT_TEXT: &str = "!*\u{fffd}*";

/// The files that match.
pub type Tree = BTreeMap<String, FileState>;

/// The state of a file, as far as it tells two of them apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    identity: String,
    modified: String,
    /// The time of the last change of content or metadata, RFC 3339 with nine decimals.
    pub changed: String,
    /// The size in bytes.
    pub size: Option<u64>,
}

impl FileState {
    /// Whether the content is the same as far as everything but the time of the last change tells.
    pub fn has_content_of(&self, other: &FileState) -> bool {
        (&self.identity, &self.modified, self.size) == (&other.identity, &other.modified, other.size)
    }
}

/// Looks at the files that match patterns.
pub struct WatchedFiles<'a> {
    engine: &'a Engine,
    patterns: &'a [String],
    /// Patterns that leave out the entries that `FS.Find` fails at.
    left_out: Vec<String>,
    tried: Instant,
    /// Messages since `tried`, and in the time before.
    told: [BTreeSet<String>; 2],
}

impl WatchedFiles<'_> {
    /// Begins to look at the files that match patterns of `FS.Find`.
    pub fn new<'a>(engine: &'a Engine, patterns: &'a [String]) -> WatchedFiles<'a> {
        WatchedFiles { engine, patterns, left_out: Vec::new(), tried: Instant::now(), told: Default::default() }
    }

    /// Returns the files that match, without the entries that cannot be read or have no text as a name. Reports these,
    /// and warnings, once.
    pub fn look(&mut self) -> Result<Tree, ToolError> {
        if self.tried.elapsed() >= RETRY {
            self.left_out.clear();
            self.tried = Instant::now();
            self.told.swap(0, 1);
            self.told[0].clear();
        }
        let mut conflicts = 0;
        loop {
            match self.find() {
                Ok(tree) => return Ok(tree),
                Err(error) if error.code == ToolCode::Conflict && conflicts < PATIENCE => conflicts += 1,
                Err(error) => self.leave_out(error)?,
            }
        }
    }

    fn find(&mut self) -> Result<Tree, ToolError> {
        let patterns: Vec<&String> = self.patterns.iter().chain(&self.left_out).collect();
        let arguments = serde_json::json!({
            "path": ".", "pattern": patterns, "type": "file", "exact_times": true, "identity": true,
        });
        let arguments = self
            .engine
            .value_of_json(&arguments.to_string())
            .map_err(|error| ToolError::bad_argument("pattern", format!("the pattern is no text: {error}")))?;
        let found = self.engine.call("FS.Find", &arguments);
        let notes = self.engine.gate().take_notes();
        let new: Vec<String> = notes.into_iter().filter(|note| self.is_new(note)).collect();
        report_notes(&new);
        let found = serde_json::to_value(found?).unwrap_or_default();
        let records = found.as_array().map(Vec::as_slice).unwrap_or_default();
        let row = |record: &serde_json::Value| {
            let text = |name: &str| record.get(name).and_then(|value| value.as_str()).map(str::to_owned);
            let state = |name: &str| text(name).unwrap_or_default();
            let size = record.get("size").and_then(serde_json::Value::as_u64);
            let (identity, modified, changed) = (state("identity"), state("modified"), state("changed"));
            Some((text("path")?, FileState { identity, modified, changed, size }))
        };
        Ok(records.iter().filter_map(row).collect())
    }

    /// Leaves out the entry below the root that an error is about, and reports it.
    fn leave_out(&mut self, error: ToolError) -> Result<(), ToolError> {
        let pattern = match (error.code, error.path.as_deref()) {
            (_, None | Some("" | ".")) => None,
            // A name that is too long has a text.
            (ToolCode::Encoding, Some(path)) if path.contains(char::REPLACEMENT_CHARACTER) => {
                Some(WITHOUT_TEXT.to_owned())
            }
            (ToolCode::Encoding | ToolCode::PermissionDenied | ToolCode::IoError, Some(path)) => Some(excluding(path)),
            _ => None,
        };
        let is_full = self.left_out.len() >= MOST_LEFT_OUT;
        let Some(pattern) = pattern.filter(|pattern| !is_full && !self.left_out.contains(pattern)) else {
            return Err(error);
        };
        let help = if pattern == WITHOUT_TEXT {
            "rename it; files whose names have other bytes or U+FFFD are not handed over, all others are"
        } else {
            "it is tried again each minute; all other files are handed over"
        };
        self.left_out.push(pattern);
        if self.is_new(&error.message) {
            report_failure(ToolError { hint: None, ..error }.hint(help));
        }
        Ok(())
    }

    /// Whether a text was not said before. Remembers it.
    fn is_new(&mut self, text: &str) -> bool {
        self.told[0].insert(text.to_owned()) && !self.told[1].contains(text)
    }
}

/// Returns the pattern that leaves out the entry at a path, and no other.
fn excluding(path: &str) -> String {
    let escaped = path.chars().flat_map(|character| {
        let is_special = matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\');
        is_special.then_some('\\').into_iter().chain([character])
    });
    "!./".chars().chain(escaped).collect()
}
