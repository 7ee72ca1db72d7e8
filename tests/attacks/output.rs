//! Standard output that accepts nothing: a pipe without a reader, and a full device.
//!
//! A broken pipe is success, a full device an error; neither may cause a panic.

use libtest_mimic::Trial;

use super::answer::end_faults;
use super::arena::Arena;
use super::launch::{Ended, Start};
use super::mode::Mode;
use super::report::{self, Verdict};

type Words = &'static [&'static str];

const COMMANDS: [Words; 8] = [
    &["call", "walk_dir", "{\"path\":\".\"}"],
    &["call", "read_file", "{\"file_path\":\"a.txt\"}"],
    &["run", "-e", "FOR EACH i IN RANGE(100000) DO\nEMIT i\nENDBLOCK"],
    &["doctor"],
    &["tools"],
    &["tools", "--format", "json"],
    &["explain", "NS0101"],
    &["check", "--format", "json", "-"],
];

/// Returns the attacks of this group.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for words in COMMANDS {
        let command = words.join(" ").replace('\n', " ");
        trials.push(report::trial(format!("output: nobody reads: ns {command}"), move || unread(words)));
        trials.push(report::trial(format!("output: full: ns {command}"), move || full(words)));
    }
    trials
}

fn start<'a>(words: Words, arena: &'a Arena) -> Start<'a> {
    Start::new(Mode::ONE, &arena.top).args(words.iter().copied()).args(["--sandbox", "root"]).stdin("EMIT 1\n")
}

fn unread(words: Words) -> Verdict {
    judged(|arena| {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ended = start(words, arena).run_onto(writer);
        let fault = (ended.code != Some(0)).then(|| format!("a broken pipe is success, not exit {:?}", ended.code));
        (ended, fault)
    })
}

fn full(words: Words) -> Verdict {
    judged(|arena| {
        let full = std::fs::File::create("/dev/full").expect("a device that is always full");
        let ended = start(words, arena).run_onto(full);
        let fault = (ended.code != Some(1)).then(|| format!("a full device is a failure, not exit {:?}", ended.code));
        (ended, fault)
    })
}

fn judged(attack: impl FnOnce(&Arena) -> (Ended, Option<String>)) -> Verdict {
    if let Some(reason) = Mode::ONE.unavailable() {
        return Verdict::Skipped(reason.to_owned());
    }
    let arena = Arena::new();
    arena.hand_over(Mode::ONE);
    let (ended, fault) = attack(&arena);
    let mut faults = end_faults(&ended);
    faults.extend(fault);
    Verdict::of(faults)
}
