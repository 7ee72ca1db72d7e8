//! Undo puts back only genuine backups: neither undo, redo, recovery nor a restoration brings back a file that someone
//! put in place of a backup.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::Place;
use crate::support::{ns, run};

/// Scripts that create one backup.
const SCRIPTS: [&str; 5] = [
    "MUST FS.WriteFile(\"alone\", \"new\")",
    "MUST FS.DeleteFile(\"alone\")",
    "MUST FS.WriteFile(\"b\", \"new\", create_backup: false)",
    "MUST FS.DeleteFile(\"d/in\", recursive: true)",
    "MUST FS.MoveFile(\"alone\", \"e/x\")\nMUST FS.WriteFile(\"e/x\", \"new\")",
];

/// Puts another object in place of a backup.
type Replacing = fn(&Path);

/// Replacements of a backup. The path is empty before each.
const REPLACEMENTS: [(&str, Replacing); 6] = [
    ("a special file", make_special),
    ("another file", |path| fs::write(path, "alonf").expect("a file")),
    ("another file of the same time", |path| {
        fs::write(path, "another").expect("a file");
        let file = fs::File::open(path).expect("it opens");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).expect("a time");
    }),
    ("a hole of terabytes", |path| fs::File::create(path).and_then(|file| file.set_len(4 << 40)).expect("a file")),
    ("a link", |path| symlink("/etc/passwd", path).expect("a link")),
    ("a directory", |path| fs::create_dir(path).expect("a directory")),
];

/// Creates an endless device, or a pipe if the user may not create devices.
fn make_special(path: &Path) {
    let make = |command: &mut Command| command.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    let is_device = make(Command::new("mknod").arg(path).args(["c", "1", "5"]));
    assert!(is_device || make(Command::new("mkfifo").arg(path)), "no special file could be made");
}

/// Returns the backups below `.ns`.
fn kept(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut ahead: Vec<PathBuf> = ["backups", "trash"].iter().map(|drawer| root.join(".ns").join(drawer)).collect();
    while let Some(folder) = ahead.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            // The name of a backup begins with the time.
            let is_kept = name.len() > 23 && name.as_bytes()[8] == b'T';
            if is_kept { found.push(entry.path()) } else { ahead.push(entry.path()) }
        }
    }
    found
}

/// Moves the backup away and puts another object in its place. Returns its path relative to the root.
fn replace(place: &Place, replacement: fn(&Path)) -> String {
    let all = kept(&place.root());
    let [path] = &all[..] else { panic!("one thing is kept: {all:?}") };
    fs::rename(path, place.path("stolen")).expect("it is moved away");
    replacement(path);
    path.strip_prefix(place.root()).expect("it is below").to_str().expect("a text").to_owned()
}

/// Asserts that neither a plain nor a forced attempt puts anything back.
fn refuses(place: &Place, command: &str, kept: &str, when: &str) {
    let before = place.snapshot();
    let refused = place.ns(1, &[command]);
    let reason = format!("what was kept as `{kept}` was changed since");
    assert!(refused.stderr.contains(&reason), "{when}: {}", refused.stderr);
    place.expect(&before, when);
    let forced = place.ns(1, &[command, "--force"]);
    assert!(forced.stderr.contains(&reason), "{when}: {}", forced.stderr);
    place.expect(&before, &format!("by force: {when}"));
}

#[test]
fn undo_puts_back_nothing_else() {
    for script in SCRIPTS {
        for (name, replacement) in REPLACEMENTS {
            let place = Place::new();
            place.eval(script);
            let kept = replace(&place, replacement);
            refuses(&place, "undo", &kept, &format!("{name}: {script}"));
        }
    }
}

#[test]
fn redo_puts_back_nothing_else() {
    for script in &SCRIPTS[..1] {
        for (name, replacement) in REPLACEMENTS {
            let place = Place::new();
            place.eval(script);
            place.ns(0, &["undo"]);
            let kept = replace(&place, replacement);
            refuses(&place, "redo", &kept, &format!("{name}: {script}"));
        }
    }
}

/// A genuine backup is put back, even if it has another inode, as in a copy.
#[test]
fn a_faithful_copy_is_put_back() {
    for script in SCRIPTS {
        let place = Place::new();
        place.eval(script);
        let all = kept(&place.root());
        let copied = Command::new("cp").arg("-a").arg(&all[0]).arg(place.path("copy")).status();
        assert!(copied.is_ok_and(|status| status.success()));
        fs::rename(&all[0], place.path("stolen")).expect("it is moved away");
        fs::rename(place.path("copy"), &all[0]).expect("it is moved there");
        place.ns(0, &["undo"]);
    }
}

#[test]
fn a_killed_run_puts_back_nothing_else() {
    for (name, replacement) in REPLACEMENTS {
        let place = Place::new();
        let script = "MUST FS.WriteFile(\"alone\", \"new\")\nSET x = 1\nWHILE true DO\nSET x = 1\nEND";
        let mut command = ns(&place.root());
        command.args(["--max-steps", "1000000000000", "run", "--atomic", "-e", script]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
        let mut turns = 0;
        while place.read("alone") != "new" || kept(&place.root()).is_empty() {
            turns += 1;
            assert!(turns < 2_000 && child.try_wait().expect("it is there").is_none(), "the run never came so far");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        replace(&place, replacement);
        let told = run(ns(&place.root()).arg("log"));
        assert_eq!(place.read("alone"), "new", "{name}: {}", told.stderr);
        assert!(!told.stderr.is_empty(), "{name}: nothing is told");
    }
}

#[test]
fn a_special_file_is_never_restored() {
    for (script, result) in
        [("SET r = FS.WriteFile(\"alone\", \"new\")", "new"), ("SET r = FS.DeleteFile(\"alone\")", "")]
    {
        let place = Place::new();
        place.eval(script);
        let kept = replace(&place, make_special);
        let restored = place.ns(1, &["run", "-e", &format!("MUST FS.RestoreBackup(\"{kept}\")")]);
        assert!(restored.stderr.contains("it is a pipe, socket or device"), "{}", restored.stderr);
        assert_eq!(place.read("alone"), result);
        assert_eq!(place.root().join("alone").symlink_metadata().is_ok(), !result.is_empty());
    }
}
