//! The parameters of a procedure: their names, their defaults, and whether they are required.
//!
//! A default is a literal, so that it is known before the run and is the same in every call.

use pest::iterators::Pair;

use crate::syntax::Template;
use crate::text::{Code, Diagnostic, Span};

use super::super::Part;
use super::super::ast::{ExprId, ExprKind, Name, Param, Procedure, UnaryOp, WhenAbsent};
use super::super::grammar::Rule;
use super::Parser;

impl Parser<'_> {
    /// Parses the part of a head after the procedure's name.
    pub fn signature(&mut self, pair: Pair<'_, Rule>, procedure: &mut Procedure) {
        self.groups(pair, procedure);
        self.check_order(&procedure.params);
    }

    fn groups(&mut self, pair: Pair<'_, Rule>, procedure: &mut Procedure) {
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::groups => self.groups(part, procedure),
                Rule::plain | Rule::needs | Rule::optional => self.params(part, &mut procedure.params),
                Rule::returns => procedure.returns = self.names(part),
                _ => {}
            }
        }
    }

    fn params(&mut self, group: Pair<'_, Rule>, params: &mut Vec<Param>) {
        let rule = group.as_rule();
        for part in group.into_inner().filter(|part| part.as_rule() == Rule::parameter) {
            let (name, default) = self.param(part);
            let when_absent = match default {
                Some(default) if rule == Rule::needs => {
                    self.report_needed_default(&name, default);
                    WhenAbsent::Required
                }
                Some(default) => self.default(&name, default),
                None if rule == Rule::optional => WhenAbsent::Nil,
                None => WhenAbsent::Required,
            };
            params.push(Param { name, when_absent });
        }
    }

    /// Parses `name` or `name: default`.
    fn param(&mut self, pair: Pair<'_, Rule>) -> (Name, Option<ExprId>) {
        let mut parts = pair.into_inner();
        let name = parts.next().expect("a parameter begins with its name");
        let name = self.name(&name);
        let default = parts.find(|part| part.as_rule() == Rule::expression);
        (name, default.map(|default| self.expression(default)))
    }

    /// Parses the default of a parameter. Anything but a literal is reported and replaced by nil.
    fn default(&mut self, name: &Name, default: ExprId) -> WhenAbsent {
        let Some(span) = self.first_computed(default) else { return WhenAbsent::Is(default) };
        let finding = Diagnostic::error(Code::BadDefault, span, "a default is a literal, not something computed");
        self.findings.push(match self.kind_of_argument(default) {
            Some(kind) => {
                let line = format!(":: arg {} ({kind}): …", name.text);
                finding.help(format!("remove it; `{line}` above the procedure declares what `ns FILE` accepts"))
            }
            None => finding.help(
                "write a number, a text, true, false, nil, or a list or map of these; or take nil, and compute the value in the procedure",
            ),
        });
        WhenAbsent::Nil
    }

    /// Returns the kind that an `:: arg` line can declare, if a default is the name of a type in other languages.
    fn kind_of_argument(&self, default: ExprId) -> Option<&'static str> {
        let ExprKind::Name(name) = &self.tree[default].kind else { return None };
        match name.to_ascii_lowercase().as_str() {
            "int" | "integer" => Some("int"),
            "float" | "number" => Some("float"),
            "str" | "string" | "text" => Some("text"),
            _ => None,
        }
    }

    /// Returns the span of the first part of an expression that is not a literal.
    fn first_computed(&self, id: ExprId) -> Option<Span> {
        let mut ahead = vec![id];
        while let Some(id) = ahead.pop() {
            let expr = &self.tree[id];
            match &expr.kind {
                // The error was reported earlier.
                ExprKind::Bad => {}
                ExprKind::Nil | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Text(_) => {}
                ExprKind::Template(text, _) if is_plain(text) => {}
                ExprKind::Unary(UnaryOp::Negate, operand) if self.is_number(*operand) => {}
                ExprKind::List(items) => ahead.extend(items.iter().rev()),
                ExprKind::Map(entries) => ahead.extend(entries.iter().rev().map(|entry| entry.value)),
                _ => return Some(expr.span),
            }
        }
        None
    }

    fn is_number(&self, id: ExprId) -> bool {
        matches!(self.tree[id].kind, ExprKind::Int(_) | ExprKind::Float(_))
    }

    fn report_needed_default(&mut self, name: &Name, default: ExprId) {
        let message = format!("`{}` stands after `needs`, so every call gives it, and it has no default", name.text);
        let finding = Diagnostic::error(Code::BadDefault, self.tree[default].span, message);
        self.findings.push(finding.help(format!("write it after `optional`: `optional {}: …`", name.text)));
    }

    /// Reports required parameters after an optional one.
    fn check_order(&mut self, params: &[Param]) {
        let is_required = |param: &&Param| param.when_absent == WhenAbsent::Required;
        let Some(first) = params.iter().position(|param| !is_required(&param)) else { return };
        params[first..].iter().filter(is_required).for_each(|late| self.report_late(late, &params[first]));
    }

    fn report_late(&mut self, param: &Param, optional: &Param) {
        let name = &param.name.text;
        let message = format!("`{name}` has no default, and follows a parameter that has one");
        let finding = Diagnostic::error(Code::BadDefault, param.name.span, message);
        let finding = finding.related(optional.name.span, "has a default");
        self.findings.push(
            finding.help(format!("put `{name}` before `{}`, or give it a default: `{name}: nil`", optional.name.text)),
        );
    }
}

/// Returns whether a text in three backticks contains no placeholders.
fn is_plain(text: &str) -> bool {
    Template::new(text).all(|part| matches!(part, Part::Text(_)))
}
