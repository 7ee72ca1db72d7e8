//! Lists of patterns in which the last match decides, as in a `.gitignore`; `!` excludes.
//!
//! They decide whether an entry is included, and whether a directory may contain included entries, so that
//! `src/**/*.rs` never opens `target`.

use crate::limits::{MemoryCharge, work};
use crate::sandbox::SandboxPath;
use crate::text::{ToolCode, quoted};
use crate::toolkit::ToolError;
use crate::value::Value;

use super::super::glob::{LetterCase, Pattern};
use super::find_files::prefix;

/// Maximum number of patterns in one call.
const MAX_PATTERNS: usize = 1_000;
/// Maximum number of bytes in all patterns of one call.
const MAX_BYTES: usize = 64 << 10;
/// Upper bound for the memory of a compiled pattern, in bytes per byte of the pattern.
const COMPILED_BYTES: usize = 1 << 10;

/// Patterns for the entries of a tree.
#[derive(Debug)]
pub struct Patterns {
    /// The patterns as given.
    texts: Vec<String>,
    rules: Vec<Rule>,
    /// Whether any rule includes something; otherwise everything that is not excluded is included.
    has_includes: bool,
    _held: MemoryCharge,
}

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    effect: Effect,
    /// Whether the pattern ends in a `/` and matches only directories.
    directories_only: bool,
    /// The leading parts of a pattern of paths that limit where it can match; empty for a pattern of names.
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Includes,
    Excludes,
}

/// A part of a pattern of paths.
#[derive(Debug)]
enum Part {
    /// Matches one name.
    Name(Pattern),
    /// `**`, or a part that must be treated like it: matches any number of names.
    Anything,
}

/// An entry to match.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The path from the start of the search.
    pub path: &'a str,
    /// The last part of the path.
    pub name: &'a str,
    /// Whether the entry is a directory.
    pub is_directory: bool,
}

impl Patterns {
    /// Parses the patterns of an argument: nil, a text or a list of texts.
    pub fn parse(argument: &'static str, value: Option<&Value>, case: LetterCase) -> Result<Patterns, ToolError> {
        let values = match value {
            None | Some(Value::Nil) => Vec::new(),
            Some(Value::List(list)) => list.iter().take(MAX_PATTERNS + 1).collect(),
            Some(value) => vec![value.clone()],
        };
        let is_empty_list = values.is_empty() && matches!(value, Some(Value::List(_)));
        if is_empty_list || values.len() > MAX_PATTERNS {
            let found = if is_empty_list { "an empty list" } else { "more of them" };
            let message = format!("`{argument}` takes 1 to {MAX_PATTERNS} patterns, not {found}");
            return Err(ToolError::bad_argument(argument, message).hint("leave it out to get everything"));
        }
        let texts: Vec<_> = values.iter().filter_map(Value::as_text).collect();
        let bytes = texts.iter().map(|text| text.len()).sum::<usize>();
        if bytes > MAX_BYTES {
            let message =
                format!("the patterns of `{argument}` have {bytes} bytes together, at most {MAX_BYTES} are read");
            return Err(ToolError::bad_argument(argument, message).hint("write fewer, or search several times"));
        }
        let held = MemoryCharge::of(bytes * COMPILED_BYTES)?;
        let mut rules = Vec::with_capacity(texts.len());
        for text in &texts {
            work::charge_bytes(text.len() * COMPILED_BYTES)?;
            rules.push(Rule::parse(argument, text, case)?);
        }
        let has_includes = rules.iter().any(|rule| rule.effect == Effect::Includes);
        let texts = texts.iter().map(ToString::to_string).collect();
        Ok(Patterns { texts, rules, has_includes, _held: held })
    }

    /// Returns whether an entry is included.
    pub fn includes(&self, entry: Entry<'_>) -> bool {
        match self.last_fitting(entry) {
            Some(effect) => effect == Effect::Includes,
            None => !self.has_includes,
        }
    }

    /// Returns whether an entry is excluded, a directory with all that is in it.
    pub fn excludes(&self, entry: Entry<'_>) -> bool {
        self.last_fitting(entry) == Some(Effect::Excludes)
    }

    /// Returns whether a directory may contain an included entry.
    pub fn may_hold(&self, directory: Entry<'_>) -> bool {
        if self.excludes(directory) {
            return false;
        }
        let mut includes = self.rules.iter().filter(|rule| rule.effect == Effect::Includes);
        !self.has_includes || includes.any(|rule| rule.leads_below(directory.path))
    }

    /// Returns the list of these patterns and one more, as a script writes it.
    fn and(&self, further: &str) -> String {
        let all = ["*"].into_iter().filter(|_| !self.has_includes);
        let texts = all.chain(self.texts.iter().map(String::as_str)).chain([further]);
        format!("[{}]", texts.map(quoted).collect::<Vec<_>>().join(", "))
    }

    fn last_fitting(&self, entry: Entry<'_>) -> Option<Effect> {
        self.rules.iter().rev().find(|rule| rule.fits(entry)).map(|rule| rule.effect)
    }
}

impl Rule {
    fn parse(argument: &'static str, text: &str, case: LetterCase) -> Result<Rule, ToolError> {
        let (effect, pattern) = match text.strip_prefix('!') {
            Some(rest) => (Effect::Excludes, rest),
            None => (Effect::Includes, text),
        };
        let is_escaped = pattern.ends_with("\\/");
        let (directories_only, pattern) = match pattern.strip_suffix('/') {
            Some(rest) if !rest.is_empty() && !is_escaped => (true, rest),
            _ => (false, pattern),
        };
        let parsed = Pattern::with_case(argument, pattern, case)?;
        let parts =
            if parsed.is_of_paths() { parts(pattern.strip_prefix("./").unwrap_or(pattern), case) } else { Vec::new() };
        Ok(Rule { pattern: parsed, effect, directories_only, parts })
    }

    fn fits(&self, entry: Entry<'_>) -> bool {
        (entry.is_directory || !self.directories_only) && self.pattern.fits(entry.name, || entry.path.into())
    }

    /// Returns whether something below a directory can match.
    fn leads_below(&self, directory: &str) -> bool {
        if !self.pattern.is_of_paths() {
            return true;
        }
        let mut parts = self.parts.iter();
        for name in directory.split('/') {
            match parts.next() {
                Some(Part::Anything) => return true,
                Some(Part::Name(pattern)) if pattern.fits(name, || name.into()) => {}
                _ => return false,
            }
        }
        parts.next().is_some()
    }
}

/// Splits a pattern of paths. A `/` inside brackets or braces is not a separator, and the part before it is not
/// a valid pattern; from there on the pattern is assumed to match anything.
fn parts(pattern: &str, case: LetterCase) -> Vec<Part> {
    let mut parts = Vec::new();
    for part in pattern.split('/') {
        match Pattern::with_case("pattern", part, case) {
            Ok(name) if part != "**" => parts.push(Part::Name(name)),
            _ => {
                parts.push(Part::Anything);
                break;
            }
        }
    }
    parts
}

impl<'a> Entry<'a> {
    /// Returns the entry for a path.
    pub fn of_path(path: &'a str, is_directory: bool) -> Entry<'a> {
        Entry { path, name: path.rsplit('/').next().unwrap_or(path), is_directory }
    }
}

/// Converts an error from searching a directory with these patterns, and adds a hint with those that also exclude what
/// failed.
pub fn leaving_out(error: impl Into<ToolError>, directory: &SandboxPath, patterns: &Patterns) -> ToolError {
    let error = error.into();
    let prefix = prefix(directory);
    let below = error.path.as_deref().and_then(|path| path.strip_prefix(&prefix));
    let Some(path) = below.filter(|below| !matches!(*below, "" | ".")) else {
        return if error.limit.is_some() { error } else { error.argument("path") };
    };
    let without = if path.contains(char::REPLACEMENT_CHARACTER) {
        // If one name is not UTF-8, others probably are not either.
        format!("leave out all such names with `pattern: {}`", patterns.and("!*\u{fffd}*"))
    } else {
        format!("leave it out with `pattern: {}`", patterns.and(&excluding(path)))
    };
    let hint = match error.code {
        ToolCode::Encoding => format!("{}, or {without}", error.hint.as_deref().unwrap_or("rename it")),
        ToolCode::Conflict => format!("call again, or {without}"),
        ToolCode::PermissionDenied => format!("{without}, or run as somebody who may read it"),
        _ => without,
    };
    error.hint(hint)
}

/// Returns the pattern that excludes a path.
fn excluding(path: &str) -> String {
    let mut pattern = String::from("!");
    for character in path.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::{Entry, LetterCase, Patterns};
    use crate::value::Value;

    fn patterns(texts: &[&str]) -> Patterns {
        let list = Value::list(texts.iter().map(|text| Value::text(text)).collect()).expect("a list");
        Patterns::parse("pattern", Some(&list), LetterCase::Counts).expect("patterns")
    }

    fn subject(path: &str) -> Entry<'_> {
        let is_directory = path.ends_with('/');
        let path = path.trim_end_matches('/');
        Entry { path, name: path.rsplit('/').next().expect("a text has parts"), is_directory }
    }

    #[test]
    fn the_last_that_fits_decides() {
        for (texts, wanted, left_out) in [
            (&["*.rs"][..], &["a.rs", "x/a.rs"][..], &["a.md", "a.rs.bak"][..]),
            (&["*.rs", "!test_*"], &["a.rs"], &["test_a.rs", "a.md"]),
            (&["!*.rs"], &["a.md", "a"], &["a.rs", "x/a.rs"]),
            (&["*", "!*.md", "README.md"], &["README.md", "a.rs"], &["b.md"]),
            (&["src/*.rs"], &["src/a.rs"], &["a.rs", "src/x/a.rs", "x/src/a.rs"]),
            (&["**/*.rs"], &["a.rs", "x/y/a.rs"], &["a.md"]),
            (&["src/"], &["src/", "x/src/"], &["src", "src/a"]),
            (&["{a/b,c}/*.t"], &["a/b/x.t", "c/x.t"], &["a/x.t"]),
            (&["\\!a"], &["!a"], &["a"]),
        ] {
            let patterns = patterns(texts);
            assert!(wanted.iter().all(|path| patterns.includes(subject(path))), "{texts:?} {wanted:?}");
            assert!(!left_out.iter().any(|path| patterns.includes(subject(path))), "{texts:?} {left_out:?}");
        }
    }

    /// No included entry is in a directory that the search skips.
    #[test]
    fn a_directory_is_left_out_only_where_nothing_in_it_can_fit() {
        for (texts, entered, left_out) in [
            (&["*.rs"][..], &["a/", "a/b/"][..], &[][..]),
            (&["src/**/*.rs"], &["src/", "src/a/b/"], &["target/", "a/src/", "srcs/"]),
            (&["src/*.rs"], &["src/"], &["src/a/", "target/"]),
            (&["*/x/*.rs"], &["a/", "a/x/"], &["a/y/", "a/x/b/"]),
            (&["**/x/*.rs"], &["a/", "a/y/", "a/x/b/"], &[]),
            (&["{a/b,c}/*.t"], &["a/", "a/b/", "c/"], &[]),
            (&["[a/]b/*"], &["ab/"], &[]),
            (&["*.rs", "!target"], &["src/"], &["target/", "x/target/"]),
            (&["!build/"], &["src/"], &["build/", "x/build/"]),
            (&["a/b", "c/d/e"], &["a/", "c/", "c/d/"], &["b/", "a/b/", "c/d/e/"]),
        ] {
            let patterns = patterns(texts);
            assert!(entered.iter().all(|path| patterns.may_hold(subject(path))), "{texts:?} {entered:?}");
            assert!(!left_out.iter().any(|path| patterns.may_hold(subject(path))), "{texts:?} {left_out:?}");
        }
    }
}
