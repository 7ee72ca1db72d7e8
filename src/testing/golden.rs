//! Comparison of actual output with golden files.

#![allow(clippy::disallowed_methods, reason = "cases and golden files are the user's, who names their directory")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use similar::TextDiff;

use crate::engine::TestFolder;
use crate::text::JsonFault;

use super::find::Case;
use super::process::Ran;
use super::sandbox::Sandbox;
use super::tree;

/// The actual output of a case, each part in the format of its golden file.
pub struct Actual {
    /// Standard output.
    pub output: String,
    /// Standard error, followed by the exit code if it is not 0.
    pub errors: String,
    /// The tree that the script left.
    pub tree: String,
    /// Whether the tree equals the set-up.
    unchanged: bool,
    /// The audit log.
    pub audit: String,
}

impl Actual {
    /// Collects the parts to compare.
    pub fn of(ran: &Ran, sandbox: &Sandbox, setup: Option<&Path>) -> Result<Actual, String> {
        let exit = if ran.code == 0 { String::new() } else { format!("exit {}\n", ran.code) };
        let tree = tree::describe(&sandbox.root(), setup)?;
        let before = match setup {
            Some(setup) => tree::describe(setup, Some(setup))?,
            None => String::new(),
        };
        let audit = audited(&sandbox.root())?;
        let errors = format!("{}{exit}", ran.errors);
        Ok(Actual { output: ran.output.clone(), errors, unchanged: tree == before, tree, audit })
    }

    /// Applies a function to every text.
    pub fn map(self, change: impl Fn(String) -> String) -> Actual {
        let Actual { output, errors, tree, unchanged, audit } = self;
        let [output, errors, tree, audit] = [output, errors, tree, audit].map(change);
        Actual { output, errors, tree, unchanged, audit }
    }
}

/// Reads the audit log, reduced to the stable fields of each line: tool, outcome, code and paths.
fn audited(sandbox: &Path) -> Result<String, String> {
    let log = read(&sandbox.join(".ns/audit.jsonl"))?.unwrap_or_default();
    let mut lines = String::new();
    for line in log.lines() {
        let line: serde_json::Value =
            serde_json::from_str(line).map_err(|error| format!("the audit log: {}", JsonFault::of(&error)))?;
        let words = ["tool", "outcome", "code"].map(|key| line[key].as_str().unwrap_or_default());
        let paths = line["paths"].as_array().into_iter().flatten().filter_map(|path| path.as_str());
        let words: Vec<&str> = words.into_iter().chain(paths).filter(|word| !word.is_empty()).collect();
        lines.push_str(&words.join(" "));
        lines.push('\n');
    }
    Ok(lines)
}

/// Reads a text file that a script left. Returns `None` if it does not exist.
///
/// Errors: it is not a regular file, or not UTF-8.
fn read(path: &Path) -> Result<Option<String>, String> {
    let name = || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && path.symlink_metadata().is_err() => Ok(None),
        Err(error) => Err(format!("`{}` cannot be read: {error}", name())),
        Ok(metadata) if metadata.is_dir() => Err(format!("`{}` is a folder; it should be a text file", name())),
        Ok(metadata) if !metadata.is_file() => Err(format!("`{}` is no file; it should be a text file", name())),
        Ok(_) => match fs::read(path).map(String::from_utf8) {
            Ok(Ok(text)) => Ok(Some(text)),
            Ok(Err(_)) => Err(format!("`{}` is not UTF-8", name())),
            Err(error) => Err(format!("`{}` cannot be read: {error}", name())),
        },
    }
}

/// Returns the parts to compare: the description, the extension of the golden file, the meaning of a missing one, and
/// the text.
fn parts(actual: &Actual) -> [(&'static str, &'static str, Missing, &str); 4] {
    [
        ("standard output", "out", Missing::Fault, &actual.output),
        ("standard error", "err", Missing::Empty, &actual.errors),
        ("the tree", "tree", Missing::Anything, &actual.tree),
        ("the audit log", "audit", Missing::Anything, &actual.audit),
    ]
}

/// The meaning of a missing golden file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// The case is faulty.
    Fault,
    /// No expectation.
    Empty,
    /// The part is not compared.
    Anything,
}

/// A difference from a golden file.
#[derive(Debug)]
pub struct Difference {
    /// The part that differs, such as `standard output`.
    pub of: &'static str,
    /// The name of the golden file.
    pub file: String,
    /// Lines that begin with `-`, `+` or a space, with `@@` between hunks.
    pub diff: String,
}

/// Compares the output with the golden files.
pub fn compare(
    case: &Case,
    golden: &TestFolder,
    actual: &Actual,
    redact: impl Fn(String) -> String,
) -> Result<Vec<Difference>, String> {
    let mut differences = Vec::new();
    for (of, part, missing, text) in parts(actual) {
        let path = case.part(part);
        let wanted = match (golden.read(&path)?, missing) {
            (Some(wanted), _) => redact(wanted),
            (None, Missing::Empty) => String::new(),
            (None, Missing::Anything) => continue,
            (None, Missing::Fault) => {
                return Err(format!("`{}` does not exist; `--update` writes it", name_of(&path)));
            }
        };
        if wanted != text {
            differences.push(Difference { of, file: name_of(&path), diff: diff(&wanted, text) });
        }
    }
    Ok(differences)
}

/// Writes the golden files that differ and returns their names. Empty optional files are removed. Parts that are not
/// compared are not written, except the tree of a new case that changes it.
pub fn update(
    case: &Case,
    golden: &TestFolder,
    actual: &Actual,
    redact: impl Fn(String) -> String,
) -> Result<Vec<String>, String> {
    let is_new = golden.read(&case.part("out"))?.is_none();
    // Read all files before changing any.
    let mut changes = Vec::new();
    for (_, part, missing, text) in parts(actual) {
        let path = case.part(part);
        let before = golden.read(&path)?;
        let wanted = match missing {
            Missing::Fault => true,
            Missing::Empty => !text.is_empty(),
            Missing::Anything => before.is_some() || is_new && part == "tree" && !actual.unchanged,
        };
        let is_same = before.clone().map(&redact).as_deref() == wanted.then_some(text);
        if !is_same {
            changes.push((path, wanted.then_some(text)));
        }
    }
    for (path, text) in &changes {
        golden.write(path, *text)?;
    }
    Ok(changes.iter().map(|(path, _)| name_of(path)).collect())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Maximum number of lines of a diff.
const MOST_LINES: usize = 400;
/// Maximum time spent on finding a short diff.
const DIFF_TIME: Duration = Duration::from_secs(2);

/// Returns a unified diff with three lines of context.
fn diff(wanted: &str, actual: &str) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(wanted, actual);
    let text = diff.unified_diff().context_radius(3).to_string();
    let lines = text.lines().count();
    if lines > MOST_LINES {
        let shown: Vec<&str> = text.lines().take(MOST_LINES).collect();
        format!("{}\n@@ {} further lines @@\n", shown.join("\n"), lines - MOST_LINES)
    } else {
        text
    }
}
