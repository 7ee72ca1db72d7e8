//! Uncertainty that the errors of a text leave, so that no warning follows from an error.
//!
//! A line with an error may set and read every name in it, and every name that is like one of these, since a mistake may
//! be a misspelling. Lints that look at one expression are right beside such lines.

use std::collections::{BTreeSet, HashSet};

use compact_str::CompactString;

use crate::program::known::Facts;
use crate::syntax::ast::{Statement, StatementKind};
use crate::syntax::keyword::{is_reserved, is_word, is_word_char};
use crate::text::{Code, Diagnostic, FindingCode, Source, Span, nearest};

use super::walk::Body;

/// Maximum number of errors beside which warnings are reported.
const MAX_ERRORS: usize = 100;

/// Errors after which the extent of statements and blocks is uncertain.
const OF_STRUCTURE: [Code; 7] = [
    Code::UnclosedBlock,
    Code::WrongCloser,
    Code::BadContinuation,
    Code::Misplaced,
    Code::NotUtf8,
    Code::TooManyFaults,
    Code::TooDeep,
];

/// The errors of a text.
#[derive(Default)]
pub struct Doubts {
    /// Their places, in order.
    errors: Vec<Span>,
    /// The words of their lines.
    words: BTreeSet<String>,
    /// Those that are no keyword and that nothing sets, and so may be misspelt.
    strange: Vec<String>,
    /// Whether there are lines that could not be parsed.
    pub has_bad_lines: bool,
}

impl Doubts {
    /// Collects the errors among findings about a text. Returns `None` if its structure is uncertain.
    ///
    /// `clean` are the facts about procedures that are not among the bodies.
    pub fn of<'f>(
        source: &Source,
        bodies: &[Body<'_>],
        clean: impl Iterator<Item = &'f Facts>,
        found: &[Diagnostic],
    ) -> Option<Doubts> {
        let errors = || found.iter().filter(|finding| finding.is_error());
        let is_of_structure =
            |finding: &Diagnostic| OF_STRUCTURE.iter().any(|code| finding.code == FindingCode::Script(*code));
        if errors().any(is_of_structure) || errors().nth(MAX_ERRORS).is_some() {
            return None;
        }
        let mut errors: Vec<Span> = errors().filter_map(Diagnostic::span).collect();
        errors.sort_unstable();
        let bad = bad_lines(bodies);
        if errors.is_empty() && bad.is_empty() {
            return Some(Doubts::default());
        }
        let lines = errors.iter().map(|error| source.lines_of(*error)).chain(bad.iter().copied());
        let words = lines.flat_map(|line| source.slice(line).split(|c: char| !is_word_char(c)));
        let words: BTreeSet<String> = words.map(str::to_owned).collect();
        let mut set: HashSet<&str> = bodies.iter().flat_map(|body| body.names_set().chain(body.params())).collect();
        set.extend(clean.flat_map(|facts| &facts.sets).map(CompactString::as_str));
        let is_strange = |word: &&String| is_word(word) && !is_reserved(word) && !set.contains(word.as_str());
        let strange = words.iter().filter(is_strange).cloned().collect();
        Some(Doubts { has_bad_lines: !bad.is_empty(), errors, words, strange })
    }

    /// Whether there are no errors.
    pub fn is_none(&self) -> bool {
        self.errors.is_empty()
    }

    /// Whether a line with an error may use a name.
    pub fn may_use(&self, name: &str) -> bool {
        self.words.contains(name) || self.strange.iter().any(|word| nearest(word, [name]).is_some())
    }

    /// Whether the errors may concern code with these words.
    pub fn may_concern<'n>(&self, words: impl IntoIterator<Item = &'n str>) -> bool {
        let of_any = ["EVAL", "LAST", "LAST_ERROR"];
        self.has_bad_lines || !self.is_none() && words.into_iter().chain(of_any).any(|word| self.may_use(word))
    }

    /// Returns the errors that begin in a range.
    pub fn within(&self, range: Span) -> &[Span] {
        let place = |offset: u32| self.errors.partition_point(|error| error.start < offset);
        &self.errors[place(range.start)..place(range.end)]
    }

    /// Returns whether a line has both an error and this finding, which may then follow from the error.
    pub fn is_on_line_of(&self, source: &Source, finding: &Diagnostic) -> bool {
        finding.span().is_some_and(|span| !self.within(source.lines_of(span)).is_empty())
    }
}

/// Returns the lines that could not be parsed.
fn bad_lines(bodies: &[Body<'_>]) -> Vec<Span> {
    let statements = bodies.iter().flat_map(|body| &body.statements);
    let is_bad = |statement: &&&Statement| matches!(statement.kind, StatementKind::Bad(_) | StatementKind::Broken(_));
    statements.filter(is_bad).map(|statement| statement.span).collect()
}
