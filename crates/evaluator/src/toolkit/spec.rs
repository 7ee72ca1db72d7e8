//! The declaration of a tool: the one source of binding, checks, schemas, help and documentation.
//!
//! The file of a tool holds its [`Spec`], its arguments (`arguments!`: the struct, the parameters and the conversion),
//! its result struct and one function. A tool with a million rows builds its result value itself. Script binding,
//! checks, defaults, JSON Schema, `ns tools`, `ns doc`, the definitions of `ns mcp` and `docs/tools.md` all come from
//! there. A test fails if `docs/tools.md` is stale, and another runs every [`Example`]. `keywords` are the one source
//! of `ns doc` searches by purpose and of suggestions for foreign names such as `os.rename` (`text/purpose`).

use crate::sandbox::PathRule;
use crate::text::{Purpose, ToolCode};

use super::form::Form;

/// The declaration of a tool, without its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name in scripts: `FS.WalkDir`.
    pub name: &'static str,
    /// The wire name: `walk_dir`.
    pub wire: &'static str,
    /// Other names that find the tool.
    pub aliases: &'static [&'static str],
    /// Words of people and other languages for the same purpose: `rename`, `shutil.move`. Searches and suggestions
    /// for unknown names use them; no call does.
    pub keywords: &'static [&'static str],
    /// The purpose, in one sentence without a full stop.
    pub summary: &'static str,
    /// Details in full sentences: order of the result, edge cases, the document that it follows.
    pub details: &'static str,
    /// The effect on files and memory.
    pub effect: Effect,
    /// The possible damage.
    pub risk: Risk,
    /// Whether a person must approve, unless the policy says otherwise.
    pub requires_approval: bool,
    /// How a failure reaches a script.
    pub failure: Failure,
    /// Possible error codes besides `bad_args`, `policy_denied`, `limit_exceeded` and `cancelled`.
    pub errors: &'static [ToolCode],
    /// An example call and its output.
    pub example: Example,
}

impl Spec {
    /// Declares a pure tool; its failures are errors.
    pub const fn pure(
        name: &'static str,
        wire: &'static str,
        summary: &'static str,
        details: &'static str,
        example: Example,
    ) -> Spec {
        Spec {
            name,
            wire,
            aliases: &[],
            keywords: &[],
            summary,
            details,
            effect: Effect::Pure,
            risk: Risk::Low,
            requires_approval: false,
            failure: Failure::Raise,
            errors: &[],
            example,
        }
    }

    /// Returns the declaration with aliases.
    pub const fn also(self, aliases: &'static [&'static str]) -> Spec {
        Spec { aliases, ..self }
    }

    /// Returns the declaration with other words for its purpose.
    pub const fn keywords(self, keywords: &'static [&'static str]) -> Spec {
        Spec { keywords, ..self }
    }

    /// Returns the texts by which searches and suggestions find the tool.
    pub fn purpose(&self) -> Purpose<'static> {
        Purpose { name: self.name, aliases: self.aliases, keywords: self.keywords, summary: self.summary }
    }
}

/// The effect of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// None: the tool does not even read files.
    Pure,
    /// Reads files, directories or settings.
    Reads,
    /// Changes memory; changes files only if an argument says so, and then as a change.
    Remembers,
    /// Creates files or directories, or adds to them, and replaces nothing.
    Adds,
    /// Creates or changes files or directories.
    Writes,
    /// Removes files or directories.
    Deletes,
}

impl Effect {
    /// Whether a call may change files or memory.
    pub fn is_side_effecting(self) -> bool {
        matches!(self, Effect::Remembers) || self.changes_files()
    }

    /// Whether every call changes files, so that a read-only run refuses all of them.
    pub fn changes_files(self) -> bool {
        matches!(self, Effect::Adds | Effect::Writes | Effect::Deletes)
    }

    /// Returns the word in listings.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Pure => "pure",
            Effect::Reads => "reads",
            Effect::Remembers => "remembers",
            Effect::Adds | Effect::Writes => "writes",
            Effect::Deletes => "deletes",
        }
    }
}

/// The possible damage of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    /// Nothing changes.
    Low,
    /// Something is created or moved.
    Medium,
    /// Something is lost.
    High,
}

impl Risk {
    /// Returns the word in listings.
    pub fn word(self) -> &'static str {
        match self {
            Risk::Low => "Low",
            Risk::Medium => "Medium",
            Risk::High => "High",
        }
    }
}

/// How a failure reaches a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// As `nil`, with one warning on standard error.
    Nil,
    /// As a map whose `error` is a sentence; on success it is `nil`.
    ErrorMap,
    /// Like `ErrorMap`, for results that also have `success`.
    SuccessMap,
    /// As an error.
    Raise,
}

impl Failure {
    /// Returns the sentence for the documentation.
    pub fn sentence(self) -> &'static str {
        match self {
            Failure::Nil => "a failure gives `nil`; `LAST_ERROR` has the story",
            Failure::ErrorMap | Failure::SuccessMap => {
                "the result's `error` is `nil`, or a sentence when the call failed"
            }
            Failure::Raise => "a failure is an error",
        }
    }
}

/// The fields of an answer that is an image or audio. A server gives the data to its client as such, and everything else
/// as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaFields {
    /// The field with the bytes as base64.
    pub data: &'static str,
    /// The field with the type of the data, `image/…` or `audio/…`.
    pub mime_type: &'static str,
    /// Fields that belong into the metadata of the answer too: how the data was changed.
    pub reported: &'static [&'static str],
}

/// A script and its output; run as a test.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The script.
    pub script: &'static str,
    /// Its output.
    pub output: &'static str,
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The name.
    pub name: &'static str,
    /// Other names for arguments: those of the specifications and of earlier versions.
    pub aliases: &'static [&'static str],
    /// The kind of value that the parameter takes.
    pub kind: Kind,
    /// The behavior when the argument is omitted.
    pub absent: WhenAbsent,
    /// The meaning, with its unit, in a sentence without a full stop.
    pub doc: &'static str,
}

/// Returns the parameter name of a field: `type` for `r#type`.
pub const fn name_of(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', name @ ..] => match str::from_utf8(name) {
            Ok(name) => name,
            Err(_) => field,
        },
        _ => field,
    }
}

impl Param {
    /// Whether this is the name or an alias of the parameter.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name) || LETTERS.contains(&(name, self.name))
    }
}

/// The letters that the guide uses for common parameters, each with the parameter name. Every tool accepts them; no
/// parameter has one of these letters as its own name.
const LETTERS: [(&str, &str); 8] = [
    ("t", "text"),
    ("t", "time"),
    ("l", "list"),
    ("m", "map"),
    ("k", "key"),
    ("n", "count"),
    ("p", "path"),
    ("v", "value"),
];

/// An access to a path. Each variant includes the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Sees the name and metadata.
    Look,
    /// Reads the content.
    Read,
    /// Creates, changes, moves or removes the entry; if nothing exists there, the tool creates a file.
    Change,
    /// Like `Change`, but if nothing exists there, only the tool knows whether it creates a file or a directory: it
    /// checks again with [`crate::gate::Context::admit`] when it does.
    Make,
}

/// The kind of value that a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number from `min` to `max`.
    Int {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// Like `Int`; `nil` counts as omitted.
    IntOrNil {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// A text that says what to do: a key, an encoding, a pattern.
    Text,
    /// A text that is content: the audit log records its size and hash, never the text itself.
    Content,
    /// A text like `Text` that the tool parses; a literal is parsed before the run.
    Form(Form),
    /// One of several words.
    Word(&'static [&'static str]),
    /// A path; the gate resolves it and applies the policy for this access.
    Path(PathRule, Access),
    /// A list of paths, each resolved and checked on its own: a refused path does not affect the others.
    Paths(PathRule, Access),
    /// The path of a backup below `.ns`, taken from a result; the policy must allow changing its origin.
    Kept,
    /// A list.
    List,
    /// A list of texts.
    Texts,
    /// A list of texts, numbers and truth values.
    Scalars,
    /// A text, or a list of texts.
    TextOrTexts,
    /// `true` or `false`, or a list of the texts for which it is true.
    BoolOrTexts,
    /// A text; `nil` counts as omitted.
    TextOrNil,
    /// A path pattern or a list of them; `nil` counts as omitted.
    Patterns,
    /// A number of bytes or a text such as `10 MiB`; `nil` counts as omitted.
    Size,
    /// A whole number or a float.
    Number,
    /// A map.
    Map,
    /// A list of maps, each with these parameters as its keys.
    Maps(&'static [Param]),
    /// Any value.
    Any,
}

impl Kind {
    /// Returns the kind of whole numbers that are at least `min`.
    pub const fn at_least(min: i64) -> Kind {
        Kind::Int { min, max: i64::MAX }
    }

    /// Whether the gate resolves values of this kind as paths.
    pub fn is_place(self) -> bool {
        matches!(self, Kind::Path(..) | Kind::Paths(..) | Kind::Kept)
    }

    /// Returns the noun phrase for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Bool => "true or false",
            Kind::Int { .. } => "a whole number",
            Kind::IntOrNil { .. } => "a whole number or nil",
            Kind::Text | Kind::Form(_) | Kind::Content | Kind::Word(_) => "a text",
            Kind::Path(..) => "a path",
            Kind::Paths(..) => "a list of paths",
            Kind::Kept => "the path of a backup",
            Kind::List => "a list",
            Kind::Texts => "a list of texts",
            Kind::Scalars => "a list of texts, numbers and truth values",
            Kind::TextOrTexts => "a text or a list of texts",
            Kind::BoolOrTexts => "true, false or a list of texts",
            Kind::TextOrNil => "a text or nil",
            Kind::Patterns => "a pattern, a list of patterns or nil",
            Kind::Size => "a number of bytes, a text such as \"10 MiB\" or nil",
            Kind::Number => "a number",
            Kind::Map => "a map",
            Kind::Maps(_) => "a list of maps",
            Kind::Any => "a value",
        }
    }

    /// Returns the name of the type for listings.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int { .. } | Kind::IntOrNil { .. } => "int",
            Kind::Text | Kind::Form(_) | Kind::TextOrNil | Kind::Content | Kind::Word(_) => "string",
            Kind::Path(..) | Kind::Kept => "path",
            Kind::Paths(..) | Kind::List | Kind::Texts | Kind::Scalars | Kind::Maps(_) => "list",
            Kind::TextOrTexts | Kind::Patterns => "string or list",
            Kind::BoolOrTexts => "bool or list",
            Kind::Size => "int or string",
            Kind::Number => "number",
            Kind::Map => "map",
            Kind::Any => "any",
        }
    }

    /// Whether `nil` counts as omitted for this kind.
    pub fn takes_nil(self) -> bool {
        matches!(self, Kind::IntOrNil { .. } | Kind::TextOrNil | Kind::Patterns | Kind::Size)
    }

    /// Whether a map can be a value of this kind.
    pub fn takes_maps(self) -> bool {
        matches!(self, Kind::Any | Kind::Map)
    }
}

/// The behavior when an argument is omitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WhenAbsent {
    /// It may not be omitted.
    Required,
    /// The tool sees that it was omitted.
    Absent,
    /// The tool sees that it was omitted, and uses its own value or the policy file's; by default that is this one.
    Configured(Literal),
    /// This value.
    Is(Literal),
}

/// A constant value in a declaration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(&'static str),
}
