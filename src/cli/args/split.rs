//! Splits the words of a command line between `ns` and the script that it runs.
//!
//! One rule applies to `ns FILE …`, `ns run FILE …` and `ns -e CODE …`: options of `ns` belong to `ns` before and after
//! the file, up to `--`; every other word after the file, and all words after `--`, belong to the script. The engine
//! decides whether the script accepts them.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, stdin};
use std::mem::ManuallyDrop;
use std::path::Path;

use clap::Args;

use crate::engine::{Words, is_option};
use crate::manual::commands::{elsewhere, instead_of};
use crate::terminal::nearest_file::ScriptsBeside;
use crate::text::nearest;

use super::{Global, Refusal, RunArgs};

/// A command line after splitting.
pub enum Line {
    /// Runs a script.
    Run(RunLine),
    /// Runs another command, or requests help for `ns` itself.
    Other,
}

/// A command line that runs a script.
#[derive(Debug, Default)]
pub struct RunLine {
    /// The options of `ns run`.
    pub own: Vec<OsString>,
    /// The file.
    pub file: Option<OsString>,
    /// The words for the script.
    pub words: Words,
    /// Whether it requests the usage of the script.
    pub asks_help: bool,
}

impl RunLine {
    /// Returns the value of `-e`, if present.
    pub fn code(&self) -> Option<String> {
        self.value_of(&["--eval", "-e"])
    }

    /// Returns the value of `--proc`, if present.
    pub fn procedure(&self) -> Option<String> {
        self.value_of(&["--proc"])
    }

    fn value_of(&self, names: &[&str]) -> Option<String> {
        let mut words = self.own.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            let (name, value) = word.split_once('=').map_or((&*word, None), |(name, value)| (name, Some(value)));
            if names.contains(&name) {
                return value.map(str::to_owned).or_else(|| words.next().map(|value| value.into_owned()));
            }
        }
        None
    }
}

/// The options of `ns run`, including those common to all commands.
pub struct RunOptions {
    declared: ManuallyDrop<clap::Command>,
    commands: Vec<String>,
}

/// The kind of a word.
enum Word<'c> {
    /// `--`
    End,
    /// An option of `ns run`, and whether the next word is its value.
    Own {
        option: &'c clap::Arg,
        takes_next: bool,
    },
    Help,
    Version,
    /// An option that `ns run` does not have.
    Unknown,
    Plain,
}

impl RunOptions {
    /// Declares the options and collects the names of all commands.
    pub fn of(all: &clap::Command) -> RunOptions {
        let commands = all.get_subcommands().map(clap::Command::get_name).chain(["help"]).map(str::to_owned);
        let declared = RunArgs::augment_args(Global::augment_args(clap::Command::new("run")));
        RunOptions { declared: ManuallyDrop::new(declared), commands: commands.collect() }
    }

    fn options(&self) -> impl Iterator<Item = &clap::Arg> {
        self.declared.get_arguments().filter(|option| !option.is_positional())
    }

    /// Returns all long names, including aliases.
    pub fn names(&self) -> Vec<&str> {
        let names = self.options().flat_map(|option| option.get_long_and_visible_aliases().unwrap_or_default());
        names.chain(["help", "version"]).collect()
    }

    /// Splits a command line whose first word is the program.
    ///
    /// # Errors
    /// Refuses a word before the file that is not an option of `ns`, a command or a file, and a word for the script
    /// that is not UTF-8.
    pub fn split(&self, words: &[OsString]) -> Result<Line, Refusal> {
        let mut splitter = Splitter { options: self, words, at: 1, is_run: false, line: RunLine::default() };
        let Some(is_found) = splitter.before_file()? else { return Ok(Line::Other) };
        if is_found {
            splitter.after_file()?;
        }
        Ok(Line::Run(splitter.line))
    }

    /// Returns all visible long options with their descriptions.
    pub fn described(&self) -> Vec<(String, String)> {
        let what = |option: &clap::Arg| option.get_help().map(ToString::to_string).unwrap_or_default();
        let shown = self.options().filter(|option| !option.is_hide_set());
        shown.filter_map(|option| Some((format!("--{}", option.get_long()?), what(option)))).collect()
    }

    /// Returns the values of an option whose value is the next word, which are empty if any value is possible. Returns
    /// `None` for other words.
    pub fn values(&self, word: &str) -> Option<Vec<String>> {
        match self.classify(OsStr::new(word)) {
            Word::Own { option, takes_next: true } => {
                Some(option.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect())
            }
            _ => None,
        }
    }

    fn classify(&self, word: &OsStr) -> Word<'_> {
        let Some(word) = word.to_str() else { return Word::Plain };
        match word {
            "--" => Word::End,
            "--help" | "-h" => Word::Help,
            "--version" | "-V" => Word::Version,
            _ if !is_option(word) => Word::Plain,
            _ => match word.strip_prefix("--") {
                Some(long) => self.long(long),
                None => self.short(&word[1..]),
            },
        }
    }

    fn long(&self, word: &str) -> Word<'_> {
        let (name, has_value) = word.split_once('=').map_or((word, false), |(name, _)| (name, true));
        let has_name =
            |option: &&clap::Arg| option.get_long_and_visible_aliases().is_some_and(|names| names.contains(&name));
        match self.options().find(has_name) {
            Some(option) => Word::Own { option, takes_next: !has_value && takes_next(option) },
            None => Word::Unknown,
        }
    }

    /// `-v`, `-e`, `-eCODE`, `-ve`
    fn short(&self, letters: &str) -> Word<'_> {
        let mut letters = letters.chars();
        loop {
            let Some(letter) = letters.next() else { return Word::Unknown };
            let Some(option) = self.options().find(|option| option.get_short() == Some(letter)) else {
                return Word::Unknown;
            };
            if option.get_action().takes_values() || letters.as_str().is_empty() {
                return Word::Own { option, takes_next: letters.as_str().is_empty() && takes_next(option) };
            }
        }
    }
}

fn takes_next(option: &clap::Arg) -> bool {
    option.get_action().takes_values() && !option.is_require_equals_set()
}

struct Splitter<'s> {
    options: &'s RunOptions,
    words: &'s [OsString],
    at: usize,
    /// Whether the command `run` was given explicitly.
    is_run: bool,
    line: RunLine,
}

impl<'s> Splitter<'s> {
    fn next(&mut self) -> Option<&'s OsString> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    /// Processes the words before the file, and the file. Returns whether there is a file or code, or `None` if the
    /// line belongs to another command.
    fn before_file(&mut self) -> Result<Option<bool>, Refusal> {
        let mut of_run = None;
        while let Some(word) = self.next() {
            match self.options.classify(word) {
                Word::Own { option, takes_next } => {
                    let name = option.get_long().unwrap_or_default();
                    if !option.is_global_set() {
                        of_run.get_or_insert(word);
                    }
                    self.take(word, option, takes_next)?;
                    if name == "eval" {
                        return Ok(Some(true));
                    }
                }
                // The preceding options belong to `run`, so the help does too.
                Word::Help if of_run.is_some() => {
                    self.line.own.push(word.clone());
                    return Ok(Some(false));
                }
                Word::Help | Word::Version => return Ok(None),
                Word::Unknown => return Err(self.unknown_option(word)),
                Word::End => match self.next() {
                    Some(file) => {
                        self.line.file = Some(file.clone());
                        let rest = &self.words[self.at..];
                        self.at = self.words.len();
                        self.line.words.after = texts(rest)?;
                        return Ok(Some(true));
                    }
                    None => break,
                },
                Word::Plain if !self.is_run && word == "run" => self.is_run = true,
                Word::Plain if !self.is_run && self.is_command(word) => match of_run {
                    Some(option) => return Err(not_for(option, word)),
                    None => return Ok(None),
                },
                Word::Plain => {
                    if !self.is_run {
                        self.demand_file(word)?;
                    }
                    self.line.file = Some(word.clone());
                    return Ok(Some(true));
                }
            }
        }
        match of_run {
            Some(option) if !self.is_run => self.take_input(option).map(|()| Some(false)),
            // The declaration of `run` reports the missing file.
            _ => Ok(self.is_run.then_some(false)),
        }
    }

    /// Processes the words after the file.
    fn after_file(&mut self) -> Result<(), Refusal> {
        while let Some(word) = self.next() {
            match self.options.classify(word) {
                Word::Own { option, takes_next } => {
                    // A script has no short options, so those are certainly meant for `ns`.
                    let text = word.to_string_lossy();
                    let long = text.strip_prefix("--").map(|name| name.split('=').next().unwrap_or(name).to_owned());
                    self.line.words.own.extend(long);
                    self.take(word, option, takes_next)?;
                }
                Word::Help => self.line.asks_help = true,
                Word::Version | Word::Unknown | Word::Plain => {
                    self.line.words.before.extend(texts(std::slice::from_ref(word))?)
                }
                Word::End => {
                    let rest = &self.words[self.at..];
                    self.at = self.words.len();
                    self.line.words.after = texts(rest)?;
                }
            }
        }
        Ok(())
    }

    /// Takes an option with its value. Another option is never taken as the value; the declaration then reports that it
    /// is missing.
    ///
    /// # Errors
    /// Refuses a next word that reads like the value of an option whose value does not stand apart: `--plan json`.
    fn take(&mut self, word: &OsString, option: &clap::Arg, takes_next: bool) -> Result<(), Refusal> {
        self.line.own.push(word.clone());
        let value = self.words.get(self.at).filter(|value| !value.to_str().is_some_and(is_option));
        if let Some(value) =
            value.and_then(|value| value.to_str()).filter(|value| reads_like_value(word, option, value))
        {
            return Err(stands_apart(&word.to_string_lossy(), option, value));
        }
        if takes_next && let Some(value) = value {
            self.at += 1;
            self.line.own.push(value.clone());
        }
        Ok(())
    }

    /// Without a file, the script comes from standard input, unless that is a terminal.
    fn take_input(&mut self, option: &OsString) -> Result<(), Refusal> {
        if stdin().is_terminal() {
            let option = option.to_string_lossy();
            return Err(Refusal::new(
                format!("`{option}` needs a script to run"),
                format!("name one: `ns {option} FILE`"),
            ));
        }
        self.line.file = Some("-".into());
        Ok(())
    }

    fn is_command(&self, word: &OsStr) -> bool {
        word.to_str().is_some_and(|word| self.options.commands.iter().any(|command| command == word))
    }

    fn demand_file(&self, word: &OsStr) -> Result<(), Refusal> {
        let path = Path::new(word);
        if path.exists() || word == "-" {
            return Ok(());
        }
        let name = word.to_string_lossy();
        let near_command = || nearest(&name, self.options.commands.iter().map(String::as_str));
        // A name with an extension is meant as a file.
        let near_command = Some(near_command).filter(|_| !name.contains(['.', '/'])).and_then(|near| near());
        let near_file = ScriptsBeside::of(path).nearest();
        // The beginning of a command is that command, unless it is the whole name of another one: `ls`.
        let is_cut = near_command.is_some_and(|near| near.starts_with(&*name)) && elsewhere(&name).is_none();
        let foreign = instead_of(&name).filter(|_| !is_cut);
        let help = match (near_file, near_command) {
            (Some(file), _) if foreign.is_some() => {
                format!("did you mean `{file}`? If not: {}", foreign.unwrap_or_default())
            }
            (None, _) if foreign.is_some() => foreign.unwrap_or_default(),
            (Some(file), Some(near)) if file != format!("{name}.ns") => {
                format!("did you mean `ns {near}` or `ns {file}`?")
            }
            (Some(file), _) => format!("did you mean `{file}`?"),
            (None, Some(near)) => format!("did you mean `ns {near}`?"),
            (None, None) => "`ns --help` lists the commands".to_owned(),
        };
        Err(Refusal::new(format!("there is no command or file `{name}`"), help))
    }

    fn unknown_option(&self, word: &OsStr) -> Refusal {
        let word = word.to_string_lossy();
        let name = word.split('=').next().unwrap_or(&word);
        let near = nearest(name.trim_start_matches('-'), self.options.names());
        let help = match near {
            Some(near) => format!("did you mean `--{near}`?"),
            None if name == "-c" => "`-e CODE` runs code from the command line".to_owned(),
            None => "`ns run --help` lists the options; those of a script come after its file".to_owned(),
        };
        Refusal::new(format!("`ns` has no option `{name}`"), help)
    }
}

fn not_for(option: &OsStr, command: &OsStr) -> Refusal {
    let (option, command) = (option.to_string_lossy(), command.to_string_lossy());
    Refusal::new(
        format!("`{option}` is an option of `ns run`, not of `ns {command}`"),
        format!("`ns {command} --help` lists the options of `ns {command}`"),
    )
}

/// Returns whether the word after an option could be taken for its value, although it is none: a form after `--plan`,
/// or `false` after an option that is on or off.
fn reads_like_value(word: &OsStr, option: &clap::Arg, next: &str) -> bool {
    let has_value = word.to_string_lossy().contains('=');
    if !option.get_action().takes_values() {
        return matches!(next, "true" | "false");
    }
    let is_form = |value: &clap::builder::PossibleValue| value.matches(next, true);
    option.is_require_equals_set() && !has_value && option.get_possible_values().iter().any(is_form)
}

fn stands_apart(word: &str, option: &clap::Arg, next: &str) -> Refusal {
    let instead = if option.get_action().takes_values() {
        format!("write `{word}={next}`")
    } else {
        format!("`{word}` alone turns it on; leave `{next}` out")
    };
    Refusal::new(
        format!("`{next}` is not read as the value of `{word}`: it stands apart"),
        format!("{instead}; as a word for the script, `{next}` stands behind `--`, and as a file it is `./{next}`"),
    )
}

/// Converts words to UTF-8 text. A lossy conversion would pass a different word to the script.
fn texts(words: &[OsString]) -> Result<Vec<String>, Refusal> {
    let text = |word: &OsString| {
        word.to_str().map(str::to_owned).ok_or_else(|| {
            Refusal::new(format!("`{}` is not UTF-8", word.to_string_lossy()), "scripts take texts in UTF-8".to_owned())
        })
    };
    words.iter().map(text).collect()
}
