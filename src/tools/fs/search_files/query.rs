//! What is looked for, compiled.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ParserBuilder;

use crate::toolkit::{Given, ToolError};
use crate::value::print;

use super::super::super::regex::compile::{MAX_PATTERN, places};

/// What a compiled expression may take, in bytes.
const MAX_COMPILED: usize = 10 << 20;
/// What the tables that are built while searching may take, in bytes.
const MAX_TABLES: usize = 4 << 20;
/// Groups inside each other.
const MAX_NESTING: u32 = 100;
/// Places that an expression may have, each repetition written out: how many of them can be alive at once
/// is what a byte costs in the worst case, and nobody looks at the clock within a buffer or a long line.
const MAX_PLACES: u64 = 1000;

/// What is looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    pub text: &'a str,
    pub is_regex: bool,
    pub ignore_case: bool,
    pub whole_word: bool,
}

impl Query<'_> {
    /// Compiles it, for lines that are searched one by one.
    pub fn compile(self) -> Result<RegexMatcher, ToolError> {
        self.parse()?;
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(!self.is_regex)
            .case_insensitive(self.ignore_case)
            .word(self.whole_word)
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(MAX_TABLES)
            .nest_limit(MAX_NESTING);
        builder.build(self.text).map_err(|error| match error.to_string() {
            reason if reason.contains("size limit") => self.too_large(),
            reason => self.bad(&reason),
        })
    }

    /// Says what is wrong with it, as far as that needs no compiling.
    fn parse(self) -> Result<(), ToolError> {
        if self.text.is_empty() {
            return Err(ToolError::bad_argument("text", "`text` is empty, which every line holds"));
        }
        if self.text.len() > MAX_PATTERN {
            return Err(self.bad(&format!("it has more than {MAX_PATTERN} bytes")));
        }
        if !self.is_regex {
            return match self.text.contains(['\n', '\r']) {
                true => {
                    let error =
                        ToolError::bad_argument("text", "`text` holds a line end, and lines are searched one by one");
                    Err(error.hint("search for a part of it that stands on one line"))
                }
                false => Ok(()),
            };
        }
        let mut parser = ParserBuilder::new();
        parser.nest_limit(MAX_NESTING).utf8(false).multi_line(true).crlf(true).case_insensitive(self.ignore_case);
        let expression = parser.build().parse(self.text).map_err(|error| {
            let (reason, place) = match &error {
                regex_syntax::Error::Parse(error) => (error.kind().to_string(), Some(error.span().start)),
                regex_syntax::Error::Translate(error) => (error.kind().to_string(), Some(error.span().start)),
                error => (error.to_string(), None),
            };
            let place = place.map(|place| self.text.get(..place.offset).map_or(0, |before| before.chars().count()) + 1);
            self.bad(&place.map_or(reason.clone(), |place| format!("{reason}, at character {place}")))
        })?;
        match places(&expression) > MAX_PLACES {
            true => Err(self.too_large()),
            false => Ok(()),
        }
    }

    fn bad(self, reason: &str) -> ToolError {
        let message = format!("`text` cannot be searched: {reason}, in `{}`", print::shortened(self.text, 100));
        ToolError::bad_argument("text", message)
    }

    fn too_large(self) -> ToolError {
        self.bad("the expression is too large").hint("repeat less, or write `[0-9A-Za-z_]` for `\\w`")
    }

    /// Says what is wrong with what a call gives, before it runs.
    pub fn check(given: &Given<'_>) -> Result<(), ToolError> {
        let Some(Some(text)) = given.text("text") else { return Ok(()) };
        // What is known only in the run is asked about there.
        let flag = |name| given.truth(name).map(|flag| flag.unwrap_or(false));
        let (Some(is_regex), Some(ignore_case), Some(whole_word)) =
            (flag("regex"), flag("ignore_case"), flag("whole_word"))
        else {
            return Ok(());
        };
        Query { text: &text, is_regex, ignore_case, whole_word }.parse()
    }
}
