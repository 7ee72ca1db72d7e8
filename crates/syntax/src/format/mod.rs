//! The formatter: prints every script in a canonical form that does not depend on its meaning.
//!
//! It prints the tokens of a text, not the tree, so that nothing of the text can be lost. It changes only blanks, line
//! breaks, the spelling of keywords, trailing commas of lists, and a missing `THEN` or `DO`. The result is parsed
//! again, and returned only if its tree and comments are the same and a second pass changes nothing ([`proof`]).

mod atoms;
mod atoms_of;
mod brackets;
mod comments;
mod layout;
mod lexemes;
mod notes;
mod page;
mod proof;

pub use atoms_of::{CONTINUED, INDENT};

use crate::syntax::written::Written;
use crate::syntax::{TextLimits, ast::Tree, parse_written, weight};
use crate::text::{Code, Diagnostic, Source, Sources};

/// Maximum weight of a text, by the estimate for loading it: enough for about 500,000 words and marks. Formatting has no
/// policy whose limits it could follow; it takes up to half as much again.
const MAX_WEIGHT: usize = 160 << 20;

/// The spelling of keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Upper case: `IF`.
    Upper,
    /// Lower case: `if`.
    Lower,
}

/// Options of the formatter.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The spelling of keywords; `None` follows the first keyword of the text.
    pub keywords: Option<Spelling>,
    /// The limits on the size of the text.
    pub limits: TextLimits,
}

/// A text that parsed without errors.
struct Parsed<'a> {
    source: &'a Source,
    tree: Tree,
    written: Written,
}

/// Returns the text in its canonical form.
///
/// Errors: the syntax errors of the text, with spans in `source`; a text that is too large. A text with errors has no
/// canonical form, since its intended meaning is unknown.
pub fn format(source: &Source, style: Style) -> Result<String, Vec<Diagnostic>> {
    if weight(source.text()) > MAX_WEIGHT {
        return Err(vec![too_large(source)]);
    }
    let parsed = parsed(source, style.limits)?;
    let spelling = style.keywords.or_else(|| page::first_spelling(&parsed));
    let printed = page::print(&parsed, spelling);
    // An unchanged text needs no proof: parsing and printing it again would give the same result.
    if printed == source.text() {
        return Ok(printed);
    }
    let mut sources = Sources::new();
    let again = sources.add(source.name(), printed.as_str());
    let again = parsed_again(again, style.limits)?;
    if !proof::same(&parsed, &again) {
        return Err(fault("it would not mean the same"));
    }
    if page::print(&again, spelling) == printed {
        Ok(printed)
    } else {
        Err(fault("a second pass would change it again"))
    }
}

fn parsed(source: &Source, limits: TextLimits) -> Result<Parsed<'_>, Vec<Diagnostic>> {
    let mut findings = Vec::new();
    let (tree, written) = parse_written(source, limits, &mut findings);
    if findings.iter().any(Diagnostic::is_error) { Err(findings) } else { Ok(Parsed { source, tree, written }) }
}

fn parsed_again(source: &Source, limits: TextLimits) -> Result<Parsed<'_>, Vec<Diagnostic>> {
    parsed(source, limits).map_err(|findings| {
        let first = findings.first().map(|finding| finding.message.as_str());
        fault(&format!("it could not be read again: {}", first.unwrap_or_default()))
    })
}

/// Returns the diagnostic for a text that would take too much memory.
fn too_large(source: &Source) -> Diagnostic {
    let bytes = source.text().len();
    let message =
        format!("the text of {bytes} bytes is too large to format: it has more than about 500,000 words and marks");
    Diagnostic::error(Code::MemoryLimit, source.span(), message)
        .help("split it into modules, or keep large tables in files that the script reads")
}

/// Returns the diagnostic for a wrong result: an internal error, and the text is left unchanged.
fn fault(what: &str) -> Vec<Diagnostic> {
    let message = format!("a fault of NeuroScript itself: the text has no form that can be trusted; {what}");
    vec![Diagnostic::placeless(Code::Internal, message).help("please report it, with the script; it was left as it is")]
}
