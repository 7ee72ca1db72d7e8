//! Files of other users in a directory that a user may write: what replaces them is no more trusted than they were,
//! a warning tells whose they were, and undo brings them back. Other hard links keep the old content.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

use super::read_only::{USER, ns, place};
use crate::support::run;

/// Calls that replace the file `f`.
const REPLACING: [&str; 3] =
    ["FS.WriteFile(\"f\", \"new\")", "FS.AppendFile(\"f\", \"new\")", "FS.EditFile(\"f\", \"old\", \"new\")"];

/// Returns user, group and permission bits of the file `f`.
fn access(place: &Path) -> (u32, u32, u32) {
    let metadata = fs::metadata(place.join("root/f")).expect("a file");
    (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777)
}

fn set_access(place: &Path, (user, group, mode): (u32, u32, u32)) {
    let path = place.join("root/f");
    fs::write(&path, "old").expect("a file");
    chown(&path, Some(user), Some(group)).expect("root gives files away");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permission bits");
}

#[test]
fn nobody_gains_by_a_file_of_another_user_that_is_replaced() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root makes files of other users");
        return;
    }
    let cases = [
        ((0, 0, 0o644), (USER, USER, 0o644)),
        ((0, 0, 0o6775), (USER, USER, 0o755)),
        ((0, 0, 0o2664), (USER, USER, 0o644)),
        ((0, USER, 0o4674), (USER, USER, 0o674)),
        ((USER, 0, 0o4664), (USER, USER, 0o644)),
        ((USER, USER, 0o4755), (USER, USER, 0o4755)),
        ((USER, USER, 0o444), (USER, USER, 0o444)),
    ];
    for (call, (before, after)) in REPLACING.iter().flat_map(|call| cases.iter().map(move |case| (call, case))) {
        let place = place();
        set_access(place.path(), *before);
        let ran = ns(place.path(), &["run", "-e", &format!("MUST {call}")]);
        assert_eq!((ran.code, access(place.path())), (0, *after), "{call} {before:?}: {}", ran.stderr);
        let told = if before.0 != after.0 {
            Some(format!("`f` belonged to user {} and belongs to user {USER} now", before.0))
        } else if before.1 != after.1 {
            Some(format!("`f` belonged to group {} and belongs to group {USER} now", before.1))
        } else {
            None
        };
        assert_eq!(ran.stderr.contains("belonged to"), told.is_some(), "{call} {before:?}: {}", ran.stderr);
        assert!(told.is_none_or(|told| ran.stderr.contains(&told)), "{call} {before:?}: {}", ran.stderr);
        let ran = ns(place.path(), &["undo"]);
        assert_eq!((ran.code, access(place.path())), (0, *before), "{call}: {}", ran.stderr);
    }
}

#[test]
fn root_keeps_the_owner() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root gives files away");
        return;
    }
    for call in REPLACING {
        let place = place();
        let access_before = (USER, USER + 1, 0o4750);
        set_access(place.path(), access_before);
        let ran = run(crate::support::ns(&place.path().join("root")).args(["run", "-e", &format!("MUST {call}")]));
        assert_eq!((ran.code, access(place.path())), (0, access_before), "{call}: {}", ran.stderr);
        assert!(!ran.stderr.contains("belong"), "{call}: {}", ran.stderr);
    }
}

#[test]
fn another_hard_link_keeps_the_old_content() {
    for call in REPLACING {
        let place = tempfile::tempdir().expect("a directory");
        fs::write(place.path().join("f"), "old").expect("a file");
        fs::hard_link(place.path().join("f"), place.path().join("g")).expect("a hard link");
        let ran = run(crate::support::ns(place.path()).args([
            "run",
            "-e",
            &format!("MUST {call}\nEMIT FS.ReadFile(\"g\").content"),
        ]));
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "old\n"), "{call}: {}", ran.stderr);
        let ran = run(crate::support::ns(place.path()).arg("undo"));
        let inode = |name: &str| fs::metadata(place.path().join(name)).expect("a file").ino();
        assert_eq!((ran.code, inode("f")), (0, inode("g")), "{call}: {}", ran.stderr);
    }
}

/// A user namespace shows ids that it does not know as those of nobody, which no file can be given.
#[test]
fn a_file_of_an_id_that_the_namespace_does_not_know_is_replaced_and_copied() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root makes files of other users");
        return;
    }
    let place = tempfile::tempdir().expect("a directory");
    fs::create_dir(place.path().join("root")).expect("a directory");
    set_access(place.path(), (USER, USER, 0o666));
    for script in ["MUST FS.WriteFile(\"f\", \"new\")", "MUST FS.CopyFile(\"f\", \"g\")"] {
        let mut command = std::process::Command::new("unshare");
        let state = place.path().join("root/state");
        command.args(["-U", "-r", env!("CARGO_BIN_EXE_ns"), "run", "-e", script]).env("XDG_STATE_HOME", state);
        let ran = run(command.current_dir(place.path().join("root")));
        if ran.stderr.contains("unshare failed") {
            println!("SKIPPED: no user namespaces here");
            return;
        }
        assert_eq!(ran.code, 0, "{script}: {}", ran.stderr);
    }
    assert_eq!(fs::read_to_string(place.path().join("root/g")).expect("a copy"), "new");
}
