//! What a tool declares about itself: the one place from which binding, checks, schemas, help and
//! documentation come.

use crate::sandbox::PathRule;
use crate::text::{Purpose, ToolCode};

/// A tool's declaration, its parameters aside.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name in scripts: `FS.WalkDir`.
    pub name: &'static str,
    /// The name for machines: `walk_dir`.
    pub wire: &'static str,
    /// Other names that find it.
    pub aliases: &'static [&'static str],
    /// What people and other languages call what it does: `rename`, `shutil.move`. Searches and the suggestion
    /// for an unknown name use them; nothing is called by them.
    pub keywords: &'static [&'static str],
    /// What it does, in one sentence without a full stop.
    pub summary: &'static str,
    /// More, in full sentences: order of the result, edge cases, the document it follows.
    pub details: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// How much can go wrong.
    pub risk: Risk,
    /// Whether a person is asked first, unless the policy says otherwise.
    pub requires_approval: bool,
    /// How a failure reaches a script.
    pub failure: Failure,
    /// What can go wrong, besides `bad_args`, `policy_denied` and limits.
    pub errors: &'static [ToolCode],
    /// A call and what it prints.
    pub example: Example,
}

impl Spec {
    /// The declaration of a function that touches nothing; what fails is an error.
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

    /// The same declaration with other names that find the tool.
    pub const fn also(self, aliases: &'static [&'static str]) -> Spec {
        Spec { aliases, ..self }
    }

    /// The same declaration with other words for what it does.
    pub const fn keywords(self, keywords: &'static [&'static str]) -> Spec {
        Spec { keywords, ..self }
    }

    /// What searches and suggestions find it by.
    pub fn purpose(&self) -> Purpose<'static> {
        Purpose { name: self.name, aliases: self.aliases, keywords: self.keywords, summary: self.summary }
    }
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing; not even reading.
    Pure,
    /// Reads files, folders or settings.
    Reads,
    /// Changes what scripts remember; files only where an argument says so, and then as a change.
    Remembers,
    /// Makes or changes files or folders.
    Writes,
    /// Removes files or folders.
    Deletes,
}

impl Effect {
    /// Whether the world is another one after the call.
    pub fn is_side_effecting(self) -> bool {
        matches!(self, Effect::Remembers | Effect::Writes | Effect::Deletes)
    }

    /// Whether every call changes files, so that none is admitted where nothing may be changed.
    pub fn changes_files(self) -> bool {
        matches!(self, Effect::Writes | Effect::Deletes)
    }

    /// The word for it in listings.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Pure => "pure",
            Effect::Reads => "reads",
            Effect::Remembers => "remembers",
            Effect::Writes => "writes",
            Effect::Deletes => "deletes",
        }
    }
}

/// How much can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    /// Nothing changes.
    Low,
    /// Something is made or moved.
    Medium,
    /// Something is lost.
    High,
}

impl Risk {
    /// The word for it in listings.
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
    /// As a map whose `error` says what happened; on success it is nil.
    ErrorMap,
    /// The same for results that have `success` too.
    SuccessMap,
    /// As an error.
    Raise,
}

impl Failure {
    /// How documentation says it.
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

/// A script and what it prints; run as a test.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Some lines.
    pub script: &'static str,
    /// What they print.
    pub output: &'static str,
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Other names that an argument may have for it: those of the documents, and of earlier versions.
    pub aliases: &'static [&'static str],
    /// What it takes.
    pub kind: Kind,
    /// What holds when it is left out.
    pub absent: WhenAbsent,
    /// What it means, with its unit, in a sentence without a full stop.
    pub doc: &'static str,
}

/// The name of the parameter of a field: of `r#type` it is `type`.
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
    /// Whether an argument of this name is for it.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name) || LETTERS.contains(&(name, self.name))
    }
}

/// The letters by which the guide names the parameters that most tools have, and their names. They are accepted in
/// every tool; no parameter has one of these letters as its own name.
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

/// What a tool does at a place. Each includes the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Sees its name and what is known of it.
    Look,
    /// Reads its content.
    Read,
    /// Makes, changes, moves or removes it; what is made where nothing is yet is a file.
    Change,
    /// The same, and where nothing is yet the tool alone knows whether it makes a file or a directory: it
    /// asks again ([`super::Context::admit`]) with what it makes.
    Make,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number of at least `min` and at most `max`.
    Int {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// The same, or `nil`, which stands for leaving it out.
    IntOrNil {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// A text that says what to do: a key, an encoding, a pattern.
    Text,
    /// A text that is content: the audit log keeps its size and hash, never the text itself.
    Content,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A path; the gate finds its place and asks the policy whether this may be done there.
    Path(PathRule, Access),
    /// A list of paths, each found and asked for on its own: one that is refused does not spoil the rest.
    Paths(PathRule, Access),
    /// The path of something that was kept below `.ns`, as a result gave it; the policy is asked whether
    /// the place that it came from may be changed.
    Kept,
    /// A list.
    List,
    /// A list of texts.
    Texts,
    /// A text, or a list of texts.
    TextOrTexts,
    /// A text, or `nil`, which stands for leaving it out.
    TextOrNil,
    /// A pattern of paths, a list of them, or `nil`, which stands for leaving it out.
    Patterns,
    /// A number of bytes, a text such as `10 MiB`, or `nil`, which stands for leaving it out.
    Size,
    /// A whole number or a float.
    Number,
    /// A map.
    Map,
    /// Any value.
    Any,
}

impl Kind {
    /// A whole number that is at least `min`.
    pub const fn at_least(min: i64) -> Kind {
        Kind::Int { min, max: i64::MAX }
    }

    /// Whether the gate finds a place for it.
    pub fn is_place(self) -> bool {
        matches!(self, Kind::Path(..) | Kind::Paths(..) | Kind::Kept)
    }

    /// How messages say what is needed.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Bool => "true or false",
            Kind::Int { .. } => "a whole number",
            Kind::IntOrNil { .. } => "a whole number or nil",
            Kind::Text | Kind::Content | Kind::Word(_) => "a text",
            Kind::Path(..) => "a path",
            Kind::Paths(..) => "a list of paths",
            Kind::Kept => "the path of a backup",
            Kind::List => "a list",
            Kind::Texts => "a list of texts",
            Kind::TextOrTexts => "a text or a list of texts",
            Kind::TextOrNil => "a text or nil",
            Kind::Patterns => "a pattern, a list of patterns or nil",
            Kind::Size => "a number of bytes, a text such as \"10 MiB\" or nil",
            Kind::Number => "a number",
            Kind::Map => "a map",
            Kind::Any => "a value",
        }
    }

    /// How listings name the type.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int { .. } | Kind::IntOrNil { .. } => "int",
            Kind::Text | Kind::TextOrNil | Kind::Content | Kind::Word(_) => "string",
            Kind::Path(..) | Kind::Kept => "path",
            Kind::Paths(..) | Kind::List | Kind::Texts => "list",
            Kind::TextOrTexts | Kind::Patterns => "string or list",
            Kind::Size => "int or string",
            Kind::Number => "number",
            Kind::Map => "map",
            Kind::Any => "any",
        }
    }

    /// Whether `nil` stands for leaving an argument of this kind out.
    pub fn takes_nil(self) -> bool {
        matches!(self, Kind::IntOrNil { .. } | Kind::TextOrNil | Kind::Patterns | Kind::Size)
    }

    /// Whether a map can be a value of this kind.
    pub fn takes_maps(self) -> bool {
        matches!(self, Kind::Any | Kind::Map)
    }
}

/// What holds when a parameter is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WhenAbsent {
    /// It may not be left out.
    Required,
    /// The tool is told that it was left out.
    Absent,
    /// The tool is told that it was left out, and takes its own or the policy file's value, which
    /// is this one where nothing else is said.
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

/// Declares the typed arguments of a tool once: the struct, the parameters and how one becomes the
/// other. Fields come in the order of positional arguments, each with what holds when it is left
/// out ([`WhenAbsent`]), its [`Kind`] and what it means. Other names of a parameter follow its own:
/// `path | file_path: SandboxPath = …`.
///
/// ```text
/// arguments! {
///     struct Args {
///         path: SandboxPath = Required, Kind::Path(PathRule::RELATIVE, Access::Look), "folder where the walk begins";
///         max_depth: Option<i64> = Absent, Kind::at_least(1), "levels below the folder";
///     }
/// }
/// ```
macro_rules! arguments {
    (struct $name:ident { $($field:ident $(| $alias:ident)*: $type:ty = $absent:expr, $kind:expr, $doc:literal;)* }) => {
        pub struct $name { $($field: $type,)* }

        impl $crate::toolkit::Arguments for $name {
            const PARAMS: &'static [$crate::toolkit::Param] = {
                #[allow(unused_imports, reason = "not every tool uses all of them")]
                use $crate::toolkit::{Access, Kind, Literal, WhenAbsent::{Absent, Configured, Is, Required}};
                &[$($crate::toolkit::Param {
                    name: $crate::toolkit::name_of(stringify!($field)),
                    aliases: &[$(stringify!($alias)),*],
                    kind: $kind,
                    absent: $absent,
                    doc: $doc,
                },)*]
            };

            #[allow(unused_variables, reason = "some tools take no arguments")]
            fn take(bound: &mut $crate::toolkit::Bound<'_>) -> $name {
                $name { $($field: bound.take(),)* }
            }
        }
    };
}
pub(crate) use arguments;
