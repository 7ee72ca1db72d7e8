//! The rules of one `.gitignore`: lines to rules, and the last rule that fits a path.
//!
//! A path given here is the way from the folder of the file; its bytes are compared as they are.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::glob::{Glob, MAX_TOKENS, Subject};

/// What a path is to the rules: only folders fit a rule that ends in `/`. A link is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A folder.
    Folder,
    /// Anything else.
    Other,
}

/// What the rules say of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is left out.
    Ignored,
    /// It is taken back in by a rule that begins with `!`.
    Kept,
}

/// One rule.
#[derive(Debug)]
struct Rule {
    verdict: Verdict,
    folders_only: bool,
    test: Test,
}

/// What a rule compares.
#[derive(Debug)]
enum Test {
    /// The name is this one.
    Name(Vec<u8>),
    /// The name ends so.
    NameEnd(Vec<u8>),
    /// The name fits.
    NameGlob(Prefixed),
    /// The path from the file's folder is this one.
    Path(Vec<u8>),
    /// The path fits.
    PathGlob(Prefixed),
}

/// A pattern in two parts: up to the first wildcard and from there on. git compares the first
/// literally and the second alone, so that `a**/b` reaches below `ax/`.
#[derive(Debug)]
struct Prefixed {
    prefix: Vec<u8>,
    glob: Glob,
}

/// The rules of one file, the last of which that fits decides.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    /// Rules that compare nothing but a name, by that name; numbers rise.
    names: HashMap<Vec<u8>, Vec<u32>, RandomState>,
    /// All other rules.
    others: Vec<u32>,
}

/// A file's rules, and the lines that are none although they say something.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The rules.
    pub rules: Rules,
    /// The first line that is too long.
    pub too_long: Option<usize>,
    /// Whether rules were left out because there are too many.
    pub cut: bool,
}

impl Rules {
    /// The rules of a file's bytes, at most so many.
    pub fn parse(bytes: &[u8], most: usize) -> Parsed {
        let mut parsed = Parsed::default();
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            // git's texts end at the first NUL.
            let line = line.split(|byte| *byte == 0).next().unwrap_or(line);
            if line.is_empty() || line[0] == b'#' {
                continue;
            }
            if line.len() > MAX_TOKENS {
                parsed.too_long.get_or_insert(number + 1);
                continue;
            }
            let Some(rule) = Rule::parse(without_trailing_spaces(line)) else { continue };
            if parsed.rules.rules.len() == most {
                parsed.cut = true;
                break;
            }
            parsed.rules.push(rule);
        }
        parsed
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    fn push(&mut self, rule: Rule) {
        let number = self.rules.len() as u32;
        match &rule.test {
            Test::Name(name) => self.names.entry(name.clone()).or_default().push(number),
            _ => self.others.push(number),
        }
        self.rules.push(rule);
    }

    /// What the last rule that fits says; none when no rule fits. `work` grows by the work done.
    pub fn verdict(&self, path: &[u8], name: &[u8], shape: Shape, work: &mut usize) -> Option<Verdict> {
        let fits_shape = |number: &&u32| shape == Shape::Folder || !self.rules[**number as usize].folders_only;
        let by_name = self.names.get(name).and_then(|numbers| numbers.iter().rev().find(fits_shape));
        let later = self.others.iter().rev().take_while(|number| by_name.is_none_or(|by_name| *number > by_name));
        let fits = |number: &&u32| self.rules[**number as usize].test.fits(path, name, work);
        let last = later.filter(fits_shape).find(fits).or(by_name)?;
        Some(self.rules[*last as usize].verdict)
    }
}

impl Rule {
    /// The rule of a line; none when it can fit nothing.
    fn parse(line: &[u8]) -> Option<Rule> {
        let (verdict, pattern) = match line.strip_prefix(b"!") {
            Some(rest) => (Verdict::Kept, rest),
            None => (Verdict::Ignored, line),
        };
        let (folders_only, pattern) = match pattern.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let test = match pattern.contains(&b'/') {
            true => Test::of_path(pattern.strip_prefix(b"/").unwrap_or(pattern)),
            false => Test::of_name(pattern),
        };
        Some(Rule { verdict, folders_only, test: test? })
    }
}

impl Test {
    fn of_name(pattern: &[u8]) -> Option<Test> {
        Some(match (first_wildcard(pattern), pattern) {
            (None, []) => return None,
            (None, name) => Test::Name(name.to_vec()),
            (Some(0), [b'*', end @ ..]) if first_wildcard(end).is_none() => Test::NameEnd(end.to_vec()),
            (Some(at), _) => Test::NameGlob(Prefixed::new(pattern, at, Subject::Name)?),
        })
    }

    fn of_path(pattern: &[u8]) -> Option<Test> {
        Some(match (first_wildcard(pattern), pattern) {
            (None, []) => return None,
            (None, path) => Test::Path(path.to_vec()),
            (Some(at), _) => Test::PathGlob(Prefixed::new(pattern, at, Subject::Path)?),
        })
    }

    fn fits(&self, path: &[u8], name: &[u8], work: &mut usize) -> bool {
        match self {
            Test::Name(wanted) => name == wanted,
            Test::NameEnd(end) => name.ends_with(end),
            Test::NameGlob(pattern) => pattern.fits(name, work),
            Test::Path(wanted) => path == wanted,
            Test::PathGlob(pattern) => pattern.fits(path, work),
        }
    }
}

impl Prefixed {
    fn new(pattern: &[u8], at: usize, subject: Subject) -> Option<Prefixed> {
        let (prefix, rest) = pattern.split_at(at);
        // In a name git reads the pattern as a whole, which comes to the same.
        Some(Prefixed { prefix: prefix.to_vec(), glob: Glob::parse(rest, subject)? })
    }

    fn fits(&self, text: &[u8], work: &mut usize) -> bool {
        let Some(rest) = text.strip_prefix(&self.prefix[..]) else { return false };
        *work += self.glob.cost(rest);
        self.glob.matches(rest)
    }
}

/// Where the first byte is that is no plain text to git.
fn first_wildcard(pattern: &[u8]) -> Option<usize> {
    pattern.iter().position(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\'))
}

/// A line without the spaces at its end that no backslash keeps.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b' ' => at += 1,
            b'\\' if at + 1 == line.len() => return line,
            b'\\' => {
                at += 2;
                end = at;
            }
            _ => {
                at += 1;
                end = at;
            }
        }
    }
    &line[..end]
}
