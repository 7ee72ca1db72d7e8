//! What the benches share: an engine over a folder of its own, and scripts that are run for their time.

use std::path::Path;
use std::thread;

use criterion::Criterion;
use neuroscript::engine::{EmitError, Ending, Engine, Meter, Options, Output, Script, Value, Invocation};

/// Stack that is more than the engine asks for.
const STACK: usize = 512 << 20;

/// Runs benches on a thread with a long stack, as servers run the engine. On a short one every call takes
/// a stack and gives it back, which is several times as long as a short call.
pub fn main(benches: fn()) {
    let work = move || {
        benches();
        Criterion::default().configure_from_args().final_summary();
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    thread.join().expect("benches that come to their end");
}

/// An engine over a folder, without the policy or the settings of whoever measures.
pub fn engine(sandbox: &Path) -> Engine {
    let options = Options { sandbox: Some(sandbox.to_owned()), read_only: true, ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings))
}

/// Runs a script to its end; what it prints is thrown away.
pub fn run(engine: &Engine, script: &Script) {
    let outcome = engine.run(script, &Invocation::default(), Box::new(Nobody));
    assert_eq!(outcome.ending, Ending::Done, "{:?}", outcome.findings);
}

/// Nobody reads it.
struct Nobody;

impl Output for Nobody {
    fn emit(&mut self, values: &[Value], _: &mut Meter) -> Result<(), EmitError> {
        std::hint::black_box(values);
        Ok(())
    }

    fn warn(&mut self, _: &str) {}
}
