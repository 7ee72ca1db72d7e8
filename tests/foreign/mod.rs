//! State that comes with a directory is foreign: journals, backups and plans that this user's key did not seal for it
//! are reported, and neither executed nor removed, whatever command runs.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod adopted;
mod forged;
mod owners;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Creates a directory as an attacker might have prepared it.
fn sandbox() -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    let at = |path: &str| place.path().join(path);
    fs::create_dir_all(at(".git/hooks")).expect("folders");
    for (path, content) in [
        ("payload.sh", "evil"),
        (".env", "secret"),
        ("victim.txt", "precious"),
        ("ok.ns", "EMIT 1\n"),
        ("doc.md", "text\n"),
    ] {
        fs::write(at(path), content).expect("a file");
    }
    place
}

/// Returns every file and link below a directory with its content, except new state of the user.
fn tree(place: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut ahead) = (BTreeMap::new(), vec![place.to_owned()]);
    while let Some(here) = ahead.pop() {
        for entry in fs::read_dir(&here).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_symlink() || path.is_file() {
                let content = fs::read_link(&path).map(|it| it.to_string_lossy().into_owned().into_bytes());
                let content = content.or_else(|_| fs::read(&path)).expect("it can be read");
                found.insert(path.strip_prefix(place).expect("it is below").to_owned(), content);
            } else {
                found.insert(path.strip_prefix(place).expect("it is below").join(""), Vec::new());
                ahead.push(path);
            }
        }
    }
    found
}
