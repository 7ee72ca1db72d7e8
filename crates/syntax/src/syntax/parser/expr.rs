//! Expressions: converts pest's pairs to the tree.
//!
//! pest returns operands and operators in source order; an explicit operator stack combines them by precedence, so that
//! a chain of any length uses no native stack.

use compact_str::CompactString;
use pest::iterators::{Pair, Pairs};

use crate::text::{Code, Diagnostic, Edit, Span, is_length};

use super::super::ast::{Arg, BinaryOp, Call, Entry, ExprId, ExprKind, Link, Name, UnaryOp};
use super::super::grammar::Rule;
use super::super::keyword::{first_word, is_keyword, is_reserved};
use super::{Parser, literal};

/// An operator whose right operand has not been read yet.
#[derive(Clone, Copy)]
struct Pending {
    op: Op,
    span: Span,
}

#[derive(Clone, Copy)]
enum Op {
    Prefix(UnaryOp),
    Power,
    Infix(BinaryOp),
}

/// The precedence of `-`, `NOT` and `~`: between `*`, `/`, `%` and `**`.
const PREFIX_PRECEDENCE: u8 = 9;
const POWER_PRECEDENCE: u8 = 10;

impl Op {
    fn precedence(self) -> u8 {
        match self {
            Op::Infix(op) => op.precedence(),
            Op::Prefix(_) => PREFIX_PRECEDENCE,
            Op::Power => POWER_PRECEDENCE,
        }
    }
}

/// An expression under construction.
#[derive(Default)]
struct Stacks {
    operands: Vec<ExprId>,
    operators: Vec<Pending>,
    /// Number of prefix and power operators on the stack, which nest.
    nested: usize,
}

impl Parser<'_> {
    /// Returns the span of a pair in the whole text.
    pub fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        Span::new(self.base + span.start(), self.base + span.end())
    }

    /// Parses a whole expression, and counts its operators from zero.
    pub fn expression(&mut self, pair: Pair<'_, Rule>) -> ExprId {
        self.operators = 0;
        let span = self.span(&pair);
        let expr = self.nested_expression(pair);
        if self.operators > self.limits.operators {
            let message = format!("the expression has more than {} operators", self.limits.operators);
            self.findings
                .push(Diagnostic::error(Code::TooDeep, span, message).help("set its parts to variables first"));
        }
        expr
    }

    fn nested_expression(&mut self, pair: Pair<'_, Rule>) -> ExprId {
        let mut stacks = Stacks::default();
        let mut postfixes = 0;
        for part in pair.into_inner() {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::prefix => {
                    self.operators += 1;
                    self.push_operator(Pending { op: Op::Prefix(prefix_of(part.as_str())), span }, &mut stacks);
                }
                Rule::infix => {
                    self.operators += 1;
                    postfixes = 0;
                    self.infix(infix_of(part.as_str()), span, &mut stacks);
                }
                Rule::index | Rule::field | Rule::arguments => {
                    postfixes += 1;
                    if postfixes == self.limits.nesting + 1 {
                        self.report_depth("elements of elements are", span);
                    }
                    if postfixes <= self.limits.nesting {
                        let operand = stacks.operands.pop().expect("a postfix follows its operand");
                        let applied = self.postfix(operand, part);
                        stacks.operands.push(applied);
                    }
                }
                Rule::kw_call => {}
                _ => {
                    let operand = self.primary(part);
                    stacks.operands.push(operand);
                }
            }
        }
        while !stacks.operators.is_empty() {
            self.reduce(&mut stacks);
        }
        stacks.operands.pop().expect("an expression has an operand")
    }

    fn infix(&mut self, op: Op, span: Span, stacks: &mut Stacks) {
        let stronger = |pending: &Pending| match op {
            Op::Power => false,
            _ => pending.op.precedence() >= op.precedence(),
        };
        while stacks.operators.last().is_some_and(stronger) {
            self.reduce(stacks);
        }
        self.push_operator(Pending { op, span }, stacks);
    }

    fn push_operator(&mut self, pending: Pending, stacks: &mut Stacks) {
        if !matches!(pending.op, Op::Infix(_)) {
            stacks.nested += 1;
            if stacks.nested == self.limits.nesting + 1 {
                self.report_depth("signs and powers are", pending.span);
            }
        }
        stacks.operators.push(pending);
    }

    /// Applies the operator on top of the stack to its operands.
    fn reduce(&mut self, stacks: &mut Stacks) {
        let Pending { op, span } = stacks.operators.pop().expect("reduce is called with an operator on the stack");
        let right = stacks.operands.pop().expect("an operator has a right side");
        if !matches!(op, Op::Infix(_)) {
            stacks.nested -= 1;
        }
        let right_span = self.tree[right].span;
        let applied = match op {
            Op::Prefix(op) => self.tree.push(ExprKind::Unary(op, right), span.to(right_span)),
            Op::Power => {
                let left = stacks.operands.pop().expect("`**` has a left side");
                self.tree.push(ExprKind::Power(left, right), self.tree[left].span.to(right_span))
            }
            Op::Infix(op) => {
                let left = stacks.operands.pop().expect("an operator has a left side");
                self.link(left, Link { op, op_span: span, operand: right })
            }
        };
        stacks.operands.push(applied);
    }

    /// Appends a link to `left` if that is a chain of the same precedence; otherwise starts a new chain.
    fn link(&mut self, left: ExprId, link: Link) -> ExprId {
        let span = self.tree[left].span.to(self.tree[link.operand].span);
        let expr = self.tree.expr_mut(left);
        let ExprKind::Chain(_, links) = &mut expr.kind else {
            return self.tree.push(ExprKind::Chain(left, vec![link]), span);
        };
        if links[0].op.precedence() != link.op.precedence() {
            return self.tree.push(ExprKind::Chain(left, vec![link]), span);
        }
        if link.op.is_comparison() {
            let finding = Diagnostic::error(Code::ChainedComparison, link.op_span, "comparisons cannot be chained")
                .related(links[0].op_span, "the first comparison")
                .help("write `a < b AND b < c`");
            self.findings.push(finding);
        }
        links.push(link);
        expr.span = span;
        left
    }

    /// Parses a part of a list; brackets and commas give nothing.
    fn item(&mut self, part: Pair<'_, Rule>) -> Option<ExprId> {
        match part.as_rule() {
            Rule::number => Some(self.primary(part)),
            Rule::expression => Some(self.nested_expression(part)),
            _ => None,
        }
    }

    fn primary(&mut self, pair: Pair<'_, Rule>) -> ExprId {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::word => self.word(&pair),
            Rule::number => self.or_bad(literal::number(pair.as_str(), span)),
            Rule::quoted | Rule::raw_text => ExprKind::Text(self.text(&pair)),
            Rule::template => ExprKind::Template(literal::unfenced(pair.as_str()).to_owned(), span.start + 3),
            Rule::parenthesized => {
                let inner = pair.into_inner().find(|part| part.as_rule() == Rule::expression);
                let inner = self.nested_expression(inner.expect("parentheses hold an expression"));
                ExprKind::Parenthesized(inner)
            }
            Rule::list => {
                let items = pair.into_inner().map_while(|part| (!self.is_over()).then(|| self.item(part)));
                ExprKind::List(items.flatten().collect())
            }
            Rule::map => {
                let entries = pair.into_inner().filter(|part| part.as_rule() == Rule::entry);
                ExprKind::Map(entries.map_while(|entry| (!self.is_over()).then(|| self.entry(entry))).collect())
            }
            Rule::placeholder => ExprKind::Placeholder(self.dotted(pair.into_inner())),
            Rule::call => return self.call(pair),
            other => unreachable!("the grammar has no operand {other:?}"),
        };
        self.tree.push(kind, span)
    }

    /// Parses a word as an operand: a constant, `LAST`, or a variable.
    fn word(&mut self, pair: &Pair<'_, Rule>) -> ExprKind {
        let (word, span) = (pair.as_str(), self.span(pair));
        match word {
            _ if !is_reserved(word) => ExprKind::Name(word.into()),
            _ if is_keyword(word, "TRUE") => ExprKind::Bool(true),
            _ if is_keyword(word, "FALSE") => ExprKind::Bool(false),
            _ if is_keyword(word, "NIL") || is_keyword(word, "NULL") => ExprKind::Nil,
            _ if is_keyword(word, "LAST") => ExprKind::Last,
            // The error is the missing condition before this word.
            _ if ends_head(word, pair.get_input(), pair.as_span().end()) => {
                let message = format!("expected a value, found `{word}`");
                self.findings.push(Diagnostic::error(Code::UnexpectedText, span, message));
                ExprKind::Bad
            }
            _ => {
                self.report_reserved(word, span);
                ExprKind::Bad
            }
        }
    }

    /// Parses the name of a variable, parameter or procedure that is defined here.
    pub fn name(&mut self, pair: &Pair<'_, Rule>) -> Name {
        let span = self.span(pair);
        if is_reserved(pair.as_str()) {
            self.report_reserved(pair.as_str(), span);
        }
        Name { text: pair.as_str().into(), span }
    }

    fn report_reserved(&mut self, word: &str, span: Span) {
        let finding = Diagnostic::error(
            Code::ReservedName,
            span,
            format!("expected a value or a name, found the reserved word `{word}`"),
        );
        self.findings.push(finding.help("choose another name"));
    }

    fn report_depth(&mut self, what: &str, span: Span) {
        let message = format!("{what} nested more than {} deep (`nesting`)", self.limits.nesting);
        self.findings
            .push(Diagnostic::error(Code::TooDeep, span, message).help("set the inner parts to variables first"));
    }

    fn or_bad(&mut self, kind: Result<ExprKind, Diagnostic>) -> ExprKind {
        kind.unwrap_or_else(|finding| {
            self.findings.push(finding);
            ExprKind::Bad
        })
    }

    fn entry(&mut self, pair: Pair<'_, Rule>) -> Entry {
        let mut parts = pair.into_inner();
        let key = parts.next().expect("an entry has a key");
        let key_span = self.span(&key);
        let text = self.text(&key);
        let value = parts.find(|part| part.as_rule() == Rule::expression).expect("an entry has a value");
        Entry { key: text, key_span, value: self.nested_expression(value) }
    }

    /// Parses a text that is not a template.
    fn text(&mut self, pair: &Pair<'_, Rule>) -> String {
        match pair.as_rule() {
            Rule::raw_text => literal::unfenced(pair.as_str()).to_owned(),
            _ => literal::quoted(pair.as_str(), self.span(pair).start as usize, &mut self.findings),
        }
    }

    /// Parses the `name.field.field` inside `{{…}}`.
    fn dotted(&mut self, parts: Pairs<'_, Rule>) -> ExprId {
        let mut parts = parts.filter(|part| matches!(part.as_rule(), Rule::word | Rule::field));
        let first = parts.next().expect("a placeholder holds a name");
        let mut expr = self.primary(first);
        for (count, part) in parts.enumerate() {
            if count == self.limits.nesting {
                let span = self.span(&part);
                self.report_depth("elements of elements are", span);
                break;
            }
            expr = self.postfix(expr, part);
        }
        expr
    }

    /// Parses the `name.name(…)` after `CALL`.
    pub fn call(&mut self, pair: Pair<'_, Rule>) -> ExprId {
        let span = self.span(&pair);
        let mut callee = CompactString::default();
        let mut callee_span = Span::at(span.start as usize);
        let mut args = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::arguments => args = self.arguments(part),
                _ => {
                    callee_span = callee_span.to(self.span(&part));
                    callee.extend(part.as_str().chars().filter(|c| !c.is_whitespace()));
                }
            }
        }
        self.tree.push(ExprKind::Call(Call { callee, callee_span, args }), span)
    }

    fn postfix(&mut self, operand: ExprId, pair: Pair<'_, Rule>) -> ExprId {
        let span = self.tree[operand].span.to(self.span(&pair));
        let kind = match pair.as_rule() {
            Rule::index => {
                let inner = pair.into_inner().find(|part| part.as_rule() == Rule::expression);
                ExprKind::Index(operand, self.nested_expression(inner.expect("an index holds an expression")))
            }
            Rule::field => {
                if matches!(self.tree[operand].kind, ExprKind::Int(_) | ExprKind::Float(_)) {
                    let finding = Diagnostic::error(
                        Code::BadNumber,
                        span,
                        "a number with a point has digits on both sides of it",
                    );
                    self.findings.push(finding.help("write `1.0`; a number has no fields"));
                }
                ExprKind::Field(operand, self.field(pair))
            }
            _ => match self.callee(operand) {
                Some(callee) => {
                    let callee_span = self.tree[operand].span;
                    ExprKind::Call(Call { callee, callee_span, args: self.arguments(pair) })
                }
                None => {
                    let at = self.span(&pair);
                    let finding = Diagnostic::error(Code::UnexpectedText, at, "only a name can be called");
                    let (help, edit) = match &self.tree[operand].kind {
                        ExprKind::Field(value, method) if is_length(&method.text) => {
                            let help = "values have no methods: write `LEN(…)` around the value";
                            (help.to_owned(), self.length_of(*value, span, &pair))
                        }
                        ExprKind::Field(_, method) => {
                            let method = &method.text;
                            let help = format!(
                                "values have no methods, `{method}` neither: give the value to a tool, as in `STR.Upper(text)`"
                            );
                            (help, None)
                        }
                        _ => ("write `name(…)`; a value in a variable cannot be called".to_owned(), None),
                    };
                    self.findings.push(finding.help(help).suggest(edit));
                    ExprKind::Bad
                }
            },
        };
        self.tree.push(kind, span)
    }

    /// Returns the edit that writes `LEN(value)` in place of the call of a method, if that has no arguments.
    fn length_of(&self, value: ExprId, whole: Span, arguments: &Pair<'_, Rule>) -> Option<Edit> {
        let is_empty = arguments.as_str().trim_matches(['(', ')']).trim().is_empty();
        let offset = |at: u32| (at as usize).checked_sub(self.base);
        let span = self.tree[value].span;
        let value = arguments.get_input().get(offset(span.start)?..offset(span.end)?)?;
        is_empty.then(|| Edit { span: whole, text: format!("LEN({value})") })
    }

    /// Returns the dotted name that an expression spells, if it is one.
    fn callee(&self, expr: ExprId) -> Option<CompactString> {
        let mut names = Vec::new();
        let mut at = expr;
        loop {
            match &self.tree[at].kind {
                ExprKind::Field(inner, name) => {
                    names.push(name.text.as_str());
                    at = *inner;
                }
                ExprKind::Name(name) => {
                    names.push(name);
                    break;
                }
                _ => return None,
            }
        }
        names.reverse();
        Some(names.join(".").into())
    }

    /// Parses the name after a dot, which may be any word.
    pub fn field(&mut self, pair: Pair<'_, Rule>) -> Name {
        let word = pair.into_inner().find(|part| part.as_rule() == Rule::word).expect("a field has a name");
        Name { text: word.as_str().into(), span: self.span(&word) }
    }

    /// Parses the `[expression]` of a place.
    pub fn index(&mut self, pair: Pair<'_, Rule>) -> ExprId {
        let inner = pair.into_inner().find(|part| part.as_rule() == Rule::expression);
        self.expression(inner.expect("an index holds an expression"))
    }

    fn arguments(&mut self, pair: Pair<'_, Rule>) -> Vec<Arg> {
        let args = pair.into_inner().filter(|part| part.as_rule() == Rule::argument);
        args.map_while(|arg| (!self.is_over()).then(|| self.argument(arg))).collect()
    }

    fn argument(&mut self, pair: Pair<'_, Rule>) -> Arg {
        let mut name = None;
        let mut value = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::label => name = Some(Name { text: part.as_str().into(), span: self.span(&part) }),
                Rule::expression => value = Some(self.nested_expression(part)),
                _ => {}
            }
        }
        Arg { name, value: value.expect("an argument has a value") }
    }
}

/// Returns whether a word is the `THEN` or `DO` at the end of a block's head.
fn ends_head(word: &str, line: &str, end: usize) -> bool {
    let first = first_word(line);
    let fits =
        |ending: &str, heads: &[&str]| is_keyword(word, ending) && heads.iter().any(|head| is_keyword(first, head));
    end == line.len() && (fits("THEN", &["IF", "ELSE"]) || fits("DO", &["WHILE", "FOR"]))
}

fn prefix_of(text: &str) -> UnaryOp {
    match text {
        "-" => UnaryOp::Negate,
        "~" => UnaryOp::Invert,
        _ => UnaryOp::Not,
    }
}

fn infix_of(text: &str) -> Op {
    binary(text).map_or(Op::Power, Op::Infix)
}

/// Returns the binary operator with this text, or `None` for `**`.
pub fn binary(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "**" => return None,
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Subtract,
        "*" => BinaryOp::Multiply,
        "/" => BinaryOp::Divide,
        "%" => BinaryOp::Remainder,
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "AND" | "and" => BinaryOp::And,
        "OR" | "or" => BinaryOp::Or,
        "IN" | "in" => BinaryOp::In,
        _ => BinaryOp::NotIn,
    })
}
