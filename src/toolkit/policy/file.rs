//! Rules about files: their extensions, and patterns that nobody reads or changes.

use std::borrow::Cow;
use std::sync::LazyLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::sandbox::is_ignorable;
use crate::text::fold;

use super::directory::Asked;
use super::stated::Stated;

/// Extensions of one policy file, without regard to case; `tar.gz` is one too, and the empty text stands
/// for none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extensions {
    written: Vec<String>,
    /// Where they are stated.
    pub stated: Option<Stated>,
}

impl Extensions {
    /// The same extensions with the place where they are stated.
    pub fn at(self, stated: Stated) -> Extensions {
        Extensions { stated: Some(stated), ..self }
    }

    /// Adds one, with or without its dot; an error says what is expected.
    pub fn add(&mut self, written: &str) -> Result<(), &'static str> {
        let extension = written.strip_prefix('.').unwrap_or(written);
        if extension.contains(['/', '*', '?', '[', ':', '\\']) || extension.ends_with(['.', ' ']) {
            return Err("extensions such as `md` or `.tar.gz`");
        }
        self.written.push(fold(extension));
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// All of them, without their dots.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.written.iter().map(String::as_str)
    }

    /// The extension of these that a folded name has.
    pub fn of(&self, name: &str) -> Option<&str> {
        let has = |extension: &&String| match extension.is_empty() {
            true => !name.trim_start_matches('.').contains('.'),
            false => name.strip_suffix(extension.as_str()).is_some_and(|stem| stem.ends_with('.')),
        };
        self.written.iter().find(has).map(String::as_str)
    }
}

/// A folded name as a careless file system takes it: without characters that some ignore, without dots
/// and blanks at its end, and without what follows a `:` (NTFS).
pub fn careless(name: &str) -> Cow<'_, str> {
    let shown =
        if name.is_ascii() { Cow::Borrowed(name) } else { name.chars().filter(|&c| !is_ignorable(c)).collect() };
    let length = shown.split(':').next().unwrap_or(&shown).trim_end_matches(['.', ' ']).len();
    match shown {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..length]),
        Cow::Owned(mut text) => {
            text.truncate(length);
            Cow::Owned(text)
        }
    }
}

/// What nobody reads or changes when the policy file says nothing else: private keys, credentials,
/// `.env` files and what git keeps for itself.
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

/// The word in a list of patterns that stands for [`DEFAULT_PATTERNS`].
pub const DEFAULTS: &str = "@default";

/// Patterns of one policy file, or the built-in ones, whose matches nobody reads or changes.
///
/// One without `/` is matched against each name on the way, one with `/` against the way from the
/// root; what lies below a match is one too. `!` in front makes an exception; the last match decides.
#[derive(Clone, Debug)]
pub struct Patterns {
    rules: Vec<Pattern>,
    /// Where the list is stated; nowhere for the built-in one.
    pub stated: Option<Stated>,
    /// What they come to; `None` for the built-in list, see [`BUILT_IN`].
    compiled: Option<Compiled>,
}

/// What the built-in list comes to: compiled when a path is first asked about, once for all engines of a process.
static BUILT_IN: LazyLock<Compiled> = LazyLock::new(|| {
    let rules = DEFAULT_PATTERNS.map(Pattern::built_in);
    Compiled::new(&rules).expect("the built-in patterns are globs")
});

/// What the patterns come to: those of names and those of ways from the root.
#[derive(Clone, Debug)]
struct Compiled {
    names: Matcher,
    paths: Matcher,
}

#[derive(Clone, Debug, PartialEq)]
struct Pattern {
    written: String,
    is_exception: bool,
    /// The line of the policy file; 0 for those that `@default` stands for.
    line: usize,
}

#[derive(Clone, Debug, Default)]
struct Matcher {
    set: GlobSet,
    /// Which rule each glob of the set is.
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
    /// The same patterns with the place where their list is stated.
    pub fn at(self, stated: Stated) -> Patterns {
        Patterns { stated: Some(stated), ..self }
    }

    /// The patterns of a list, each with its line; an error names the one that is none, and says why.
    pub fn new(written: &[(String, usize)]) -> Result<Patterns, (usize, String)> {
        let mut rules = Vec::new();
        // Which of the list each rule is.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Where a rule is stated; where its list is, for one that `@default` stands for.
    fn stated_at(&self, rule: &Pattern) -> Option<Stated> {
        let stated = self.stated.clone()?;
        Some(if rule.line == 0 { stated } else { Stated { line: rule.line, ..stated } })
    }

    /// All of them in one line; the built-in list by its name.
    pub fn shown(&self) -> String {
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

    /// The pattern that a path falls under, itself or by a directory on its way, and where it is stated.
    pub fn refusing(&self, path: &Asked) -> Option<(&str, Option<Stated>)> {
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

    /// The glob itself.
    fn glob(&self) -> &str {
        self.written.strip_prefix('!').unwrap_or(&self.written).trim_end_matches('/')
    }
}

impl Compiled {
    /// An error has the number of the rule that is no glob.
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
    /// The last rule that matches.
    fn last(&self, text: &str) -> Option<usize> {
        if self.rules.is_empty() {
            return None;
        }
        let matches = self.set.matches(text);
        let careless = careless(text);
        let others = if careless == text { Vec::new() } else { self.set.matches(&*careless) };
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
