//! The command line of a script: exposes the parameters of the entry procedure as arguments and options.
//!
//! A parameter without a default is an argument; one with a default is an option whose kind is that of the default.
//! `:: arg name: …` lines document parameters, can turn an option into an argument, and `:: arg name (int): …` declares a
//! kind. This module does no I/O: it converts words to values.

mod bind;
mod convert;
mod marks;
mod named;
mod usage;

use std::collections::{HashMap, HashSet};

use compact_str::CompactString;

use crate::syntax::MAX_FINDINGS;
use crate::syntax::ast::{ExprKind, Procedure, Tree};
use crate::syntax::keyword::{first_word, is_keyword};
use crate::syntax::{Part, Template};
use crate::text::{Code, Diagnostic};
use crate::value::Value;

use super::entry::Entry;
use super::lower::param_of;

pub use bind::{Bound, Words, is_option};

use marks::{ArgLine, marks};

/// The long options of `ns run`, sorted. A script option of the same name can be given only after `--`.
pub const OWN_OPTIONS: [&str; 21] = [
    "atomic",
    "case-policy",
    "dry-run",
    "eval",
    "help",
    "jobs",
    "lib",
    "max-files",
    "max-steps",
    "now",
    "output",
    "plan",
    "policy",
    "proc",
    "quiet",
    "read-only",
    "sandbox",
    "seed",
    "strict",
    "timeout",
    "verbose",
];

/// The option that prints a script's usage.
const HELP: &str = "help";

/// Returns whether `ns run` has a long option of this name.
fn is_own(option: &str) -> bool {
    OWN_OPTIONS.binary_search(&option).is_ok()
}

/// The command-line interface of a script.
#[derive(Debug, Default)]
pub struct Interface {
    /// The description: `:: description`, or the text of the procedure's `COMMENT:`.
    pub description: Option<String>,
    /// `:: usage`, for a script that reads `ARGS` itself.
    pub usage: Option<String>,
    /// The entry procedure, or `None` for the top level, which reads all words from `ARGS`.
    pub procedure: Option<CompactString>,
    /// The parameters of the procedure, or those that a script which reads `ARGS` documents.
    pub parameters: Vec<Parameter>,
    /// Whether the script may read `ARGS`. [`Interface::of`] leaves it `false`: lowering finds it out, and
    /// [`may_read_args`] estimates it for a script that is only parsed.
    pub reads_args: bool,
}

/// A parameter on the command line.
#[derive(Debug)]
pub struct Parameter {
    /// The name in the script.
    pub name: CompactString,
    /// How values are passed to the parameter.
    pub role: Role,
    /// The values that the parameter accepts.
    pub kind: Kind,
    /// The value if none is given, or `None` if the parameter is required.
    pub default: Option<Value>,
    /// The description from its `:: arg` line.
    pub documentation: Option<String>,
}

/// How values are passed to a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// By position or by name.
    Argument,
    /// All remaining words, or an option that may be repeated.
    Rest,
    /// By name only.
    Option,
}

/// The values that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No value: the parameter is true if the flag is given.
    Flag,
    /// One value.
    One(Element),
    /// Any number of values.
    List(Element),
    /// Any number of `KEY=VALUE` pairs.
    Map(Element),
}

/// The type of a single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Any text.
    Text,
    /// A whole number.
    Int,
    /// A number.
    Float,
}

impl Interface {
    /// Builds the interface of a script whose entry point is found by `Entry::find`. Mistakes in `:: arg` lines are
    /// reported as errors where they contradict the parameters, otherwise as warnings.
    ///
    /// # Errors
    /// The entry point cannot be determined.
    pub fn of(tree: &Tree, wanted: Option<&str>, findings: &mut Vec<Diagnostic>) -> Result<Interface, Diagnostic> {
        let procedures: Vec<&Procedure> = tree.procedures().collect();
        let names: Vec<&str> = procedures.iter().map(|procedure| procedure.name.text.as_str()).collect();
        let has_top = tree.statements.iter().any(|statement| statement.runs());
        let entry = Entry::find(&names, has_top, wanted)?;
        let (procedure, parameters) = match entry {
            Entry::Top => (None, words_of_top(tree, findings)),
            Entry::Procedure(number) => {
                let parameters = parameters(tree, procedures[number], findings);
                (Some(procedures[number]), parameters)
            }
        };
        let documentation = procedure.and_then(|procedure| procedure.documentation.clone());
        Ok(Interface {
            description: metadata(tree, "description").or(documentation),
            usage: metadata(tree, "usage"),
            procedure: procedure.map(|procedure| procedure.name.text.clone()),
            parameters,
            reads_args: false,
        })
    }
}

impl Element {
    /// Returns the name of the type: `text`, `int` or `float`.
    pub fn name(self) -> &'static str {
        match self {
            Element::Text => "text",
            Element::Int => "int",
            Element::Float => "float",
        }
    }
}

impl Parameter {
    /// Returns the option name without leading dashes: `newer-than`.
    pub fn option(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Returns the option that changes the value, without leading dashes: `no-keep` for a flag that is on by default.
    pub fn option_to_give(&self) -> String {
        let is_on = self.kind == Kind::Flag && self.default.as_ref().is_some_and(Value::is_true);
        if is_on { format!("no-{}", self.option()) } else { self.option() }
    }

    /// Returns the kind of the parameter if its values are declared to be `element`, or `None` if the default
    /// contradicts that.
    fn with_element(&self, element: Element) -> Option<Kind> {
        let fits = |found: Element, is_empty: bool| is_empty || found == element;
        match (self.kind, &self.default) {
            (Kind::One(_), None | Some(Value::Nil)) => Some(Kind::One(element)),
            (Kind::One(found), Some(_)) => fits(found, false).then_some(Kind::One(element)),
            (Kind::List(found), Some(Value::List(list))) => fits(found, list.is_empty()).then_some(Kind::List(element)),
            (Kind::Map(found), Some(Value::Map(map))) => fits(found, map.is_empty()).then_some(Kind::Map(element)),
            _ => None,
        }
    }

    /// Returns whether a value of the parameter may be the name of a file.
    pub fn can_be_file(&self) -> bool {
        matches!(self.kind, Kind::One(Element::Text) | Kind::List(Element::Text) | Kind::Map(Element::Text))
    }

    /// Returns whether the parameter must be given.
    pub fn is_required(&self) -> bool {
        self.default.is_none()
    }
}

/// Whether a script, or a module that it uses, may read `ARGS`.
pub fn may_read_args(tree: &Tree) -> bool {
    let mut exprs = tree.exprs().iter();
    tree.uses().next().is_some()
        || exprs.any(|expr| match &expr.kind {
            ExprKind::Name(name) => is_args(name),
            ExprKind::Template(template, _) => {
                Template::new(template).any(|part| matches!(part, Part::Placeholder(name, _) if is_args(name)))
            }
            ExprKind::Call(call) => call.callee.eq_ignore_ascii_case("EVAL"),
            _ => false,
        })
}

/// Whether a name as written, or its part before the first dot, is `ARGS`.
fn is_args(name: &str) -> bool {
    is_keyword(first_word(name), "ARGS")
}

/// Returns the value of the first `:: key: value` line with a key.
fn metadata(tree: &Tree, key: &str) -> Option<String> {
    tree.metadata.iter().find(|line| line.key == key).map(|line| line.value.clone())
}

fn parameters(tree: &Tree, procedure: &Procedure, findings: &mut Vec<Diagnostic>) -> Vec<Parameter> {
    let marks = marks(tree);
    // Of several lines about a parameter, the first counts.
    let by_name: HashMap<&str, &ArgLine> = marks.iter().rev().map(|mark| (mark.name.as_str(), mark)).collect();
    let mut parameters: Vec<Parameter> = Vec::with_capacity(procedure.params.len());
    for param in &procedure.params {
        // Lowering reports mistakes in defaults.
        let default = param_of(tree, param, &mut Vec::new()).default;
        let name = param.name.text.clone();
        let mark = by_name.get(name.as_str()).copied();
        let mut parameter = Parameter {
            role: if default.is_some() { Role::Option } else { Role::Argument },
            kind: default.as_ref().map_or(Kind::One(Element::Text), kind_of),
            documentation: mark.map(|mark| mark.documentation.clone()).filter(|text| !text.is_empty()),
            name,
            default,
        };
        if let Some(mark) = mark {
            mark.apply(&mut parameter, findings);
        }
        parameters.push(parameter);
    }
    report_order(procedure, &parameters, findings);
    report_marks(procedure, &marks, &parameters, findings);
    report_names(procedure, &parameters, findings);
    parameters
}

/// Reports arguments that follow the one that takes all remaining words.
fn report_order(procedure: &Procedure, parameters: &[Parameter], findings: &mut Vec<Diagnostic>) {
    let Some(rest) = parameters.iter().position(|parameter| parameter.role == Role::Rest) else { return };
    let late = parameters.iter().skip(rest + 1).position(|parameter| parameter.role != Role::Option);
    if let Some(late) = late.map(|late| late + rest + 1) {
        let (rest, name) = (&parameters[rest].name, &parameters[late].name);
        let message = format!("`{name}` comes after `{rest}`, which takes all words that are left");
        let finding = Diagnostic::error(Code::BadArgumentLine, procedure.params[late].name.span, message);
        findings.push(finding.help(format!("put `{rest}` last")));
    }
}

/// Warns about `:: arg` lines that name no parameter.
fn report_marks(procedure: &Procedure, marks: &[ArgLine], parameters: &[Parameter], findings: &mut Vec<Diagnostic>) {
    let known: HashSet<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    for mark in marks.iter().filter(|mark| !known.contains(mark.name.as_str())).take(MAX_FINDINGS) {
        let message = format!("`{}` has no parameter `{}`", procedure.name.text, mark.name);
        let finding = Diagnostic::warning(Code::UnknownArgumentLine, mark.span, message);
        let names = parameters.iter().map(|parameter| parameter.name.as_str());
        findings.push(match crate::text::nearest(&mark.name, names) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help("name a parameter, or remove the line"),
        });
    }
}

/// Reports parameters whose option name has another meaning.
fn report_names(procedure: &Procedure, parameters: &[Parameter], findings: &mut Vec<Diagnostic>) {
    for (param, parameter) in procedure.params.iter().zip(parameters) {
        let (span, option) = (param.name.span, parameter.option());
        if is_own(&option) {
            let message = format!("`ns` has an option `--{option}` too");
            let help = match option.as_str() {
                HELP => "choose another name; as it is, `--help` shows the usage, and `-- --help=VALUE` alone is that of the script".to_owned(),
                _ => format!(
                    "choose another name; as it is, `--{option}` before the file is that of `ns`, and after `--` that of the script"
                ),
            };
            findings.push(Diagnostic::warning(Code::OwnOption, span, message).help(help));
        }
        let negated = option.strip_prefix("no-").map(|rest| rest.replace('-', "_"));
        let is_flag = |other: &&Parameter| other.kind == Kind::Flag && Some(other.name.as_str()) == negated.as_deref();
        if let Some(other) = parameters.iter().find(is_flag) {
            let message = format!("`--{option}` would mean two things: `{}`, and not `{}`", parameter.name, other.name);
            findings.push(Diagnostic::error(Code::BadArgumentLine, span, message).help("choose another name"));
        }
    }
}

/// Returns the words that a script documents which reads them from `ARGS`.
fn words_of_top(tree: &Tree, findings: &mut Vec<Diagnostic>) -> Vec<Parameter> {
    let marks = marks(tree);
    marks.iter().for_each(|mark| mark.report_unchecked_kind(findings));
    marks.iter().map(documented).collect()
}

/// A word that the script reads from `ARGS`, described by its `:: arg` line.
fn documented(mark: &ArgLine) -> Parameter {
    Parameter {
        name: mark.name.as_str().into(),
        role: if mark.takes_rest { Role::Rest } else { Role::Argument },
        kind: Kind::One(Element::Text),
        default: mark.is_optional.then_some(Value::Nil),
        documentation: Some(mark.documentation.clone()).filter(|text| !text.is_empty()),
    }
}

/// Returns the kind of a parameter with this default.
fn kind_of(default: &Value) -> Kind {
    match default {
        Value::Bool(_) => Kind::Flag,
        Value::Int(_) => Kind::One(Element::Int),
        Value::Float(_) => Kind::One(Element::Float),
        Value::List(list) => Kind::List(element_of(list.iter())),
        Value::Map(map) => Kind::Map(element_of(map.iter().map(|(_, value)| value))),
        _ => Kind::One(Element::Text),
    }
}

/// Returns the common type of the values, or text if they differ or there are none.
fn element_of(values: impl Iterator<Item = Value>) -> Element {
    let mut kinds = values.map(|value| match value {
        Value::Int(_) => Element::Int,
        Value::Float(_) => Element::Float,
        _ => Element::Text,
    });
    let first = kinds.next().unwrap_or(Element::Text);
    if kinds.all(|kind| kind == first) { first } else { Element::Text }
}
