//! Patterns of file names: `*`, `?`, `[…]`, `{…,…}` and `**`, in the syntax of `globset`.
//!
//! A pattern without `/` is matched against the name, one with `/` against the path from the directory where
//! the search starts. `globset` compiles a pattern to a regular expression on bytes, in which `?` would match a
//! third of `€`; the expression is recompiled for characters.

use std::cell::RefCell;
use std::rc::Rc;

use globset::GlobBuilder;
use regex::{Regex, RegexBuilder};

use crate::text::ToolCode;
use crate::toolkit::{Form, ToolError};
use crate::value::print;

use super::recent::Recent;

/// Maximum length of a pattern in bytes: the maximum length of a path.
const MAX_BYTES: usize = 4096;
/// Maximum size of a compiled pattern in bytes.
const MAX_COMPILED: usize = 1 << 20;
/// Maximum number of brace-free patterns that a pattern with braces may expand to.
const MAX_ALTERNATIVES: u64 = 10_000;

/// The form of patterns.
pub const PATTERN: Form = Form::new(|param, pattern| Pattern::cached(param, pattern).map(drop));

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    /// `None` for `*` and `**`, which match everything.
    regex: Option<Regex>,
    of_paths: bool,
}

/// Whether letter case matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterCase {
    /// `a` does not match `A`.
    Counts,
    /// `a` matches `A`.
    Ignored,
}

impl LetterCase {
    /// Converts an `ignore_case` argument.
    pub fn of(ignore_case: bool) -> LetterCase {
        if ignore_case { LetterCase::Ignored } else { LetterCase::Counts }
    }
}

/// Number of compiled patterns in the cache; each has at most [`MAX_COMPILED`] bytes and the tables of its searches.
const KEPT: usize = 32;

thread_local! {
    static LAST_USED: RefCell<Recent<Pattern>> = const { RefCell::new(Recent::new(KEPT)) };
}

impl Pattern {
    /// Parses a pattern like [`Pattern::parse`]. One that is used in a loop is compiled once.
    pub fn cached(argument: &'static str, pattern: &str) -> Result<Rc<Pattern>, ToolError> {
        if let Some(kept) = LAST_USED.with_borrow_mut(|kept| kept.get(pattern)) {
            return Ok(kept);
        }
        let parsed = Rc::new(Pattern::parse(argument, pattern)?);
        LAST_USED.with_borrow_mut(|kept| kept.put(pattern, parsed.clone()));
        Ok(parsed)
    }

    /// Parses a pattern: of names, or of paths if it contains a `/`.
    pub fn parse(argument: &'static str, pattern: &str) -> Result<Pattern, ToolError> {
        Pattern::with_case(argument, pattern, LetterCase::Counts)
    }

    /// Parses a pattern with the given case sensitivity.
    pub fn with_case(argument: &'static str, pattern: &str, case: LetterCase) -> Result<Pattern, ToolError> {
        Pattern::of(argument, pattern, pattern.contains('/'), case)
    }

    /// Parses a pattern that is always matched against paths.
    pub fn of_paths(argument: &'static str, pattern: &str) -> Result<Pattern, ToolError> {
        Pattern::of(argument, pattern, true, LetterCase::Counts)
    }

    fn of(argument: &'static str, pattern: &str, of_paths: bool, case: LetterCase) -> Result<Pattern, ToolError> {
        let bad = |reason: &str| {
            let message = format!("`{argument}` is no pattern: {reason}, in `{}`", print::shortened(pattern, 100));
            ToolError::bad_argument(argument, message)
        };
        let text = pattern.strip_prefix("./").unwrap_or(pattern);
        if text.is_empty() {
            return Err(bad("it is empty").hint("write `*` for all files"));
        }
        if text.len() > MAX_BYTES {
            return Err(bad(&format!("it has more than {MAX_BYTES} bytes")));
        }
        if alternatives(text) > MAX_ALTERNATIVES {
            return Err(bad(&format!("its braces stand for more than {MAX_ALTERNATIVES} patterns")));
        }
        check_place(argument, text)?;
        let regex = match text {
            "**" => None,
            "*" if !of_paths => None,
            text => Some(compile(text, case).map_err(|reason| bad(&reason))?),
        };
        Ok(Pattern { regex, of_paths })
    }

    /// Returns whether the pattern is matched against paths rather than names.
    pub fn is_of_paths(&self) -> bool {
        self.of_paths
    }

    /// Returns whether an entry matches, given its name and its path from the start of the search.
    pub fn fits<'a>(&self, name: &str, path: impl FnOnce() -> std::borrow::Cow<'a, str>) -> bool {
        match &self.regex {
            None => true,
            Some(regex) if self.of_paths => regex.is_match(&path()),
            Some(regex) => regex.is_match(name),
        }
    }
}

/// Refuses a pattern that leads out of the directory where the search starts.
fn check_place(argument: &'static str, pattern: &str) -> Result<(), ToolError> {
    let leaves = pattern.starts_with('/') || pattern.split('/').any(|part| part == "..");
    if leaves {
        let message = format!("`{}` leaves the directory that is searched", print::shortened(pattern, 100));
        Err(ToolError::new(ToolCode::SandboxViolation, message)
            .argument(argument)
            .hint("write a pattern of paths below the directory"))
    } else {
        Ok(())
    }
}

fn compile(pattern: &str, case: LetterCase) -> Result<Regex, String> {
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| error.kind().to_string())?;
    let regex = RegexBuilder::new(&of_characters(glob.regex()))
        .dot_matches_new_line(true)
        .case_insensitive(case == LetterCase::Ignored)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_COMPILED)
        .build();
    regex.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
        _ => "its braces are too deep".to_owned(),
    })
}

/// Converts an expression for bytes to one for characters: `\xc3\xa9` becomes `é`.
fn of_characters(expression: &str) -> String {
    let mut bytes = Vec::with_capacity(expression.len());
    let mut rest = expression.strip_prefix("(?-u)").unwrap_or(expression).as_bytes();
    while let [first, after @ ..] = rest {
        let byte = match rest {
            [b'\\', b'x', digits @ ..] => digits
                .get(..2)
                .and_then(|digits| str::from_utf8(digits).ok())
                .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        match (byte, after) {
            (Some(byte), _) => {
                bytes.push(byte);
                rest = &rest[4..];
            }
            (None, [escaped, after @ ..]) if *first == b'\\' => {
                bytes.extend([*first, *escaped]);
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| expression.to_owned())
}

/// Returns an upper bound for the number of brace-free patterns that a pattern expands to.
fn alternatives(pattern: &str) -> u64 {
    let mut open: Vec<u64> = Vec::new();
    let mut product: u64 = 1;
    let mut escaped = false;
    for byte in pattern.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => open.push(1),
            b',' => open.iter_mut().for_each(|choices| *choices = choices.saturating_add(1)),
            b'}' => product = product.saturating_mul(open.pop().unwrap_or(1)),
            _ => {}
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, path: &str) -> bool {
        let name = path.rsplit('/').next().expect("a text has parts");
        Pattern::parse("pattern", pattern).expect("a pattern").fits(name, || path.into())
    }

    #[test]
    fn patterns_work_on_characters() {
        for (pattern, path) in [
            ("caf?.txt", "café.txt"),
            ("[à-ü].t", "é.t"),
            ("€*", "€uro"),
            ("[!a]", "€"),
            ("a\\?b", "a?b"),
            ("\\\\x41", "\\x41"),
            ("a+b(1).t", "a+b(1).t"),
            ("*.{rs,toml}", "x.toml"),
            ("a{,.bak}", "a"),
            ("src/*.rs", "src/a.rs"),
            ("src/**/*.rs", "src/a.rs"),
            ("src/**/*.rs", "src/b/c/a.rs"),
            ("**/a", "a"),
            ("**", "a/b"),
            ("./a/*", "a/b"),
            ("*", "a\nb"),
        ] {
            assert!(fits(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("caf??.txt", "café.txt"),
            ("a+b", "aab"),
            ("*.RS", "a.rs"),
            ("src/*.rs", "src/b/a.rs"),
            ("src/*.rs", "x/src/a.rs"),
            ("a?b", "a/b"),
        ] {
            assert!(!fits(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn bad_patterns_are_refused_with_a_reason() {
        for pattern in
            ["", "[", "[z-a]", "{a", "a}", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"]
        {
            let error = Pattern::parse("pattern", pattern).expect_err(pattern);
            assert_eq!(error.code, ToolCode::BadArgs, "{pattern}: {}", error.message);
        }
        for pattern in ["/etc/*", "../*", "a/../../b"] {
            let error = Pattern::parse("pattern", pattern).expect_err(pattern);
            assert_eq!(error.code, ToolCode::SandboxViolation, "{pattern}: {}", error.message);
        }
        let deep = "{".repeat(2000) + &"}".repeat(2000);
        assert!(Pattern::parse("pattern", &deep).is_err());
        // It is large, possibly too large, but must not take long.
        let _ = Pattern::parse("pattern", &"[é-€]*".repeat(500));
    }
}
