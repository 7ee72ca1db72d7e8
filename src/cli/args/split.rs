//! Which words of a command line are `ns`'s, and which those of the script that it runs.
//!
//! One rule for `ns FILE …`, `ns run FILE …` and `ns -e CODE …`: options of `ns` are its own before and after the
//! file, up to `--`; every other word after the file is the script's, and all words after `--`. Whether the script
//! takes them is for the engine to say.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, stdin};
use std::mem::ManuallyDrop;
use std::path::Path;

use clap::Args;

use crate::engine::{Words, is_option};
use crate::text::nearest;

use super::super::nearest_file::nearest_file;
use super::{Global, Refusal, RunArgs};

/// A command line that was taken apart.
pub enum Line {
    /// One that runs a script.
    Run(RunLine),
    /// One of another command, or that asks `ns` itself for help.
    Other,
}

/// A command line that runs a script.
#[derive(Debug, Default)]
pub struct RunLine {
    /// The options of `ns run`.
    pub own: Vec<OsString>,
    /// The file.
    pub file: Option<OsString>,
    /// What the script takes.
    pub words: Words,
    /// Whether the script's usage is asked for.
    pub asks_help: bool,
}

impl RunLine {
    /// The value of `-e`, as far as it was typed.
    pub fn code(&self) -> Option<String> {
        self.value_of(&["--eval", "-e"])
    }

    /// The value of `--proc`, as far as it was typed.
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

/// The options of `ns run`, those that every command takes among them.
pub struct RunOptions {
    declared: ManuallyDrop<clap::Command>,
    commands: Vec<String>,
}

/// What a word is.
enum Word<'c> {
    /// `--`
    End,
    /// An option of `ns run`; whether the next word is its value.
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
    /// The options that are declared, beside all commands.
    pub fn of(all: &clap::Command) -> RunOptions {
        let commands = all.get_subcommands().map(clap::Command::get_name).chain(["help"]).map(str::to_owned);
        let declared = RunArgs::augment_args(Global::augment_args(clap::Command::new("run")));
        RunOptions { declared: ManuallyDrop::new(declared), commands: commands.collect() }
    }

    fn options(&self) -> impl Iterator<Item = &clap::Arg> {
        self.declared.get_arguments().filter(|option| !option.is_positional())
    }

    /// All long names, those that mean the same too.
    pub fn names(&self) -> Vec<&str> {
        let names = self.options().flat_map(|option| option.get_long_and_visible_aliases().unwrap_or_default());
        names.chain(["help", "version"]).collect()
    }

    /// Takes a command line apart; the first word is the program.
    ///
    /// # Errors
    /// A word before the file that is no option of `ns`, no command and no file; a word of the script that is no text.
    pub fn split(&self, words: &[OsString]) -> Result<Line, Refusal> {
        let mut splitter = Splitter { options: self, words, at: 1, is_run: false, line: RunLine::default() };
        let Some(is_found) = splitter.before_file()? else { return Ok(Line::Other) };
        if is_found {
            splitter.after_file()?;
        }
        Ok(Line::Run(splitter.line))
    }

    /// All long options with what they do.
    pub fn described(&self) -> Vec<(String, String)> {
        let what = |option: &clap::Arg| option.get_help().map(ToString::to_string).unwrap_or_default();
        let shown = self.options().filter(|option| !option.is_hide_set());
        shown.filter_map(|option| Some((format!("--{}", option.get_long()?), what(option)))).collect()
    }

    /// The values of an option whose value is the next word, where they are few; none for any other word.
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
    /// Whether the command `run` was named.
    is_run: bool,
    line: RunLine,
}

impl<'s> Splitter<'s> {
    fn next(&mut self) -> Option<&'s OsString> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    /// Goes through the words before the file, and the file. Says whether there is one, or code in its place; none
    /// where another command is meant.
    fn before_file(&mut self) -> Result<Option<bool>, Refusal> {
        let mut of_run = None;
        while let Some(word) = self.next() {
            match self.options.classify(word) {
                Word::Own { option, takes_next } => {
                    let name = option.get_long().unwrap_or_default();
                    if !option.is_global_set() {
                        of_run.get_or_insert(word);
                    }
                    self.take(word, takes_next);
                    if name == "eval" {
                        return Ok(Some(true));
                    }
                }
                // The options before it are those of `run`, and so is the help.
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
            // That the file is missing is for the declaration of `run` to say.
            _ => Ok(self.is_run.then_some(false)),
        }
    }

    /// Goes through the words after the file.
    fn after_file(&mut self) -> Result<(), Refusal> {
        while let Some(word) = self.next() {
            match self.options.classify(word) {
                Word::Own { option, takes_next } => {
                    let text = word.to_string_lossy();
                    let long = text.strip_prefix("--").map(|name| name.split('=').next().unwrap_or(name).to_owned());
                    self.line.words.own.extend(long.or_else(|| option.get_long().map(str::to_owned)));
                    self.take(word, takes_next);
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

    /// Takes an option with its value. A word that is an option is no value; that it is missing is for the
    /// declaration to say.
    fn take(&mut self, word: &OsString, takes_next: bool) {
        self.line.own.push(word.clone());
        let value = self.words.get(self.at).filter(|value| !value.to_str().is_some_and(is_option));
        if takes_next && let Some(value) = value {
            self.at += 1;
            self.line.own.push(value.clone());
        }
    }

    /// Without a file the script comes from standard input, unless somebody sits there.
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
        // A name with an ending is that of a file.
        let near_command = Some(near_command).filter(|_| !name.contains(['.', '/'])).and_then(|near| near());
        let near_file = nearest_file(path);
        let help = match (near_file, near_command) {
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

/// Words as texts: one that is none would reach the script as another.
fn texts(words: &[OsString]) -> Result<Vec<String>, Refusal> {
    let text = |word: &OsString| {
        word.to_str().map(str::to_owned).ok_or_else(|| {
            Refusal::new(format!("`{}` is not UTF-8", word.to_string_lossy()), "scripts take texts in UTF-8".to_owned())
        })
    };
    words.iter().map(text).collect()
}
