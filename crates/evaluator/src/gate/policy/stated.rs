//! The origin of the values in force: policy files, their order, and lines in them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::limits::Limit;

/// The kind of a policy file, in the order in which the files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The user's own file.
    User,
    /// The file that the user named with `--policy`.
    Named,
    /// The file that a case of `ns test` names; it came with the tests.
    Case,
    /// `neuroscript.toml` in the root; it came with the directory.
    Root,
}

impl Layer {
    /// Whether the file is the user's own, so that it may widen the rules.
    pub fn is_users(self) -> bool {
        matches!(self, Layer::User | Layer::Named)
    }

    /// Describes the file in words.
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
pub struct SourceLine {
    /// The kind of the file.
    pub layer: Layer,
    /// The file name for messages to scripts, without its directory.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Returns where a rule or value is stated, in words.
pub fn source_of(stated: Option<&SourceLine>) -> String {
    stated.map_or_else(|| "built in".to_owned(), SourceLine::to_string)
}

/// Returns how to change what is stated there.
pub fn change_of(key: &str, section: &str, stated: Option<&SourceLine>) -> String {
    match stated {
        Some(stated) => format!("change `{key}` at {stated} to allow it"),
        None => format!("state `{key}` in `[{section}]` of your own policy file, or of one given as `--policy`"),
    }
}

/// A policy file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFile {
    /// The kind of the file.
    pub layer: Layer,
    /// The file as the user knows it, with its directory.
    pub name: Arc<str>,
    /// The path; `None` for the file in the root, which is read through the root's handle.
    pub path: Option<PathBuf>,
}

/// A setting that is ignored because it would widen what is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The key.
    pub key: &'static str,
    /// The value.
    pub value: String,
    /// The line that states it.
    pub stated: SourceLine,
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unused { key, value, stated } = self;
        write!(f, "{stated} asks for {key} = {value}, which would widen; not used")
    }
}

/// The policy files, and the origin of each value in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The files, in their order.
    pub files: Vec<PolicyFile>,
    /// The lines that state each key, as far as they count.
    pub stated: BTreeMap<&'static str, Vec<SourceLine>>,
    /// The ignored settings.
    pub unused: Vec<Unused>,
    /// Keys that an option of the command line sets.
    pub options: Vec<&'static str>,
}

impl Provenance {
    /// Returns where a single value in force is stated; `None` for a built-in one.
    pub fn of(&self, key: &str) -> Option<&SourceLine> {
        if self.options.contains(&key) {
            return None;
        }
        self.stated.get(key).and_then(|stated| stated.last())
    }

    /// Corrects the help for a limit that a file sets which is not the user's own, so that no other file can raise it.
    pub fn correct_limit_help(&self, limit: Limit, help: &mut Option<String>) {
        let stated = limit.key().and_then(|key| self.of(key)).filter(|stated| !stated.layer.is_users());
        if let Some(stated) = stated
            && help.as_deref() == limit.help()
        {
            *help = limit.help_at(&stated.to_string());
        }
    }

    /// Returns a line of a policy file as the user knows it, with the directory of the file.
    pub fn whole(&self, stated: &SourceLine) -> String {
        let file = self.files.iter().find(|file| file.layer == stated.layer);
        format!("{}:{}", file.map_or(&stated.file, |file| &file.name), stated.line)
    }

    /// Returns the origin of a value, in words; `name` formats a line of a file.
    pub fn display(&self, key: &str, name: impl Fn(&SourceLine) -> String) -> String {
        let stated = |stated: &[SourceLine]| stated.iter().map(&name).collect::<Vec<_>>().join(", ");
        match self.stated.get(key).map(Vec::as_slice) {
            _ if self.options.contains(&key) => "the command line".to_owned(),
            None | Some([]) => source_of(None),
            // The built-in patterns hold until one of the user's own files replaces them.
            Some(root) if key == "blocked_patterns" && root.iter().all(|stated| !stated.layer.is_users()) => {
                format!("{}, {}", source_of(None), stated(root))
            }
            Some(all) => stated(all),
        }
    }
}
