//! Moves to another file system while the copied files are exchanged for links to the outside.

use std::os::unix::fs::{lchown, symlink};

use super::super::arena::Arena;
use super::super::probe::Probe;
use super::super::race::{alone, calls, disturbed, exchange, exchange_draft};
use super::set_mode;

/// Exchanges files in the tree being moved, on either side.
pub fn in_source(probe: &mut Probe) {
    let _alone = alone();
    if let Some(user) = probe.mode.user_to_become() {
        lchown(probe.arena.place("other"), Some(user), Some(user)).expect("root may chown");
    }
    probe.begin();
    let disturb = |arena: &Arena| {
        let _ = symlink(&arena.outside, arena.place("d/l"));
        let _ = symlink(arena.outside.join("f"), arena.place("d/lf"));
        for folder in ["d", "other/d"] {
            exchange(&arena.place(folder), "sub", "l");
            exchange(&arena.place(folder), "f", "lf");
        }
    };
    let call = "CALL FS.DeleteFile(\"other/d\", recursive: true)\nCALL FS.WriteFile(\"d/sub/f\", \"INSIDE\")\nCALL FS.WriteFile(\"d/f\", \"INSIDE\")\nSET r = FS.MoveFile(\"d\", \"other/d\")";
    disturbed(probe, disturb, call, calls(80));
}

/// Exchanges the unfinished copy.
pub fn in_target(probe: &mut Probe) {
    let _alone = alone();
    set_mode(&probe.arena.outside.join("f"), 0o640);
    probe.begin();
    let call = "CALL FS.DeleteFile(\"other/w\")\nCALL FS.WriteFile(\"w\", STR.Repeat(\"x\", 4000000))\nSET r = FS.MoveFile(\"w\", \"other/w\")";
    disturbed(probe, |arena: &Arena| exchange_draft(arena, "other"), call, calls(15));
}
