//! Properties that a move to another file system preserves.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::json;

use super::super::arena::write;
use super::super::probe::Probe;
use super::super::snapshot::{Closeness, Snapshot};
use super::{check_moved, date, moved, set_mode};

/// Creates a tree with everything that a move must preserve.
fn make_tree(probe: &Probe) {
    let at = |path: &str| probe.arena.place(path);
    write(&at("tree/file"), b"one");
    write(&at("tree/in/script"), b"two");
    write(&at("tree/in/in/file"), b"three");
    std::fs::create_dir(at("tree/empty")).expect("a folder");
    for (link, target) in [
        ("tree/inside", PathBuf::from("file")),
        ("tree/in/up", "..".into()),
        ("tree/dangling", "nowhere".into()),
        ("tree/out", probe.arena.outside.clone()),
        ("tree/in/secret", probe.arena.outside.join("secret.txt")),
    ] {
        symlink(target, at(link)).expect("a link");
    }
    set_mode(&at("tree/in/script"), 0o750);
    set_mode(&at("tree/file"), 0o600);
    set_mode(&at("tree/in"), 0o710);
    for (number, path) in
        ["tree/file", "tree/in/script", "tree/dangling", "tree/out", "tree/empty", "tree/in/in", "tree/in", "tree"]
            .into_iter()
            .enumerate()
    {
        date(&at(path), 1_100_000_000 + number as i64);
    }
}

pub fn file_moves(probe: &mut Probe) {
    let file = probe.arena.place("a.txt");
    set_mode(&file, 0o640);
    date(&file, 1_100_000_000);
    probe.begin();
    let before = Snapshot::of(&file);
    probe.call("move_file", moved("a.txt", "other/b.txt"), "ok");
    check_moved(probe, &before, "a.txt", "other/b.txt");
}

pub fn tree_moves(probe: &mut Probe) {
    make_tree(probe);
    probe.begin();
    let before = Snapshot::of(&probe.arena.place("tree"));
    probe.call("move_file", moved("tree", "other/tree"), "ok");
    check_moved(probe, &before, "tree", "other/tree");
}

pub fn moves_back(probe: &mut Probe) {
    make_tree(probe);
    probe.begin();
    let before = Snapshot::of(&probe.arena.place("tree"));
    probe.call("move_file", moved("tree", "other/tree"), "ok");
    probe.call("move_file", moved("other/tree", "sub/tree"), "ok");
    check_moved(probe, &before, "other/tree", "sub/tree");
}

pub fn link_moves(probe: &mut Probe) {
    let link = probe.arena.place("l");
    symlink(&probe.arena.outside, &link).expect("a link");
    date(&link, 1_100_000_000);
    probe.begin();
    let before = Snapshot::of(&link);
    probe.call("move_file", moved("l", "other/l"), "ok");
    check_moved(probe, &before, "l", "other/l");
}

pub fn raw_names(probe: &mut Probe) {
    use std::os::unix::ffi::OsStrExt;
    let tree = probe.arena.place("tree");
    for bytes in [b"\xff".as_slice(), b"\xfe\n", b"a\x1b[31m"] {
        write(&tree.join(std::ffi::OsStr::from_bytes(bytes)), bytes);
    }
    probe.begin();
    let before = Snapshot::of(&tree);
    probe.call("move_file", moved("tree", "other/tree"), "ok");
    check_moved(probe, &before, "tree", "other/tree");
}

/// The trash is on the file system of the sandbox.
pub fn deleted_there(probe: &mut Probe) {
    make_tree(probe);
    probe.begin();
    let before = Snapshot::of(&probe.arena.place("tree"));
    probe.call("move_file", moved("tree", "other/tree"), "ok");
    let Some(kept) = probe.call_kept("delete_file", json!({"path": "other/tree", "recursive": true})) else { return };
    check_moved(probe, &before, "other/tree", &kept);
    probe.call("restore_backup", json!({"backup_path": kept}), "ok");
    check_moved(probe, &before, &kept, "other/tree");
}

pub fn overwritten_there(probe: &mut Probe) {
    write(&probe.arena.place("other/file"), b"old");
    set_mode(&probe.arena.place("other/file"), 0o640);
    date(&probe.arena.place("other/file"), 1_100_000_000);
    probe.begin();
    let before = Snapshot::of(&probe.arena.place("other/file"));
    let Some(kept) = probe.call_kept("write_file", json!({"file_path": "other/file", "content": "new"})) else {
        return;
    };
    probe.call("restore_backup", json!({"backup_path": kept}), "ok");
    let after = Snapshot::of(&probe.arena.place("other/file"));
    for line in before.differences(&after, Closeness::State) {
        probe.fault(line);
    }
}
