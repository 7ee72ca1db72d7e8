//! What is kept: where, as what, and for how long.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use super::support::{ns, run};

fn call(place: &Path, tool: &str, args: &Value) -> Result<Value, String> {
    let ran = run(ns(place).args(["call", tool, &args.to_string()]));
    match ran.code {
        0 => Ok(serde_json::from_str(&ran.stdout).expect("an answer is JSON")),
        _ => Err(ran.stderr),
    }
}

fn write(place: &Path, file: &str, content: &str) -> Option<String> {
    let answer = call(place, "write_file", &json!({"file_path": file, "content": content})).expect("it is written");
    answer["backupPath"].as_str().map(str::to_owned)
}

/// A backup is the old file itself, with its times, mode and inode; a restored one has them again.
#[test]
fn a_backup_is_the_old_file_itself() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let file = place.path().join("a.txt");
    std::fs::write(&file, "old").expect("a file");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    super::support::set_time(&file, super::support::FIXED_TIME);
    let old = std::fs::metadata(&file).expect("the file");
    let backup = write(place.path(), "a.txt", "new").expect("something is kept");
    let kept = std::fs::metadata(place.path().join(&backup)).expect("the backup");
    assert_eq!((kept.ino(), kept.mode(), kept.mtime()), (old.ino(), old.mode(), old.mtime()));
    assert_eq!(std::fs::metadata(&file).expect("the file").mode(), old.mode());
    call(place.path(), "restore_backup", &json!({"backup_path": backup})).expect("it is restored");
    let now = std::fs::metadata(&file).expect("the file");
    assert_eq!((now.mode(), now.mtime(), now.len()), (old.mode(), old.mtime(), 3));
    assert_ne!(now.ino(), old.ino(), "the backup stays, so that it is not changed with the file");
}

/// The other names of a file keep its content, and the backup shares no inode with them.
#[test]
fn a_file_with_further_names_is_copied() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let at = |name: &str| place.path().join(name);
    std::fs::write(at("a.txt"), "old").expect("a file");
    std::fs::hard_link(at("a.txt"), at("b.txt")).expect("a further name");
    let backup = write(place.path(), "a.txt", "new").expect("something is kept");
    std::fs::write(at("b.txt"), "changed").expect("the other name is written to");
    assert_eq!(std::fs::read_to_string(at(&backup)).expect("the backup"), "old");
    assert_eq!(std::fs::read_to_string(at("a.txt")).expect("the file"), "new");
}

/// Whatever is planted where backups go is neither followed nor changed.
#[test]
fn what_is_not_ours_is_an_error() {
    for planted in [".ns", ".ns/backups", ".ns/backups/a.txt", ".ns/trash", ".ns/lock"] {
        for kind in ["link", "file"] {
            let place = tempfile::tempdir().expect("a folder for the test");
            let outside = tempfile::tempdir().expect("a folder for the test");
            std::fs::write(place.path().join("a.txt"), "old").expect("a file");
            let target = place.path().join(planted);
            std::fs::create_dir_all(target.parent().expect("a parent")).expect("folders");
            match kind {
                "link" => symlink(outside.path(), &target).expect("a link"),
                _ if planted == ".ns/lock" => continue,
                _ => std::fs::write(&target, "PLANTED").expect("a file"),
            }
            let set_mode = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700));
            let _ = set_mode(&place.path().join(".ns"));
            let written = call(place.path(), "write_file", &json!({"file_path": "a.txt", "content": "new"}));
            let deleted = match planted {
                ".ns/backups" | ".ns/backups/a.txt" => Err("conflict".to_owned()),
                _ => call(place.path(), "delete_file", &json!({"path": "a.txt"})),
            };
            let results = if planted == ".ns/trash" { vec![deleted] } else { vec![written, deleted] };
            for result in results {
                let error = result.expect_err(planted);
                assert!(error.contains("conflict"), "{planted}: {error}");
            }
            let content = std::fs::read_to_string(place.path().join("a.txt")).expect("the file");
            assert!(content == "old" || planted == ".ns/trash", "{planted}");
            assert_eq!(std::fs::read_dir(outside.path()).expect("the outside").count(), 0, "{planted}");
            if kind == "file" {
                assert_eq!(std::fs::read_to_string(&target).expect("what was planted"), "PLANTED");
            }
        }
    }
}

/// The oldest backups of a file are given up, those of this run never.
#[test]
fn the_oldest_backups_are_given_up() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let count = || std::fs::read_dir(place.path().join(".ns/backups/a.txt")).expect("the backups").count();
    let writing = |turns: usize| {
        let script = format!("FOR EACH i IN RANGE({turns}) DO\nCALL FS.WriteFile(\"a.txt\", STR(i))\nENDBLOCK\n");
        let ran = run(ns(place.path()).args(["run", "-e", &script]));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    };
    writing(31);
    assert_eq!(count(), 30, "what a run kept itself stays");
    writing(1);
    assert_eq!(count(), 20);
    writing(5);
    assert_eq!(count(), 20);
}
