//! Rules about files: extensions, and patterns of files that no tool may read or change.

use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::text::fold;

use super::checked_path::{CheckedPath, lenient_name};
use super::stated::SourceLine;

/// Extensions in one policy file, compared without regard to case. `tar.gz` counts as one extension; the empty text
/// stands for no extension.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extensions {
    written: Vec<String>,
    /// Where the list is stated.
    pub stated: Option<SourceLine>,
}

impl Extensions {
    /// Sets the line that states the list.
    pub fn at(self, stated: SourceLine) -> Extensions {
        Extensions { stated: Some(stated), ..self }
    }

    /// Adds an extension, with or without its dot. The error says what is expected.
    pub fn add(&mut self, written: &str) -> Result<(), &'static str> {
        let extension = written.strip_prefix('.').unwrap_or(written);
        if extension.contains(['/', '*', '?', '[', ':', '\\']) || extension.ends_with(['.', ' ']) {
            return Err("extensions such as `md` or `.tar.gz`");
        }
        self.written.push(fold(extension));
        Ok(())
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// Returns all extensions, without their dots.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.written.iter().map(String::as_str)
    }

    /// Returns the listed extension that a case-folded name has.
    pub fn of(&self, name: &str) -> Option<&str> {
        let has = |extension: &&String| {
            if extension.is_empty() {
                !name.trim_start_matches('.').contains('.')
            } else {
                name.strip_suffix(extension.as_str()).is_some_and(|stem| stem.ends_with('.'))
            }
        };
        self.written.iter().find(has).map(String::as_str)
    }
}

/// Files that no tool may read or change by default: private keys, credentials, `.env` files and git's own files.
pub const DEFAULT_PATTERNS: [&str; 38] = [
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    ".ssh",
    ".gnupg",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    "credentials.json",
    "application_default_credentials.json",
    "**/.aws/credentials",
    "**/.cargo/credentials",
    "**/.cargo/credentials.toml",
    "**/.docker/config.json",
    "**/.kube/config",
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "!.env.dist",
    "!.env.defaults",
    "!.env.schema",
    ".git",
];

/// The word that stands for [`DEFAULT_PATTERNS`] in a list of patterns.
pub const DEFAULTS: &str = "@default";

/// The patterns of one policy file, or the built-in ones. No tool may read or change a match.
///
/// A pattern without `/` is matched against each name in a path, one with `/` against the path from the root.
/// Everything below a match is a match too. A leading `!` makes an exception; the last matching pattern decides.
#[derive(Clone, Debug)]
pub struct Patterns {
    rules: Vec<Pattern>,
    /// Where the list is stated; `None` for the built-in list.
    pub stated: Option<SourceLine>,
    /// The compiled patterns; `None` for the built-in list, see [`BUILT_IN`].
    compiled: Option<Compiled>,
}

/// The built-in patterns, compiled on first use, once for all engines of a process.
static BUILT_IN: LazyLock<Compiled> = LazyLock::new(|| {
    let rules = DEFAULT_PATTERNS.map(Pattern::built_in);
    Compiled::new(&rules).expect("the built-in patterns are globs")
});

/// Compiled patterns, matched against names or against paths from the root.
#[derive(Clone, Debug)]
struct Compiled {
    names: Matcher,
    paths: Matcher,
}

#[derive(Clone, Debug, PartialEq)]
struct Pattern {
    written: String,
    is_exception: bool,
    /// The line in the policy file; 0 for patterns of `@default`.
    line: usize,
}

#[derive(Clone, Debug, Default)]
struct Matcher {
    set: GlobSet,
    /// The rule of each glob in the set.
    rules: Vec<usize>,
}

impl Default for Patterns {
    fn default() -> Patterns {
        Patterns { rules: DEFAULT_PATTERNS.map(Pattern::built_in).into(), stated: None, compiled: None }
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Patterns) -> bool {
        self.rules == other.rules && self.stated == other.stated
    }
}

impl Patterns {
    /// Sets the line that states the list.
    pub fn at(self, stated: SourceLine) -> Patterns {
        Patterns { stated: Some(stated), ..self }
    }

    /// Compiles the patterns of a list, each with its line. The error has the index of the invalid pattern, and the
    /// reason.
    pub fn new(written: &[(String, usize)]) -> Result<Patterns, (usize, String)> {
        let mut rules = Vec::new();
        // The index in the list of each rule.
        let mut numbers = Vec::new();
        for (number, (written, line)) in written.iter().enumerate() {
            match written.as_str() {
                DEFAULTS => rules.extend(DEFAULT_PATTERNS.map(Pattern::built_in)),
                written => rules.push(Pattern { line: *line, ..Pattern::built_in(written) }),
            }
            numbers.resize(rules.len(), number);
        }
        let compiled = Compiled::new(&rules).map_err(|(rule, reason)| (numbers[rule], reason))?;
        Ok(Patterns { rules, stated: None, compiled: Some(compiled) })
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.as_ref().unwrap_or_else(|| &BUILT_IN)
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns where a rule is stated; for a pattern of `@default`, where its list is stated.
    fn stated_at(&self, rule: &Pattern) -> Option<SourceLine> {
        let stated = self.stated.clone()?;
        Some(if rule.line == 0 { stated } else { SourceLine { line: rule.line, ..stated } })
    }

    /// Returns all patterns in one line; the built-in list appears by its name.
    pub fn display(&self) -> String {
        let written: Vec<&str> = self.rules.iter().map(|rule| rule.written.as_str()).collect();
        let defaults = written.windows(DEFAULT_PATTERNS.len()).position(|part| part == DEFAULT_PATTERNS);
        let shown: Vec<&str> = match defaults {
            None => written,
            Some(at) => {
                let (before, after) = (&written[..at], &written[at + DEFAULT_PATTERNS.len()..]);
                before.iter().chain(&[DEFAULTS]).chain(after).copied().collect()
            }
        };
        format!("{shown:?}")
    }

    /// Returns the pattern that matches a path or a directory on the way to it, and where it is stated.
    pub fn refusing(&self, path: &CheckedPath) -> Option<(&str, Option<SourceLine>)> {
        if self.rules.is_empty() {
            return None;
        }
        let Compiled { names, paths } = self.compiled();
        let parts = path.own_parts();
        let mut way = String::new();
        parts.iter().find_map(|part| {
            if !way.is_empty() {
                way.push('/');
            }
            way.push_str(part);
            let last = names.last(part).max(paths.last(&way))?;
            let rule = &self.rules[last];
            (!rule.is_exception).then(|| (rule.written.as_str(), self.stated_at(rule)))
        })
    }
}

impl Pattern {
    fn built_in(written: &str) -> Pattern {
        Pattern { written: written.to_owned(), is_exception: written.starts_with('!'), line: 0 }
    }

    /// Returns the glob without `!`.
    fn glob(&self) -> &str {
        self.written.strip_prefix('!').unwrap_or(&self.written).trim_end_matches('/')
    }
}

impl Compiled {
    /// Compiles the rules. The error has the index of the invalid rule.
    fn new(rules: &[Pattern]) -> Result<Compiled, (usize, String)> {
        let (mut names, mut paths) = (Gathered::new(), Gathered::new());
        for (number, rule) in rules.iter().enumerate() {
            let gathered = if rule.glob().contains('/') { &mut paths } else { &mut names };
            gathered.add(rule.glob(), number).map_err(|reason| (number, reason))?;
        }
        let whole = |reason: String| (0, reason);
        Ok(Compiled { names: names.build().map_err(whole)?, paths: paths.build().map_err(whole)? })
    }
}

impl Matcher {
    /// Returns the last rule that matches.
    fn last(&self, text: &str) -> Option<usize> {
        if self.rules.is_empty() {
            return None;
        }
        let matches = self.set.matches(text);
        let lenient = lenient_name(text);
        let others = if lenient == text { Vec::new() } else { self.set.matches(&*lenient) };
        matches.into_iter().chain(others).map(|glob| self.rules[glob]).max()
    }
}

struct Gathered {
    set: GlobSetBuilder,
    rules: Vec<usize>,
}

impl Gathered {
    fn new() -> Gathered {
        Gathered { set: GlobSetBuilder::new(), rules: Vec::new() }
    }

    fn add(&mut self, glob: &str, rule: usize) -> Result<(), String> {
        let folded = fold(glob.strip_prefix("./").unwrap_or(glob).trim_matches('/'));
        if folded.is_empty() {
            return Err("it is empty".to_owned());
        }
        let built = GlobBuilder::new(&folded).literal_separator(true).build();
        self.set.add(built.map_err(|error| error.kind().to_string())?);
        self.rules.push(rule);
        Ok(())
    }

    fn build(self) -> Result<Matcher, String> {
        let set = self.set.build().map_err(|error| error.kind().to_string())?;
        Ok(Matcher { set, rules: self.rules })
    }
}
