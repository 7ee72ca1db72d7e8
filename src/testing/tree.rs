//! The tree that a script leaves behind, as text: one line for each entry, followed by the content of created or
//! changed files. Unchanged files of the set-up report only their name. `.ns` is omitted, because its names contain
//! times and random numbers.

#![allow(clippy::disallowed_methods, reason = "a case's sandbox is a directory of our own")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::text::hex;

/// Maximum size in bytes of a text that is included; longer ones and binary files are represented by their hash.
const MOST_SHOWN: usize = 64 << 10;

/// Describes the tree below a directory, compared with the set-up that it began as.
pub fn describe(sandbox: &Path, setup: Option<&Path>) -> Result<String, String> {
    let mut entries = Vec::new();
    let mut ahead = vec![String::new()];
    while let Some(below) = ahead.pop() {
        let folder = sandbox.join(&below);
        let unreadable = |error| format!("`{below}`, which the script left, cannot be read: {error}");
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            if path == ".ns" {
                continue;
            }
            let kind = sandbox.join(&path).symlink_metadata().map_err(unreadable)?.file_type();
            entries.push((path.clone(), describe_entry(sandbox, setup, &path).map_err(unreadable)?));
            if kind.is_dir() {
                ahead.push(path);
            }
        }
    }
    entries.sort();
    Ok(entries.into_iter().map(|(_, text)| text).collect())
}

fn describe_entry(sandbox: &Path, setup: Option<&Path>, path: &str) -> std::io::Result<String> {
    let place = sandbox.join(path);
    let metadata = place.symlink_metadata()?;
    let name = crate::text::safe::name(path);
    if metadata.is_dir() {
        return Ok(format!("{name}/\n"));
    }
    if metadata.is_symlink() {
        return Ok(format!("{name} -> {}\n", crate::text::safe::name(&fs::read_link(&place)?.to_string_lossy())));
    }
    if !metadata.is_file() {
        return Ok(format!("{name}: no file, folder or link\n"));
    }
    let content = fs::read(&place)?;
    let mode = if is_executable(&metadata) { ", executable" } else { "" };
    let unchanged = setup.map(|setup| setup.join(path)).is_some_and(|before| is_same(&before, &content, mode));
    if unchanged {
        return Ok(format!("{name}\n"));
    }
    let mut text = format!("{name}: {} bytes{mode}", content.len());
    match str::from_utf8(&content) {
        Ok(shown) if content.len() <= MOST_SHOWN && !shown.contains('\0') => {
            text.push('\n');
            shown.split_inclusive('\n').for_each(|line| {
                let _ = writeln!(text, "  | {}", crate::text::safe::prose(line.trim_end_matches('\n')));
            });
            if !shown.is_empty() && !shown.ends_with('\n') {
                text.push_str("  (no line feed at its end)\n");
            }
        }
        _ => {
            let _ = writeln!(text, ", sha256 {}", hex(&Sha256::digest(&content)));
        }
    }
    Ok(text)
}

/// Whether a file of the set-up has this content and mode.
fn is_same(before: &Path, content: &[u8], mode: &str) -> bool {
    let metadata = before.symlink_metadata().ok().filter(fs::Metadata::is_file);
    metadata.is_some_and(|metadata| {
        let its_mode = if is_executable(&metadata) { ", executable" } else { "" };
        its_mode == mode && fs::read(before).is_ok_and(|its_content| its_content == content)
    })
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}
