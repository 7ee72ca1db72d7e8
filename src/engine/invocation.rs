//! What a script is run with: a procedure, and the arguments for it.

use std::rc::Rc;

use crate::program::{Bound, Interface, Words};
use crate::text::{Diagnostic, shell_line, shell_word};
use crate::value::Map;
use crate::value::print::shortened;

use super::Script;

/// The name of a script that is given as code on the command line.
const CODE: &str = "<-e>";
/// The most characters of such code that the list of runs shows.
const CODE_CHARS: usize = 60;
/// The most characters of the words of a script that it shows.
const WORDS_CHARS: usize = 200;

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

    /// The command as the list of runs shows it: with the words that the script is given, and with the first line of
    /// code that is no file.
    pub fn listed(&self, script: &Script, command: &str) -> String {
        let mut listed = match script.first_line() {
            Some(line) if script.name() == CODE => format!("ns run -e {}", shell_word(&shortened(line, CODE_CHARS))),
            _ => command.to_owned(),
        };
        if let Arguments::Words(words) = &self.arguments
            && !words.all().is_empty()
        {
            listed.push(' ');
            listed.push_str(&shell_line(words.all(), WORDS_CHARS));
        }
        listed
    }

    /// How a command line begins that does the same: `ns tidy.ns`.
    pub fn command(&self, script: &Script) -> String {
        let file = match script.name() {
            CODE => "-e CODE",
            "<stdin>" => "-",
            name => name,
        };
        match &self.procedure {
            Some(procedure) => format!("ns {file} --proc {procedure}"),
            None => format!("ns {file}"),
        }
    }
}
