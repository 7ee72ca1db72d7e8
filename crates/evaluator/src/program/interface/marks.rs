//! `:: arg name: description` metadata lines.
//!
//! `[name]` marks an optional argument, `name...` one that takes all remaining words. `name (int)` declares the kind of
//! a parameter whose default does not: one that is required, or whose default is nil or empty.

use crate::syntax::ast::Tree;
use crate::text::{Code, Diagnostic, Span};

use super::{Element, Kind, Parameter, Role};

/// Elements that a line can declare.
const ELEMENTS: [Element; 3] = [Element::Int, Element::Float, Element::Text];

/// One `:: arg` line.
#[derive(Debug)]
pub struct ArgLine {
    /// The name of the parameter.
    pub name: String,
    /// Whether the line has the form `[name]`.
    pub is_optional: bool,
    /// Whether the line has the form `name...`.
    pub takes_rest: bool,
    /// The word in parentheses, which declares the kind: `int` in `name (int)`.
    pub kind: Option<String>,
    /// The text after the colon.
    pub documentation: String,
    /// The span of the line.
    pub span: Span,
}

/// Returns all `:: arg` lines, in source order.
pub fn marks(tree: &Tree) -> Vec<ArgLine> {
    let lines = tree.metadata.iter().filter_map(|line| {
        let form = line.key.strip_prefix("arg").filter(|form| form.starts_with([' ', '\t']))?.trim();
        let mut name = form.trim_start_matches("--").to_owned();
        let (mut is_optional, mut takes_rest, mut kind) = (false, false, None);
        // `[name...] (int)`, `[name]... (int)` and `[name... (int)]` are equivalent.
        for _ in 0..2 {
            kind = kind.or_else(|| strip_kind(&mut name));
            for dots in ["...", "…"] {
                takes_rest |= strip(&mut name, "", dots);
            }
            is_optional |= strip(&mut name, "[", "]");
        }
        let name = name.trim().replace('-', "_");
        Some(ArgLine { name, is_optional, takes_rest, kind, documentation: line.value.clone(), span: line.span })
    });
    lines.collect()
}

/// Removes a prefix and a suffix if the text has both, and returns whether it did.
fn strip(text: &mut String, first: &str, last: &str) -> bool {
    let inner = text.trim().strip_prefix(first).and_then(|rest| rest.strip_suffix(last)).map(str::to_owned);
    let is_there = inner.is_some();
    *text = inner.unwrap_or_else(|| std::mem::take(text));
    is_there
}

/// Removes a final `(kind)`, and returns the word between the parentheses.
fn strip_kind(text: &mut String) -> Option<String> {
    let (name, kind) = text.trim().strip_suffix(')')?.rsplit_once('(')?;
    let (name, kind) = (name.trim().to_owned(), kind.trim().to_owned());
    *text = name;
    Some(kind)
}

impl ArgLine {
    /// Gives a parameter the kind and the role that the line declares, or reports why it cannot have them.
    pub fn apply(&self, parameter: &mut Parameter, findings: &mut Vec<Diagnostic>) {
        self.set_kind(parameter, findings);
        match self.contradiction(parameter) {
            None => self.set_role(parameter),
            Some((message, help)) => findings.push(self.error(message, help)),
        }
    }

    /// Reports a kind in a line of a script that reads `ARGS`, which contains strings alone.
    pub fn report_unchecked_kind(&self, findings: &mut Vec<Diagnostic>) {
        if let Some(kind) = &self.kind {
            let message = format!("`({kind})` has no effect: the words in `ARGS` are strings");
            let help = "remove it, and convert the word, or put the statements into `DEFINE PROCEDURE Main`";
            findings.push(self.error(message, help.to_owned()));
        }
    }

    fn error(&self, message: String, help: String) -> Diagnostic {
        Diagnostic::error(Code::BadArgumentLine, self.span, message).help(help)
    }

    fn set_kind(&self, parameter: &mut Parameter, findings: &mut Vec<Diagnostic>) {
        let (Some(kind), name) = (&self.kind, &self.name) else { return };
        let Some(element) = ELEMENTS.into_iter().find(|element| element.name() == kind) else {
            let help = match kind.as_str() {
                "bool" | "flag" => format!("write `{name}: false` in the head of the procedure for `--{name}`"),
                _ => format!("write `({})`", ELEMENTS.map(Element::name).join(")`, `(")),
            };
            return findings.push(self.error(format!("`{kind}` is not a kind of argument"), help));
        };
        match parameter.with_element(element) {
            Some(kind) => parameter.kind = kind,
            None => {
                let message = format!("the default of `{name}` does not fit `({kind})`");
                findings.push(self.error(message, format!("remove `({kind})`, or change the default")));
            }
        }
    }

    fn set_role(&self, parameter: &mut Parameter) {
        match (self.takes_rest, self.is_optional, parameter.kind) {
            (true, _, kind) => {
                parameter.role = Role::Rest;
                if let Kind::One(element) = kind {
                    parameter.kind = Kind::List(element);
                }
            }
            (false, true, _) => parameter.role = Role::Argument,
            (false, false, _) => {}
        }
    }

    /// Returns why the parameter cannot have the declared role, and what to write instead.
    fn contradiction(&self, parameter: &Parameter) -> Option<(String, String)> {
        let name = &self.name;
        let has_default = parameter.default.is_some();
        Some(match (self.takes_rest, self.is_optional, parameter.kind) {
            (true, _, kind) if has_default && !matches!(kind, Kind::List(_)) => (
                format!("`{name}` takes all words that are left, so its default is a list"),
                format!("write `{name}: []` in the head of the procedure, or `:: arg {name}`"),
            ),
            (_, true, _) if !has_default => (
                format!("`{name}` may be left out by this line, and has no default"),
                format!("give it one in the head of the procedure, such as `{name}: nil`, or write `:: arg {name}`"),
            ),
            (false, true, Kind::List(_)) => (
                format!("`{name}` is a list, and one word is none"),
                format!("write `:: arg [{name}...]` for all words that are left, or `:: arg {name}` for an option"),
            ),
            (false, true, Kind::Flag | Kind::Map(_)) => {
                (format!("`{name}` is given by its name, not by its place"), format!("write `:: arg {name}`"))
            }
            _ => return None,
        })
    }
}
