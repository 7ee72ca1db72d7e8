//! Comparisons of nil with a value that is never nil.

use crate::program::builtin::Builtin;
use crate::syntax::ast::{BinaryOp, Call, ExprId, ExprKind};
use crate::text::{Code, Diagnostic};
use crate::toolkit::Failure;

use super::names::Callee;
use super::text::Text;
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    for body in &text.bodies {
        let known = Known { text, body };
        found.extend(body.expressions.iter().filter_map(|id| known.comparison(*id)));
    }
}

/// Why an expression is never nil.
enum Why {
    /// The result of a tool that always returns a map.
    Answer(&'static str),
    /// An expression that always has a value.
    Value,
}

struct Known<'t, 'a> {
    text: &'t Text<'a>,
    body: &'t Body<'a>,
}

impl Known<'_, '_> {
    fn comparison(&self, id: ExprId) -> Option<Diagnostic> {
        let tree = self.text.tree;
        let ExprKind::Chain(left, links) = &tree[id].kind else { return None };
        let [link] = &links[..] else { return None };
        let is_nil = |id| matches!(tree[tree.bare(id)].kind, ExprKind::Nil);
        let value = match (link.op, is_nil(*left), is_nil(link.operand)) {
            (BinaryOp::Equal | BinaryOp::NotEqual, true, false) => link.operand,
            (BinaryOp::Equal | BinaryOp::NotEqual, false, true) => *left,
            _ => return None,
        };
        let shown = self.text.source.slice(tree[value].span);
        let (why, help) = match self.reason(value)? {
            Why::Answer(tool) => (
                format!("`{tool}` gives a map, with `error` when it fails"),
                format!("ask for what went wrong: `{shown}.error != nil`"),
            ),
            Why::Value => ("it has a value each time".to_owned(), "compare what can be nil".to_owned()),
        };
        let message = format!("`{shown}` is never nil: {why}");
        Some(Diagnostic::warning(Code::NeverNil, tree[id].span, message).help(help))
    }

    fn reason(&self, id: ExprId) -> Option<Why> {
        let tree = self.text.tree;
        let id = tree.bare(id);
        let value = match &tree[id].kind {
            ExprKind::Name(name) => tree.bare(*self.body.set_once.get(name.as_str())?),
            _ => id,
        };
        match &tree[value].kind {
            ExprKind::Call(call) => self.why_call(call),
            ExprKind::Nil | ExprKind::Bad | ExprKind::Last | ExprKind::Name(_) | ExprKind::Placeholder(_) => None,
            ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Parenthesized(_) => None,
            _ => Some(Why::Value),
        }
    }

    fn why_call(&self, call: &Call) -> Option<Why> {
        match self.text.callee(call)? {
            Callee::Builtin(Builtin::Min | Builtin::Max) => None,
            Callee::Builtin(_) => Some(Why::Value),
            Callee::Tool(tool) => matches!(tool.spec.failure, Failure::ErrorMap | Failure::SuccessMap)
                .then_some(Why::Answer(tool.spec.name)),
            Callee::Procedure | Callee::Over => None,
        }
    }
}
