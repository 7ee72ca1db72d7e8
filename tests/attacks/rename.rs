//! Moves and writes on systems without `renameat2`: nothing may ever be overwritten.
//!
//! A file system or kernel without NOREPLACE answers ENOSYS or EINVAL; a filter simulates both.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use libtest_mimic::Trial;
use rustix::io::Errno;
use serde_json::json;

use super::arena::{Arena, write};
use super::launch::{Call, Refusal};
use super::mode::Mode;
use super::probe::Probe;
use super::race;
use super::report::{self, Verdict};
use super::snapshot::{Closeness, Snapshot};

/// Returns the attacks of this group for a mode.
pub fn trials(mode: Mode) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (errno_name, errno) in [("ENOSYS", Errno::NOSYS), ("EINVAL", Errno::INVAL)] {
        let refused = Refusal::new(Call::Renameat2, errno);
        for (name, attack) in ATTACKS {
            let name = format!("rename [{mode}]: {name} (renameat2: {errno_name})");
            trials.push(report::trial(name, move || run(mode, &[refused], attack)));
        }
        let name = format!("rename [{mode}]: nothing is overwritten in a race (renameat2: {errno_name})");
        trials.push(report::trial(name, move || overwriting_race(mode, &[refused])));
    }
    let name = format!("rename [{mode}]: nothing is overwritten in a race");
    trials.push(report::trial(name, move || overwriting_race(mode, &[])));
    trials
}

type Attack = fn(&mut Probe);

const ATTACKS: [(&str, Attack); 6] = [
    ("a file moves", file_moves),
    ("a link moves itself", link_moves),
    ("what exists is never overwritten", existing_stays),
    ("a folder moves, over nothing", folder_moves),
    ("a new file is written", new_file),
    ("an existing file is not overwritten", no_overwrite),
];

fn run(mode: Mode, refused: &[Refusal], attack: Attack) -> Verdict {
    match Probe::new(mode, refused) {
        Err(verdict) => verdict,
        Ok(mut probe) => {
            attack(&mut probe);
            probe.check_no_stray();
            probe.verdict(Closeness::Reads)
        }
    }
}

fn file_moves(probe: &mut Probe) {
    probe.begin();
    probe.call("move_file", json!({"source": "a.txt", "destination": "sub/c.txt"}), "ok");
    probe.check_absent("a.txt");
    expect_file(probe, "sub/c.txt", "A");
}

fn link_moves(probe: &mut Probe) {
    symlink(&probe.arena.outside, probe.arena.place("l")).expect("a link");
    probe.begin();
    probe.call("move_file", json!({"source": "l", "destination": "m"}), "ok");
    probe.check_absent("l");
    let target = std::fs::read_link(probe.arena.place("m"));
    let same = target.is_ok_and(|target| target == probe.arena.outside);
    probe.check(same, || "the link became something else".to_owned());
}

fn existing_stays(probe: &mut Probe) {
    symlink("a.txt", probe.arena.place("live")).expect("a link");
    symlink("nowhere", probe.arena.place("dangling")).expect("a link");
    std::fs::create_dir(probe.arena.place("empty")).expect("a folder");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    for destination in ["sub/b.txt", "sub", "empty", "live", "dangling"] {
        probe.call("move_file", json!({"source": "a.txt", "destination": destination}), "already_exists");
    }
    probe.check_same(".", &before);
}

fn folder_moves(probe: &mut Probe) {
    write(&probe.arena.place("there/file"), b"there");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    for existing in ["there", "a.txt"] {
        probe.call("move_file", json!({"source": "sub", "destination": existing}), "already_exists");
    }
    probe.check_same(".", &before);
    probe.call("move_file", json!({"source": "sub", "destination": "moved"}), "ok");
    expect_file(probe, "moved/b.txt", "B");
    probe.check_absent("sub");
}

fn new_file(probe: &mut Probe) {
    probe.begin();
    probe.call("write_file", json!({"file_path": "n.txt", "content": "N", "overwrite": false}), "ok");
    expect_file(probe, "n.txt", "N");
    probe.call("write_file", json!({"file_path": "a.txt", "content": "N"}), "ok");
    expect_file(probe, "a.txt", "N");
}

fn no_overwrite(probe: &mut Probe) {
    symlink("sub", probe.arena.place("l")).expect("a link");
    probe.begin();
    let before = Snapshot::of_root(&probe.arena.root);
    for path in ["a.txt", "l/b.txt"] {
        probe.call("write_file", json!({"file_path": path, "content": "N", "overwrite": false}), "already_exists");
    }
    probe.check_same(".", &before);
}

/// Checks the content of a file, and that it has no second name.
fn expect_file(probe: &mut Probe, path: &str, content: &str) {
    let place = probe.arena.place(path);
    let found = std::fs::read_to_string(&place);
    probe.check(found.as_deref().is_ok_and(|found| found == content), || format!("`{path}` holds {found:?}"));
    let names = std::fs::symlink_metadata(&place).map(|metadata| metadata.nlink());
    probe.check(names.as_ref().is_ok_and(|names| *names == 1), || format!("`{path}` has {names:?} names"));
}

/// Another thread creates the destination again and again while files are moved there.
fn overwriting_race(mode: Mode, refused: &[Refusal]) -> Verdict {
    let _alone = race::alone();
    let mut probe = match Probe::in_memory(mode, refused) {
        Ok(probe) => probe,
        Err(verdict) => return verdict,
    };
    write(&probe.arena.place("mine"), b"MINE");
    probe.begin();
    let overwritten = AtomicBool::new(false);
    let disturb = |arena: &Arena| stand_in_the_way(&arena.root, &overwritten);
    race::disturbed(&mut probe, disturb, "SET r = FS.MoveFile(\"a.txt\", \"g\")", race::calls_times(20_000, 10));
    probe.check(!overwritten.into_inner(), || "somebody's file was overwritten".to_owned());
    let moved = ["a.txt", "g"].map(|name| std::fs::read_to_string(probe.arena.place(name)).unwrap_or_default());
    probe.check(moved.iter().any(|content| content == "A"), || format!("the file that was moved is lost: {moved:?}"));
    probe.check_no_stray();
    probe.verdict(Closeness::Reads)
}

/// Creates the destination and checks whether it stays; if the move came first, undoes the move.
pub fn stand_in_the_way(root: &Path, overwritten: &AtomicBool) {
    let (way, back) = (root.join("g"), root.join("back"));
    if std::fs::hard_link(root.join("mine"), &way).is_ok() {
        // Moved back in one step: if it were examined first, a file that overwrites it afterwards would be missed and
        // removed.
        std::fs::rename(&way, &back).expect("a file of ours");
        if std::fs::read(&back).is_ok_and(|content| content == b"MINE") {
            std::fs::remove_file(&back).expect("a file of ours");
        } else {
            overwritten.store(true, Ordering::Relaxed);
            std::fs::rename(&back, root.join("a.txt")).expect("a file of ours");
        }
    } else {
        // If both are names of the same file, in the middle of a move, this does nothing.
        let _ = std::fs::rename(&way, root.join("a.txt"));
    }
}
