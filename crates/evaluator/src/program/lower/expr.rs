//! Lowers expressions.

use std::collections::HashMap;

use compact_str::CompactString;

use crate::limits::work;
use crate::syntax::ast::{self, BinaryOp, ExprId, ExprKind as Written, UnaryOp};
use crate::syntax::keyword::is_keyword;
use crate::syntax::{Part, Template};
use crate::text::{Code, Diagnostic, Span};
use crate::value::{Map, Str, Value};

use super::super::literal;
use super::super::tree::{Expr, ExprKind, Link, MapEntry, Piece, Variable};
use super::Lowering;

/// No tool name has more parts than `tool.fs.ReadFile`.
const TOOL_NAME_PARTS: usize = 3;

impl Lowering<'_> {
    pub fn exprs(&mut self, ids: &[ExprId]) -> Vec<Expr> {
        ids.iter().map(|id| self.expr(*id)).collect()
    }

    pub fn expr(&mut self, id: ExprId) -> Expr {
        let tree = self.tree;
        let ast::Expr { kind, span } = &tree[id];
        let kind = match kind {
            Written::Nil => ExprKind::Const(Value::Nil),
            Written::Bad => ExprKind::REPORTED,
            Written::Bool(truth) => ExprKind::Const((*truth).into()),
            Written::Int(number) => self.literal(literal::int(*number, *span)),
            Written::Float(number) => ExprKind::Const((*number).into()),
            Written::Text(text) => self.literal(literal::text(text, *span)),
            Written::Template(text, offset) => self.template(text, *offset),
            Written::Name(name) => self.name(name, *span),
            Written::Last => self.last(),
            Written::Placeholder(inner) | Written::Parenthesized(inner) => return self.expr(*inner),
            Written::List(items) => self.list(items),
            Written::Map(entries) => self.map(entries),
            Written::Unary(op, operand) => self.unary(*op, *operand),
            Written::Chain(first, links) => self.chain(*first, links),
            Written::Power(left, right) => ExprKind::Power(Box::new(self.expr(*left)), Box::new(self.expr(*right))),
            Written::Index(whole, index) => ExprKind::Index(Box::new(self.expr(*whole)), Box::new(self.expr(*index))),
            Written::Field(whole, name) => self.field(id, *whole, name),
            Written::Call(call) => self.call(call, *span),
        };
        Expr { kind, span: *span }
    }

    /// Lowers a literal, and reports one that has no value.
    fn literal(&mut self, value: Result<Value, Diagnostic>) -> ExprKind {
        match value {
            Ok(value) => ExprKind::Const(value),
            Err(finding) => {
                self.report(finding);
                ExprKind::REPORTED
            }
        }
    }

    /// Lowers `whole.name`, which may also be the name of a tool without parentheses.
    fn field(&mut self, id: ExprId, whole: ExprId, name: &ast::Name) -> ExprKind {
        if self.is_short(id)
            && let Some((first, dotted)) = self.dotted_name(id)
            && self.variable(&first).is_none()
            && let Some(tool) = self.context.registry.find(&dotted)
        {
            let tool = self.context.registry.get(tool).spec.name;
            let message = format!("`{dotted}` is a tool, not a value");
            let finding = Diagnostic::error(Code::UnknownName, self.tree[id].span, message);
            self.report(finding.help(format!("call it as `{tool}(…)`")));
            return ExprKind::REPORTED;
        }
        ExprKind::Field(Box::new(self.expr(whole)), Str::new(&name.text))
    }

    /// Returns whether this is short enough to be a tool's name, so that a long chain is not spelled out at each of its
    /// fields.
    fn is_short(&self, id: ExprId) -> bool {
        let mut at = id;
        for _ in 0..TOOL_NAME_PARTS {
            let Written::Field(whole, _) = &self.tree[at].kind else { return true };
            at = *whole;
        }
        false
    }

    /// Returns the first word and the whole text of `a.b.c`.
    pub(super) fn dotted_name(&self, id: ExprId) -> Option<(CompactString, String)> {
        match &self.tree[id].kind {
            Written::Name(name) => Some((name.clone(), name.to_string())),
            Written::Field(whole, name) => {
                let (first, dotted) = self.dotted_name(*whole)?;
                Some((first, format!("{dotted}.{}", name.text)))
            }
            _ => None,
        }
    }

    pub fn name(&mut self, name: &str, span: Span) -> ExprKind {
        if let Some(variable) = self.variable(name) {
            if let Variable::Local(slot) = variable {
                *self.reads.entry(slot).or_default() += 1;
            }
            return ExprKind::Variable(variable);
        }
        if is_keyword(name, "LAST_ERROR") {
            self.context.sees_errors.set(true);
            return ExprKind::LastError;
        }
        if is_keyword(name, "ARGS") {
            self.context.reads_args.set(true);
            return ExprKind::Args;
        }
        if !self.is_doubtful(name) {
            let finding = self.unknown_name(name, span);
            self.report(finding);
        }
        ExprKind::REPORTED
    }

    fn last(&mut self) -> ExprKind {
        self.keeps_last = true;
        ExprKind::Last
    }

    fn list(&mut self, items: &[ExprId]) -> ExprKind {
        if let Some((name, span)) = self.bracketed_text(items) {
            let finding = Diagnostic::error(Code::OtherDialect, span, "texts in `[[…]]` belong to another dialect");
            self.report(finding.help(format!("write the text in quotes: `\"{name}\"`")));
            return ExprKind::REPORTED;
        }
        let items: Vec<Expr> = items.iter().map_while(|item| work::charge(1).ok().map(|()| self.expr(*item))).collect();
        let constant = items.iter().map(|item| constant(item).cloned()).collect::<Option<Vec<Value>>>();
        match constant.map(Value::list) {
            Some(Ok(list)) => ExprKind::Const(list),
            _ => ExprKind::List(items),
        }
    }

    /// Returns the word of `[[word]]` if nothing sets it: a text in another dialect.
    fn bracketed_text(&self, items: &[ExprId]) -> Option<(CompactString, Span)> {
        let [inner] = items else { return None };
        let Written::List(inner) = &self.tree[*inner].kind else { return None };
        let [inner] = inner[..] else { return None };
        let Written::Name(name) = &self.tree[inner].kind else { return None };
        let is_known = self.variable(name).is_some()
            || self.is_doubtful(name)
            || ["LAST_ERROR", "ARGS"].iter().any(|word| is_keyword(name, word));
        (!is_known).then(|| (name.clone(), self.tree[inner].span))
    }

    fn map(&mut self, entries: &[ast::Entry]) -> ExprKind {
        let mut lowered: Vec<MapEntry> = Vec::with_capacity(entries.len());
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
        for entry in entries {
            if work::charge(1).is_err() {
                break;
            }
            let key = Str::new(&entry.key);
            let value = self.expr(entry.value);
            match places.get(&*entry.key) {
                Some(&place) => {
                    self.report(literal::doubled_key(entry));
                    lowered[place].value = value;
                }
                None => {
                    places.insert(&entry.key, lowered.len());
                    lowered.push(MapEntry { key, value });
                }
            }
        }
        match constant_map(&lowered) {
            Some(map) => ExprKind::Const(map),
            None => ExprKind::Map(lowered),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprKind {
        let negates = op == UnaryOp::Negate;
        if negates && let Some(least) = literal::negated(self.tree, operand, None) {
            return ExprKind::Const(least);
        }
        let lowered = self.expr(operand);
        if negates && let Some(value) = literal::negated(self.tree, operand, constant(&lowered)) {
            return ExprKind::Const(value);
        }
        ExprKind::Unary(op, Box::new(lowered))
    }

    fn chain(&mut self, first: ExprId, links: &[ast::Link]) -> ExprKind {
        let op = links[0].op;
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let operands = std::iter::once(first).chain(links.iter().map(|link| link.operand));
            let operands = operands.map(|operand| self.expr(operand)).collect();
            return if op == BinaryOp::And { ExprKind::And(operands) } else { ExprKind::Or(operands) };
        }
        if op.is_comparison() {
            self.warn_of_not(first, &links[0]);
        }
        let first = self.expr(first);
        let links = links.iter().map(|link| Link { op: link.op, operand: self.expr(link.operand) });
        ExprKind::Chain(Box::new(first), links.collect())
    }

    /// Warns about `NOT a == b`, which means `(NOT a) == b` and is seldom intended.
    fn warn_of_not(&mut self, first: ExprId, link: &ast::Link) {
        let first = &self.tree[first];
        if !matches!(first.kind, Written::Unary(UnaryOp::Not, _)) {
            return;
        }
        let symbol = link.op.symbol();
        let help = match link.op {
            BinaryOp::Equal => "write `NOT (a == b)` or `a != b`".to_owned(),
            BinaryOp::In => "write `x NOT IN list`".to_owned(),
            _ => format!("write `NOT (a {symbol} b)`"),
        };
        let message = format!("`NOT` takes only what stands right after it, not the `{symbol}`");
        self.report(
            Diagnostic::warning(Code::NotBindsTight, first.span, message)
                .related(link.op_span, "compares the negated value")
                .help(help),
        );
    }

    /// Lowers a text in three backticks, in which `{{name}}` stands for a printed value.
    fn template(&mut self, text: &str, offset: u32) -> ExprKind {
        let mut pieces: Vec<Piece> = Vec::new();
        for part in Template::new(text) {
            match part {
                Part::Text(text) => pieces.push(Piece::Text(Str::new(text))),
                Part::Placeholder(name, at) => {
                    let start = offset as usize + at;
                    let span = Span::new(start, start + name.len());
                    pieces.push(Piece::Value(self.dotted(name, span)));
                }
            }
        }
        match &pieces[..] {
            [] => ExprKind::Const(Value::text("")),
            [Piece::Text(text)] => ExprKind::Const(text.clone().into()),
            _ => ExprKind::Join(pieces),
        }
    }

    /// Lowers the `name.field.field` of a placeholder.
    fn dotted(&mut self, name: &str, span: Span) -> Expr {
        let mut words = name.split('.');
        let first = words.next().unwrap_or_default();
        let of_first = Span { end: span.start + first.len() as u32, ..span };
        let kind = if is_keyword(first, "LAST") { self.last() } else { self.name(first, of_first) };
        words.fold(Expr { kind, span: of_first }, |whole, field| Expr {
            kind: ExprKind::Field(Box::new(whole), Str::new(field)),
            span,
        })
    }
}

/// Returns the value of an expression that is known before the run.
pub fn constant(expr: &Expr) -> Option<&Value> {
    match &expr.kind {
        ExprKind::Const(value) => Some(value),
        _ => None,
    }
}

fn constant_map(entries: &[MapEntry]) -> Option<Value> {
    let mut map = Map::with_capacity(entries.len());
    for MapEntry { key, value } in entries {
        map.put(key.clone(), constant(value)?.clone()).ok()?;
    }
    Some(map.into())
}
