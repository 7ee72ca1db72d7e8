//! The rules of one `.gitignore`: parses its lines and finds the last rule that matches a path.
//!
//! Paths are relative to the directory of the file and are compared byte by byte.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::limits::{LimitHit, Watch};

use super::glob::{Glob, MAX_TOKENS, Subject};

/// Amount of work between two checks of the deadline.
const PATIENCE: usize = 1 << 22;

/// The kind of a path as far as rules depend on it: a rule that ends in `/` matches only directories. A link is not a
/// directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A directory.
    Folder,
    /// Anything else.
    Other,
}

/// The decision of the rules about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The path is ignored.
    Ignored,
    /// The path is included again by a rule that begins with `!`.
    Kept,
}

/// The work done since the deadline was checked.
#[derive(Debug)]
pub struct Work {
    done: usize,
    watch: Watch,
}

impl Work {
    /// Creates a count that checks this deadline.
    pub fn new(watch: Watch) -> Work {
        Work { done: 0, watch }
    }

    /// Adds work, and checks the deadline from time to time.
    fn spend(&mut self, cost: usize) -> Result<(), LimitHit> {
        self.done += cost;
        if self.done > PATIENCE {
            self.done = 0;
            self.watch.poll()?;
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Rule {
    verdict: Verdict,
    folders_only: bool,
    test: Test,
}

/// The condition of a rule.
#[derive(Debug)]
enum Test {
    /// The name equals this one.
    Name(Vec<u8>),
    /// The name ends with these bytes.
    NameEnd(Vec<u8>),
    /// The name matches.
    NameGlob(Prefixed),
    /// The path from the file's directory equals this one.
    Path(Vec<u8>),
    /// The path matches.
    PathGlob(Prefixed),
}

/// A pattern split at its first wildcard. git compares the first part literally and the second on its own, so `a**/b`
/// matches below `ax/`.
#[derive(Debug)]
struct Prefixed {
    prefix: Vec<u8>,
    glob: Glob,
}

/// The rules of one file; the last one that matches decides.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    /// The rules that compare only a name, by that name; rule numbers are ascending.
    names: HashMap<Vec<u8>, Vec<u32>, RandomState>,
    /// The numbers of all other rules.
    others: Vec<u32>,
}

/// The rules of a file, and the problems found in it.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The valid rules.
    pub rules: Rules,
    /// The number of the first line that is too long.
    pub too_long: Option<usize>,
    /// Whether rules were left out because the file has too many.
    pub cut: bool,
}

impl Rules {
    /// Parses the contents of a file, at most `most` rules.
    pub fn parse(bytes: &[u8], most: usize) -> Parsed {
        let mut parsed = Parsed::default();
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            // git reads a line up to the first NUL.
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

    /// Returns the number of rules.
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

    /// Returns the verdict of the last rule that matches, or `None` if no rule does. Adds the work done to `work`.
    pub fn verdict(
        &self,
        path: &[u8],
        name: &[u8],
        shape: Shape,
        work: &mut Work,
    ) -> Result<Option<Verdict>, LimitHit> {
        let fits_shape = |number: &&u32| shape == Shape::Folder || !self.rules[**number as usize].folders_only;
        let by_name = self.names.get(name).and_then(|numbers| numbers.iter().rev().find(fits_shape));
        let later = self.others.iter().rev().take_while(|number| by_name.is_none_or(|by_name| *number > by_name));
        for number in later.filter(fits_shape) {
            let rule = &self.rules[*number as usize];
            if rule.test.fits(path, name, work)? {
                return Ok(Some(rule.verdict));
            }
        }
        Ok(by_name.map(|number| self.rules[*number as usize].verdict))
    }
}

impl Rule {
    /// Parses a line. Returns `None` if it can match nothing.
    fn parse(line: &[u8]) -> Option<Rule> {
        let (verdict, pattern) = match line.strip_prefix(b"!") {
            Some(rest) => (Verdict::Kept, rest),
            None => (Verdict::Ignored, line),
        };
        let (folders_only, pattern) = match pattern.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let test = if pattern.contains(&b'/') {
            Test::of_path(pattern.strip_prefix(b"/").unwrap_or(pattern))
        } else {
            Test::of_name(pattern)
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

    fn fits(&self, path: &[u8], name: &[u8], work: &mut Work) -> Result<bool, LimitHit> {
        Ok(match self {
            Test::Name(wanted) => name == wanted,
            Test::NameEnd(end) => name.ends_with(end),
            Test::NameGlob(pattern) => pattern.fits(name, work)?,
            Test::Path(wanted) => path == wanted,
            Test::PathGlob(pattern) => pattern.fits(path, work)?,
        })
    }
}

impl Prefixed {
    fn new(pattern: &[u8], at: usize, subject: Subject) -> Option<Prefixed> {
        let (prefix, rest) = pattern.split_at(at);
        // git matches a name against the whole pattern, which gives the same result.
        Some(Prefixed { prefix: prefix.to_vec(), glob: Glob::parse(rest, subject)? })
    }

    fn fits(&self, text: &[u8], work: &mut Work) -> Result<bool, LimitHit> {
        let Some(rest) = text.strip_prefix(&self.prefix[..]) else { return Ok(false) };
        work.spend(self.glob.cost(rest))?;
        Ok(self.glob.matches(rest))
    }
}

/// Returns the position of the first byte that is special to git.
fn first_wildcard(pattern: &[u8]) -> Option<usize> {
    pattern.iter().position(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\'))
}

/// Returns a line without trailing spaces, except those escaped by a backslash.
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
