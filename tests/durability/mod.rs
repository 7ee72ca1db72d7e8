//! The state of the disk when a run is killed, when the disk is full, and when several runs change the same file: every
//! old file is complete, every acknowledged change is present, and nothing is half done. A change is acknowledged by
//! what leaves the process, and it is durable by then ([`barrier`]; `tests/trust/power.py` cuts the power).
//!
//! `NS_LONG=1` kills at 2,000 moments, `NS_KILLS=10000` at that many. Tests without the necessary permissions print
//! SKIPPED and the reason.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests set up folders of their own")]

#[cfg(target_os = "linux")]
mod barrier;
#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod full;
mod kept;
mod kill;
#[cfg(target_os = "linux")]
mod reversal;
mod taken_back;
mod together;
mod whole;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns a folder on the disk of the build. `TMPDIR` may be in memory, where every step is synced by itself.
#[cfg(target_os = "linux")]
fn folder_on_disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder for the test")
}

/// Returns the files below a directory with their content, except those in `.ns` and those named `leave_out`.
fn files(folder: &Path, leave_out: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut ahead: Vec<PathBuf> = folder.is_dir().then(|| folder.to_path_buf()).into_iter().collect();
    while let Some(here) = ahead.pop() {
        for entry in std::fs::read_dir(&here).expect("a folder of the test") {
            let entry = entry.expect("an entry");
            let path = entry.path();
            if entry.file_name().to_string_lossy() == leave_out {
                continue;
            }
            if entry.file_type().expect("a kind").is_dir() {
                ahead.push(path)
            } else {
                let below = path.strip_prefix(folder).expect("it is below").to_path_buf();
                found.insert(below, std::fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

/// Returns the directories below a directory, except itself and those in `.ns`.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut ahead) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(here) = ahead.pop() {
        let entries = std::fs::read_dir(&here).expect("a folder of the test").map(|entry| entry.expect("an entry"));
        let inside = entries.filter(|entry| entry.file_name() != ".ns" && entry.path().is_dir());
        ahead.extend(inside.map(|entry| entry.path()).inspect(|path| found.push(path.clone())));
    }
    found.sort();
    found
}

/// Returns all staging files.
fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let is_draft = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".ns-tmp-"));
    files(folder, "").into_keys().filter(is_draft).collect()
}
