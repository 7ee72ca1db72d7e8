//! The input files of a command: named files, and the scripts in named directories.

use std::ffi::OsStr;
use std::fs::FileType;
use std::path::{Path, PathBuf};

use crate::terminal::exit::Exit;
use crate::terminal::report::{report_error, report_notes};

/// Returns the more severe outcome. Failures to read or write outrank findings.
pub fn more_severe(one: Exit, other: Exit) -> Exit {
    match (one, other) {
        (Exit::Done, other) => other,
        (Exit::Difference, other) if other != Exit::Done => other,
        (one, _) => one,
    }
}

/// Returns the named files and the scripts below named directories. The exit reports directories that cannot be read.
pub fn files_of(named: &[PathBuf]) -> (Vec<PathBuf>, Exit) {
    let (mut files, mut exit) = (Vec::new(), Exit::Done);
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        if let Err((folder, error)) = scripts_below(path, &mut files) {
            report_error(
                &format!("the folder `{}` cannot be read: {error}", folder.display()),
                "name files, or folders that you may read",
            );
            exit = Exit::Usage;
        } else if files.len() == before {
            report_notes(&[format!("`{}` has no scripts: their names end in `.ns` or `.ns.txt`", path.display())]);
        }
    }
    (files, exit)
}

/// Whether an entry of a named directory belongs to it: a script, or a directory that may have some.
pub fn is_included(name: &OsStr, kind: FileType) -> bool {
    if kind.is_dir() { !is_hidden(name) } else { is_script(name) }
}

/// Collects the scripts in a directory and below it, sorted by name. Skips hidden directories and links to directories.
fn scripts_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), (PathBuf, std::io::Error)> {
    let mut ahead = vec![folder.to_path_buf()];
    while let Some(folder) = ahead.pop() {
        let fault = |error| (folder.clone(), error);
        let entries = std::fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(fault)?;
        let mut folders = Vec::new();
        let mut found = Vec::new();
        for entry in entries {
            let kind = entry.file_type().map_err(fault)?;
            let name = entry.file_name();
            if !is_included(&name, kind) {
                continue;
            }
            if kind.is_dir() {
                folders.push(entry.path());
            } else if entry.path().is_file() {
                found.push(entry.path());
            }
        }
        found.sort();
        files.extend(found);
        folders.sort_by(|a, b| b.cmp(a));
        ahead.extend(folders);
    }
    Ok(())
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn is_script(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    !name.starts_with(b".") && (name.ends_with(b".ns") || name.ends_with(b".ns.txt"))
}
