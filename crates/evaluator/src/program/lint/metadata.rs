//! `:: key: value` lines that are probably meant to describe the script, but do not.
//!
//! Any other key is free: `:: author: …` means nothing to `ns`, and is no mistake.

use std::collections::HashSet;

use crate::program::interface::Interface;
use crate::syntax::ast::{Metadata, Tree};
use crate::text::{Code, Diagnostic, Edit, Span, edits};

use super::text::Text;

/// The keys that have an effect, without `arg NAME`.
const KEYS: [&str; 3] = ["description", "usage", "needs"];
/// The key of which every line has an effect.
const REPEATED: &str = "needs";
/// Words that other programs have for the description of a program.
const DESCRIPTIONS: [&str; 7] = ["desc", "descr", "about", "summary", "help", "purpose", "synopsis"];
/// Words that other programs have for `arg` in `arg NAME`.
const ARGS: [&str; 10] =
    ["args", "argument", "arguments", "param", "params", "parameter", "option", "opt", "flag", "switch"];
/// Number of words from which on a key is taken for a sentence.
const SENTENCE: usize = 3;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    let mut seen = HashSet::new();
    let procedure = Interface::of(text.tree, None, &mut Vec::new()).ok().and_then(|interface| interface.procedure);
    let known = Known::of(text.tree);
    for line in &text.tree.metadata {
        let meant = known.meant(line);
        let word = meant.as_ref().and_then(|meant| meant.word);
        let help = match meant {
            Some(meant) => Some((format!("`:: {}` has no effect", line.key), meant.help)),
            None if line.key != REPEATED && KEYS.contains(&line.key.as_str()) && !seen.insert(line.key.as_str()) => {
                let help = "remove it; a line goes on in the next one after a `\\` at its end";
                Some((format!("this is a second `:: {}`, and only the first is shown", line.key), help.to_owned()))
            }
            None if line.key == "usage" => procedure.as_ref().map(|name| {
                let message = format!("`:: usage` has no effect: the parameters of `{name}` are the usage");
                (message, "remove it; `:: arg NAME: …` describes a parameter".to_owned())
            }),
            None => None,
        };
        found.extend(help.map(|(message, help)| {
            let finding = Diagnostic::warning(Code::UnknownMetadata, line.span, message).help(help);
            finding.suggest(word.and_then(|word| in_place_of_first(text, line, word)))
        }));
    }
}

/// Returns the edit that writes another first word of a key.
fn in_place_of_first(text: &Text<'_>, line: &Metadata, word: &str) -> Option<Edit> {
    let first = line.key.split([' ', '\t']).next()?;
    let start = line.span.start as usize + text.source.slice(line.span).find(first)?;
    Some(Edit { span: Span::new(start, start + first.len()), text: word.to_owned() })
}

/// The line that was probably meant.
struct Meant {
    help: String,
    /// The word to write in place of the first one of the key, if that is all.
    word: Option<&'static str>,
}

impl Meant {
    fn advice(help: impl Into<String>) -> Option<Meant> {
        Some(Meant { help: help.into(), word: None })
    }
}

/// The names that metadata lines may be about.
struct Known<'t> {
    has_description: bool,
    has_procedures: bool,
    /// The parameters of all procedures.
    parameters: HashSet<&'t str>,
}

impl<'t> Known<'t> {
    fn of(tree: &'t Tree) -> Known<'t> {
        let parameters = tree.procedures().flat_map(|procedure| &procedure.params);
        Known {
            has_description: tree.metadata.iter().any(|line| line.key == "description"),
            has_procedures: tree.procedures().next().is_some(),
            parameters: parameters.map(|param| param.name.text.as_str()).collect(),
        }
    }

    /// Returns what to write instead of a line that has no effect, if it was probably meant to have one.
    fn meant(&self, line: &Metadata) -> Option<Meant> {
        let key = line.key.as_str();
        let (first, rest) = key.split_once([' ', '\t']).map_or((key, ""), |(first, rest)| (first, rest.trim()));
        let lowered = first.to_lowercase();
        if KEYS.contains(&key) || first == "arg" && !rest.is_empty() {
            return None;
        }
        if rest.is_empty() && matches!(lowered.as_str(), "arg" | "args") {
            return Meant::advice("write `:: arg NAME: …`, a line for each parameter");
        }
        let is_like_arg = ARGS.contains(&lowered.as_str()) || edits(&lowered, "arg") <= 1 && first.len() > 1;
        if is_like_arg && !rest.is_empty() && self.names_parameter(rest) {
            return Some(Meant { help: format!("did you mean `:: arg {rest}: …`?"), word: Some("arg") });
        }
        // A description is often a sentence without a key.
        let is_sentence = key.split_whitespace().count() >= SENTENCE || key_only(line) && !rest.is_empty();
        match KEYS.into_iter().find(|known| edits(&lowered, known) <= known.len() / 4) {
            Some(known) if rest.is_empty() || key_only(line) => {
                let word = (rest.is_empty() && !key_only(line)).then_some(known);
                Some(Meant { help: format!("did you mean `:: {known}: …`?"), word })
            }
            _ if self.has_description => None,
            _ if DESCRIPTIONS.contains(&lowered.as_str()) && rest.is_empty() => {
                let word = (!key_only(line)).then_some("description");
                Some(Meant { help: "did you mean `:: description: …`?".to_owned(), word })
            }
            _ if is_sentence => {
                Meant::advice("write `:: description: …` for a text that `--help` shows, or begin a comment with `#`")
            }
            _ => None,
        }
    }

    /// Returns whether the rest of a key is the name of a parameter, in one of the forms of an `:: arg` line. A script
    /// without procedures documents its words under any names.
    fn names_parameter(&self, rest: &str) -> bool {
        let name = rest.trim_start_matches(['[', '-']).split([' ', ']', '.', '(']).next().unwrap_or(rest);
        !self.has_procedures || self.parameters.contains(name.replace('-', "_").as_str())
    }
}

/// Returns whether nothing follows a `:`, or there is none.
fn key_only(line: &Metadata) -> bool {
    line.value.is_empty()
}
