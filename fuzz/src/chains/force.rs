//! Forced undo after a change by another program: afterwards every path has its state before the run or the state that
//! the undo found, never a third one. Unrestored paths are reported, and a redo restores the state that was found.
//! If nothing can be restored, nothing is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::setup::SHARED;
use super::snapshot::{Entry, Snapshot};
use super::{Chain, Done};

/// How long it takes at least until the time stamps of the file system are looked at again.
const MOMENT: Duration = Duration::from_micros(300);

/// Undoes the newest run by force after a change that two bytes encode.
pub fn undo_by_force(chain: &mut Chain, (place, manner): (u8, u8)) {
    let Some(Done { run, before, after }) = chain.done.pop() else { return };
    let paths: BTreeSet<&PathBuf> = before.entries.keys().chain(after.entries.keys()).collect();
    let differing: Vec<&PathBuf> =
        paths.iter().copied().filter(|path| before.entries.get(*path) != after.entries.get(*path)).collect();
    let Some(path) = differing.get(usize::from(place) % differing.len().max(1)) else { return };
    let_time_advance(&chain.root);
    if !change(&chain.root.join(path), manner) {
        return;
    }
    let changed = chain.snapshot();
    let engine = chain.engine();
    let Err(refused) = engine.undo(Some(&run), false, false) else {
        // The change does not affect the run.
        return;
    };
    assert_eq!(refused.code.id(), "conflict", "{}", refused.message);
    changed.expect(&chain.snapshot(), "an undo was refused");
    let forced = match engine.undo(Some(&run), false, true) {
        Ok(forced) => forced,
        Err(error) => {
            assert!(error.message.starts_with("nothing of the run"), "by force: {}", error.message);
            changed.expect(&chain.snapshot(), "a forced undo that restores nothing changes nothing");
            return;
        }
    };
    let left: Vec<PathBuf> = forced.left.iter().map(|conflict| PathBuf::from(&conflict.path.0)).collect();
    let told = || format!("{} was changed ({manner}); left: {:?}", path.display(), forced.left);
    let left = left.into_iter().chain([(*path).clone()]).collect::<Vec<_>>();
    check(&before, &changed, &chain.snapshot(), &left, &told);
    let redone = engine.undo(Some(&run), true, false).unwrap_or_else(|error| panic!("{}: {}", told(), error.message));
    assert!(redone.left.is_empty(), "{}: {:?}", told(), redone.left);
    let again = chain.snapshot();
    let paths = changed.entries.keys().chain(again.entries.keys());
    for path in paths {
        let is_found =
            changed.entries.get(path).zip(again.entries.get(path)).is_some_and(|(one, two)| is_like(one, two));
        assert!(is_found, "{}: {}: not as it was found", told(), path.display());
    }
}

/// Waits until changes get a later time stamp than those so far, which may take some milliseconds.
fn let_time_advance(root: &Path) {
    let now = || {
        let file = tempfile::tempfile_in(root.with_file_name("outside")).expect("a file without a name");
        file.metadata().and_then(|metadata| metadata.modified()).expect("its time")
    };
    let start = now();
    while now() <= start {
        std::thread::sleep(MOMENT);
    }
}

/// Changes an entry as another program would. Returns false if there is nothing to change.
fn change(path: &Path, manner: u8) -> bool {
    let Ok(metadata) = path.symlink_metadata() else {
        return path.parent().is_some_and(Path::is_dir) && fs::write(path, "theirs").is_ok();
    };
    match (metadata.is_dir(), manner % 4) {
        _ if metadata.is_symlink() => false,
        (true, 0) => fs::write(path.join("theirs"), "theirs").is_ok(),
        (true, _) => fs::set_permissions(path, fs::Permissions::from_mode(0o705)).is_ok(),
        // That would change the file outside, of which this is a name.
        (false, 0) if fs::read(path).is_ok_and(|content| content == SHARED) => false,
        (false, 0) => fs::write(path, "theirs").is_ok(),
        (false, 1) => fs::set_permissions(path, fs::Permissions::from_mode(0o705)).is_ok(),
        (false, 2) => fs::remove_file(path).is_ok() && fs::write(path, "theirs").is_ok(),
        (false, _) => fs::remove_file(path).is_ok(),
    }
}

/// Checks that each path is in one of the two states, and in the state before the run unless it is reported as left.
fn check(before: &Snapshot, changed: &Snapshot, found: &Snapshot, left: &[PathBuf], told: &dyn Fn() -> String) {
    // A change under one name changes all names of the inode.
    let inodes: BTreeSet<u64> =
        left.iter().filter_map(|path| Some(changed.entries.get(path)?.inode)).filter(|inode| *inode != 0).collect();
    let all = changed.entries.iter().chain(&before.entries);
    let further = all.filter(|(_, entry)| inodes.contains(&entry.inode)).map(|(path, _)| path);
    let current: BTreeMap<u64, &Entry> = changed.entries.values().map(|entry| (entry.inode, entry)).collect();
    let names: BTreeSet<&PathBuf> = left.iter().chain(further).collect();
    let paths: BTreeSet<&PathBuf> =
        [before, changed, found].iter().flat_map(|snapshot| snapshot.entries.keys()).collect();
    for path in paths {
        let of = |snapshot: &Snapshot| snapshot.entries.get(path).cloned();
        let (was, then, now) = (of(before), of(changed), of(found));
        let is = |state: &Option<Entry>| match (state, &now) {
            (None, None) => true,
            (Some(state), Some(now)) => is_like(state, now),
            _ => false,
        };
        // Of a file whose mode the run changed and whose content another program did, the mode comes back.
        let mixed = was.as_ref().zip(then.as_ref()).map(|(was, then)| Entry { mode: was.mode, ..then.clone() });
        // A name in a directory that comes back as a whole shows what the file holds by now.
        let shared = was.as_ref().filter(|was| inodes.contains(&was.inode)).and_then(|was| current.get(&was.inode));
        let shared = shared.map(|entry| (*entry).clone());
        assert!(
            is(&was) || is(&then) || is(&mixed) || shared.is_some() && is(&shared),
            "{}: neither {was:?} nor {then:?}, but {now:?}\n{}",
            path.display(),
            told()
        );
        let is_concerned = names.iter().any(|left| path.starts_with(left) || left.starts_with(path));
        assert!(is(&was) || is_concerned, "{}: {now:?}, not {was:?}\n{}", path.display(), told());
    }
}

/// Whether two entries are equal except for their times.
fn is_like(one: &Entry, other: &Entry) -> bool {
    (one.kind, one.mode, &one.content) == (other.kind, other.mode, &other.content)
}
