//! State that must be preserved when a move to, or a write on, another file system is refused or fails.

use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType};
use serde_json::json;

use super::super::arena::write;
use super::super::probe::Probe;
use super::super::snapshot::Snapshot;
use super::super::vector::Op;
use super::{check_moved, moved, set_mode};

pub fn existing_stays(probe: &mut Probe) {
    write(&probe.arena.place("other/file"), b"kept");
    std::fs::create_dir(probe.arena.place("other/folder")).expect("a folder");
    symlink("file", probe.arena.place("other/live")).expect("a link");
    symlink("nowhere", probe.arena.place("other/dangling")).expect("a link");
    symlink(probe.arena.outside.join("new"), probe.arena.place("other/out")).expect("a link");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    for source in ["a.txt", "sub"] {
        for name in ["file", "folder", "live", "dangling", "out"] {
            probe.call("move_file", moved(source, &format!("other/{name}")), "already_exists");
        }
    }
    probe.check_same(".", &before);
}

pub fn too_large_file(probe: &mut Probe) {
    write(&probe.arena.place("big"), &[b'x'; 200_000]);
    stays(probe, "big", "no_space");
}

pub fn too_large_tree(probe: &mut Probe) {
    for number in 0..20 {
        write(&probe.arena.place(&format!("big/{number}/file")), &[b'x'; 10_000]);
    }
    stays(probe, "big", "no_space");
}

pub fn too_large_write(probe: &mut Probe) {
    write(&probe.arena.place("other/file"), b"kept");
    probe.begin();
    let before = Snapshot::of(&probe.arena.place("other"));
    let text = "x".repeat(200_000);
    probe.call("write_file", json!({"file_path": "other/file", "content": text}), "no_space");
    probe.call("write_file", json!({"file_path": "other/new", "content": text}), "no_space");
    probe.check_same("other", &before);
}

pub fn too_large_archive(probe: &mut Probe) {
    // Incompressible bytes.
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    write(&probe.arena.place("big/noise"), &noise.take(200_000).collect::<Vec<_>>());
    write(&probe.arena.place("other/file"), b"kept");
    probe.begin();
    let before = Snapshot::of(&probe.arena.place("other"));
    for name in ["o.zip", "o.tar.gz"] {
        probe.call("compress", json!({"source_path": "big", "destination_path": format!("other/{name}")}), "no_space");
        probe.call("compress", json!({"source_path": "big", "destination_path": name}), "ok");
        probe.call("extract", json!({"archive_path": name, "destination_path": "other/new"}), "no_space");
        probe.call("extract", json!({"archive_path": name, "destination_path": "other"}), "no_space");
    }
    probe.check_same("other", &before);
}

/// Checks that a move to the other file system fails with a code and changes nothing.
fn stays(probe: &mut Probe, source: &str, code: &str) {
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    probe.call("move_file", moved(source, "other/x"), code);
    probe.check_same(".", &before);
}

pub fn special_refused(probe: &mut Probe) {
    let pipe = |path: &str| {
        rustix::fs::mknodat(CWD, probe.arena.place(path), FileType::Fifo, 0o666.into(), 0).expect("a pipe");
    };
    pipe("pipe");
    write(&probe.arena.place("tree/a/file"), b"one");
    pipe("tree/m");
    write(&probe.arena.place("tree/z/file"), b"one");
    std::fs::create_dir(probe.arena.place("sockets")).expect("a folder");
    let _ = std::os::unix::net::UnixListener::bind(probe.arena.place("sockets/socket")).expect("a socket");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    for source in ["pipe", "tree", "sockets", "sockets/socket"] {
        probe.call("move_file", moved(source, "other/x"), "io_error");
    }
    probe.check_same(".", &before);
}

pub fn into_outside(probe: &mut Probe) {
    symlink(&probe.arena.outside, probe.arena.place("other/out")).expect("a link");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    for source in ["a.txt", "sub"] {
        probe.call("move_file", moved(source, "other/out/x"), "sandbox_violation");
        probe.call("move_file", moved("other/out/secret.txt", "x"), "sandbox_violation");
    }
    probe.check_same(".", &before);
}

/// More levels than allowed open files: success and failure are both correct, a partial move is not.
pub fn deep_tree(probe: &mut Probe) {
    let deep = Op::Deep { path: "deep".to_owned(), depth: 700, beside: true };
    probe.arena.set_up(&[deep], probe.mode);
    probe.begin_handed_over();
    probe.call("move_file", moved("deep", "other/deep"), "ok|io_error");
    let depths = [depth_of(&probe.arena.place("deep")), depth_of(&probe.arena.place("other/deep"))];
    let whole = matches!(depths, [Some(700), None] | [None, Some(700)]);
    probe.check(whole, || format!("here and there are {depths:?} levels"));
}

/// Returns the number of nested directories `z`.
fn depth_of(path: &Path) -> Option<usize> {
    use rustix::fs::{Mode as Bits, OFlags};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open(path, flags, Bits::empty()).ok()?;
    let mut depth = 0;
    while let Ok(inner) = rustix::fs::openat(&folder, "z", flags, Bits::empty()) {
        folder = inner;
        depth += 1;
    }
    Some(depth)
}

pub fn unreadable_tree(probe: &mut Probe) {
    write(&probe.arena.place("tree/file"), b"one");
    write(&probe.arena.place("tree/locked/file"), b"two");
    set_mode(&probe.arena.place("tree/locked"), 0o000);
    if probe.mode.is_unprivileged() {
        stays(probe, "tree", "permission_denied");
    } else {
        probe.begin();
        probe.call("move_file", moved("tree", "other/x"), "ok");
    }
}

/// The tree can be copied but not removed: either the copy must not stay, or the source must be removed.
pub fn unremovable_tree(probe: &mut Probe) {
    write(&probe.arena.place("tree/a"), b"one");
    write(&probe.arena.place("tree/locked/file"), b"two");
    write(&probe.arena.place("tree/z"), b"three");
    set_mode(&probe.arena.place("tree/locked"), 0o555);
    if probe.mode.is_unprivileged() {
        stays(probe, "tree", "permission_denied");
    } else {
        probe.begin();
        probe.call("move_file", moved("tree", "other/x"), "ok");
    }
}

/// The kernel refuses both; neither may remove the mounted file system.
pub fn mount_point(probe: &mut Probe) {
    write(&probe.arena.place("other/file"), b"kept");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    probe.call("move_file", moved("other", "elsewhere"), "io_error|permission_denied|conflict");
    probe.call("delete_file", json!({"path": "other"}), "io_error|permission_denied|conflict");
    probe.call("delete_file", json!({"path": "other", "recursive": true}), "io_error|permission_denied|conflict");
    probe.check_same(".", &before);
}

pub fn crossing(probe: &mut Probe) {
    write(&probe.arena.place("other/in/file"), b"one");
    symlink(&probe.arena.outside, probe.arena.place("other/out")).expect("a link");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    probe.call("walk_dir", json!({"path": "."}), "ok");
    probe.call("list_directory", json!({"path": ".", "recursive": true}), "ok");
    probe.call("read_file", json!({"file_path": "other/in/file"}), "ok");
    probe.call("read_file", json!({"file_path": "other/out/secret.txt"}), "sandbox_violation");
    probe.call("list_directory", json!({"path": "other/out"}), "sandbox_violation");
    probe.check_same(".", &before);
}

pub fn without_renameat2(probe: &mut Probe) {
    write(&probe.arena.place("other/file"), b"kept");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    probe.call("move_file", moved("a.txt", "other/file"), "already_exists");
    probe.check_same(".", &before);
    let folder = Snapshot::of(&probe.arena.place("sub"));
    probe.call("move_file", moved("sub", "other/sub"), "ok");
    check_moved(probe, &folder, "sub", "other/sub");
    let file = Snapshot::of(&probe.arena.place("a.txt"));
    probe.call("move_file", moved("a.txt", "other/a.txt"), "ok");
    check_moved(probe, &file, "a.txt", "other/a.txt");
}

/// An entry that cannot be backed up is not deleted.
pub fn not_to_be_kept(probe: &mut Probe) {
    write(&probe.arena.place("other/tree/locked/file"), b"one");
    write(&probe.arena.place("other/tree/z"), b"two");
    let pipe = probe.arena.place("other/tree/pipe");
    rustix::fs::mknodat(CWD, pipe, FileType::Fifo, 0o666.into(), 0).expect("a pipe");
    probe.begin();
    let before = Snapshot::of(&probe.arena.place("other"));
    // A pipe is not copied, so the whole tree stays.
    probe.call("delete_file", json!({"path": "other/tree", "recursive": true}), "io_error");
    probe.check_same("other", &before);
}

/// A rename reads nothing, but a copy to another file system does.
pub fn shared_content(probe: &mut Probe) {
    write(&probe.arena.place("neuroscript.toml"), b"[policy]\nreject_hard_links = true\n");
    for folder in ["here", "other/there", "here/tree/in", "other/there/tree/in"] {
        write(&probe.arena.place(&format!("{folder}/one")), b"shared");
    }
    for folder in ["here", "other/there"] {
        for (one, two) in [("one", "two"), ("tree/in/one", "tree/in/two")] {
            let at = |name: &str| probe.arena.place(&format!("{folder}/{name}"));
            std::fs::hard_link(at(one), at(two)).expect("a further name");
        }
    }
    probe.begin();
    let before = ["here", "other"].map(|folder| (folder, Snapshot::of(&probe.arena.place(folder))));
    for source in ["one", "tree"] {
        probe.call("move_file", moved(&format!("here/{source}"), "other/x"), "policy_denied");
        probe.call("move_file", moved(&format!("other/there/{source}"), "x"), "policy_denied");
        let path = format!("other/there/{source}");
        probe.call("delete_file", json!({"path": path, "recursive": true}), "policy_denied");
        let several = json!({"paths": [path], "recursive": true, "all_or_nothing": true});
        probe.call("delete_file", several, "policy_denied");
    }
    before.iter().for_each(|(folder, before)| probe.check_same(folder, before));
    probe.check_absent("x");
    // On one file system they are renamed.
    probe.call("move_file", moved("other/there/tree", "other/moved"), "ok");
    probe.call("move_file", moved("here/one", "here/three"), "ok");
    let Some(kept) = probe.call_kept("delete_file", json!({"path": "here/tree", "recursive": true})) else { return };
    // A file deleted here must not be restored there through a link in place of its directory.
    std::fs::rename(probe.arena.place("here"), probe.arena.place("gone")).expect("the folder is moved");
    symlink("other", probe.arena.place("here")).expect("a link");
    probe.call("restore_backup", json!({"backup_path": kept}), "policy_denied");
    probe.check_absent("other/tree");
}
