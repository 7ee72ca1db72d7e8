//! Checks of scripts in an empty sandbox.

use neuroscript::engine::{Checked, Engine, Options, Script};
use tempfile::TempDir;

/// An engine that checks scripts, with its sandbox.
pub struct Checker {
    engine: Engine,
    _directory: TempDir,
}

/// An error of a check.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: usize,
    /// The code and the message.
    pub message: String,
    /// The help, or an empty text.
    pub help: String,
}

impl Checker {
    pub fn new() -> Checker {
        let directory = tempfile::tempdir().expect("a directory for the test");
        let options = Options { sandbox: Some(directory.path().to_owned()), ..Options::default() };
        let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
        Checker { engine, _directory: directory }
    }

    pub fn check(&self, script: &str) -> Checked {
        self.engine.check(&Script::new("case.ns", script))
    }

    /// Returns the errors of a script.
    pub fn errors(&self, script: &str) -> Vec<Fault> {
        let checked = self.check(script);
        let errors = checked.findings.iter().filter(|finding| finding.is_error());
        errors
            .map(|finding| {
                let span = finding.span().expect("an error of a text has a place");
                let source = checked.sources.of(span).expect("the text is known");
                Fault {
                    line: source.position(span).line,
                    message: format!("{}: {}", finding.code.id(), finding.message),
                    help: finding.help.clone().unwrap_or_default(),
                }
            })
            .collect()
    }
}
