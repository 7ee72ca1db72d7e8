//! Compiles a search query.

use grep_regex::RegexMatcherBuilder;
use regex_syntax::escape;

use crate::toolkit::{Given, ToolError};
use crate::value::print;

use super::super::super::regex::compile::build;
use super::super::super::regex::excess::Excess;
use super::super::super::regex::expression::Expression;
use super::super::super::regex::parse::{Bounds, Fault, Flags, MAX_PATTERN};
use super::super::super::regex::stepwise::{KnownPattern, StepwiseSearch};
use super::matcher::LineMatcher;

/// The text or expression to search for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    pub text: &'a str,
    pub is_regex: bool,
    pub ignore_case: bool,
    pub whole_word: bool,
}

impl Query<'_> {
    /// Compiles the query for a line-by-line search.
    pub fn compile(self) -> Result<LineMatcher, ToolError> {
        self.check_text()?;
        let pattern = self.pattern();
        let tree = pattern.tree().map_err(|fault| self.fault(fault))?;
        let bounds = Bounds::now();
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(!self.is_regex)
            .case_insensitive(self.ignore_case)
            .word(self.whole_word)
            .multi_line(true)
            .crlf(true)
            .size_limit(bounds.compiled)
            .dfa_size_limit(bounds.tables);
        let library = builder.build(self.text).map_err(|error| match error.to_string() {
            reason if reason.contains("size limit") => self.too_large(Excess::Automaton { limit: bounds.compiled }),
            reason => self.bad(&reason),
        })?;
        Ok(LineMatcher::new(library, StepwiseSearch::new(pattern, &tree, bounds)))
    }

    /// Compiles the query for the text of one line, with the groups of its matches.
    pub fn expression(self) -> Result<Expression, ToolError> {
        self.check_text()?;
        let pattern = self.pattern();
        let flags = Flags { in_lines: false, ..pattern.flags };
        build(KnownPattern { flags, ..pattern }).map_err(|fault| self.fault(fault))
    }

    /// Returns the expression that the query stands for.
    fn pattern(self) -> KnownPattern {
        let text = if self.is_regex { self.text.to_owned() } else { escape(self.text) };
        let flags = Flags { ignore_case: self.ignore_case, in_lines: true, is_literal: !self.is_regex };
        KnownPattern { text, flags, is_word: self.whole_word }
    }

    /// Returns whether a text is searched as it stands.
    pub fn is_plain(self) -> bool {
        !self.is_regex && !self.ignore_case && !self.whole_word
    }

    /// Checks everything that does not require compiling.
    pub fn parse(self) -> Result<(), ToolError> {
        self.check_text()?;
        if self.is_regex { self.pattern().tree().map(drop).map_err(|fault| self.fault(fault)) } else { Ok(()) }
    }

    /// Checks the text without parsing it.
    fn check_text(self) -> Result<(), ToolError> {
        if self.text.is_empty() {
            return Err(ToolError::bad_argument("text", "`text` is empty, which every line holds"));
        }
        if self.text.len() > MAX_PATTERN {
            return Err(self.bad(&format!("it has more than {MAX_PATTERN} bytes")));
        }
        if !self.is_regex && self.text.contains(['\n', '\r']) {
            let error = ToolError::bad_argument("text", "`text` holds a line end, and lines are searched one by one");
            return Err(error.hint("search for a part of it that stands on one line"));
        }
        Ok(())
    }

    fn fault(self, fault: Fault) -> ToolError {
        match fault {
            Fault::TooLarge(excess) => self.too_large(excess),
            Fault::Limit(hit) => hit.into(),
            Fault::Syntax { reason, at } => {
                let before = at.as_ref().and_then(|at| self.text.get(..at.start));
                let place = before.map(|before| format!(", at character {}", before.chars().count() + 1));
                ToolError { part: at, ..self.bad(&format!("{reason}{}", place.unwrap_or_default())) }
            }
        }
    }

    fn bad(self, reason: &str) -> ToolError {
        let message = format!("`text` cannot be searched: {reason}, in `{}`", print::shortened(self.text, 100));
        ToolError::bad_argument("text", message)
    }

    fn too_large(self, excess: Excess) -> ToolError {
        self.bad(&excess.to_string()).hint(excess.help())
    }

    /// Checks the arguments of a call before it runs.
    pub fn check(given: &Given<'_>) -> Result<(), ToolError> {
        Query::with(given, |query| query.parse())
    }

    /// Checks the arguments that are known before a script starts as completely as the call does.
    pub fn check_early(given: &Given<'_>) -> Result<(), ToolError> {
        Query::with(given, |query| if query.is_regex { query.compile().map(drop) } else { Ok(()) })
    }

    /// Applies a check to the query of a call, if its arguments are known before the run.
    pub fn with(given: &Given<'_>, check: impl FnOnce(Query<'_>) -> Result<(), ToolError>) -> Result<(), ToolError> {
        let Some(Some(text)) = given.text("text") else { return Ok(()) };
        // Arguments that are unknown before the run are checked when the tool runs.
        let flag = |name| given.truth(name).map(|flag| flag.unwrap_or(false));
        let (Some(is_regex), Some(ignore_case), Some(whole_word)) =
            (flag("regex"), flag("ignore_case"), flag("whole_word"))
        else {
            return Ok(());
        };
        check(Query { text: &text, is_regex, ignore_case, whole_word })
    }
}
