//! Rewrites the expressions of a statement. Parts that stay as they are keep their bytes, comments among them.

use std::collections::BTreeSet;

use super::expr::{Call, Expr, Id, Mark, Shape, Tree};
use super::facts::Facts;
use super::literal;
use super::tokens::TokenKind;
use super::{Note, Verdict};

/// State that all statements of a text share while they are rewritten.
pub struct Shared<'a> {
    /// The text.
    pub text: &'a str,
    /// Facts about it.
    pub facts: &'a Facts<'a>,
    /// The procedures that the rewritten text calls.
    pub helpers: BTreeSet<&'static str>,
    /// The report.
    pub notes: Vec<Note>,
    /// The open `on error` blocks, the innermost last.
    pub handlers: Vec<Handler<'a>>,
}

/// An `on error` block.
#[derive(Debug)]
pub struct Handler<'a> {
    /// The offset after `on error`, where a missing name goes.
    pub head_end: usize,
    /// The name of the error: that after `as`, or one that the head gets.
    pub error: &'a str,
    /// Whether the head has the name.
    pub has_name: bool,
    /// Whether something reads the error.
    pub is_read: bool,
}

impl Shared<'_> {
    /// Adds a line to the report.
    pub fn note(&mut self, at: usize, verdict: Verdict, message: String) {
        self.notes.push(Note { at, verdict, message });
    }
}

/// The rewriter of one statement.
pub struct Rewriter<'a, 's> {
    /// State that it shares with the other statements.
    pub shared: &'s mut Shared<'a>,
    /// The expressions of the statement.
    pub tree: &'a Tree,
}

/// The part of a value that counts, which decides how `no` and `some` are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Only its truth counts: a condition, an operand of `and`, `or` or `not`.
    Truth,
    /// Its value counts, and an operator may follow.
    Value,
}

/// The value whose type is asked, and what stands around it.
struct Typed<'a> {
    before: &'a str,
    operand: Id,
    after: &'a str,
}

/// Returns what stands between two parts if it has a line break, before which a comment may stand.
fn with_lines(between: &str) -> &str {
    if between.contains('\n') { between } else { "" }
}

impl<'a> Rewriter<'a, '_> {
    /// Returns the text of a range.
    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.shared.text[start..end]
    }

    /// Returns an expression.
    pub fn expr(&self, id: Id) -> &'a Expr {
        &self.tree.exprs[id]
    }

    /// Returns the text of an expression as written.
    pub fn written(&self, id: Id) -> &'a str {
        self.slice(self.expr(id).start, self.expr(id).end)
    }

    /// Returns the rewritten text of an expression.
    pub fn render(&mut self, id: Id, place: Wanted) -> String {
        let expr = self.expr(id);
        match &expr.shape {
            Shape::Name => self.name(expr),
            Shape::Number => self.written(id).to_owned(),
            Shape::Text(kind) => self.literal(expr, *kind),
            Shape::Placeholder => self.placeholder(expr),
            Shape::Parenthesized(inner) => self.around(expr, &[*inner], place),
            Shape::List(items) | Shape::Map(items) => self.around(expr, items, Wanted::Value),
            Shape::Access(base, indexes) => {
                let parts: Vec<Id> = std::iter::once(*base).chain(indexes.iter().copied()).collect();
                self.around(expr, &parts, Wanted::Value)
            }
            Shape::Prefix(mark, operand) => self.prefix(*mark, *operand, place),
            Shape::Sequence(values, marks) => self.sequence(expr, values, marks),
            Shape::Call(call) => self.call(expr, call),
        }
    }

    /// Rewrites the parts of an expression, and keeps what lies between them.
    pub fn around(&mut self, expr: &Expr, parts: &[Id], place: Wanted) -> String {
        let (mut out, mut done) = (String::new(), expr.start);
        for part in parts {
            let (start, end) = (self.expr(*part).start, self.expr(*part).end);
            out.push_str(self.slice(done, start));
            out.push_str(&self.render(*part, place));
            done = end;
        }
        out.push_str(self.slice(done, expr.end));
        out
    }

    /// Rewrites the names that upstream sets in a handler.
    fn name(&mut self, expr: &Expr) -> String {
        let name = self.slice(expr.start, expr.end);
        let field = match name {
            "system_error_message" | "error_msg" => "message",
            "error_code" => "code",
            _ => return name.to_owned(),
        };
        if self.shared.facts.set.contains(name) {
            return name.to_owned();
        }
        let Some(handler) = self.shared.handlers.last_mut() else {
            let message = format!("`{name}` is known only inside `on error`");
            self.shared.note(expr.start, Verdict::Left, message);
            return name.to_owned();
        };
        handler.is_read = true;
        let new = format!("{}.{field}", handler.error);
        self.shared.note(expr.start, Verdict::Rewritten, format!("`{name}` is `{new}` of the handler"));
        new
    }

    fn literal(&mut self, expr: &Expr, kind: TokenKind) -> String {
        let written = self.slice(expr.start, expr.end);
        let new = match kind {
            TokenKind::Bracketed => Some(literal::unbracketed(written)),
            TokenKind::Quoted => literal::with_our_escapes(written),
            TokenKind::Template => literal::without_at(written),
            _ => None,
        };
        let Some(new) = new else { return written.to_owned() };
        let message = match kind {
            TokenKind::Bracketed => "a text in `[[…]]` is one in `'''…'''`",
            TokenKind::Quoted => "an escape that only upstream has is written as ours",
            _ => "`{{@name}}` is `{{name}}`",
        };
        self.shared.note(expr.start, Verdict::Rewritten, message.to_owned());
        new
    }

    fn placeholder(&mut self, expr: &Expr) -> String {
        let written = self.slice(expr.start, expr.end);
        match literal::without_at(written) {
            Some(new) => {
                self.shared.note(expr.start, Verdict::Rewritten, "`{{@name}}` is `{{name}}`".to_owned());
                new
            }
            None => written.to_owned(),
        }
    }

    /// Rewrites `no x`, `some x` and `typeof x`.
    fn prefix(&mut self, mark: Mark, operand: Id, place: Wanted) -> String {
        let word = self.slice(mark.start, mark.end);
        let gap = self.slice(mark.end, self.expr(operand).start);
        if word == "typeof" {
            let name = if self.shared.facts.is_upstream { self.typeof_helper(mark.start) } else { "typeof" };
            return self.typeof_call(name, &Typed { before: gap, operand, after: "" });
        }
        let is_truth = matches!(word, "no" | "some" | "not" | "NOT");
        let value = self.render(operand, if is_truth { Wanted::Truth } else { Wanted::Value });
        let (new, meaning) = match (word, place) {
            ("no", Wanted::Truth) => (format!("not{gap}{value}"), "not x"),
            ("no", Wanted::Value) => (format!("(not{gap}{value})"), "not x"),
            ("some", Wanted::Truth) => (format!("{}{value}", with_lines(gap)), "x"),
            ("some", Wanted::Value) => (format!("(not not{gap}{value})"), "not not x"),
            _ => return format!("{word}{gap}{value}"),
        };
        self.shared.note(mark.start, Verdict::Rewritten, format!("`{word} x` is `{meaning}`: what is empty is false"));
        new
    }

    /// Returns the name of the procedure that gives upstream's names of types.
    fn typeof_helper(&mut self, at: usize) -> &'static str {
        self.shared.helpers.insert("upstream_typeof");
        let message = "`typeof` gives `number` and `boolean` upstream, `int`, `float` and `bool` here".to_owned();
        self.shared.note(at, Verdict::Rewritten, message);
        "upstream_typeof"
    }

    /// Returns a call with one argument, whose parentheses may be there already.
    fn typeof_call(&mut self, name: &str, typed: &Typed<'_>) -> String {
        let (before, after) = (with_lines(typed.before), with_lines(typed.after));
        let is_closed = matches!(self.expr(typed.operand).shape, Shape::Parenthesized(_));
        let value = self.render(typed.operand, Wanted::Value);
        if is_closed && before.is_empty() {
            format!("{name}{value}")
        } else {
            format!("{name}({before}{value}{after})")
        }
    }

    fn sequence(&mut self, expr: &Expr, values: &[Id], marks: &[Mark]) -> String {
        let (mut out, mut done, mut at) = (String::new(), expr.start, 0);
        let joint = |this: &Self, mark: Option<&Mark>| {
            mark.is_none_or(|mark| matches!(this.slice(mark.start, mark.end), "and" | "or" | "AND" | "OR"))
        };
        while at < values.len() {
            let before = at.checked_sub(1).and_then(|index| marks.get(index));
            let is_apart = joint(self, before);
            out.push_str(self.slice(done, self.expr(values[at]).start));
            if is_apart
                && joint(self, marks.get(at + 1))
                && let Some(compared) = self.compared_type(values, marks, at)
            {
                out.push_str(&compared);
                at += 1;
            } else {
                let place = if is_apart && joint(self, marks.get(at)) { Wanted::Truth } else { Wanted::Value };
                out.push_str(&self.render(values[at], place));
            }
            done = self.expr(values[at]).end;
            at += 1;
        }
        out.push_str(self.slice(done, expr.end));
        out
    }

    /// Rewrites `typeof x == "number"`, whose values stand at `at` and after it.
    fn compared_type(&mut self, values: &[Id], marks: &[Mark], at: usize) -> Option<String> {
        let (left, right) = (values[at], *values.get(at + 1)?);
        let mark = marks[at];
        let is_equal = match self.slice(mark.start, mark.end) {
            "==" => true,
            "!=" => false,
            _ => return None,
        };
        let typed = self.typed(left)?;
        let is_text = matches!(self.expr(right).shape, Shape::Text(TokenKind::Quoted));
        let name = is_text.then(|| self.written(right).trim_matches(['"', '\'']))?;
        let (start, gap) = (self.expr(left).start, self.slice(mark.end, self.expr(right).start));
        let new = match name {
            "number" if is_equal => format!("in{gap}[\"int\", \"float\"]"),
            "number" => format!("not in{gap}[\"int\", \"float\"]"),
            "boolean" => format!("{}{gap}\"bool\"", self.slice(mark.start, mark.end)),
            "string" | "list" | "map" | "nil" => self.slice(mark.start, self.expr(right).end).to_owned(),
            _ => return None,
        };
        let is_other = matches!(name, "number" | "boolean");
        // Names in capitals are ours, so that nothing is rewritten twice.
        let value = self.typeof_call(if is_other { "TYPEOF" } else { "typeof" }, &typed);
        if is_other {
            let message = format!("`typeof` gives `{name}` upstream, and another name here");
            self.shared.note(start, Verdict::Rewritten, message);
        } else if matches!(self.expr(left).shape, Shape::Prefix(..)) {
            self.shared.note(start, Verdict::Rewritten, "`typeof x` is `typeof(x)`".to_owned());
        }
        Some(format!("{value}{}{new}", self.slice(self.expr(left).end, mark.start)))
    }

    /// Returns the parts of `typeof x` or `typeof(x)`.
    fn typed(&self, id: Id) -> Option<Typed<'a>> {
        let expr = self.expr(id);
        match &expr.shape {
            Shape::Prefix(mark, operand) if self.slice(mark.start, mark.end) == "typeof" => {
                Some(Typed { before: self.slice(mark.end, self.expr(*operand).start), operand: *operand, after: "" })
            }
            Shape::Call(call) if call.args.len() == 1 && self.slice(call.callee.start, call.callee.end) == "typeof" => {
                let operand = call.args[0].value;
                let Expr { start, end, .. } = self.expr(operand);
                let (before, after) = (self.slice(call.open + 1, *start), self.slice(*end, expr.end - 1));
                Some(Typed { before, operand, after })
            }
            _ => None,
        }
    }

    fn call(&mut self, expr: &Expr, call: &Call) -> String {
        if self.slice(call.callee.start, call.callee.end) == "typeof" && self.shared.facts.is_upstream {
            let name = self.typeof_helper(call.callee.start);
            return self.renamed_call(expr, call, name);
        }
        self.tool_call(expr, call)
    }

    /// Returns a call with another name and rewritten arguments.
    fn renamed_call(&mut self, expr: &Expr, call: &Call, name: &str) -> String {
        let values: Vec<Id> = call.args.iter().map(|arg| arg.value).collect();
        let rest = Expr { shape: Shape::Name, start: call.callee.end, end: expr.end };
        let before = self.slice(expr.start, call.callee.start);
        format!("{before}{name}{}", self.around(&rest, &values, Wanted::Value))
    }
}
