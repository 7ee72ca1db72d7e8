//! The races: the initial tree, the exchanges, and the calls of `ns` meanwhile.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use libtest_mimic::Trial;
use rustix::fs::CWD;
use rustix::io::Errno;

use super::arena::{Arena, write};
use super::launch::{Call, Refusal};
use super::mode::Mode;
use super::probe::Probe;
use super::race::{alone, calls, disturbed, exchange, exchange_draft, prepare_folder};
use super::report::{self, Verdict};
use super::snapshot::Closeness;

/// A race: the initial tree, the disturbance, and the calls of `ns`.
#[derive(Clone, Copy)]
struct Race {
    name: &'static str,
    prepare: fn(&Arena),
    disturb: fn(&Arena),
    /// Statements that leave the result of a tool in `r`; `i` is the number of the iteration.
    call: &'static str,
    /// Number of iterations in the short form.
    turns: u32,
}

const RACES: [Race; 31] = [
    folder_race("read_file (toctou-01)", "SET r = FS.ReadFile(\"d/f\")", 700),
    folder_race("read_files of the folder", "SET r = FS.ReadFiles(paths: [\"d/f\"], on_error: \"record\")[0]", 700),
    folder_race("hash_file", "SET r = FS.HashFile(\"d/f\")", 700),
    folder_race("file_info", "SET r = FS.FileInfo(\"d/f\")", 700),
    folder_race("walk_dir of the folder", "SET r = FS.WalkDir(\"d\")", 700),
    folder_race("walk_dir of the root", "SET r = FS.WalkDir(\".\")", 400),
    folder_race("list_directory of the folder", "SET r = FS.ListDirectory(\"d\")", 700),
    folder_race("list_directory of the root", "SET r = FS.ListDirectory(\".\", recursive: true)", 400),
    folder_race("write_file", "SET r = FS.WriteFile(\"d/f\", \"INSIDE\")", 400),
    folder_race("write_file into a new folder", "SET r = FS.WriteFile(\"d/n\" + STR(i) + \"/f\", \"INSIDE\")", 400),
    folder_race("create_directory", "SET r = FS.CreateDirectory(\"d/n\" + STR(i) + \"/m\")", 400),
    folder_race("delete_file of a file", "CALL FS.WriteFile(\"d/f\", \"INSIDE\")\nSET r = FS.DeleteFile(\"d/f\")", 400),
    Race {
        name: "move_file between two such folders (toctou-05)",
        prepare: |arena| {
            prepare_folder(arena);
            write(&arena.place("g/inside"), b"INSIDE");
            symlink(&arena.evil, arena.place("m")).expect("a link");
        },
        disturb: |arena| {
            exchange(&arena.root, "d", "l");
            exchange(&arena.root, "g", "m");
        },
        call: "CALL FS.DeleteFile(\"g/f\")\nCALL FS.WriteFile(\"d/f\", \"INSIDE\")\nSET r = FS.MoveFile(\"d/f\", \"g/f\")",
        turns: 400,
    },
    Race {
        name: "delete_file of a tree (toctou-04)",
        prepare: |arena| write(&arena.place("d/sub/f"), b"INSIDE"),
        disturb: |arena| {
            let _ = symlink(&arena.outside, arena.place("d/l"));
            exchange(&arena.root, "d/sub", "d/l");
        },
        call: "CALL FS.WriteFile(\"d/sub/f\", \"INSIDE\")\nCALL FS.WriteFile(\"d/sub/x/f\", \"INSIDE\")\nSET r = FS.DeleteFile(\"d\", recursive: true)",
        turns: 100,
    },
    folder_race("replace_in_files of the folder", REPLACE_IN_FOLDER, 400),
    folder_race("move_files out of the folder", MOVE_OUT, 400),
    folder_race("compress of the folder", "SET r = FS.Compress(\"d\", \"o.tgz\", overwrite: true)", 200),
    folder_race("extract into a new folder", UNPACK_NEW, 200),
    folder_race("extract over the folder", UNPACK_OVER, 200),
    folder_race("set_permissions below the folder", "SET r = FS.SetPermissions(\"d/f\", \"a=r\")", 400),
    file_race("set_permissions of a file for a link", "SET r = FS.SetPermissions(\"f\", \"a=r\")", 400),
    folder_race("set_modified below the folder", SET_MODIFIED_BELOW, 400),
    file_race("set_modified of a file for a link", SET_MODIFIED, 400),
    file_race("read_file of a file for a link", "SET r = FS.ReadFile(\"f\")", 700),
    file_race("hash_file of a file for a link", "SET r = FS.HashFile(\"f\")", 700),
    file_race("write_file over a file for a link", "SET r = FS.WriteFile(\"f\", \"INSIDE\")", 400),
    Race {
        name: "read_file of a file for a pipe",
        prepare: |arena| {
            write(&arena.place("f"), b"INSIDE");
            let kind = rustix::fs::FileType::Fifo;
            rustix::fs::mknodat(CWD, arena.place("l"), kind, 0o666.into(), 0).expect("a pipe");
        },
        disturb: |arena| exchange(&arena.root, "f", "l"),
        call: "SET r = FS.ReadFile(\"f\")",
        turns: 700,
    },
    Race {
        name: "read_file through a link that turns",
        prepare: |arena| {
            write(&arena.place("d/f"), b"INSIDE");
            symlink("d", arena.place("in")).expect("a link");
            symlink(&arena.outside, arena.place("out")).expect("a link");
        },
        disturb: |arena| exchange(&arena.root, "in", "out"),
        call: "SET r = FS.ReadFile(\"in/f\")",
        turns: 700,
    },
    Race {
        name: "read_file by `..` out of a folder that is carried away",
        prepare: |arena| {
            write(&arena.place("d/f"), b"INSIDE");
            write(&arena.place("d/sub/g"), b"INSIDE");
            write(&arena.top.join("elsewhere/f"), b"SECRET");
        },
        disturb: |arena| {
            let (here, there) = (arena.place("d/sub"), arena.top.join("elsewhere/sub"));
            let _ = std::fs::rename(&here, &there);
            let _ = std::fs::rename(&there, &here);
        },
        call: "SET r = FS.ReadFile(\"d/sub/../f\")",
        turns: 700,
    },
    Race {
        name: "write_file while its unfinished file is exchanged for a link",
        prepare: |arena| {
            let mode = std::fs::Permissions::from_mode(0o640);
            std::fs::set_permissions(arena.outside.join("f"), mode).expect("a file of ours");
        },
        disturb: |arena| exchange_draft(arena, "."),
        call: "CALL FS.DeleteFile(\"w\")\nCALL FS.WriteFile(\"w\", \"old\")\nSET r = FS.WriteFile(\"w\", STR.Repeat(\"x\", 4000000))",
        turns: 15,
    },
    Race {
        name: "write_file over a private file, while somebody looks at the unfinished one",
        prepare: |_| {},
        disturb: keep_readable_draft,
        call: "CALL FS.WriteFile(\"p/private\", \"old\")\nSET r = FS.WriteFile(\"p/private\", STR.Repeat(\"INSIDE\", 700000))",
        turns: 15,
    },
];

/// Sets another time in each turn, since the same one is no change.
const SET_MODIFIED: &str = "SET r = FS.SetModified(\"f\", \"2001-01-01T00:00:00.\" + STR(i + 1) + \"Z\")";
const SET_MODIFIED_BELOW: &str = "SET r = FS.SetModified(\"d/f\", \"2001-01-01T00:00:00.\" + STR(i + 1) + \"Z\")";

/// Replaces a letter that the files inside and outside have.
const REPLACE_IN_FOLDER: &str =
    "CALL FS.WriteFile(\"d/f\", \"INSIDE\")\nSET r = FS.ReplaceInFiles(\"d\", \"S\", \"s\")";
const MOVE_OUT: &str = "CALL FS.WriteFile(\"d/f\", \"INSIDE\")\nCALL FS.DeleteFile(\"m\")\n\
    SET r = FS.MoveFiles([{\"source\": \"d/f\", \"destination\": \"m\"}])";

/// Extracts a file into a new directory in `d`.
const UNPACK_NEW: &str = "CALL FS.WriteFile(\"s/x\", \"INSIDE\")\nCALL FS.Compress(\"s/x\", \"o.zip\", overwrite: true)\n\
    SET r = FS.Extract(\"o.zip\", \"d/n\" + STR(i))";

/// Extracts a file into `d`, which exists and is in the archive.
const UNPACK_OVER: &str = "CALL FS.WriteFile(\"s/d/x\", \"INSIDE\")\nCALL FS.Compress(\"s/d\", \"o.zip\", overwrite: true)\n\
    CALL FS.DeleteFile(\"d/x\")\nSET r = FS.Extract(\"o.zip\", \".\")";

/// Returns a race in which a directory `d` is exchanged for the link `l` to the outside.
const fn folder_race(name: &'static str, call: &'static str, turns: u32) -> Race {
    let disturb: fn(&Arena) = |arena| exchange(&arena.root, "d", "l");
    Race { name, prepare: prepare_folder, disturb, call, turns }
}

/// Returns a race in which a file `f` is exchanged for the link `l` to a file outside.
const fn file_race(name: &'static str, call: &'static str, turns: u32) -> Race {
    let prepare: fn(&Arena) = |arena| {
        write(&arena.place("f"), b"INSIDE");
        symlink(arena.outside.join("f"), arena.place("l")).expect("a link");
    };
    let disturb: fn(&Arena) = |arena| exchange(&arena.root, "f", "l");
    Race { name, prepare, disturb, call, turns }
}

/// Keeps a hard link to a staging file that is world-readable although the file that it replaces is private. The link
/// is in the sandbox and contains SECRET, so that the check at the end of the race finds it.
fn keep_readable_draft(arena: &Arena) {
    let private = arena.place("p/private");
    let is_private = std::fs::metadata(&private).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 == 0);
    if !is_private {
        let _ = std::fs::set_permissions(&private, std::fs::Permissions::from_mode(0o600));
        return;
    }
    for entry in std::fs::read_dir(arena.place("p")).into_iter().flatten().flatten() {
        let is_draft = entry.file_name().to_string_lossy().starts_with(".ns-tmp-");
        let found = entry.metadata().is_ok_and(|found| found.len() > 0 && found.permissions().mode() & 0o044 != 0);
        if is_draft && found {
            write(&arena.place("seen"), b"SECRET");
        }
    }
}

/// Returns the races in a mode.
pub fn trials(mode: Mode) -> Vec<Trial> {
    let trial = |race: Race| report::trial(format!("race [{mode}]: {}", race.name), move || run(race, mode));
    let due = RACES.into_iter().enumerate().filter(|(number, _)| mode.is_due_for_race(*number));
    due.map(|(_, race)| trial(race)).collect()
}

fn run(race: Race, mode: Mode) -> Verdict {
    run_with(race, mode, None, Walls::First)
}

/// The lines of defence that are active in a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walls {
    /// Our own code only.
    First,
    /// The kernel as well.
    Both,
}

/// Runs all races with another build of `ns`, and returns their verdicts by name.
pub fn with_program(program: &Path, mode: Mode, walls: Walls) -> Vec<(&'static str, Verdict)> {
    RACES.into_iter().map(|race| (race.name, run_with(race, mode, Some(program), walls))).collect()
}

/// Runs one race with another build of `ns`.
pub fn once_with_program(name: &str, program: &Path, mode: Mode, walls: Walls) -> Verdict {
    let race = RACES.into_iter().find(|race| race.name == name).expect("there is such a race");
    run_with(race, mode, Some(program), walls)
}

fn run_with(race: Race, mode: Mode, program: Option<&Path>, walls: Walls) -> Verdict {
    let _alone = alone();
    let without = [Refusal::new(Call::Landlock, Errno::NOSYS)];
    let refused: &[Refusal] = if walls == Walls::First { &without } else { &[] };
    let mut probe = match Probe::in_memory(mode, refused) {
        Ok(probe) => probe,
        Err(verdict) => return verdict,
    };
    if let Some(program) = program {
        probe.use_program(program);
    }
    (race.prepare)(&probe.arena);
    probe.begin();
    disturbed(&mut probe, race.disturb, race.call, calls(race.turns));
    probe.check_no_secret_inside();
    probe.verdict(Closeness::Reads)
}
