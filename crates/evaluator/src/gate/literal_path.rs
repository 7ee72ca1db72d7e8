//! Hints for paths that were meant as patterns, as in `FS.Find("*.txt")` or `FS.DeleteFile("*.tmp")`. Paths are
//! always literal.

use crate::text::ToolCode;
use crate::toolkit::{Declaration, ToolError};

/// Characters that make a path look like a pattern.
const MARKS: [char; 3] = ['*', '?', '['];

/// Adds a hint on finding files by pattern, if nothing exists at a path that looks like one.
pub fn with_pattern_hint(error: ToolError, tool: &Declaration) -> ToolError {
    let is_missing = error.code == ToolCode::NotFound && error.hint.is_none();
    let hint = error.path.as_deref().filter(|_| is_missing).and_then(|path| hint(path, tool));
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

fn hint(path: &str, tool: &Declaration) -> Option<String> {
    let mark = path.find(MARKS)?;
    let (folder, pattern) = match path[..mark].rfind('/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (".", path),
    };
    let is_plain = |text: &str| !text.is_empty() && !text.contains(['"', '\\']) && !text.contains(char::is_control);
    if !is_plain(folder) || !is_plain(pattern) {
        return None;
    }
    // In every listing tool, the pattern is the second argument.
    let lists = tool.params.get(1).is_some_and(|param| param.name == "pattern");
    Some(if lists {
        format!("the directory comes first: write `{}(\"{folder}\", \"{pattern}\")`", tool.spec.name)
    } else {
        format!("a path is meant literally; `FS.Find(\"{folder}\", \"{pattern}\")` finds what matches")
    })
}
