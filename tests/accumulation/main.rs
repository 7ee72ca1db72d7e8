//! Values that grow or shrink in a loop: the memory and the steps for four times as many turns are about four times as
//! much, however the change is spelled.
//!
//! A program is made of a place that holds the value, an expression that gives the changed value, and the code around
//! it. An allocator counts the bytes that are allocated, so that a copy of the whole value in each turn shows, and the
//! figures are the same on every machine. `NS_LONG=1` runs all combinations.
//!
//! Random programs must print the same whether values are moved or copied; `NS_PROGRAMS` says how many.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod histories;
mod random;
mod spellings;
#[path = "../support/mod.rs"]
mod support;

use std::alloc::System;
use std::sync::{Mutex, PoisonError};

use neuroscript::engine::{Engine, Invocation, Options, Script};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use random::Random;
use spellings::Program;
use support::Captured;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Number of turns of the shorter run.
const TURNS: usize = 500;
/// Number of turns of the runs whose output is compared.
const COMPARED: usize = 40;
/// How many times as much four times as many turns may cost.
const GROWTH: f64 = 4.8;
/// Bytes that a run may allocate in addition, whatever its turns.
const BYTES: f64 = 64_000.0;

/// The cost of a run.
#[derive(Clone, Copy, Debug)]
struct Cost {
    bytes: f64,
    steps: f64,
}

/// Returns the output of a program, and the message of the error that ended it.
fn with_error(printed: &Captured, error: Option<&str>) -> String {
    error.map_or_else(|| printed.text(), |error| format!("{}error: {error}", printed.text()))
}

/// Runs a program, and returns its cost and what it prints.
fn run(engine: &Engine, script: &str) -> (Cost, String) {
    let printed = Captured::default();
    let output = Box::new(printed.clone());
    let script = Script::new("accumulation.ns", script);
    let region = Region::new(ALLOCATOR);
    let outcome = engine.run(&script, &Invocation::default(), output);
    let stats = region.change();
    let cost = Cost { bytes: stats.bytes_allocated as f64, steps: outcome.steps as f64 };
    (cost, with_error(&printed, outcome.findings.first().map(|finding| &*finding.message)))
}

/// Maximum output of a program in bytes: values of random programs may be very large, and the error is the same too.
const OUTPUT: usize = 200_000;

fn engine() -> Engine {
    let place = tempfile::tempdir().expect("a folder");
    let policy = place.path().join("limits.toml");
    std::fs::write(&policy, format!("[limits]\noutput_bytes = {OUTPUT}\n")).expect("a policy");
    let options = Options { sandbox: Some(std::env::temp_dir()), policy: Some(policy), ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings))
}

/// Returns what is wrong with a program, if anything is.
fn fault(engine: &Engine, program: &Program) -> Option<String> {
    let (none, _) = run(engine, &program.script(0));
    let (few, _) = run(engine, &program.script(TURNS));
    let (many, _) = run(engine, &program.script(4 * TURNS));
    let (_, printed) = run(engine, &program.script(COMPARED));
    let (_, expected) = run(engine, &program.kept_alive(COMPARED));
    let bytes = (many.bytes - none.bytes) / (few.bytes - none.bytes + BYTES);
    let steps = (many.steps - none.steps) / (few.steps - none.steps);
    if printed != expected || printed.contains("error: ") {
        return Some(format!("prints `{printed}` instead of `{expected}`: {program}"));
    }
    (bytes > GROWTH || steps > GROWTH)
        .then(|| format!("{bytes:.1} times the bytes, {steps:.1} times the steps: {program}"))
}

/// Lets only one test at a time allocate.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn what_grows_in_a_loop_is_not_copied() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engine();
    let programs = spellings::programs(std::env::var_os("NS_LONG").is_some());
    let faults: Vec<String> = programs.iter().filter_map(|program| fault(&engine, program)).collect();
    assert!(faults.is_empty(), "{} of {} programs:\n{}", faults.len(), programs.len(), faults.join("\n"));
}

/// Ways to read the pages of `a.txt` and `b.txt`, which have `pages` pages of 600 lines; `@` stands for the encoding.
const PAGINGS: &[&str] = &[
    "FOR EACH i IN RANGE(pages) DO\nSET got = FS.ReadFile(\"a.txt\", skip_lines: i * 600, max_lines: 600@)",
    "SET skip = -600\nWHILE skip < (pages - 1) * 600 DO\nSET skip = skip + 600\nSET got = FS.ReadFile(\"a.txt\", max_lines: 600, skip_lines: skip@)",
    "FOR EACH i IN RANGE(pages) DO\nSET got = FS.ReadFile(\"a.txt\", skip_lines: (pages - 1 - i) * 600, max_lines: 600@)",
    "FOR EACH i IN RANGE(pages) DO\nSET got = FS.ReadFile(\"a.txt\", skip_lines: i * 7919 % pages * 600, max_lines: 600@)",
    "FOR EACH i IN RANGE(pages) DO\nFOR EACH name IN [\"a.txt\", \"b.txt\"] DO\nSET got = FS.ReadFile(name, skip_lines: i * 600, max_lines: 600@)\nEND",
];

/// A way in which a file is written and read.
struct Form {
    /// The argument `encoding`; empty for none.
    encoding: &'static str,
    line_end: &'static str,
    bytes: fn(&str) -> Vec<u8>,
}

const FORMS: [Form; 8] = [
    Form { encoding: "", line_end: "\n", bytes: |line| line.into() },
    Form { encoding: "", line_end: "\r", bytes: |line| line.into() },
    Form { encoding: "utf-8", line_end: "\r\n", bytes: |line| line.into() },
    Form { encoding: "latin-1", line_end: "\n", bytes: latin1 },
    Form { encoding: "auto", line_end: "\n", bytes: latin1 },
    Form { encoding: "utf-16le", line_end: "\n", bytes: utf16 },
    Form { encoding: "utf-16le", line_end: "\r", bytes: utf16 },
    Form { encoding: "iso-2022-jp", line_end: "\n", bytes: |line| line.replace('é', "\x1b$B$\"\x1b(J").into() },
];

fn latin1(line: &str) -> Vec<u8> {
    line.chars().map(|c| c as u8).collect()
}

fn utf16(line: &str) -> Vec<u8> {
    line.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn the_pages_of_a_file_are_not_searched_for_from_its_beginning() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = tempfile::tempdir().expect("a folder");
    let options = Options {
        sandbox: Some(place.path().to_owned()),
        state: Some(place.path().join("state")),
        ..Options::default()
    };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings));
    for Form { encoding, line_end, bytes } in FORMS {
        let argument = if encoding.is_empty() { String::new() } else { format!(", encoding: \"{encoding}\"") };
        let line =
            bytes(&format!("caf\u{e9} and seventy-one other characters of a line of a file, all of it{line_end}"));
        for paging in PAGINGS {
            let cost = |pages: usize| {
                for name in ["a.txt", "b.txt"] {
                    std::fs::write(place.path().join(name), line.repeat(600 * pages)).expect("a file");
                }
                // The places of lines are remembered only for a file that has not changed for some time.
                std::thread::sleep(std::time::Duration::from_millis(60));
                let script =
                    format!("SET pages = {pages}\n{}\nMUST got.lineCount == 600\nEND", paging.replace('@', &argument));
                let (cost, printed) = run(&engine, &script);
                assert!(printed.is_empty(), "{printed}: {script}");
                cost
            };
            let (few, many) = (cost(12), cost(48));
            let files = 1 + usize::from(paging.contains("b.txt"));
            let most = files * most_steps(48, 600 * line.len());
            assert!(many.steps <= most as f64, "{} steps, more than {most}: {encoding} {paging}", many.steps);
            assert!(many.bytes / few.bytes < GROWTH, "{few:?}, {many:?}: {encoding} {paging}");
        }
    }
}

/// Returns the steps that reading all pages of a file may take if the place of a line is known for every 64 KiB.
fn most_steps(pages: usize, page: usize) -> usize {
    /// Bytes that are read at a time, and bytes between two lines whose places are remembered.
    const PIECE: usize = 64 << 10;
    /// Steps of a turn of the loop apart from the bytes that are read.
    const TURN: usize = 30;
    // Reading begins less than two pieces before a page, and ends less than one after it. The text is charged when it is
    // read and when it is returned. Places that are not known yet are found by reading what is before them, once.
    let read = pages * (page + 3 * PIECE) + pages * page;
    (read + pages * page) / 1024 + pages * TURN
}

/// Runs a program as a line of a session.
fn run_line(engine: &Engine, line: &str) -> String {
    let printed = Captured::default();
    let outcome = engine.session(Box::new(printed.clone())).run(&Script::new("line", line));
    with_error(&printed, outcome.findings.first().map(|finding| &*finding.message))
}

#[test]
fn nothing_tells_whether_a_value_was_moved() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engine();
    let programs = std::env::var("NS_PROGRAMS").ok().and_then(|programs| programs.parse().ok()).unwrap_or(600);
    let mut failed = 0;
    for seed in 0..programs {
        let program = Random::new(seed);
        let expected = run_line(&engine, &program.line);
        failed += u64::from(expected.contains("error: "));
        for script in program.procedure.iter().chain([&program.script]) {
            let (_, printed) = run(&engine, script);
            assert_eq!(printed, expected, "seed {seed}:\n{script}");
        }
    }
    assert!(failed < programs / 2, "{failed} of {programs} programs fail, so they show little");
}
