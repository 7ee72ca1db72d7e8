//! Backups: their location, form and retention.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{ns, run};

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

/// A backup is the old file itself, with its times, mode and inode; a restored file has them again.
#[test]
fn a_backup_is_the_old_file_itself() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let file = place.path().join("a.txt");
    std::fs::write(&file, "old").expect("a file");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    crate::support::set_time(&file, crate::support::FIXED_TIME);
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

/// Further hard links keep the content, and the backup shares no inode with them.
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

/// Objects planted at the path of backups are neither followed nor changed.
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

/// Appending nothing changes nothing on the disk; a missing file is still created.
#[test]
fn nothing_to_append_changes_nothing() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let file = place.path().join("a.txt");
    std::fs::write(&file, "old").expect("a file");
    crate::support::set_time(&file, crate::support::FIXED_TIME);
    let before = std::fs::metadata(&file).expect("the file");
    let answer = call(place.path(), "append_file", &json!({"file_path": "a.txt", "content": ""})).expect("an answer");
    assert_eq!((&answer["appendedBytes"], &answer["sizeBytes"]), (&json!(0), &json!(3)), "{answer}");
    assert_eq!(answer.get("backupPath"), None);
    let after = std::fs::metadata(&file).expect("the file");
    assert_eq!((after.ino(), after.mtime(), after.ctime()), (before.ino(), before.mtime(), before.ctime()));
    assert!(!place.path().join(".ns/backups").exists());
    call(place.path(), "append_file", &json!({"file_path": "new/b.txt", "content": ""})).expect("it is made");
    assert_eq!(std::fs::read_to_string(place.path().join("new/b.txt")).expect("the new file"), "");
}

/// The oldest backups of a file are deleted, but never those of this run and the newest others.
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
    assert_eq!(count(), 31, "what the newest runs kept stays, so that they can be taken back");
    (0..18).for_each(|_| writing(1));
    assert_eq!(count(), 49);
    writing(1);
    assert_eq!(count(), 20);
    writing(5);
    assert_eq!(count(), 24);
}

/// Plants an old backup.
fn plant(place: &Path, path: &str, content: &str) {
    let path = place.join(".ns").join(path);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    std::fs::write(path, content).expect("a file");
}

/// Adopts planted state, so that it belongs to this user.
fn adopt(place: &Path) {
    let ran = run(ns(place).args(["adopt", "--yes"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// Expired backups of any file are deleted when a run first creates a backup.
#[test]
fn what_is_too_old_is_given_up() {
    let place = tempfile::tempdir().expect("a folder for the test");
    write(place.path(), "a.txt", "one");
    write(place.path(), "a.txt", "two");
    let old = "20200101T000000.000000Z-00000000";
    plant(place.path(), &format!("backups/b/c.txt/{old}"), "old");
    plant(place.path(), &format!("trash/d/{old}/in/deep/file"), "old");
    plant(place.path(), &format!("trash/e/{old}~/20990101T000000.000000Z-00000000"), "new");
    adopt(place.path());
    write(place.path(), "a.txt", "three");
    let left: Vec<String> = super::files(&place.path().join(".ns"), "")
        .into_iter()
        .filter(|(_, content)| ["old", "new", "one", "two"].iter().any(|word| content == word.as_bytes()))
        .map(|(path, content)| format!("{} {}", path.components().count(), String::from_utf8(content).expect("text")))
        .collect();
    assert_eq!(left, ["3 one", "3 two", "4 new"]);
}

/// If there are too many bytes, the oldest backups and trash entries are deleted; those of this run stay.
#[test]
fn of_too_many_bytes_the_oldest_are_given_up() {
    let place = tempfile::tempdir().expect("a folder for the test");
    write(place.path(), "a.txt", &"a".repeat(1000));
    crate::support::set_user_policy("[policy]\nbackup_bytes = 2500\nbackup_days = 0\n");
    for (number, drawer) in ["backups/b", "trash/d/in", "backups/c", "trash/e"].into_iter().enumerate() {
        let name = format!("{drawer}/2020010{}T000000.000000Z-00000000", number + 1);
        let file = if drawer == "trash/e" { format!("{name}/deep/file") } else { name };
        plant(place.path(), &file, &number.to_string().repeat(1000));
    }
    adopt(place.path());
    let kept = || -> Vec<u8> {
        let files = super::files(&place.path().join(".ns"), "");
        let mut found: Vec<u8> =
            files.into_values().filter(|content| content.len() == 1000).map(|content| content[0]).collect();
        found.sort_unstable();
        found
    };
    write(place.path(), "a.txt", "new");
    assert_eq!(kept(), b"3a");
    let script = "FOR EACH i IN RANGE(6) DO\nCALL FS.WriteFile(\"a.txt\", STR.Repeat(\"x\", 1000))\nENDBLOCK\n";
    let ran = run(ns(place.path()).args(["run", "-e", script]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(kept(), b"axxxxx", "what the newest runs kept stays, what was before goes");
}

/// Failures to delete backups are reported and fail no call.
#[test]
fn what_cannot_be_given_up_is_said() {
    let place = tempfile::tempdir().expect("a folder for the test");
    write(place.path(), "a.txt", "one");
    std::fs::create_dir_all(place.path().join(".ns/trash")).expect("folders");
    symlink("/etc", place.path().join(".ns/trash/strange")).expect("a link");
    let ran = run(ns(place.path()).args(["run", "-e", "EMIT FS.WriteFile(\"a.txt\", \"two\").error"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "nil\n"));
    assert!(ran.stderr.contains("`.ns/trash/strange` is not NeuroScript's own: it is a link"), "{}", ran.stderr);
}
