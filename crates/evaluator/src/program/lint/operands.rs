//! Operators that other languages define for texts, lists, times and powers: `"-" * 3`, `[0] * 3`, `TIME.Now() - 7`,
//! `2 ^ 8`.
//!
//! Only operands of a certain type are checked: a literal, a call that returns a time, and a variable that always holds
//! one of these.

use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, Link};
use crate::text::{Code, Diagnostic};

use super::text::Text;
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    for body in &text.bodies {
        let known = Known { text, body };
        found.extend(body.expressions.iter().filter_map(|id| known.chain(*id)));
        found.extend(body.expressions.iter().filter_map(|id| known.power(*id)));
    }
}

/// The known type of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Text,
    List,
    Time,
    Number,
}

/// Tools that return a time as a text.
const TIMES: [&str; 6] = ["TIME.Now", "TIME.Add", "TIME.FromUnix", "TIME.Make", "TIME.StartOf", "TIME.Parse"];

/// Numbers that are commonly raised to a power.
const POWER_BASES: [u64; 2] = [2, 10];
/// Exponents that are commonly used.
const EXPONENTS: [u64; 2] = [2, 3];

struct Known<'t, 'a> {
    text: &'t Text<'a>,
    body: &'t Body<'a>,
}

impl Known<'_, '_> {
    /// Reports the first operation of a chain if it does not do what its author probably intended.
    fn chain(&self, id: ExprId) -> Option<Diagnostic> {
        let ExprKind::Chain(first, links) = &self.text.tree[id].kind else { return None };
        let link = links.first()?;
        let help = self.help(*first, link)?;
        let message = match link.op {
            BinaryOp::Add => "`+` joins a text and a number; it does not change a time".to_owned(),
            op => format!("`{}` takes numbers only", op.symbol()),
        };
        let span = self.text.tree[*first].span.to(self.text.tree[link.operand].span);
        Some(Diagnostic::warning(Code::WrongOperand, span, message).help(help))
    }

    /// Reports a `^` that was probably meant as a power: `2 ^ 8`, `n ^ 2`.
    fn power(&self, id: ExprId) -> Option<Diagnostic> {
        let ExprKind::Chain(first, links) = &self.text.tree[id].kind else { return None };
        let lefts = [*first].into_iter().chain(links.iter().map(|link| link.operand));
        let xors = lefts.zip(links).filter(|(_, link)| link.op.symbol() == "^");
        let mut operands = xors.map(|(left, link)| (self.last_operand(left), self.first_operand(link.operand)));
        let (left, right) = operands.find(|(left, right)| match (self.number(*left), self.number(*right)) {
            (Some(_), Some(_)) => true,
            (Some(base), None) => POWER_BASES.contains(&base),
            (None, Some(exponent)) => EXPONENTS.contains(&exponent),
            (None, None) => false,
        })?;
        let help = format!("write `{} ** {}` for the power", self.display(left), self.display(right));
        let span = self.text.tree[left].span.to(self.text.tree[right].span);
        let message = "`^` is the bitwise exclusive or, and no power".to_owned();
        Some(Diagnostic::warning(Code::WrongOperand, span, message).help(help))
    }

    /// Returns the rightmost operand of a left side: an operator that binds more tightly may precede it.
    fn last_operand(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Chain(_, links) = &self.text.tree[id].kind
            && let Some(link) = links.last()
        {
            id = link.operand;
        }
        id
    }

    /// Returns the leftmost operand of a right side.
    fn first_operand(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Chain(first, _) = &self.text.tree[id].kind {
            id = *first;
        }
        id
    }

    /// Returns the value of a whole-number literal.
    fn number(&self, id: ExprId) -> Option<u64> {
        match &self.text.tree[self.text.tree.bare(id)].kind {
            ExprKind::Int(number) => Some(*number),
            _ => None,
        }
    }

    fn help(&self, left: ExprId, link: &Link) -> Option<String> {
        let right = link.operand;
        let (a, b) = (self.display(left), self.display(right));
        match (link.op, self.sort(left), self.sort(right)) {
            (BinaryOp::Multiply, Some(Sort::Text), _) => Some(format!("write `STR.Repeat({a}, {b})`")),
            (BinaryOp::Multiply, _, Some(Sort::Text)) => Some(format!("write `STR.Repeat({b}, {a})`")),
            (BinaryOp::Multiply, Some(Sort::List), _) => Some(self.repeated(left, right)),
            (BinaryOp::Multiply, _, Some(Sort::List)) => Some(self.repeated(right, left)),
            (BinaryOp::Subtract, Some(Sort::Time), Some(Sort::Time)) => {
                Some(format!("write `TIME.Difference({a}, {b}, \"days\")`"))
            }
            (BinaryOp::Subtract, Some(Sort::Time), Some(Sort::Number)) => Some(shifted(a, &format!("-{b}"))),
            (BinaryOp::Add, Some(Sort::Time), Some(Sort::Number)) => Some(shifted(a, b)),
            (BinaryOp::Subtract, Some(Sort::Text), _) => {
                Some(format!("write `STR.Replace({a}, {b}, \"\")` to take a part out of a text"))
            }
            _ => None,
        }
    }

    fn repeated(&self, list: ExprId, times: ExprId) -> String {
        let times = self.display(times);
        match &self.text.tree[self.text.tree.bare(list)].kind {
            ExprKind::List(items) if items.len() == 1 => {
                format!("write `LIST.Repeat({}, {times})`", self.display(items[0]))
            }
            _ => format!("write `LIST.Flatten(LIST.Repeat({}, {times}))`", self.display(list)),
        }
    }

    fn display(&self, id: ExprId) -> &str {
        self.text.source.slice(self.text.tree[id].span)
    }

    fn sort(&self, id: ExprId) -> Option<Sort> {
        let tree = self.text.tree;
        let id = tree.bare(id);
        let id = match &tree[id].kind {
            ExprKind::Name(name) => tree.bare(*self.body.set_once.get(name.as_str())?),
            _ => id,
        };
        match &tree[id].kind {
            ExprKind::Text(_) | ExprKind::Template(..) => Some(Sort::Text),
            ExprKind::List(_) => Some(Sort::List),
            ExprKind::Int(_) | ExprKind::Float(_) => Some(Sort::Number),
            ExprKind::Call(call) => {
                let tool = self.text.tool(call)?;
                TIMES.contains(&tool.spec.name).then_some(Sort::Time)
            }
            _ => None,
        }
    }
}

/// Returns help on how to shift a time by an amount, which other languages express in seconds or days.
fn shifted(time: &str, amount: &str) -> String {
    let digits = amount.trim_start_matches('-').replace('_', "");
    let unit = if digits.parse::<f64>().is_ok_and(|amount| amount >= 60.0) { "seconds" } else { "days" };
    format!(
        "write `TIME.Add({time}, {unit}: {amount})`; it takes years, months, weeks, days, hours, minutes and seconds"
    )
}
