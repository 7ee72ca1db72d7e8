//! What the benches share: an engine over a folder of its own, and scripts that are run for their time.

use std::path::Path;

use neuroscript::engine::{EmitError, Ending, Engine, Meter, Options, Output, Script, Value};

/// An engine over a folder, without the policy or the settings of whoever measures.
pub fn engine(sandbox: &Path) -> Engine {
    let options = Options { sandbox: Some(sandbox.to_owned()), read_only: true, ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings))
}

/// Runs a script to its end; what it prints is thrown away.
pub fn run(engine: &Engine, script: &Script) {
    let outcome = engine.run(script, None, &[], Box::new(Nobody));
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
