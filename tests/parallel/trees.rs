//! Generated trees: files with few contents, names of one file, links of all kinds, pipes, and files and directories
//! that an ordinary user or the policy may not read.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::dice::Dice;

/// An ordinary user.
pub const USER: u32 = 65_534;

/// Whether the tests run as root, to whom nothing is unreadable.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").expect("a process has a folder").uid() == 0
}

/// Returns a tree for a seed.
pub fn plant(seed: u64) -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut dice = Dice::new(seed);
    let mut folders = vec![String::new()];
    for number in 0..8 {
        let folder = format!(
            "{}{number}{}/",
            dice.pick(&folders.iter().map(String::as_str).collect::<Vec<_>>()),
            if dice.one_in(4) { ".dir" } else { "" }
        );
        fs::create_dir_all(place.path().join(&folder)).expect("a folder");
        folders.push(folder);
    }
    let mut files: Vec<String> = Vec::new();
    for number in 0..90 {
        let folder = &folders[dice.below(folders.len())];
        let dot = if dice.one_in(8) { "." } else { "" };
        let path = format!("{folder}{dot}f{number}{}", dice.pick(&[".txt", "", ".md", ".pem", ".ä b", ".shut"]));
        add(place.path(), &path, &files, &mut dice);
        // A second name of a closed file would be closed too.
        if !path.ends_with(".shut") && place.path().join(&path).is_file() {
            files.push(path);
        }
    }
    if is_root() {
        give(place.path());
    }
    place
}

/// Adds one entry.
fn add(root: &Path, path: &str, files: &[String], dice: &mut Dice) {
    let at = root.join(path);
    let other = if files.is_empty() { "none" } else { &files[dice.below(files.len())] };
    match dice.below(14) {
        0 if !files.is_empty() => fs::hard_link(root.join(other), &at).expect("a second name"),
        1 => symlink(root.join(other), &at).expect("a link"),
        2 => symlink(dice.pick(&["nothing", "/etc/passwd", "..", "."]), &at).expect("a link"),
        3 if dice.one_in(3) => assert!(Command::new("mkfifo").arg(&at).status().is_ok_and(|made| made.success())),
        _ => {
            fs::write(&at, content(dice)).expect("a file");
            // Directories of such names are readable.
            if path.ends_with(".shut") {
                fs::set_permissions(&at, fs::Permissions::from_mode(0o000)).expect("a mode");
            }
        }
    }
}

/// Returns one of few contents: texts and bytes, short and longer than what is read at a time.
fn content(dice: &mut Dice) -> Vec<u8> {
    let line = dice.pick(&["line x\n", "line y\n", "caf\u{e9} line\n", "\0\n"]);
    let times = dice.pick(&[0, 1, 1, 3, 200, 2_341, 2_342, 20_000]);
    let mut content = line.repeat(times).into_bytes();
    content.extend_from_slice(dice.pick(&[b"", b"", b"x", b"\xe9"]));
    content
}

/// Gives everything to the ordinary user.
fn give(path: &Path) {
    std::os::unix::fs::lchown(path, Some(USER), Some(USER)).expect("root may do this");
    if fs::symlink_metadata(path).is_ok_and(|it| it.is_dir()) {
        fs::read_dir(path).expect("a folder").for_each(|entry| give(&entry.expect("an entry").path()));
    }
}

/// Lists the paths of all entries except directories.
pub fn list(root: &Path, below: &str, paths: &mut Vec<String>) {
    let mut entries: Vec<_> =
        fs::read_dir(root.join(below)).expect("a folder").map(|it| it.expect("an entry")).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = format!("{below}{}", entry.file_name().to_str().expect("names are text"));
        if entry.file_type().expect("a kind").is_dir() {
            list(root, &format!("{path}/"), paths);
        } else {
            paths.push(path);
        }
    }
}
