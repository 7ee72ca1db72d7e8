//! Path texts: what a script may write as a path, before anything on the disk is looked at.
//!
//! [`PathText`] is a checked text and nothing more; [`super::Root::locate`] finds out where it leads.
//!
//! Names that are not shown as they are, or that other systems cannot hold, are never made. Where something has
//! such a name it can be used by it, so that every path of a listing is one that tools take; where nothing has
//! it, the path is refused as malformed ([`PathText::fault`]).

use std::ffi::OsStr;
use std::path::Path;

use compact_str::CompactString;

use crate::text::{ToolCode, safe};

use super::error::SandboxError;
use super::reserved::is_reserved;

/// The longest path, in bytes.
pub const MAX_PATH: usize = 4096;
/// The longest part of a path, in bytes.
pub const MAX_PART: usize = 255;

/// What a parameter accepts as a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRule {
    /// An absolute path that lies inside the root.
    pub absolute: bool,
    /// `..` that stays inside the root.
    pub parents: bool,
    /// The empty text, for the root.
    pub empty: bool,
    /// Blanks around the text are cut off first.
    pub trimmed: bool,
    /// Something may be made at the path, so names that other systems reserve are refused.
    pub creates: bool,
    /// A link at the path's end stands for what it points to.
    pub follows: bool,
    /// Names that are never made are accepted also where nothing has them: something had them before.
    pub returns: bool,
}

impl PathRule {
    /// Relative paths that stay inside; a link at the end is followed.
    pub const RELATIVE: PathRule = PathRule {
        absolute: false,
        parents: true,
        empty: false,
        trimmed: false,
        creates: false,
        follows: true,
        returns: false,
    };
    /// Also absolute paths that lie inside the root.
    pub const INSIDE: PathRule = PathRule { absolute: true, ..PathRule::RELATIVE };

    /// The same rule for a path at which something may be made.
    pub const fn creating(self) -> PathRule {
        PathRule { creates: true, ..self }
    }

    /// The same rule for where something is to return to.
    pub const fn returning(self) -> PathRule {
        PathRule { returns: true, ..self }
    }

    /// The same rule for tools that act on a link itself.
    pub const fn not_following(self) -> PathRule {
        PathRule { follows: false, ..self }
    }
}

/// A path text that passed every check that needs no disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathText {
    parts: Vec<CompactString>,
    /// The text ended in `/`, so it names a folder.
    pub wants_folder: bool,
    /// Why the path is refused unless something has each of its names.
    pub fault: Option<PathError>,
}

/// Why a path text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathError {
    /// `bad_args` or `sandbox_violation`.
    pub code: ToolCode,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: &'static str,
}

impl PathText {
    /// Checks a text; `roots` are the root's own absolute paths.
    pub fn parse(text: &str, rule: PathRule, roots: &[&Path]) -> Result<PathText, PathError> {
        let text = if rule.trimmed { text.trim() } else { text };
        check_text(text)?;
        let fault = fault_of(text, rule);
        match PathText::parse_parts(text, rule, roots) {
            Ok(path) => Ok(PathText { fault, ..path }),
            // What is wrong with a name comes before where it leads.
            Err(error) => Err(fault.unwrap_or(error)),
        }
    }

    fn parse_parts(text: &str, rule: PathRule, roots: &[&Path]) -> Result<PathText, PathError> {
        if text.is_empty() && !rule.empty {
            return Err(bad(
                "expected a path, found an empty text",
                "give a path below the sandbox root; the root itself is `.`",
            ));
        }
        if text.starts_with("//") {
            return Err(bad("the path begins with `//`", "write one `/`"));
        }
        let relative = if text.starts_with('/') {
            inside_root(text, rule, roots).or_else(|refusal| check_parts(text).and(Err(refusal)))?
        } else {
            text
        };
        check_parts(relative)?;
        let parts = relative.split('/').filter(|part| !matches!(*part, "" | "."));
        let parts: Vec<CompactString> = parts.map(CompactString::from).collect();
        check_climbing(&parts, rule)?;
        check_reserved(&parts)?;
        let wants_folder = relative.ends_with('/') || relative.ends_with("/.");
        Ok(PathText { parts, wants_folder, fault: None })
    }

    /// The parts, `..` among them.
    pub fn parts(&self) -> &[CompactString] {
        &self.parts
    }

    /// The path as messages show it, relative to the root.
    pub fn shown(&self) -> CompactString {
        match &*self.parts {
            [] => CompactString::const_new("."),
            [name] => name.clone(),
            names => names.join("/").into(),
        }
    }
}

fn bad(message: impl Into<String>, help: &'static str) -> PathError {
    PathError { code: ToolCode::BadArgs, message: message.into(), help }
}

fn violation(message: impl Into<String>) -> PathError {
    PathError { code: ToolCode::SandboxViolation, message: message.into(), help: BELOW_ROOT }
}

/// Refuses texts that no path is made of.
pub fn check_text(text: &str) -> Result<(), PathError> {
    check_length(text)?;
    if text.contains('\0') || cfg!(not(unix)) && text.contains('\\') {
        return check_characters(text);
    }
    Ok(())
}

/// Why a path is refused unless something has each of its names.
fn fault_of(text: &str, rule: PathRule) -> Option<PathError> {
    let new_names = || text.split('/').try_for_each(|part| if rule.creates { check_new_name(part) } else { Ok(()) });
    check_characters(text).and_then(|()| check_drive(text)).and_then(|()| new_names()).err()
}

/// Refuses texts that no new path is made of.
pub fn check_characters(text: &str) -> Result<(), PathError> {
    check_length(text)?;
    if let Some(c) = text.chars().find(|&c| c.is_control() || safe::is_format(c)) {
        let message = format!("the path holds the character U+{:04X}, which is not shown", c as u32);
        return Err(bad(message, "rename the file outside, or use another path"));
    }
    if text.contains('\\') {
        return Err(bad("the path holds a backslash", "part folders with `/`"));
    }
    Ok(())
}

fn check_length(text: &str) -> Result<(), PathError> {
    match text.len() > MAX_PATH {
        true => Err(bad(format!("the path has {} bytes, more than {MAX_PATH}", text.len()), "use a shorter path")),
        false => Ok(()),
    }
}

/// The part of an absolute path below the root, which may have more than one name.
fn inside_root<'a>(text: &'a str, rule: PathRule, roots: &[&Path]) -> Result<&'a str, PathError> {
    if !rule.absolute {
        return Err(violation("an absolute path is not accepted here"));
    }
    let below = |root: &&Path| {
        let rest = text.strip_prefix(root.to_str()?.trim_end_matches('/'))?;
        Some(rest).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    roots.iter().find_map(below).ok_or_else(|| violation("the path leads outside the sandbox"))
}

/// What to do about a path outside the sandbox.
pub const BELOW_ROOT: &str = "give a path below the sandbox root";

/// Refuses `C:` and its like, which other systems take for a drive.
fn check_drive(text: &str) -> Result<(), PathError> {
    let bytes = text.as_bytes();
    if bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
        return Err(bad("the path begins with a drive letter", "give a path below the sandbox root"));
    }
    Ok(())
}

fn check_parts(text: &str) -> Result<(), PathError> {
    text.split('/').try_for_each(check_part_length)
}

/// Refuses a name that no file system holds.
pub fn check_part_length(part: &str) -> Result<(), PathError> {
    if part.len() > MAX_PART {
        return Err(bad(
            format!("a name in the path has {} bytes, more than {MAX_PART}", part.len()),
            "use a shorter name",
        ));
    }
    Ok(())
}

/// Refuses names that may stand there already, but are not made.
pub fn check_new_name(part: &str) -> Result<(), PathError> {
    if part.contains('\\') {
        return Err(bad("the path holds a backslash", "part folders with `/`"));
    }
    if let Some(c) = part.chars().find(|&c| c.is_control() || safe::is_format(c)) {
        let message = format!("a new name holds the character U+{:04X}, which is not shown", c as u32);
        return Err(bad(message, "choose another name"));
    }
    if part.contains(':') {
        return Err(bad(format!("`:` may not stand in a new name: `{part}`"), "other systems cannot hold such a file"));
    }
    if is_device_name(part) {
        return Err(bad(format!("`{part}` is a device name on other systems"), "choose another name"));
    }
    Ok(())
}

/// Whether Windows takes a name for a device, whatever its extension.
fn is_device_name(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end_matches(' ').to_ascii_uppercase();
    let numbered = |prefix: &str| {
        let digit = stem.strip_prefix(prefix);
        digit.is_some_and(|digit| {
            matches!(digit, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$")
        || numbered("COM")
        || numbered("LPT")
}

/// Refuses `..` where it is not accepted, and wherever it climbs above the root.
fn check_climbing(parts: &[CompactString], rule: PathRule) -> Result<(), PathError> {
    let mut depth = 0_usize;
    for part in parts {
        if part != ".." {
            depth += 1;
            continue;
        }
        if !rule.parents {
            return Err(violation("`..` is not accepted here"));
        }
        depth = depth.checked_sub(1).ok_or_else(|| violation("the path climbs above the sandbox root"))?;
    }
    Ok(())
}

/// Refuses reserved names, also where `..` leads out of them again.
fn check_reserved(parts: &[CompactString]) -> Result<(), PathError> {
    match parts.iter().find(|part| is_reserved(OsStr::new(part.as_str()))) {
        Some(part) => Err(reserved(part)),
        None => Ok(()),
    }
}

/// The parts of a name in an archive, which is relative and never climbs; none for the top itself.
pub fn entry_parts(name: &str) -> Result<Vec<CompactString>, SandboxError> {
    let rule = PathRule { absolute: false, parents: false, ..PathRule::RELATIVE.creating() };
    check_characters(name)?;
    if name.starts_with('/') {
        return Err(violation("it is absolute").into());
    }
    check_drive(name)?;
    check_parts(name)?;
    name.split('/').try_for_each(check_new_name)?;
    let parts = name.split('/').filter(|part| !matches!(*part, "" | "."));
    let parts: Vec<CompactString> = parts.map(CompactString::from).collect();
    check_climbing(&parts, rule)?;
    check_reserved(&parts)?;
    Ok(parts)
}

/// The refusal of a path with a reserved name in it.
pub fn reserved(name: &str) -> PathError {
    let message = format!("`{name}` belongs to NeuroScript itself");
    PathError { code: ToolCode::SandboxViolation, message, help: "scripts and tools never touch it" }
}
