//! Several patterns of which the last that fits decides, as in a `.gitignore`: `!` leaves out.
//!
//! They say of an entry whether it is wanted, and of a directory whether it may hold anything that is, so that
//! `src/**/*.rs` never has `target` opened.

use crate::sandbox::SandboxPath;
use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::{Value, print};

use super::find_files::prefix;
use super::glob::{LetterCase, Pattern};

/// The most patterns of one call.
const MAX_PATTERNS: usize = 1_000;

/// Patterns of the entries of a tree.
#[derive(Debug)]
pub struct Patterns {
    rules: Vec<Rule>,
    /// Whether any rule includes something; else all that none excludes is wanted.
    has_includes: bool,
}

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    effect: Effect,
    /// It is about directories alone: it was written with a `/` at its end.
    directories_only: bool,
    /// Parts of a pattern of paths, as far as they tell where it can lead; none for a pattern of names.
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
    /// Fits one name.
    Name(Pattern),
    /// `**`, or something that cannot be told apart from it: fits any number of names.
    Anything,
}

/// An entry as patterns see it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Path from where the search begins.
    pub path: &'a str,
    /// Last part of the path.
    pub name: &'a str,
    /// It is a directory.
    pub is_directory: bool,
}

impl Patterns {
    /// The patterns of an argument: nil, a text or a list of texts.
    pub fn parse(argument: &'static str, value: Option<&Value>, case: LetterCase) -> Result<Patterns, ToolError> {
        let texts: Vec<String> = match value {
            None | Some(Value::Nil) => Vec::new(),
            Some(Value::List(list)) => list.iter().filter_map(|item| Some(item.as_text()?.to_string())).collect(),
            Some(value) => value.as_text().map(|text| text.to_string()).into_iter().collect(),
        };
        let is_empty_list = texts.is_empty() && matches!(value, Some(Value::List(_)));
        if is_empty_list || texts.len() > MAX_PATTERNS {
            let found = if is_empty_list { "an empty list".to_owned() } else { format!("{} patterns", texts.len()) };
            let message = format!("`{argument}` takes 1 to {MAX_PATTERNS} patterns, not {found}");
            return Err(ToolError::bad_argument(argument, message).hint("leave it out to get everything"));
        }
        let rules: Vec<Rule> = texts.iter().map(|text| Rule::parse(argument, text, case)).collect::<Result<_, _>>()?;
        let has_includes = rules.iter().any(|rule| rule.effect == Effect::Includes);
        Ok(Patterns { rules, has_includes })
    }

    /// Whether an entry is wanted.
    pub fn includes(&self, entry: Entry<'_>) -> bool {
        match self.last_fitting(entry) {
            Some(effect) => effect == Effect::Includes,
            None => !self.has_includes,
        }
    }

    /// Whether a directory may hold an entry that is wanted.
    pub fn may_hold(&self, directory: Entry<'_>) -> bool {
        if self.last_fitting(directory) == Some(Effect::Excludes) {
            return false;
        }
        let mut includes = self.rules.iter().filter(|rule| rule.effect == Effect::Includes);
        !self.has_includes || includes.any(|rule| rule.leads_below(directory.path))
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
        let parts = match parsed.is_of_paths() {
            true => parts(pattern.strip_prefix("./").unwrap_or(pattern), case),
            false => Vec::new(),
        };
        Ok(Rule { pattern: parsed, effect, directories_only, parts })
    }

    fn fits(&self, entry: Entry<'_>) -> bool {
        (entry.is_directory || !self.directories_only) && self.pattern.fits(entry.name, || entry.path.into())
    }

    /// Whether something below a directory can fit.
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

/// The parts of a pattern of paths. A `/` inside of brackets or braces parts nothing, and the part before it is no
/// pattern by itself; from there on anything is taken to fit.
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
    /// The entry of a path.
    pub fn of_path(path: &'a str, is_directory: bool) -> Entry<'a> {
        Entry { path, name: path.rsplit('/').next().unwrap_or(path), is_directory }
    }
}

/// The error of a search of a directory, which says how everything else can be found: by a pattern that leaves out
/// what failed below the directory.
pub fn leaving_out(error: impl Into<ToolError>, directory: &SandboxPath) -> ToolError {
    let error = error.into();
    let prefix = prefix(directory);
    let below = error.path.as_deref().and_then(|path| path.strip_prefix(&prefix));
    let Some(path) = below.filter(|below| !matches!(*below, "" | ".")) else {
        return if error.limit.is_some() { error } else { error.argument("path") };
    };
    let without = if path.contains(char::REPLACEMENT_CHARACTER) {
        // Where one name is not UTF-8, others are not either.
        "leave out all such names with `pattern: [\"*\", \"!*\u{fffd}*\"]`".to_owned()
    } else {
        format!("leave it out with `pattern: [\"*\", {}]`", excluding(path))
    };
    let hint = match error.code {
        ToolCode::Encoding => format!("rename it, or {without}"),
        ToolCode::Conflict => format!("call again, or {without}"),
        ToolCode::PermissionDenied => format!("{without}, or run as somebody who may read it"),
        _ => without,
    };
    error.hint(hint)
}

/// The pattern that leaves out a path, in quotes.
fn excluding(path: &str) -> String {
    let mut pattern = String::from("!");
    for character in path.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    let mut quoted = String::new();
    // A text takes whatever is written to it.
    let _ = print::quote(&pattern, &mut quoted);
    quoted
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

    /// Nothing that is wanted lies where a search does not go.
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
