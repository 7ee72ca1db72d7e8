//! The test options in the head of a script: lines of `# ns: test OPTIONS [-- ARGS]` among its leading comments. The
//! head is foreign input: it can lower limits and choose harmless settings, and can name policies and libraries only in
//! the directory of the tests.

use std::time::Duration;

use clap::Parser;

use crate::engine::{Jobs, Limits};
use crate::options::Global;

use super::process::TIMEOUT;
use super::redact::Redaction;

/// The marker before the options.
const MARK: &str = "ns: test";

/// The options of a case.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true, name = "# ns: test")]
pub struct Head {
    #[command(flatten)]
    pub global: Global,
    /// Whether to roll back all changes if the script fails.
    #[arg(long)]
    pub atomic: bool,
    /// The procedure to run.
    #[arg(long = "proc", value_name = "NAME")]
    pub procedure: Option<String>,
    /// Redactions, whose matches are replaced by `[NAME]`.
    #[arg(long = "redact", value_name = "NAME[=REGEX]")]
    pub redactions: Vec<Redaction>,
    /// The arguments in ARGS.
    #[arg(last = true)]
    pub args: Vec<String>,
    /// The words of each line of the head, preceded by the line number.
    #[arg(skip)]
    lines: Vec<(usize, Vec<String>)>,
}

/// Checks the `# ns: test` lines of a script.
///
/// # Errors
/// Returns the line number, counted from 1, and a message.
pub fn check_head(script: &str) -> Result<(), (usize, String)> {
    Head::of(script).map(drop)
}

impl Head {
    /// Parses the head of a script. An error carries the line number.
    pub fn of(script: &str) -> Result<Head, (usize, String)> {
        let mut words = Vec::new();
        let mut head = Head::parse(&words).map_err(|message| (1, message))?;
        let lines = script.lines().map(str::trim).enumerate();
        for (number, line) in lines.take_while(|(_, line)| line.is_empty() || line.starts_with(['#', ':'])) {
            let comment = line.trim_start_matches('#').trim_start();
            let Some(rest) = comment.strip_prefix(MARK) else { continue };
            let at_line = |message: String| (number + 1, message);
            let more = split(rest).map_err(at_line)?;
            words.extend(more.iter().cloned());
            let mut lines = std::mem::take(&mut head.lines);
            lines.push((number + 1, more));
            head = Head { lines, ..Head::parse(&words).map_err(at_line)? };
        }
        Ok(head)
    }

    /// Returns the line number of an option.
    pub fn line_of(&self, option: &str) -> usize {
        let has = |words: &[String]| words.iter().any(|word| word.split('=').next() == Some(option));
        self.lines.iter().find(|(_, words)| has(words)).map_or(1, |(number, _)| *number)
    }

    fn parse(words: &[String]) -> Result<Head, String> {
        let head = Head::try_parse_from(words).map_err(|error| first_line(&error))?;
        match (head.global.sandbox(), &head.global.case_policy) {
            (Some(_), _) => Err("a case has a sandbox of its own; `--sandbox` is none of its options".to_owned()),
            (_, Some(_)) => Err("`--case-policy` is no option of a head; write `--policy`".to_owned()),
            (None, None) => Ok(head),
        }
    }

    /// Returns the effective options: those of the user, overridden by the head where it requests no more than they
    /// allow. The caller must handle policy and libraries.
    pub fn over(&self, users: &Global) -> Global {
        let lower = |head: Option<Duration>, user: Option<Duration>, built_in| match head {
            Some(head) => Some(head.min(user.unwrap_or(built_in))),
            None => user,
        };
        let head = Global { policy: None, libraries: Vec::new(), ..self.global.clone() };
        Global {
            max_steps: head
                .max_steps
                .map(|steps| steps.min(users.max_steps.unwrap_or(Limits::default().max_steps)))
                .or(users.max_steps),
            timeout: lower(head.timeout, users.timeout, TIMEOUT),
            // The user's number is that of cases which run beside each other.
            jobs: Some(head.jobs.unwrap_or(Jobs::ONE)),
            ..head.over(users)
        }
    }
}

/// Returns the message of an error without the usage.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    format!("`# ns: test`: {}", line.strip_prefix("error: ").unwrap_or(line))
}

/// Splits words like a shell: at white space outside of quotes.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(quote) => Err(format!("`# ns: test`: a {quote} is not closed")),
        None => Ok(words),
    }
}
