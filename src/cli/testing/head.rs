//! What a script says in its head about how it is tested: lines of `# ns: test OPTIONS [-- ARGS]` among
//! the comments that it begins with.

use clap::Parser;

use super::super::args::Global;
use super::redact::Redaction;

/// The words before the options.
const MARK: &str = "ns: test";

/// The options of a case.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true, name = "# ns: test")]
pub struct Head {
    #[command(flatten)]
    pub global: Global,
    /// Take back everything when the script fails
    #[arg(long)]
    pub atomic: bool,
    /// The procedure to run
    #[arg(long = "proc", value_name = "NAME")]
    pub procedure: Option<String>,
    /// What is shown as `[NAME]` wherever it stands
    #[arg(long = "redact", value_name = "NAME[=REGEX]")]
    pub redactions: Vec<Redaction>,
    /// What the script finds in ARGS
    #[arg(last = true)]
    pub args: Vec<String>,
}

impl Head {
    /// Reads the head of a script.
    pub fn of(script: &str) -> Result<Head, String> {
        let mut words = Vec::new();
        for line in script.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(['#', ':'])) {
            let comment = line.trim_start_matches('#').trim_start();
            if let Some(rest) = comment.strip_prefix(MARK) {
                words.extend(split(rest)?);
            }
        }
        let head = Head::try_parse_from(words).map_err(|error| first_line(&error))?;
        match head.global.sandbox {
            Some(_) => Err("a case has a sandbox of its own; `--sandbox` is none of its options".to_owned()),
            None => Ok(head),
        }
    }
}

/// The message of a refusal, without the usage.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    format!("`# ns: test`: {}", line.strip_prefix("error: ").unwrap_or(line))
}

/// Words as a shell parts them: by spaces, unless quotes hold them together.
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
