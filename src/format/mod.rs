//! The formatter: one canonical form for every script, whatever it means.
//!
//! It prints the tokens of a text anew, never the tree, so that nothing of a text can be lost: only blanks,
//! line breaks, the spelling of keywords, commas at the ends of lists and a missing `THEN` or `DO` are
//! its business. What it prints is parsed again, and is given out only when tree and comments are the
//! same and a second pass changes nothing ([`proof`]).

mod atoms;
mod atoms_of;
mod brackets;
mod comments;
mod layout;
mod lexemes;
mod notes;
mod page;
mod proof;

use crate::syntax::written::Written;
use crate::syntax::{TextLimits, ast::Tree, parse_written};
use crate::text::{Code, Diagnostic, Source, Sources};

/// How keywords are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `IF`
    Upper,
    /// `if`
    Lower,
}

/// What is asked of a text.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// How keywords are spelled; as the text's first keyword is when nothing is said.
    pub keywords: Option<Spelling>,
    /// What bounds the text.
    pub limits: TextLimits,
}

/// A text that was parsed without a fault.
struct Parsed<'a> {
    source: &'a Source,
    tree: Tree,
    written: Written,
}

/// The text in its canonical form; or its faults, whose places are those of `source`.
///
/// A text with a fault has no form, since nobody knows what was meant.
pub fn format(source: &Source, style: Style) -> Result<String, Vec<Diagnostic>> {
    let parsed = parsed(source, style.limits)?;
    let spelling = style.keywords.or_else(|| page::first_spelling(&parsed));
    let printed = page::print(&parsed, spelling);
    // A text that is its own form is its own proof too: parsing and printing it again would give the same.
    if printed == source.text() {
        return Ok(printed);
    }
    let mut sources = Sources::new();
    let again = sources.add(source.name(), printed.as_str());
    let again = parsed_again(again, style.limits)?;
    if !proof::same(&parsed, &again) {
        return Err(fault("it would not mean the same"));
    }
    match page::print(&again, spelling) == printed {
        true => Ok(printed),
        false => Err(fault("a second pass would change it again")),
    }
}

fn parsed(source: &Source, limits: TextLimits) -> Result<Parsed<'_>, Vec<Diagnostic>> {
    let mut findings = Vec::new();
    let (tree, written) = parse_written(source, limits, &mut findings);
    match findings.iter().any(Diagnostic::is_error) {
        true => Err(findings),
        false => Ok(Parsed { source, tree, written }),
    }
}

fn parsed_again(source: &Source, limits: TextLimits) -> Result<Parsed<'_>, Vec<Diagnostic>> {
    parsed(source, limits).map_err(|findings| {
        let first = findings.first().map(|finding| finding.message.as_str());
        fault(&format!("it could not be read again: {}", first.unwrap_or_default()))
    })
}

/// The finding for a form that would be wrong: a fault of ours, and the text stays as it is.
fn fault(what: &str) -> Vec<Diagnostic> {
    let message = format!("a fault of NeuroScript itself: the text has no form that can be trusted; {what}");
    vec![Diagnostic::placeless(Code::Internal, message).help("please report it, with the script; it was left as it is")]
}
