//! Completion of a line that runs a script: options of the script, options of `ns`, or files.
//!
//! The script is parsed, but not run.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;

use crate::engine::{Interface, Kind, Parameter, Role, Script, describe_script};
use crate::terminal::exit::Exit;
use crate::terminal::report::print;
use crate::terminal::script_file::read_quietly;

use super::typed::words_after_command;

use super::super::args::{Cli, Line, RunLine, RunOptions};

/// Candidates for the next word.
#[derive(Default)]
struct Candidates {
    /// Whether file names are possible.
    files: bool,
    /// Words with their descriptions.
    words: Vec<(String, String)>,
}

/// `ns complete-script -- WORDS`: completes the last of the words after `ns`. Fails if the line does not run a script,
/// or the script does not exist. Shells that hand over words with their quotes give the line instead.
pub fn complete_script(line: Option<&str>, words: &[OsString]) -> Exit {
    let of_line = line.map(words_after_command);
    match candidates(of_line.as_deref().unwrap_or(words)) {
        Some(candidates) => print(&display(&candidates)),
        None => Exit::Failed,
    }
}

/// Formats the output: `files` or `words`, then for each word a line with the word, a tab and its description.
fn display(candidates: &Candidates) -> String {
    let line = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let words = candidates.words.iter().map(|(word, text)| format!("{}\t{}\n", line(word), line(text)));
    format!("{}\n{}", if candidates.files { "files" } else { "words" }, words.collect::<String>())
}

fn candidates(words: &[OsString]) -> Option<Candidates> {
    let (current, before) = words.split_last()?;
    let command = Cli::command();
    let options = RunOptions::of(&command);
    let line: Vec<OsString> = std::iter::once("ns".into()).chain(before.iter().map(at_home)).collect();
    let Ok(Line::Run(line)) = options.split(&line) else { return None };
    let script = match (&line.file, line.code()) {
        (Some(file), _) => read_quietly(Path::new(file))?,
        (None, Some(code)) => Script::new("<-e>", code),
        (None, None) => return None,
    };
    let interface = describe_script(&script, line.procedure().as_deref()).interface.unwrap_or_default();
    let place = CompletionContext { options: &options, line: &line, interface: &interface };
    Some(place.candidates(before, &current.to_string_lossy()))
}

/// Expands `~/`, because the shell passes words as typed.
fn at_home(word: &OsString) -> OsString {
    let below = word.to_str().and_then(|word| word.strip_prefix("~/"));
    match (below, std::env::home_dir()) {
        (Some(below), Some(home)) => home.join(below).into(),
        _ => word.clone(),
    }
}

/// The position after the script in a line.
struct CompletionContext<'a> {
    options: &'a RunOptions,
    line: &'a RunLine,
    interface: &'a Interface,
}

impl CompletionContext<'_> {
    fn candidates(&self, before: &[OsString], current: &str) -> Candidates {
        let is_behind = before.iter().any(|word| word == "--");
        if let Some(previous) = before.last().and_then(|word| word.to_str()) {
            if let Some(values) = self.options.values(previous).filter(|_| !is_behind) {
                let files = values.is_empty();
                return Candidates { files, words: values.into_iter().map(|value| (value, String::new())).collect() };
            }
            if let Some(parameter) = self.parameter_of(previous) {
                return Candidates { files: parameter.can_be_file(), ..Candidates::default() };
            }
            if previous == "=" {
                return Candidates { files: true, ..Candidates::default() };
            }
        }
        let mut found = Candidates { files: !current.starts_with('-') && self.word_can_be_file(), words: Vec::new() };
        if current.is_empty() || current.starts_with('-') {
            found.words.extend(self.interface.parameters.iter().filter_map(|parameter| self.option(parameter)));
        }
        if current.starts_with('-') && !is_behind {
            found.words.extend(self.options.described());
        }
        found.words.retain(|(word, _)| word.starts_with(current));
        found
    }

    /// Returns the parameter whose option a word is, if its value is the next word.
    fn parameter_of(&self, word: &str) -> Option<&Parameter> {
        let name = word.strip_prefix("--")?.replace('-', "_");
        let parameters = self.interface.procedure.is_some().then_some(&self.interface.parameters)?;
        parameters.iter().find(|parameter| parameter.name == name && parameter.kind != Kind::Flag)
    }

    /// Returns whether the next plain word may name a file.
    fn word_can_be_file(&self) -> bool {
        self.interface.next_argument(&self.line.words).is_none_or(Parameter::can_be_file)
    }

    /// Returns the option of a parameter, unless it is given already and cannot be repeated.
    fn option(&self, parameter: &Parameter) -> Option<(String, String)> {
        if self.interface.procedure.is_none() || parameter.role != Role::Option {
            return None;
        }
        let option = format!("--{}", parameter.option_to_give());
        let words = self.line.words.before.iter().chain(&self.line.words.after);
        let is_given = words.map(|word| word.split('=').next().unwrap_or(word)).any(|word| word == option);
        let is_single = matches!(parameter.kind, Kind::Flag | Kind::One(_));
        (!is_given || !is_single).then(|| (option, parameter.documentation.clone().unwrap_or_default()))
    }
}
