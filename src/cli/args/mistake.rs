//! Mistakes in the command line that the declarations find, in the words and the form of all other errors.

use std::error::Error as _;
use std::num::{IntErrorKind, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::text::nearest;

/// A message and what to do.
pub struct Mistake {
    /// The message.
    pub message: String,
    /// The help.
    pub help: String,
}

/// Describes an error of the declarations `all`; `path` are the words of the command. Returns `None` for requests and for
/// errors that have no form of their own.
pub fn describe(error: &clap::Error, mut all: clap::Command, path: &[String]) -> Option<Mistake> {
    all.build();
    let command = path.iter().try_fold(&all, |command, name| command.find_subcommand(name)).unwrap_or(&all);
    let name = std::iter::once("ns").chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let line = Line { error, all: &all, command, name };
    match error.kind() {
        ErrorKind::UnknownArgument => line.unknown(),
        ErrorKind::InvalidSubcommand => line.no_command(),
        ErrorKind::InvalidValue if line.first(ContextKind::InvalidValue)?.is_empty() => line.no_value(),
        ErrorKind::InvalidValue => line.no_such_value(),
        ErrorKind::ValueValidation => line.wrong_value(),
        ErrorKind::MissingRequiredArgument => line.missing(),
        ErrorKind::TooManyValues => line.needless_value(),
        ErrorKind::ArgumentConflict => line.conflict(),
        _ => None,
    }
}

/// A command line with a mistake.
struct Line<'a> {
    error: &'a clap::Error,
    all: &'a clap::Command,
    command: &'a clap::Command,
    /// The command as it is written: `ns memory list`.
    name: String,
}

impl Line<'_> {
    fn all(&self, kind: ContextKind) -> Option<Vec<String>> {
        match self.error.get(kind)? {
            ContextValue::String(text) => Some(vec![text.clone()]),
            ContextValue::Strings(texts) => Some(texts.clone()),
            _ => None,
        }
    }

    fn first(&self, kind: ContextKind) -> Option<String> {
        self.all(kind)?.into_iter().next()
    }

    fn more(&self, of: &str) -> String {
        format!("`{} --help` {of}", self.name)
    }

    fn unknown(&self) -> Option<Mistake> {
        let given = self.first(ContextKind::InvalidArg)?;
        let Some(option) = given.strip_prefix("--") else {
            let is_number = given.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let help = if is_number {
                format!("a value that begins with `-` is joined to its option: `--option={given}`")
            } else if let Some(option) = self.option_with_value(&given) {
                format!("the value is joined to its option: `--{option}={given}`")
            } else {
                self.more("shows what it takes")
            };
            let what = if given.starts_with('-') { "has no option" } else { "takes no word" };
            return Some(Mistake { message: format!("`{}` {what} `{given}`", self.name), help });
        };
        let option = option.split('=').next().unwrap_or(option);
        let help = match nearest(option, long_options(self.command)) {
            Some(near) => format!("did you mean `--{near}`?"),
            None if self.is_of_run(option) => format!("`--{option}` is an option of `ns run` and `ns FILE`"),
            None => self.more("lists its options"),
        };
        Some(Mistake { message: format!("`{}` has no option `--{option}`", self.name), help })
    }

    /// Returns the option whose value can only follow `=` and may be this word.
    fn option_with_value(&self, word: &str) -> Option<&str> {
        let takes = |option: &&clap::Arg| {
            option.is_require_equals_set() && option.get_possible_values().iter().any(|value| value.get_name() == word)
        };
        self.command.get_arguments().find(takes)?.get_long()
    }

    fn is_of_run(&self, option: &str) -> bool {
        self.all.find_subcommand("run").is_some_and(|run| long_options(run).any(|known| known == option))
    }

    fn no_command(&self) -> Option<Mistake> {
        let given = self.first(ContextKind::InvalidSubcommand)?;
        let near = nearest(&given, self.command.get_subcommands().map(clap::Command::get_name));
        let help = near.map(|near| format!("did you mean `{} {near}`?", self.name));
        let message = format!("`{}` has no command `{given}`", self.name);
        Some(Mistake { message, help: help.unwrap_or_else(|| self.more("lists them")) })
    }

    fn no_value(&self) -> Option<Mistake> {
        let option = self.first(ContextKind::InvalidArg)?;
        let help = self.values().unwrap_or_else(|| self.more("shows what it takes"));
        Some(Mistake { message: format!("`{option}` has no value"), help })
    }

    fn needless_value(&self) -> Option<Mistake> {
        let (option, given) = (self.first(ContextKind::InvalidArg)?, self.first(ContextKind::InvalidValue)?);
        let message = format!("`{option}` takes no value `{given}`");
        Some(Mistake { message, help: self.more("shows what it takes") })
    }

    fn no_such_value(&self) -> Option<Mistake> {
        let (option, given) = (self.first(ContextKind::InvalidArg)?, self.first(ContextKind::InvalidValue)?);
        let valid = self.all(ContextKind::ValidValue).unwrap_or_default();
        let near = nearest(&given, valid.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`? "));
        let help = self.values().map(|values| near.unwrap_or_default() + &values);
        let message = format!("`{given}` is no value of `{option}`");
        Some(Mistake { message, help: help.unwrap_or_else(|| self.more("shows what it takes")) })
    }

    /// Returns the help that lists the values of an option.
    fn values(&self) -> Option<String> {
        let values = self.all(ContextKind::ValidValue).filter(|values| !values.is_empty())?;
        let quoted: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        Some(format!("the values are {}", quoted.join(", ")))
    }

    fn wrong_value(&self) -> Option<Mistake> {
        let (option, given) = (self.first(ContextKind::InvalidArg)?, self.first(ContextKind::InvalidValue)?);
        let source = self.error.source();
        let reason = match source.map(|source| (source.downcast_ref().map(ParseIntError::kind), source.to_string())) {
            Some((Some(IntErrorKind::InvalidDigit | IntErrorKind::Empty), _)) => ": it is no whole number".to_owned(),
            Some((Some(_), _)) => ": it is too large".to_owned(),
            Some((_, reason)) => match reason.split_once(" is not in ") {
                Some((_, range)) => format!(": {}", bounds(range)),
                None => format!(": {reason}"),
            },
            None => String::new(),
        };
        let message = format!("`{given}` is no value of `{option}`{reason}");
        Some(Mistake { message, help: self.more("shows what it takes") })
    }

    fn missing(&self) -> Option<Mistake> {
        let missing: Vec<String> = self.all(ContextKind::InvalidArg)?.iter().map(|name| format!("`{name}`")).collect();
        let usage = match self.error.get(ContextKind::Usage) {
            Some(ContextValue::StyledStr(usage)) => usage.to_string(),
            _ => String::new(),
        };
        let usage = usage.lines().next().and_then(|usage| usage.trim().strip_prefix("Usage: ")).unwrap_or(&self.name);
        let message = format!("`{}` needs {}", self.name, missing.join(" and "));
        Some(Mistake { message, help: format!("write `{usage}`; {}", self.more("says more")) })
    }

    fn conflict(&self) -> Option<Mistake> {
        let (one, other) = (self.first(ContextKind::InvalidArg)?, self.first(ContextKind::PriorArg)?);
        let message = if one == other {
            format!("`{one}` is given twice")
        } else {
            format!("`{one}` and `{other}` exclude each other")
        };
        Some(Mistake { message, help: "leave one of them out".to_owned() })
    }
}

/// Returns the long names of the options of a command.
fn long_options(command: &clap::Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long)
}

/// Describes a range such as `1..=65535`.
fn bounds(range: &str) -> String {
    let (least, most) = range.split_once("..").unwrap_or((range, ""));
    let most = most.trim_start_matches('=');
    if most.is_empty() || most == u64::MAX.to_string() {
        format!("it must be at least {least}")
    } else {
        format!("it must be from {least} to {most}")
    }
}
