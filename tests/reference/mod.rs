//! The evaluator compared with a simple one: random programs print the same, fail in the same way at the same location,
//! return the same value and cost the same steps.
//!
//! The simple one walks the tree as written. It has no slots, no lowering, no fast paths and no shared values; it
//! copies everything. Two thousand programs, a million with `NS_LONG=1`; `NS_SEED` is the number of the first,
//! `NS_PROGRAMS` their count.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod builtins;
mod evaluator;
mod expressions;
mod fault;
mod operands;
mod operators;
pub mod programs;
mod value;

use std::num::NonZero;

use neuroscript::engine::{Ending, Engine, Invocation, Meter, Options, Outcome, Script, emitted, parse_script};
use neuroscript::text::{Diagnostic, Span};

use crate::support::Captured;
use evaluator::Evaluator;
use fault::Stop;
use programs::{FILES, program};

/// Maximum number of steps of a program.
const MAX_STEPS: u64 = 20_000;
/// The codes of a program that exceeds it, or nests values too deep.
const LIMITS: [&str; 2] = ["NS0603", "NS0606"];
/// Native stack for a thousand nested calls of the simple evaluator.
const STACK: usize = 1 << 30;

/// Maximum number of differences that are collected.
const MOST_DIFFERENT: usize = 20;

/// The result of a program.
#[derive(Debug, PartialEq)]
struct Done {
    output: String,
    /// Code, message, location, and the calls on the way.
    fault: Option<(String, String, Span, Vec<Span>)>,
    value: String,
    steps: u64,
}

/// The comparison of the two results.
#[derive(Debug, PartialEq)]
enum Verdict {
    Same,
    /// The program takes too many steps, or its values grow too large, to be compared.
    Unjudged,
    Different(Box<(Done, Done)>),
}

fn engine(folder: &tempfile::TempDir) -> Engine {
    let sandbox = Some(folder.path().to_owned());
    let options = Options { sandbox, read_only: true, max_steps: Some(MAX_STEPS), ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings))
}

fn by_the_engine(outcome: &Outcome, output: String) -> Done {
    let fault = outcome.findings.first().map(|finding: &Diagnostic| {
        let calls = finding.related.iter().map(|label| label.span).collect();
        (finding.code.id().to_owned(), finding.message.clone(), finding.span().unwrap_or_default(), calls)
    });
    let value = emitted(std::slice::from_ref(&outcome.value), &mut Meter::unlimited()).expect("there are no limits");
    Done { output, fault, value: value.strip_suffix('\n').unwrap_or_default().to_owned(), steps: outcome.steps }
}

fn compare(engine: &Engine, text: &str) -> Verdict {
    let script = Script::new("case.ns", text);
    let parsed = parse_script(&script);
    assert!(parsed.findings.is_empty(), "{:?}\n{text}", parsed.findings);
    let source = parsed.sources.last().expect("the text was parsed");
    let mut plain = Evaluator::new(&parsed.tree, source, MAX_STEPS);
    let result = plain.run();
    let (fault, value) = match result {
        Ok(value) => (None, value.printed()),
        Err(Stop::Fault(fault)) => {
            (Some((fault.code.to_owned(), fault.message, fault.place, fault.calls)), "nil".to_owned())
        }
        Err(Stop::Long | Stop::GivenUp) => return Verdict::Unjudged,
    };
    let wanted = Done { output: plain.output, fault, value, steps: plain.steps };
    let output = Captured::default();
    let outcome = engine.run(&script, &Invocation::default(), Box::new(output.clone()));
    assert!(outcome.steps > 0 || outcome.ending == Ending::Done, "{:?}\n{text}", outcome.findings);
    let found = by_the_engine(&outcome, output.text());
    match found == wanted {
        true => Verdict::Same,
        // The only limit of the simple one is that on calls.
        false if found.fault.as_ref().is_some_and(|fault| LIMITS.contains(&fault.0.as_str())) => Verdict::Unjudged,
        false => Verdict::Different(Box::new((found, wanted))),
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The results of several programs.
#[derive(Default)]
struct Tally {
    unjudged: u64,
    different: Vec<(u64, Box<(Done, Done)>)>,
}

/// Compares programs, up to the maximum number of differences.
fn compare_all(seeds: impl Iterator<Item = u64>) -> Tally {
    let folder = tempfile::tempdir().expect("a sandbox");
    for (name, content) in FILES {
        std::fs::write(folder.path().join(name), content).expect("a file");
    }
    let engine = engine(&folder);
    let mut tally = Tally::default();
    for seed in seeds {
        match compare(&engine, &program(seed)) {
            Verdict::Same => {}
            Verdict::Unjudged => tally.unjudged += 1,
            Verdict::Different(both) => tally.different.push((seed, both)),
        }
        if tally.different.len() >= MOST_DIFFERENT {
            break;
        }
    }
    tally
}

#[test]
fn random_programs_come_out_as_the_plain_evaluator_says() {
    let most = if std::env::var_os("NS_LONG").is_some() { 1_000_000 } else { 2_000 };
    let (first, programs) = (number("NS_SEED").unwrap_or(0), number("NS_PROGRAMS").unwrap_or(most));
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let work = |thread: usize| {
        let seeds = (first..first + programs).skip(thread).step_by(threads);
        let builder = std::thread::Builder::new().stack_size(STACK);
        builder.spawn(move || compare_all(seeds)).expect("a thread")
    };
    let threads: Vec<_> = (0..threads).map(work).collect();
    let (mut unjudged, mut different) = (0, Vec::new());
    for thread in threads {
        let tally = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        unjudged += tally.unjudged;
        different.extend(tally.different);
    }
    assert!(different.is_empty(), "{}", told(&different));
    println!("{unjudged} of {programs} programs were not followed to their end");
    assert!(unjudged * 20 <= programs, "{unjudged} of {programs} programs were not followed to their end");
}

/// Describes the shortest of the differing programs, and where the results diverge.
fn told(different: &[(u64, Box<(Done, Done)>)]) -> String {
    let seeds: Vec<u64> = different.iter().map(|(seed, _)| *seed).collect();
    let Some((seed, both)) = different.iter().min_by_key(|(seed, _)| program(*seed).len()) else {
        return String::new();
    };
    let (found, wanted) = &**both;
    let lines = found.output.lines().zip(wanted.output.lines());
    let same = lines.take_while(|(a, b)| a == b).count();
    let line = |output: &str| output.lines().nth(same).unwrap_or_default().to_owned();
    format!(
        "seeds {seeds:?}; the program of {seed}:\n{}\nline {} of the output: found {:?}, wanted {:?}\nfound {:?} {} {}\nwanted {:?} {} {}",
        program(*seed),
        same + 1,
        line(&found.output),
        line(&wanted.output),
        found.fault,
        found.value,
        found.steps,
        wanted.fault,
        wanted.value,
        wanted.steps,
    )
}
