//! Suggestions for calls of unknown names: an equivalent by purpose, else a similar spelling.

use crate::syntax::ast;
use crate::text::{Edit, Purpose, Span, changed_by, is_length, meant};
use crate::toolkit::{Kind, Param, WhenAbsent, groups};

use super::super::builtin::Builtin;
use super::super::higher_order::HigherOrder;
use super::super::pages::{PageKind, pages};
use super::other_languages;
use super::{Lowering, MOST_SUGGESTIONS};

/// Groups whose tools take the value of a variable as their first argument, like methods in other languages.
const OF_VALUES: [&str; 8] = ["STR", "MAP", "LIST", "", "TIME", "PATH", "REGEX", "FS"];

/// The advice for a call whose target does not exist.
pub(super) struct Instead {
    /// The advice.
    pub help: String,
    /// The edit that follows the advice, if that can be written.
    pub edit: Option<Edit>,
}

impl Instead {
    fn advice(help: impl Into<String>) -> Instead {
        Instead { help: help.into(), edit: None }
    }

    fn name(name: &str, call: &ast::Call) -> Instead {
        Instead { help: format!("did you mean `{name}`?"), edit: Some(renamed(call, name)) }
    }
}

/// Returns the edit that calls something else.
fn renamed(call: &ast::Call, name: &str) -> Edit {
    Edit { span: call.callee_span, text: name.to_owned() }
}

impl Lowering<'_> {
    /// Returns what to write instead of a call whose target does not exist.
    pub(super) fn instead_of(&self, call: &ast::Call, span: Span) -> Instead {
        let name = call.callee.as_str();
        if self.variable(name).is_some() {
            return Instead::advice(format!("`{name}` is a variable; a variable cannot be called"));
        }
        if let Some((value, method)) = name.rsplit_once('.')
            && self.variable(value.split('.').next().unwrap_or(value)).is_some()
        {
            return self.instead_of_method(value, method, call, span);
        }
        let known = self.context.signatures.keys().map(|name| name.as_str());
        let near = self.suggestion(name, known.chain(Builtin::names().map(|name| -> &str { name })));
        if let Some(near) = near.filter(|near| near.eq_ignore_ascii_case(name)) {
            return Instead::name(near, call);
        }
        let absent = other_languages::absent(name);
        if let Some(help) = other_languages::instead(name).or(absent.filter(|_| !name.contains('.'))) {
            return Instead::advice(help);
        }
        if let Some(found) = self.meant(name) {
            let edit = (!is_statement(found.name)).then(|| renamed(call, found.name));
            return Instead { help: format!("write `{}`", self.form(&found)), edit };
        }
        if let Some(help) = absent {
            return Instead::advice(help);
        }
        let is_searched = self.findings.len() < MOST_SUGGESTIONS;
        match near.or_else(|| is_searched.then(|| self.context.registry.nearest(name)).flatten()) {
            Some(near) => Instead::name(near, call),
            None => Instead::advice("`ns doc WORD` finds tools by what they do, `ns tools` lists all"),
        }
    }

    /// Whether a name stands at a place, without quotes or blanks.
    pub(super) fn is_written(&self, name: &str, span: Span) -> bool {
        self.context.sources.of(span).is_some_and(|source| source.slice(span) == name)
    }

    /// Returns the local equivalent of a name from another language.
    fn meant(&self, name: &str) -> Option<Purpose<'static>> {
        let groups = name.rsplit_once('.').map_or(&[][..], |(namespace, _)| groups::meant_by(namespace));
        meant(name, groups, &self.purposes())
    }

    fn instead_of_method(&self, value: &str, method: &str, call: &ast::Call, span: Span) -> Instead {
        let given = call.args.len();
        let written = |name: &str, more: &str| Instead {
            help: format!("values have no methods: write `{name}({value}{more})`"),
            edit: self.as_first_argument(value, name, call, span),
        };
        if given == 0 && is_length(method) {
            return written("LEN", "");
        }
        if let Some(change) = changed_by(value, method, if given > 0 { "…" } else { "" }) {
            return Instead::advice(format!("values have no methods, and nothing changes in place: write `{change}`"));
        }
        let found = meant(&format!("value.{method}"), &OF_VALUES, &self.purposes());
        let Some(found) = found.filter(|found| !is_statement(found.name)) else {
            return Instead::advice(format!(
                "`{value}` is a value, and values have no methods: write `TOOL(value)` with one of `ns tools`"
            ));
        };
        written(found.name, if given > 0 { ", …" } else { "" })
    }

    /// Returns the edit of a call `value.method(…)` that calls a function by its name and gives it the value first.
    fn as_first_argument(&self, value: &str, name: &str, call: &ast::Call, span: Span) -> Option<Edit> {
        let (end, close) = match call.args.first() {
            None => (span.end, ")"),
            Some(first) if first.name.is_none() => (self.tree[first.value].span.start, ", "),
            Some(_) => return None,
        };
        let span = Span { start: call.callee_span.start, end };
        Some(Edit { span, text: format!("{name}({value}{close}") })
    }

    /// Returns everything that can be called, and the statements. Empty for a script with very many findings.
    fn purposes(&self) -> Vec<Purpose<'static>> {
        if self.findings.len() >= MOST_SUGGESTIONS {
            return Vec::new();
        }
        let parts = pages().filter(|page| page.kind != PageKind::Expression).map(super::super::pages::Page::purpose);
        let over = HigherOrder::ALL.into_iter().map(|over| over.spec().purpose());
        parts.chain(over).chain(self.context.registry.iter().map(|tool| tool.spec.purpose())).collect()
    }

    /// Returns how something is written: a call with its required arguments, or a statement.
    fn form(&self, found: &Purpose<'static>) -> String {
        if let Some(page) = pages().find(|page| page.name() == found.name) {
            return page.form.to_owned();
        }
        let over = HigherOrder::find(found.name).map(HigherOrder::params);
        let tool = || self.context.registry.find(found.name).map(|id| self.context.registry.get(id).params);
        let params: &[Param] = over.or_else(tool).unwrap_or_default();
        // Tools that accept several items at once declare none of the arguments for a single item as required.
        let is_needed = |param: &Param| param.absent == WhenAbsent::Required || matches!(param.kind, Kind::Path(..));
        let needed = params.iter().rposition(is_needed).map_or(0, |last| last + 1);
        let names: Vec<&str> = params[..needed].iter().map(|param| param.name).collect();
        format!("{}({})", found.name, names.join(", "))
    }
}

fn is_statement(name: &str) -> bool {
    pages().any(|page| page.kind == PageKind::Statement && page.name() == name)
}
