//! Path texts: the syntax of paths in scripts, checked before the file system is accessed.
//!
//! [`PathText`] is only a checked text; [`crate::sandbox::Root::locate`] resolves it.
//!
//! Names with invisible characters ([`safe::hidden`]), and names that other systems cannot store, are never created.
//! An existing entry with such a name can be used, so that tools accept every path of a listing. If there is no such
//! entry, the path is refused as malformed ([`PathText::fault`]).

use std::ffi::{OsStr, OsString};
use std::path::Path;

use compact_str::CompactString;

use crate::text::{ToolCode, safe};

use super::error::{PathError, SandboxError};
use super::reserved::is_reserved;

/// Maximum length of a path in bytes.
pub const MAX_PATH: usize = 4096;
/// Maximum length of a path component in bytes.
pub const MAX_PART: usize = 255;

/// The forms of paths that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRule {
    /// Whether absolute paths inside the root are accepted.
    pub absolute: bool,
    /// Whether `..` is accepted if it stays inside the root.
    pub parents: bool,
    /// Whether the empty text is accepted; it names the root.
    pub empty: bool,
    /// Whether surrounding whitespace is trimmed first.
    pub trimmed: bool,
    /// Whether an entry may be created at the path, so that names reserved on other systems are refused.
    pub creates: bool,
    /// Whether a link at the end of the path is followed.
    pub follows: bool,
    /// Whether names that are never created are accepted even if no entry has them, because an entry had them before.
    pub returns: bool,
    /// Whether the last name of a new entry is not checked here, because the entry that it is made of may have the same:
    /// [`SandboxPath::check_name_like`](super::root::SandboxPath::check_name_like) checks it.
    pub keeps_name: bool,
}

impl PathRule {
    /// Relative paths inside the root; a link at the end is followed.
    pub const RELATIVE: PathRule = PathRule {
        absolute: false,
        parents: true,
        empty: false,
        trimmed: false,
        creates: false,
        follows: true,
        returns: false,
        keeps_name: false,
    };
    /// Relative and absolute paths inside the root. A link at the end is followed, as by [`PathRule::RELATIVE`].
    pub const INSIDE: PathRule = PathRule { absolute: true, ..PathRule::RELATIVE };

    /// Returns the rule for a path at which an entry may be created.
    pub const fn creating(self) -> PathRule {
        PathRule { creates: true, ..self }
    }

    /// Returns the rule for a path at which an entry is to be restored.
    pub const fn returning(self) -> PathRule {
        PathRule { returns: true, ..self }
    }

    /// Returns the rule for a path at which a copy of an entry, or the entry itself, is to stand.
    pub const fn keeping_name(self) -> PathRule {
        PathRule { creates: true, keeps_name: true, ..self }
    }

    /// Returns the rule for tools that act on a link itself.
    pub const fn not_following(self) -> PathRule {
        PathRule { follows: false, ..self }
    }
}

/// A path text that passed all checks that need no file system access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathText {
    parts: Vec<CompactString>,
    /// Whether the text ended in `/` and therefore names a directory.
    pub wants_folder: bool,
    /// The error with which the path is refused unless entries with all its names exist.
    pub fault: Option<PathError>,
}

impl PathText {
    /// Parses a text. `roots` are the absolute paths of the root.
    pub fn parse(text: &str, rule: PathRule, roots: &[&Path]) -> Result<PathText, PathError> {
        let text = if rule.trimmed { text.trim() } else { text };
        check_text(text)?;
        let fault = fault_of(text, rule);
        match PathText::parse_parts(text, rule, roots) {
            Ok(path) => Ok(PathText { fault, ..path }),
            // A malformed name is reported before a path that leads outside.
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

    /// Returns the components, including `..`.
    pub fn parts(&self) -> &[CompactString] {
        &self.parts
    }

    /// Returns the path relative to the root, as messages show it.
    pub fn display(&self) -> CompactString {
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

/// Refuses texts that can never be a path.
pub fn check_text(text: &str) -> Result<(), PathError> {
    check_length(text)?;
    if text.contains('\0') || cfg!(not(unix)) && text.contains('\\') {
        return check_characters(text);
    }
    Ok(())
}

/// Returns the error with which a path is refused unless entries with all its names exist.
fn fault_of(text: &str, rule: PathRule) -> Option<PathError> {
    let new_names = || text.split('/').try_for_each(|part| if rule.creates { check_new_name(part) } else { Ok(()) });
    check_characters(text).and_then(|()| check_drive(text)).and_then(|()| new_names()).err()
}

/// Refuses texts that cannot be a new path.
pub fn check_characters(text: &str) -> Result<(), PathError> {
    check_length(text)?;
    if let Some(c) = safe::hidden(text) {
        let message = format!("the path holds the character U+{:04X}, which is not shown", c as u32);
        return Err(bad(message, "rename the file outside, or use another path"));
    }
    if text.contains('\\') {
        return Err(bad("the path holds a backslash", "part folders with `/`"));
    }
    Ok(())
}

fn check_length(text: &str) -> Result<(), PathError> {
    if text.len() > MAX_PATH {
        Err(bad(format!("the path has {} bytes, more than {MAX_PATH}", text.len()), "use a shorter path"))
    } else {
        Ok(())
    }
}

/// Returns the part of an absolute path below the root. The root may have several absolute paths.
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

/// The help for a path outside the sandbox.
pub const BELOW_ROOT: &str = "give a path below the sandbox root";

/// Refuses a prefix like `C:`, which other systems interpret as a drive. A blank or digit after it follows no drive, so
/// elsewhere than on Windows `a: notes` is a name.
fn check_drive(text: &str) -> Result<(), PathError> {
    let is_drive = match text.as_bytes() {
        [letter, b':', b' ' | b'0'..=b'9', ..] => cfg!(windows) && letter.is_ascii_alphabetic(),
        [letter, b':', ..] => letter.is_ascii_alphabetic(),
        _ => false,
    };
    if is_drive {
        return Err(bad("the path begins with a drive letter", "give a path below the sandbox root"));
    }
    Ok(())
}

fn check_parts(text: &str) -> Result<(), PathError> {
    text.split('/').try_for_each(check_part_length)
}

/// Refuses a name that is too long for any file system.
pub fn check_part_length(part: &str) -> Result<(), PathError> {
    if part.len() > MAX_PART {
        return Err(bad(
            format!("a name in the path has {} bytes, more than {MAX_PART}", part.len()),
            "use a shorter name",
        ));
    }
    Ok(())
}

/// Refuses names that may exist but are never created.
pub fn check_new_name(part: &str) -> Result<(), PathError> {
    if part.contains('\\') {
        return Err(bad("the path holds a backslash", "part folders with `/`"));
    }
    if let Some(c) = safe::hidden(part) {
        let message = format!("a new name holds the character U+{:04X}, which is not shown", c as u32);
        return Err(bad(message, "choose another name"));
    }
    if names_stream(part) {
        let message = format!("`{part}` is a drive or a part of another file on Windows, because of the `:`");
        return Err(bad(message, "choose another name; a `:` may stand before a digit, a blank or a sign"));
    }
    if is_device_name(part) {
        return Err(bad(format!("`{part}` is a device name on other systems"), "choose another name"));
    }
    Ok(())
}

/// Whether a new name looks like a stream of NTFS (`file:stream`, `file::$DATA`) or a drive. Names of mails (`1:2,S`),
/// times (`12:30`) and titles (`One: two`) do not; on Windows, where no name can hold a `:`, they count too.
fn names_stream(part: &str) -> bool {
    let is_stream = |(at, _): (usize, &str)| {
        let next = part.as_bytes().get(at + 1);
        cfg!(windows) || at == 0 || next.is_none_or(|next| next.is_ascii_alphabetic() || matches!(next, b'$' | b':'))
    };
    part.match_indices(':').any(is_stream)
}

/// Whether Windows interprets a name as a device, whatever its extension.
pub fn is_device_name(part: &str) -> bool {
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

/// Refuses `..` if it is not accepted or climbs above the root.
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

/// Refuses reserved names, even if a later `..` leaves them again.
fn check_reserved(parts: &[CompactString]) -> Result<(), PathError> {
    match parts.iter().find(|part| is_reserved(OsStr::new(part.as_str()))) {
        Some(part) => Err(reserved(part)),
        None => Ok(()),
    }
}

/// Returns the components of a name in an archive, which must be relative without `..`; empty for the top level itself.
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

/// Returns the error for a path with a reserved name.
pub fn reserved(name: &str) -> PathError {
    let message = format!("`{name}` belongs to NeuroScript itself");
    PathError { code: ToolCode::SandboxViolation, message, help: "scripts and tools never touch it" }
}

/// Returns the components of a path of the operating system without `.` and a leading `/`.
pub(in crate::sandbox) fn parts_of(path: &Path) -> impl DoubleEndedIterator<Item = OsString> + '_ {
    use std::path::Component;
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    })
}
