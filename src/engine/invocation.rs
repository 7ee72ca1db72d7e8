//! What a script is run with: a procedure, and the arguments for it.

use std::rc::Rc;

use crate::program::{Bound, Interface, Words};
use crate::text::Diagnostic;
use crate::value::Map;

use super::Script;

/// What a script is run with.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The procedure to run; where the run begins by itself when left out.
    pub procedure: Option<String>,
    /// The arguments.
    pub arguments: Arguments,
}

/// Arguments of a script.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// The words of a command line.
    Words(Words),
    /// Values by the names of parameters.
    Named(Rc<Map>),
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments::Words(Words::default())
    }
}

impl Invocation {
    /// The words of a command line.
    pub fn of_words(words: Words) -> Invocation {
        Invocation { procedure: None, arguments: Arguments::Words(words) }
    }

    /// Words as they stand after `--`.
    pub fn verbatim(words: &[String]) -> Invocation {
        Invocation::of_words(Words::verbatim(words))
    }

    /// The same with another procedure.
    pub fn with_procedure(self, procedure: Option<&str>) -> Invocation {
        Invocation { procedure: procedure.map(str::to_owned), ..self }
    }

    /// The values for a script.
    pub(super) fn bind(&self, interface: &Interface) -> Result<Bound, Vec<Diagnostic>> {
        match &self.arguments {
            Arguments::Words(words) => interface.bind(words),
            Arguments::Named(given) => interface.bind_named(given),
        }
    }

    /// How a command line begins that does the same: `ns tidy.ns`.
    pub fn command(&self, script: &Script) -> String {
        let file = match script.name() {
            "<-e>" => "-e CODE",
            "<stdin>" => "-",
            name => name,
        };
        match &self.procedure {
            Some(procedure) => format!("ns {file} --proc {procedure}"),
            None => format!("ns {file}"),
        }
    }
}
