//! The peak memory of each parser: at most twice `memory_bytes`, whatever the text.
//!
//! A search finds the worst texts by keeping changes that increase the memory per byte. The worst so far are in
//! `tests/growth/corpus`, one per line: head, unit and tail. All of them, and those that a short search finds, are
//! given to an engine with a small limit. An allocator counts allocations, so the figures are the same on every
//! machine. `NS_LONG=1` searches longer, `NS_SEED` starts elsewhere, `UPDATE=1` saves what was found.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

#[path = "../support/dice.rs"]
mod dice;
mod files;
#[path = "../archives/make.rs"]
mod make;
mod search;
#[path = "../support/songs.rs"]
mod songs;
mod subject;
mod text;

use std::path::{Path, PathBuf};
use std::process::Command;

use neuroscript::engine::{Engine, Options};
use peak_alloc::PeakAlloc;
use tempfile::TempDir;

use subject::{SUBJECTS, Subject};
use text::Text;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The memory limit, of which no parser may use more than twice as much.
const MEMORY: usize = 4 << 20;
/// Memory in bytes that a call uses whatever its text.
const BASE: usize = 1 << 20;

/// An engine for one parser, with a sandbox of its own.
pub struct Bench {
    sandbox: TempDir,
    /// The engine.
    pub engine: Engine,
}

impl Bench {
    /// Creates an engine with this memory limit.
    pub fn new(memory_bytes: usize) -> Bench {
        let sandbox = tempfile::tempdir().expect("a folder");
        let policy = sandbox.path().join("limits.toml");
        let text = format!(
            "[limits]\nmemory_bytes = {memory_bytes}\nstring_bytes = {memory_bytes}\n[policy]\nmax_files_per_operation = 1000000000\n"
        );
        std::fs::write(&policy, text).expect("a policy");
        std::fs::create_dir(sandbox.path().join("root")).expect("a folder");
        let options = Options {
            sandbox: Some(sandbox.path().join("root")),
            policy: Some(policy),
            state: Some(sandbox.path().join("state")),
            ..Options::default()
        };
        let engine = Engine::open(&options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings));
        Bench { sandbox, engine }
    }

    /// Returns the sandbox.
    pub fn root(&self) -> PathBuf {
        self.sandbox.path().join("root")
    }

    /// Returns the peak of allocated bytes while a parser reads a text, and the reason if it refused the text.
    pub fn peak(&self, subject: &Subject, text: &str) -> (usize, Option<String>) {
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let refused = (subject.give)(&self.engine, text).err();
        (ALLOCATOR.peak_usage() - before, refused)
    }
}

/// Whether to run longer than in CI.
pub fn long() -> bool {
    std::env::var_os("NS_LONG").is_some()
}

/// The variable that tells a process that it was started for one test.
const ALONE: &str = "NS_GROWTH_ALONE";

/// Does the work of a test in a process of its own, since the allocator counts for the whole process.
fn alone(work: impl FnOnce()) {
    let thread = std::thread::current();
    // With `--test-threads=1`, tests run one after the other in the main thread.
    let test = thread.name().filter(|name| *name != "main" && std::env::var_os(ALONE).is_none());
    let Some(test) = test else { return work() };
    let program = std::env::current_exe().expect("the path of this program");
    let ended = Command::new(program).args(["--exact", test, "--nocapture"]).env(ALONE, "1").output();
    let ended = ended.expect("this program can be started");
    let printed = String::from_utf8_lossy(&ended.stdout);
    print!("{printed}");
    assert!(printed.contains("1 passed") && ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

fn corpus(name: &str) -> (PathBuf, Vec<Text>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/growth/corpus").join(name).with_extension("jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    (path, text.lines().map(Text::of_line).collect())
}

/// Returns a text long enough to exceed the limit by far, given its memory per byte.
fn long_enough(text: &Text, growth: usize) -> String {
    text.of_length((8 * MEMORY / growth.max(1)).clamp(64 << 10, 4 << 20))
}

fn stays_within(tight: &Bench, subject: &Subject, text: &Text, growth: usize) {
    let long = long_enough(text, growth);
    let (peak, refused) = tight.peak(subject, &long);
    assert!(
        peak <= 2 * MEMORY + BASE,
        "{}: {} takes {peak} bytes for {}, with {MEMORY} allowed ({})",
        subject.name,
        text.line(),
        long.len(),
        refused.unwrap_or_default()
    );
}

fn checks(name: &str) {
    let subject = SUBJECTS.iter().find(|subject| subject.name == name).expect("there is such a parser");
    let (path, kept) = corpus(name);
    alone(|| {
        let (wide, tight) = (Bench::new(1 << 40), Bench::new(MEMORY));
        let found = search::worst(&wide, subject, &kept);
        if std::env::var_os("UPDATE").is_some() {
            let lines: String = found.iter().map(|(text, _)| text.line() + "\n").collect();
            std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            std::fs::write(&path, lines).expect("a corpus");
        }
        for (text, growth) in &found {
            if std::env::var_os("NS_SHOW").is_some() {
                println!("{name}: {growth} bytes for each byte of {}", text.line());
            }
            stays_within(&tight, subject, text, *growth);
        }
    });
}

macro_rules! parsers {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            checks(stringify!($name));
        })*

        #[test]
        fn every_parser_is_checked() {
            let named = [$(stringify!($name)),*];
            assert!(SUBJECTS.iter().map(|subject| subject.name).eq(named), "the list of tests is that of the parsers");
        }
    };
}

parsers! {
    json csv csv_lists toml yaml ini xml ini_edit json_edit toml_edit yaml_edit regex regex_text regex_split glob globs format template base64 difference similarity time
    script program markdown memory
}
