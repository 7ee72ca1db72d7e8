//! A build without the feature `project-memory`: session memory works, and project memory says that it is missing.

#![cfg(not(feature = "project-memory"))]
#![allow(clippy::disallowed_methods, reason = "the test makes its own sandbox")]

use std::cell::RefCell;
use std::rc::Rc;

use neuroscript_language::engine::{
    EmitError, Ending, Engine, Invocation, Meter, Options, Output, Script, Value, emitted,
};

/// Collects what a script prints.
struct Lines(Rc<RefCell<String>>);

impl Output for Lines {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.0.borrow_mut().push_str(&emitted(values, meter)?);
        Ok(())
    }

    fn warn(&mut self, text: &str) {
        panic!("{text}");
    }
}

#[test]
fn project_memory_says_that_it_is_missing() {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let (sandbox, state) = (directory.path().join("sandbox"), directory.path().join("state"));
    std::fs::create_dir(&sandbox).expect("a directory");
    let options = Options { sandbox: Some(sandbox), state: Some(state), ..Options::default() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("{:?}", error.findings));
    let text = r#"
CALL MEMORY.Set("key", 1)
EMIT MEMORY.Get("key")
ON ERROR AS err DO
  EMIT err.code, ": ", err.message
  CLEAR_ERROR
END
CALL MEMORY.Set("key", 1, "project")
"#;
    let output = Rc::new(RefCell::new(String::new()));
    let script = Script::new("memory.ns", text);
    let outcome = engine.run(&script, &Invocation::default(), Box::new(Lines(output.clone())));
    assert_eq!(outcome.ending, Ending::Done, "{:?}", outcome.findings);
    assert_eq!(*output.borrow(), "1\nbad_args: this program was built without project memory\n");
}
