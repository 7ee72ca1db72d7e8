//! Shared code of the benchmarks: an engine over a temporary directory, and running scripts.

use std::path::Path;
use std::thread;

use criterion::Criterion;
use neuroscript::engine::{EmitError, Ending, Engine, Meter, Options, Output, Script, Value, Invocation};

/// A stack larger than the engine requires.
const STACK: usize = 512 << 20;

/// Runs benchmarks on a thread with a large stack, as servers run the engine. On a small stack, every call would
/// allocate a stack of its own, which takes several times as long as a short call.
pub fn main(benches: fn()) {
    let work = move || {
        benches();
        Criterion::default().configure_from_args().final_summary();
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    thread.join().expect("benches that come to their end");
}

/// Opens an engine over a directory, with default options rather than those of the user.
pub fn engine(sandbox: &Path) -> Engine {
    let options = Options { sandbox: Some(sandbox.to_owned()), read_only: true, ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings))
}

/// Runs a script to its end and discards its output.
pub fn run(engine: &Engine, script: &Script) {
    let outcome = engine.run(script, &Invocation::default(), Box::new(Nobody));
    assert_eq!(outcome.ending, Ending::Done, "{:?}", outcome.findings);
}

/// An output that discards everything.
struct Nobody;

impl Output for Nobody {
    fn emit(&mut self, values: &[Value], _: &mut Meter) -> Result<(), EmitError> {
        std::hint::black_box(values);
        Ok(())
    }

    fn warn(&mut self, _: &str) {}
}
