//! Moves between file systems: a small tmpfs is mounted inside the sandbox.

mod moves;
mod races;
mod stays;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use libtest_mimic::Trial;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};
use rustix::io::Errno;
use serde_json::json;

use super::launch::{Call, Refusal};
use super::mode::Mode;
use super::mount::Mount;
use super::probe::Probe;
use super::report::{self, Verdict};
use super::snapshot::{Closeness, Snapshot};

/// An attack across file systems.
#[derive(Clone, Copy)]
struct Attack {
    name: &'static str,
    /// Size of the other file system.
    size: &'static str,
    run: fn(&mut Probe),
}

const ATTACKS: [Attack; 23] = [
    attack("a file moves with its mode and time", moves::file_moves),
    attack("a tree moves with links, modes and times", moves::tree_moves),
    attack("a link moves itself", moves::link_moves),
    attack("a tree moves back", moves::moves_back),
    attack("names that are not UTF-8 move", moves::raw_names),
    attack("what exists is never overwritten", stays::existing_stays),
    Attack { size: "64k", ..attack("a file that does not fit stays", stays::too_large_file) },
    Attack { size: "64k", ..attack("a tree that does not fit stays", stays::too_large_tree) },
    Attack {
        size: "64k",
        ..attack("a write that does not fit leaves the old file (backup-04)", stays::too_large_write)
    },
    Attack { size: "64k", ..attack("archives that do not fit leave nothing", stays::too_large_archive) },
    attack("special files are refused", stays::special_refused),
    attack("a folder moves into a link to the outside", stays::into_outside),
    attack("a very deep tree moves or stays", stays::deep_tree),
    attack("a tree that cannot be read stays", stays::unreadable_tree),
    attack("a tree that cannot be removed stays", stays::unremovable_tree),
    attack("what is deleted there is kept here and goes back", moves::deleted_there),
    attack("what is overwritten there is kept here and goes back", moves::overwritten_there),
    attack("what cannot be kept here is not deleted there", stays::not_to_be_kept),
    attack("a mount point is not moved or deleted", stays::mount_point),
    attack("shared content is not carried where it may not be read", stays::shared_content),
    attack("walks and listings cross the border", stays::crossing),
    Attack { size: "8m", ..attack("a tree moves while its folders become links", races::in_source) },
    Attack { size: "16m", ..attack("a file moves while its unfinished copy becomes a link", races::in_target) },
];

const fn attack(name: &'static str, run: fn(&mut Probe)) -> Attack {
    Attack { name, size: "1m", run }
}

/// Returns the attacks of this group for a mode.
pub fn trials(mode: Mode) -> Vec<Trial> {
    let mut trials: Vec<Trial> = ATTACKS.into_iter().map(|attack| trial(attack, mode)).collect();
    for (name, errno) in [("ENOSYS", Errno::NOSYS), ("EINVAL", Errno::INVAL)] {
        let attack = attack("", stays::without_renameat2);
        let refused = Refusal::new(Call::Renameat2, errno);
        let name = format!("devices [{mode}]: files and folders move (renameat2: {name})");
        trials.push(report::trial(name, move || run(attack, mode, &[refused])));
    }
    trials
}

fn trial(attack: Attack, mode: Mode) -> Trial {
    let name = format!("devices [{mode}]: {}", attack.name);
    report::trial(name, move || run(attack, mode, &[]))
}

fn run(attack: Attack, mode: Mode, refused: &[Refusal]) -> Verdict {
    let mut probe = match Probe::new(mode, refused) {
        Ok(probe) => probe,
        Err(verdict) => return verdict,
    };
    let _mount = match Mount::at_other(&probe, attack.size) {
        Ok(mount) => mount,
        Err(verdict) => return verdict,
    };
    (attack.run)(&mut probe);
    probe.check_no_stray();
    probe.check_no_secret_inside();
    probe.verdict(Closeness::Reads)
}

fn moved(source: &str, destination: &str) -> serde_json::Value {
    json!({"source": source, "destination": destination})
}

/// Checks that the tree recorded at one path is now at another one, with its times.
fn check_moved(probe: &mut Probe, before: &Snapshot, from: &str, to: &str) {
    probe.check_absent(from);
    let after = Snapshot::of(&probe.arena.place(to));
    for line in before.differences(&after, Closeness::Changes) {
        probe.fault(format!("`{from}` as `{to}`: {line}"));
    }
}

fn date(path: &Path, seconds: i64) {
    let time = Timespec { tv_sec: seconds, tv_nsec: 123_456_789 };
    let times = Timestamps { last_access: time, last_modification: time };
    rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).expect("a file of ours has times");
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a file of ours has a mode");
}
