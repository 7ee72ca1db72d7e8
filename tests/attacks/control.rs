//! Naive implementations in the same races. Each must be seen to escape, otherwise the races prove nothing.
//!
//! Four are a few lines here. The fifth is `ns` itself, built to check a path and then use it by name
//! (`--features checked-paths`). `NS_CONTROL` is the path of that build; `.ci/run --all` creates it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use libtest_mimic::Trial;

use super::arena::{Arena, write};
use super::mode::{Mode, is_root};
use super::race::{Stopping, alone, exchange, patience, prepare_folder};
use super::races::{self, Walls};
use super::rename::stand_in_the_way;
use super::report::{self, Verdict};

/// A race that a naive implementation loses.
#[derive(Clone, Copy)]
struct Control {
    name: &'static str,
    prepare: fn(&Arena),
    disturb: fn(&Arena, &AtomicBool),
    /// Makes one attempt. Returns whether it escaped.
    naive: fn(&Arena) -> bool,
}

const CONTROLS: [Control; 4] = [
    Control {
        name: "a check of path strings reads outside",
        prepare: prepare_folder,
        disturb: |arena, _| exchange(&arena.root, "d", "l"),
        naive: |arena| read_checked(&arena.root, "d/f").as_deref() == Some(b"SECRET"),
    },
    Control {
        name: "a look before opening reads outside",
        prepare: |arena| {
            write(&arena.place("f"), b"INSIDE");
            std::os::unix::fs::symlink(arena.outside.join("f"), arena.place("l")).expect("a link");
        },
        disturb: |arena, _| exchange(&arena.root, "f", "l"),
        naive: |arena| {
            let path = arena.place("f");
            path.symlink_metadata().is_ok_and(|found| found.is_file())
                && std::fs::read(path).is_ok_and(|bytes| bytes == b"SECRET")
        },
    },
    Control {
        name: "a removal by paths removes outside",
        prepare: |arena| {
            prepare_folder(arena);
            std::fs::create_dir(arena.outside.join("d")).expect("a folder");
        },
        disturb: |arena, _| exchange(&arena.root, "d", "l"),
        naive: |arena| {
            let _ = std::fs::write(arena.outside.join("f"), "SECRET");
            let path = arena.place("d");
            if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                let _ = std::fs::remove_file(path.join("f"));
            }
            arena.outside.join("f").symlink_metadata().is_err()
        },
    },
    Control {
        name: "a look before renaming overwrites",
        prepare: |arena| write(&arena.place("mine"), b"MINE"),
        disturb: |arena, overwritten| stand_in_the_way(&arena.root, overwritten),
        naive: |arena| {
            if arena.place("g").symlink_metadata().is_err() {
                let _ = std::fs::rename(arena.place("a.txt"), arena.place("g"));
            }
            false
        },
    },
];

/// The races that the other build must lose.
const CAUGHT: [&str; 3] = ["read_file (toctou-01)", "hash_file", "write_file"];
/// Number of repetitions of these races, since on a busy machine the exchanging thread may not run at the right moment.
const AGAIN: usize = 50;
/// Landlock does not restrict permission bits and times.
const BEYOND_LANDLOCK: [&str; 2] = ["set_permissions", "set_modified"];

/// Returns the controls.
pub fn trials() -> Vec<Trial> {
    let naive = |control: Control| report::trial(format!("control: {}", control.name), move || run(control));
    let mut trials: Vec<Trial> = CONTROLS.into_iter().map(naive).collect();
    trials.push(report::trial("control: a build that checks path strings escapes".to_owned(), first_wall_missing));
    trials.push(report::trial("control: the second wall holds such a build".to_owned(), second_wall_alone));
    trials
}

fn other_build() -> Result<(PathBuf, Mode), Verdict> {
    let Some(program) = std::env::var_os("NS_CONTROL") else {
        let reason = "NS_CONTROL names no build with `--features checked-paths`";
        return Err(Verdict::Skipped(reason.to_owned()));
    };
    let program = std::fs::canonicalize(program).expect("NS_CONTROL names a build of ns");
    Ok((program, if is_root() { Mode::ALL[0] } else { Mode::ONE }))
}

/// Whether the verdict of a race shows an escape.
fn escapes(verdict: &Verdict) -> bool {
    let is_escape = |fault: &String| fault.contains("ESCAPE") || fault.contains("SECRET");
    matches!(verdict, Verdict::Failed(faults) if faults.iter().any(is_escape))
}

/// Without handle-based resolution the races are lost, which shows that they are effective.
fn first_wall_missing() -> Verdict {
    let (program, mode) = match other_build() {
        Ok(found) => found,
        Err(verdict) => return verdict,
    };
    let verdicts = races::with_program(&program, mode, Walls::First);
    let caught: Vec<&str> = verdicts.iter().filter(|(_, verdict)| escapes(verdict)).map(|(name, _)| *name).collect();
    println!("{} of {} races are lost by the build that checks path strings: {caught:?}", caught.len(), verdicts.len());
    let again = |name: &str| escapes(&races::once_with_program(name, &program, mode, Walls::First));
    let missed = CAUGHT.iter().filter(|name| !caught.contains(*name) && !(0..AGAIN).any(|_| again(name)));
    Verdict::of(missed.map(|name| format!("the race `{name}` does not bite")).collect())
}

/// The kernel refuses what would pass the first line of defence.
fn second_wall_alone() -> Verdict {
    let (program, mode) = match other_build() {
        Ok(found) => found,
        Err(verdict) => return verdict,
    };
    let verdicts = races::with_program(&program, mode, Walls::Both);
    let is_restricted = |name: &str| !BEYOND_LANDLOCK.iter().any(|tool| name.starts_with(tool));
    let lost = verdicts.iter().filter(|(name, verdict)| escapes(verdict) && is_restricted(name));
    Verdict::of(lost.map(|(name, verdict)| format!("`{name}` escapes: {verdict:?}")).collect())
}

fn run(control: Control) -> Verdict {
    let _alone = alone();
    let arena = Arena::in_memory();
    (control.prepare)(&arena);
    let (stop, seen) = (AtomicBool::new(false), AtomicBool::new(false));
    let begin = Instant::now();
    let escaped = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                (control.disturb)(&arena, &seen);
            }
        });
        let _stopping = Stopping(&stop);
        let mut escaped = false;
        while !escaped && begin.elapsed() < patience() {
            escaped = (control.naive)(&arena) || seen.load(Ordering::Relaxed);
        }
        escaped
    });
    if escaped {
        Verdict::Passed
    } else {
        Verdict::Failed(vec!["inconclusive: no escape, so the races prove nothing here".to_owned()])
    }
}

/// Reads a file insecurely: checks where the path leads, and then uses the path.
fn read_checked(root: &Path, path: &str) -> Option<Vec<u8>> {
    let path = root.join(path);
    let resolved = path.canonicalize().ok()?;
    resolved.starts_with(root).then(|| std::fs::read(path).ok())?
}
