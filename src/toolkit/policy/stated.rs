//! Where the values in force come from: policy files, their order, and lines in them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Whose policy file it is, in the order in which the files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The user's own file.
    User,
    /// The file that the user named with `--policy`.
    Named,
    /// The file that a case of `ns test` names, which came with the tests.
    Case,
    /// `neuroscript.toml` in the root, which came with the folder.
    Root,
}

impl Layer {
    /// Whether the file is the user's, so that it may open something.
    pub fn is_users(self) -> bool {
        matches!(self, Layer::User | Layer::Named)
    }

    /// What it is, in words.
    pub fn described(self) -> &'static str {
        match self {
            Layer::User => "your own file",
            Layer::Named => "`--policy`",
            Layer::Case => "the file of the test",
            Layer::Root => "the file in the sandbox",
        }
    }
}

/// A line of a policy file that states something. Displayed as `FILE:LINE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// Whose file it is.
    pub layer: Layer,
    /// The file as messages to scripts name it, without the folder.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Stated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What a rule or value has behind it: where it is stated.
pub fn source_of(stated: Option<&Stated>) -> String {
    stated.map_or_else(|| "built in".to_owned(), Stated::to_string)
}

/// How somebody changes what is stated there.
pub fn change_of(key: &str, section: &str, stated: Option<&Stated>) -> String {
    match stated {
        Some(stated) => format!("change `{key}` at {stated} to allow it"),
        None => format!("state `{key}` in `[{section}]` of your own policy file, or of one given as `--policy`"),
    }
}

/// A policy file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFile {
    /// Whose it is.
    pub layer: Layer,
    /// The file as the user knows it, with its folder.
    pub name: Arc<str>,
    /// Where it is; the file in the root is read through the root's handle.
    pub path: Option<PathBuf>,
}

/// Something that a policy file asks for and does not get, since it would widen what is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The key.
    pub key: &'static str,
    /// The value that is asked for.
    pub value: String,
    /// Where.
    pub stated: Stated,
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unused { key, value, stated } = self;
        write!(f, "{stated} asks for {key} = {value}, which would widen; not used")
    }
}

/// The policy files, and where each value in force comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The files, in their order.
    pub files: Vec<PolicyFile>,
    /// Where each key is stated that a file states, as far as it counts.
    pub stated: BTreeMap<&'static str, Vec<Stated>>,
    /// What was asked for in vain.
    pub unused: Vec<Unused>,
    /// Keys that an option of the command line sets.
    pub options: Vec<&'static str>,
}

impl Provenance {
    /// Where a single value in force is stated; none for a built-in one.
    pub fn of(&self, key: &str) -> Option<&Stated> {
        if self.options.contains(&key) {
            return None;
        }
        self.stated.get(key).and_then(|stated| stated.last())
    }

    /// A line of a policy file as the user knows it, with the folder of the file.
    pub fn whole(&self, stated: &Stated) -> String {
        let file = self.files.iter().find(|file| file.layer == stated.layer);
        format!("{}:{}", file.map_or(&stated.file, |file| &file.name), stated.line)
    }

    /// Where a value comes from, in words; `name` names a line of a file.
    pub fn shown(&self, key: &str, name: impl Fn(&Stated) -> String) -> String {
        let stated = |stated: &[Stated]| stated.iter().map(&name).collect::<Vec<_>>().join(", ");
        match self.stated.get(key).map(Vec::as_slice) {
            _ if self.options.contains(&key) => "the command line".to_owned(),
            None | Some([]) => source_of(None),
            // The built-in patterns hold until a file of the user's replaces them.
            Some(root) if key == "blocked_patterns" && root.iter().all(|stated| !stated.layer.is_users()) => {
                format!("{}, {}", source_of(None), stated(root))
            }
            Some(all) => stated(all),
        }
    }
}
