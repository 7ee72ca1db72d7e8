//! A build without the feature `project-memory`: session memory works, and project memory says that it is missing.

#![cfg(not(feature = "project-memory"))]
#![allow(clippy::disallowed_methods, reason = "the test makes its own sandbox")]

mod support;

use neuroscript_language::engine::{Ending, Engine, Invocation, Options, Script};
use support::Lines;

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
    let output = Lines::default();
    let script = Script::new("memory.ns", text);
    let outcome = engine.run(&script, &Invocation::default(), Box::new(output.clone()));
    assert_eq!(outcome.ending, Ending::Done, "{:?}", outcome.findings);
    assert_eq!(output.text(), "1\nbad_args: this program was built without project memory\n");
}
