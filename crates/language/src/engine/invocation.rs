//! The invocation of a script: a procedure and its arguments, and how the list of runs shows it.

use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use crate::program::{Bound, Interface, Words};
use crate::text::{Diagnostic, shell_line, shell_word};
use crate::value::Map;
use crate::value::print::shortened;

use super::Script;

/// The name of a script that is given as code on the command line.
const CODE: &str = "<-e>";
/// Maximum number of characters of this code in the list of runs.
const CODE_CHARS: usize = 120;
/// Maximum number of characters of the arguments in the list of runs.
const WORDS_CHARS: usize = 200;

/// The procedure and arguments with which a script runs.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The procedure to run; `None` for the default entry point.
    pub procedure: Option<String>,
    /// The arguments.
    pub arguments: Arguments,
}

/// Arguments of a script.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// The words of a command line.
    Words(Words),
    /// Values by parameter name.
    Named(Rc<Map>),
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments::Words(Words::default())
    }
}

impl Invocation {
    /// Creates an invocation from the words of a command line.
    pub fn of_words(words: Words) -> Invocation {
        Invocation { procedure: None, arguments: Arguments::Words(words) }
    }

    /// Creates an invocation from words after `--`, which are taken verbatim.
    pub fn verbatim(words: &[String]) -> Invocation {
        Invocation::of_words(Words::verbatim(words))
    }

    /// Returns the invocation with another procedure.
    pub fn with_procedure(self, procedure: Option<&str>) -> Invocation {
        Invocation { procedure: procedure.map(str::to_owned), ..self }
    }

    /// Binds the arguments to the interface of a script.
    pub(super) fn bind(&self, interface: &Interface) -> Result<Bound, Vec<Diagnostic>> {
        match &self.arguments {
            Arguments::Words(words) => interface.bind(words),
            Arguments::Named(given) => interface.bind_named(given),
        }
    }

    /// Returns the command as the list of runs shows it: with the arguments, and with the lines of code given with
    /// `-e`.
    pub fn listed(&self, script: &Script, command: &str) -> String {
        let code = if script.name() == CODE { code_in_one_line(script) } else { None };
        let mut listed = match code {
            Some(code) => format!("ns run -e {}", shell_word(&shortened(&code, CODE_CHARS))),
            None => command.to_owned(),
        };
        if let Arguments::Words(words) = &self.arguments
            && !words.all().is_empty()
        {
            listed.push(' ');
            listed.push_str(&shell_line(words.all(), WORDS_CHARS));
        }
        listed
    }

    /// Returns the beginning of an equivalent command line: `ns tidy.ns`.
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

/// Returns the command that runs a script: with its path from the sandbox root, or its absolute path outside of that.
pub(super) fn command_of(script: &Script, root: &Path) -> String {
    let name = script.name();
    // Texts that are no files, such as standard input, have names in `<…>`.
    if name.starts_with('<') {
        return format!("ns run {name}");
    }
    let path = std::path::absolute(name).map_or_else(|_| PathBuf::from(name), |path| lexical(&path));
    format!("ns run {}", shell_word(&path.strip_prefix(root).unwrap_or(&path).display().to_string()))
}

/// Removes `..` with the name before it, for display only: a link before `..` leads elsewhere.
fn lexical(path: &Path) -> PathBuf {
    let mut shown = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(shown.pop()),
            component => shown.push(component),
        }
    }
    shown
}

/// Returns the lines of a script that are neither blank nor comments, joined by `; `; its first line if there are none.
fn code_in_one_line(script: &Script) -> Option<String> {
    let lines = || script.text().into_iter().flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty());
    let code: Vec<&str> = lines().filter(|line| !line.starts_with('#')).take(CODE_CHARS).collect();
    if code.is_empty() { lines().next().map(str::to_owned) } else { Some(code.join("; ")) }
}
