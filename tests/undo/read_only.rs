//! Directories that their owner may not write: an ordinary user can undo, redo and roll back what was done with them.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use crate::support::{Ran, run};

/// The user, if the tests run as root.
pub const USER: u32 = 12_345;

/// Runs `ns` as an ordinary user.
pub fn ns(place: &Path, args: &[&str]) -> Ran {
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &USER.to_string(), "--regid", &USER.to_string(), "--clear-groups"]);
        command.arg(place.join("ns"));
        command
    } else {
        Command::new(env!("CARGO_BIN_EXE_ns"))
    };
    command.arg("--sandbox").arg(place.join("root")).args(args);
    command.env("NO_COLOR", "1").env("HOME", place.join("home")).env("XDG_STATE_HOME", place.join("home"));
    run(&mut command)
}

/// Makes `root/sealed`, which nobody may write, with a file.
pub fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory");
    let path = |name: &str| place.path().join(name);
    fs::create_dir_all(path("root/sealed")).and_then(|()| fs::create_dir(path("home"))).expect("directories");
    fs::write(path("root/sealed/f"), "kept").expect("a file");
    fs::set_permissions(path("root/sealed"), fs::Permissions::from_mode(0o555)).expect("permission bits");
    if rustix::process::geteuid().is_root() {
        // The user may not be able to reach the directory of the build.
        fs::copy(env!("CARGO_BIN_EXE_ns"), path("ns")).expect("a copy of the binary");
        for name in ["root/sealed/f", "root/sealed", "root", "home", "."] {
            chown(path(name), Some(USER), Some(USER)).expect("an owner");
        }
    }
    place
}

/// Returns the permission bits of a path, or `None` if it does not exist.
fn mode(place: &Path, name: &str) -> Option<u32> {
    fs::metadata(place.join("root").join(name)).ok().map(|metadata| metadata.permissions().mode() & 0o777)
}

#[test]
fn changes_of_read_only_directories_are_undone_and_redone() {
    let cases = [
        ("MUST FS.CopyFile(\"sealed\", \"copy\", recursive: true)", "copy"),
        ("MUST FS.CreateDirectory(\"d\")\nMUST FS.CopyFile(\"sealed\", \"d/copy\", recursive: true)", "d/copy"),
        ("MUST FS.CreateDirectory(\"made\")\nMUST FS.SetPermissions(\"made\", \"555\")", "made"),
    ];
    for (script, name) in cases {
        let place = place();
        let check = |args: &[&str], wanted: Option<u32>| {
            let ran = ns(place.path(), args);
            assert_eq!((ran.code, mode(place.path(), name)), (0, wanted), "{script}: {args:?}: {}", ran.stderr);
        };
        check(&["run", "-e", script], Some(0o555));
        check(&["undo"], None);
        check(&["redo"], Some(0o555));
        check(&["undo"], None);
        let failed = ns(place.path(), &["--atomic", "run", "-e", &format!("{script}\nFAIL \"on purpose\"")]);
        assert_eq!((failed.code, mode(place.path(), name)), (1, None), "{script}: {}", failed.stderr);
        assert!(failed.stderr.contains("was taken back"), "{}", failed.stderr);
        assert_eq!(mode(place.path(), "sealed"), Some(0o555));
    }
}

#[test]
fn a_tool_does_not_move_what_its_owner_may_not_write() {
    for call in ["FS.DeleteFile(\"sealed\", recursive: true)", "FS.MoveFile(\"sealed\", \"d/sealed\")"] {
        let place = place();
        assert_eq!(ns(place.path(), &["run", "-e", "MUST FS.CreateDirectory(\"d\")"]).code, 0);
        let ran = ns(place.path(), &["run", "-e", &format!("MUST {call}")]);
        assert!(ran.code == 1 && ran.stderr.contains("permission denied"), "{call}: {}", ran.stderr);
        assert_eq!(fs::read_to_string(place.path().join("root/sealed/f")).expect("a file"), "kept");
    }
}
