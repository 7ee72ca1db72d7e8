//! A full or read-only disk: a failing change leaves everything as it was.
//!
//! The disk is a small tmpfs in a mount namespace of the thread.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_change, mount_remount, unmount};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{files, folders, unfinished};
use crate::support::{ns, run};

/// A mounted tmpfs.
struct Disk {
    place: PathBuf,
    _folder: TempDir,
}

impl Disk {
    fn mount(options: &str) -> Disk {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let place = folder.path().join("disk");
        std::fs::create_dir(&place).expect("a folder");
        let options = CString::new(options).expect("options have no NUL");
        mount("tmpfs", &place, "tmpfs", MountFlags::empty(), options.as_c_str()).expect("a tmpfs");
        Disk { place, _folder: folder }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = unmount(&self.place, UnmountFlags::DETACH);
    }
}

/// Enters a separate mount namespace. Reports the reason and returns false if that is not allowed.
#[expect(deprecated, reason = "the other one is unsafe for the sake of a flag that is not used here")]
fn own_mounts() -> bool {
    let left = rustix::thread::unshare(rustix::thread::UnshareFlags::NEWNS)
        .and_then(|()| mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC));
    if let Err(error) = left {
        println!("SKIPPED: no mounts of our own can be had: {error}");
    }
    left.is_ok()
}

/// Creates a tree to change: files, a directory, an archive, and backups to restore.
fn prepare(place: &Path) -> (String, String) {
    let script = "SET old = STR.Repeat(\"old \", 3000)\n\
        FOR EACH name IN [\"a.txt\", \"b.txt\", \"d/in/c.txt\", \"gone/for/now.txt\"] DO\nCALL FS.WriteFile(name, old)\nENDBLOCK\n\
        CALL FS.Compress(\"d\", \"d.zip\")\n\
        SET written = FS.WriteFile(\"a.txt\", STR.Repeat(\"newer \", 2000))\n\
        SET deleted = FS.DeleteFile(\"gone/for/now.txt\")\n\
        CALL FS.DeleteFile(\"gone\", recursive: true)\n\
        CALL FS.Mkdir(\"in\")\n\
        EMIT written.backupPath\nEMIT deleted.backupPath\n";
    let ran = run(ns(place).args(["run", "-e", script]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let (written, deleted) = ran.stdout.split_once('\n').expect("two lines");
    (written.to_owned(), deleted.trim_end().to_owned())
}

/// Returns the result of a call, or nothing and the error code.
fn call(place: &Path, tool: &str, args: &Value) -> (Value, Option<String>) {
    let ran = run(ns(place).args(["call", tool, &args.to_string()]));
    match ran.code {
        0 => (serde_json::from_str(&ran.stdout).expect("an answer is JSON"), None),
        _ => {
            let error: Value = serde_json::from_str(&ran.stderr).unwrap_or_else(|_| panic!("{tool}: {}", ran.stderr));
            (Value::Null, Some(error["error"]["code"].as_str().expect("a code").to_owned()))
        }
    }
}

/// Returns a call of every tool that changes something.
fn changes(backup: &str, trash: &str) -> Vec<(&'static str, Value)> {
    let big = "x".repeat(60_000);
    vec![
        ("write_file", json!({"file_path": "a.txt", "content": big})),
        ("write_file", json!({"file_path": "a.txt", "content": big, "create_backup": false})),
        ("write_file", json!({"file_path": "new/deep/n.txt", "content": big})),
        ("write_file", json!({"file_path": "b.txt", "content": "small"})),
        ("append_file", json!({"file_path": "a.txt", "content": big})),
        ("append_file", json!({"file_path": "new/log.txt", "content": big})),
        (
            "edit_file",
            json!({"file_path": "a.txt", "old_text": "newer ", "new_text": "newest of all ", "replace_all": true}),
        ),
        ("copy_file", json!({"source_path": "a.txt", "destination_path": "b.txt", "overwrite": true})),
        ("copy_file", json!({"source_path": "d", "destination_path": "e", "recursive": true})),
        ("move_file", json!({"source": "a.txt", "destination": "d/a.txt"})),
        ("delete_file", json!({"path": "b.txt"})),
        ("delete_file", json!({"path": "d", "recursive": true})),
        ("create_directory", json!({"directory_path": "x/y/z"})),
        ("create_link", json!({"path": "l", "target": "a.txt"})),
        ("create_link", json!({"path": "new/deep/l", "target": "d"})),
        ("copy_file", json!({"source_path": "a.txt", "destination_path": "new/deep/a.txt"})),
        ("copy_file", json!({"source_path": "d", "destination_path": "new/deep/d", "recursive": true})),
        (
            "copy_file",
            json!({"paths": ["b.txt", "a.txt", "d"], "destination_path": "new/deep", "recursive": true, "all_or_nothing": true}),
        ),
        ("compress", json!({"source_path": "a.txt", "destination_path": "new/deep/a.zip"})),
        ("extract", json!({"archive_path": "d.zip", "destination_path": "new/deep/out"})),
        ("extract", json!({"archive_path": "d.zip", "destination_path": "in"})),
        ("restore_backup", json!({"backup_path": backup})),
        ("restore_backup", json!({"backup_path": trash})),
        ("compress", json!({"source_path": "a.txt", "destination_path": "d.zip", "overwrite": true})),
        ("set_permissions", json!({"path": "a.txt", "mode": "u=r"})),
        ("set_modified", json!({"path": "a.txt", "time": "2024-05-01"})),
        ("extract", json!({"archive_path": "d.zip", "destination_path": "out"})),
    ]
}

#[test]
fn a_full_disk_leaves_every_file_whole() {
    if !own_mounts() {
        return;
    }
    let mut refused = 0;
    // Less and less space: blocks first, then inodes.
    for (free_blocks, free_names) in
        [(0, 50), (1, 50), (3, 50), (8, 50), (100, 0), (100, 1), (100, 2), (100, 3), (100, 5)]
    {
        for number in 0..changes("", "").len() {
            let disk = Disk::mount("size=1m,nr_inodes=120,mode=0755");
            let (backup, trash) = prepare(&disk.place);
            let (tool, args) = changes(&backup, &trash).swap_remove(number);
            fill(&disk.place, free_blocks, free_names);
            let before = files(&disk.place, ".ns");
            let (folders, kept) = (folders(&disk.place), kept(&disk.place));
            let (_, code) = call(&disk.place, tool, &args);
            let case = format!("{tool} {:.60} with {free_blocks} blocks and {free_names} names free", args.to_string());
            let Some(code) = code else { continue };
            refused += 1;
            assert_eq!(code, "no_space", "{case}");
            assert_eq!(files(&disk.place, ".ns"), before, "{case}");
            assert_eq!(self::folders(&disk.place), folders, "{case}");
            assert_eq!(unfinished(&disk.place), Vec::<PathBuf>::new(), "{case}");
            assert!(self::kept(&disk.place) == kept, "{case}: what is kept is another");
        }
    }
    assert!(refused > 40, "inconclusive: only {refused} calls were refused");
    println!("{refused} calls were refused");
}

/// Memory has the old or the new value, as reported, and works again once there is space.
#[test]
fn a_full_disk_leaves_memory_whole() {
    if !own_mounts() {
        return;
    }
    let (set, get) = ("memory_set", json!({"key": "k", "scope": "project"}));
    let mut refused = 0;
    for (free_blocks, free_names) in [(0, 50), (1, 50), (3, 50), (8, 50), (12, 50), (100, 0), (100, 1)] {
        let disk = Disk::mount("size=1m,nr_inodes=120,mode=0755");
        let (_, code) = call(&disk.place, set, &json!({"key": "k", "value": "old", "scope": "project"}));
        assert_eq!(code, None);
        fill(&disk.place, free_blocks, free_names);
        let new = "new".repeat(10_000);
        let (_, code) = call(&disk.place, set, &json!({"key": "k", "value": new, "scope": "project"}));
        std::fs::remove_file(disk.place.join("filler")).expect("there is room again");
        let found = run(ns(&disk.place).args(["call", "memory_get", &get.to_string()]));
        let expected = if code.is_some() { "old" } else { &new };
        assert_eq!(found.stdout.trim_end(), expected, "{code:?} with {free_blocks} blocks and {free_names} names free");
        refused += u32::from(code.is_some());
        let (_, code) = call(&disk.place, set, &json!({"key": "k", "value": new, "scope": "project"}));
        assert_eq!(code, None, "with {free_blocks} blocks and {free_names} names free before");
    }
    assert!(refused > 0, "inconclusive: no call was refused");
    println!("{refused} calls were refused");
}

/// Returns all backups. The journal and the audit log are excluded, because space for their lines was reserved.
fn kept(place: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = files(&place.join(".ns"), "lock");
    files.retain(|path, _| path != Path::new("audit.jsonl") && !path.starts_with("runs"));
    files
}

/// Uses up all blocks and inodes except the given numbers.
fn fill(place: &Path, free_blocks: u64, free_names: u64) {
    let room = rustix::fs::statvfs(place).expect("the disk tells its room");
    for number in 0..room.f_ffree.saturating_sub(free_names + 1) {
        std::fs::write(place.join(format!("filler{number}")), "").expect("an empty file");
    }
    let room = rustix::fs::statvfs(place).expect("the disk tells its room");
    let bytes = room.f_bfree.saturating_sub(free_blocks) * room.f_frsize;
    std::fs::write(place.join("filler"), vec![b'x'; bytes as usize]).expect("the rest is there");
}

#[test]
fn a_disk_that_takes_no_changes_is_left_alone() {
    if !own_mounts() {
        return;
    }
    let disk = Disk::mount("size=1m,mode=0755");
    let (backup, trash) = prepare(&disk.place);
    mount_remount(&disk.place, MountFlags::RDONLY, c"").expect("the disk is made read-only");
    let before = files(&disk.place, "");
    for (tool, args) in changes(&backup, &trash) {
        let (_, code) = call(&disk.place, tool, &args);
        assert_eq!(code.as_deref(), Some("io_error"), "{tool} {:.60}", args.to_string());
        assert_eq!(files(&disk.place, ""), before, "{tool}");
    }
}

#[test]
fn a_forced_undo_on_a_full_disk_can_be_tried_again() {
    if !own_mounts() {
        return;
    }
    for free in 0..10 {
        let disk = Disk::mount("size=1m,nr_inodes=100,mode=0755");
        let root = disk.place.join("root");
        std::fs::create_dir_all(root.join("d")).expect("directories");
        std::fs::write(root.join("k"), "orig").and_then(|()| std::fs::write(root.join("d/in"), "in")).expect("files");
        let script = "MUST FS.WriteFile(\"k\", \"new\")\nMUST FS.DeleteFile(\"d\", recursive: true)";
        assert_eq!(run(ns(&root).args(["run", "-e", script])).code, 0);
        std::fs::write(root.join("k"), "by hand").expect("a file");
        fill(&disk.place, free, 50);
        let forced = run(ns(&root).args(["undo", "--force"]));
        std::fs::remove_file(disk.place.join("filler")).expect("space again");
        if forced.code != 0 {
            assert!(forced.stderr.contains("no_space"), "{free} blocks: {}", forced.stderr);
            assert_eq!(std::fs::read_to_string(root.join("k")).expect("a file"), "by hand");
            let again = run(ns(&root).args(["undo", "--force"]));
            assert_eq!(again.code, 0, "{free} blocks: {}", again.stderr);
        }
        let back = ["k", "d/in"].map(|name| std::fs::read_to_string(root.join(name)).expect("it is back"));
        assert_eq!(back, ["orig", "in"], "{free} blocks");
    }
}

/// An undo that finds no room takes nothing back, says so, and works once there is room.
#[test]
fn an_undo_without_room_leaves_all_as_it_was() {
    if !own_mounts() {
        return;
    }
    let disk = Disk::mount("size=1m");
    let at = |name: &str| disk.place.join(name);
    std::fs::write(at("big"), vec![0; 300_000]).expect("a file");
    let script =
        "MUST FS.WriteFile(\"a.txt\", \"x\")\nMUST FS.CopyFile(\"big\", \"copy\")\nMUST FS.DeleteFile(\"big\")";
    let ran = run(ns(&disk.place).args(["run", "-e", script]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut fill = std::fs::File::create(at("fill")).expect("a file");
    while std::io::Write::write(&mut fill, &[0; 4096]).is_ok_and(|bytes| bytes > 0) {}
    drop(fill);
    for words in [&["undo"][..], &["undo", "--force"]] {
        let ran = run(ns(&disk.place).args(words));
        assert_eq!(ran.code, 1, "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("was taken back: ") && ran.stderr.contains("no space left"), "{}", ran.stderr);
        assert!(ran.stderr.contains("everything is as before; make room"), "{}", ran.stderr);
        assert!(at("a.txt").exists() && at("copy").exists() && !at("big").exists(), "{words:?}");
    }
    std::fs::remove_file(at("fill")).expect("it goes");
    let ran = run(ns(&disk.place).arg("undo"));
    assert!(ran.code == 0 && ran.stderr.contains("3 changes"), "{}", ran.stderr);
    assert!(!at("a.txt").exists() && !at("copy").exists() && at("big").exists());
}
