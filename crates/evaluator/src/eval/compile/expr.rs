//! Expressions as values.

use crate::program::tree::{BinaryOp, Expr, ExprKind, Link, MapEntry, Piece, UnaryOp, Variable};
use crate::text::Span;
use crate::value::{List, Map, Pieces, Str, Value, operators};

use super::super::machine::ValueFn;
use super::super::template;
use super::Compiler;
use super::element::Element;
use super::fused::{FusedOperand, IndexOperand, with_near, with_wide};
use super::operand::{Local, Operand, Shape, check_set, take_both, with_operand};

impl Compiler<'_> {
    /// Compiles an expression as a value.
    pub fn value(&self, expr: &Expr) -> ValueFn {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Const(value) => constant(value.clone()),
            ExprKind::Variable(Variable::Local(slot)) => local(slot.0 as usize, span),
            ExprKind::Variable(Variable::Outer(slot)) => outer(slot.0 as usize, span),
            ExprKind::Taken(slot) => self.taken(slot.0 as usize, span),
            ExprKind::Release(release) => self.releasing(release),
            ExprKind::Last => self.last(),
            ExprKind::LastError => Box::new(|machine| Ok(machine.last_error.clone())),
            ExprKind::Args => Box::new(|machine| Ok(machine.args.clone())),
            ExprKind::List(items) => self.list(items, span),
            ExprKind::Map(entries) => self.map(entries, span),
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::And(_) | ExprKind::Or(_) => {
                let condition = self.condition(expr);
                Box::new(move |machine| Ok(condition(machine)?.into()))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ExprKind::Chain(first, links) => {
                if joined_text(first, links) {
                    self.join_operands(first, links, span)
                } else {
                    self.chain(first, links, span)
                }
            }
            ExprKind::Power(left, right) => self.power(left, right, span),
            ExprKind::Index(whole, index) => self.index(whole, index, span),
            ExprKind::Field(whole, name) => self.field(whole, name.clone(), span),
            ExprKind::Join(pieces) => self.join_to_taken(expr).unwrap_or_else(|| self.join(pieces, span)),
            ExprKind::Eval(text, scope) => template::eval(self.value(text), scope.clone(), self.last, span),
            ExprKind::Call(call) => self.call(call),
        }
    }

    pub fn values(&self, exprs: &[Expr]) -> Vec<ValueFn> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    fn last(&self) -> ValueFn {
        let slot = self.last.expect("a body that reads LAST keeps it");
        Box::new(move |machine| match machine.local(slot) {
            Value::Unset => Ok(Value::Nil),
            value => Ok(value.clone()),
        })
    }

    fn list(&self, items: &[Expr], span: Span) -> ValueFn {
        let items = self.values(items);
        Box::new(move |machine| {
            let mut values = Vec::with_capacity(items.len());
            for item in &items {
                values.push(item(machine)?);
            }
            match List::new(values) {
                Ok(list) => Ok(list.into()),
                Err(hit) => Err(machine.throw(span, hit)),
            }
        })
    }

    fn map(&self, entries: &[MapEntry], span: Span) -> ValueFn {
        let entries: Vec<(Str, ValueFn)> =
            entries.iter().map(|entry| (entry.key.clone(), self.value(&entry.value))).collect();
        Box::new(move |machine| {
            let mut map = Map::with_capacity(entries.len());
            for (key, value) in &entries {
                let value = value(machine)?;
                if let Err(hit) = map.put(key.clone(), value) {
                    return Err(machine.throw(span, hit));
                }
            }
            Ok(map.into())
        })
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, span: Span) -> ValueFn {
        let operand = self.value(operand);
        let apply = if op == UnaryOp::Negate { operators::negate } else { operators::invert };
        Box::new(move |machine| {
            let value = operand(machine)?;
            apply(&value).map_err(|error| machine.throw(span, error))
        })
    }

    fn power(&self, left: &Expr, right: &Expr, span: Span) -> ValueFn {
        let (left, right) = (self.value(left), self.value(right));
        Box::new(move |machine| {
            let (a, b) = (left(machine)?, right(machine)?);
            operators::power(&a, &b).map_err(|error| machine.throw(span, error))
        })
    }

    fn index(&self, whole: &Expr, index: &Expr, span: Span) -> ValueFn {
        match (self.wide(whole), self.near(index)) {
            (FusedOperand::Element(whole), IndexOperand::Plain(Shape::Local(index))) => {
                element_of_element(whole, index, span)
            }
            (whole, index) => with_wide!(whole, |whole| with_near!(index, |index| element(whole, index, span))),
        }
    }

    fn field(&self, whole: &Expr, name: Str, span: Span) -> ValueFn {
        with_operand!(self.operand(whole), |whole| field_of(whole, name, span))
    }

    /// `"a" + b + c`: since the first operand is a text, the printed forms of all operands are concatenated.
    fn join_operands(&self, first: &Expr, links: &[Link], span: Span) -> ValueFn {
        let operands = std::iter::once(first).chain(links.iter().map(|link| &link.operand));
        let pieces = operands.map(|operand| match &operand.kind {
            ExprKind::Const(value) if value.is_text() => Joined::Text(value.clone()),
            _ => Joined::Value(self.value(operand)),
        });
        joined(pieces.collect(), span)
    }

    fn join(&self, pieces: &[Piece], span: Span) -> ValueFn {
        let pieces = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => Joined::Text(text.clone().into()),
            Piece::Value(value) => Joined::Value(self.value(value)),
        });
        joined(pieces.collect(), span)
    }
}

/// Returns whether a chain is a concatenation that starts with a literal text.
pub fn joined_text(first: &Expr, links: &[Link]) -> bool {
    let starts = matches!(&first.kind, ExprKind::Const(value) if value.is_text());
    starts && links.iter().all(|link| link.op == BinaryOp::Add)
}

/// A part of a concatenated text.
enum Joined {
    Text(Value),
    Value(ValueFn),
}

fn joined(parts: Vec<Joined>, span: Span) -> ValueFn {
    Box::new(move |machine| {
        let mut pieces = Pieces::default();
        let mut quotes_refusal = false;
        for part in &parts {
            let pushed = match part {
                Joined::Text(text) => pieces.push(text),
                Joined::Value(value) => {
                    let value = value(machine)?;
                    quotes_refusal |= value.quotes_refusal();
                    pieces.push(&value)
                }
            };
            pushed.map_err(|error| machine.throw(span, error))?;
        }
        let text = pieces.end().map_err(|hit| machine.throw(span, hit))?;
        if quotes_refusal {
            text.mark_refusal();
        }
        Ok(text.into())
    })
}

/// Compiles a constant.
pub fn constant(value: Value) -> ValueFn {
    Box::new(move |_| Ok(value.clone()))
}

/// Compiles a variable of the running procedure.
pub fn local(slot: usize, span: Span) -> ValueFn {
    Box::new(move |machine| match machine.local(slot) {
        Value::Unset => Err(machine.throw_unset(span)),
        value => Ok(value.clone()),
    })
}

fn outer(slot: usize, span: Span) -> ValueFn {
    Box::new(move |machine| match machine.outer(slot) {
        Value::Unset => Err(machine.throw_unset(span)),
        value => Ok(value.clone()),
    })
}

/// `whole[index]`, with a fast path for lists.
fn element<W: Operand, I: Operand>(whole: W, index: I, span: Span) -> ValueFn {
    let element = Element { whole, index, span };
    Box::new(move |machine| {
        let (a, b) = take_both(&element.whole, &element.index, machine)?;
        match element.in_place(&a, &b, machine) {
            Some(value) => Ok(value.clone()),
            None => element.general(machine, a, b),
        }
    })
}

/// `list[i][j]` of variables: a single operation reads both lists.
fn element_of_element(whole: Element<Local, Local>, index: Local, span: Span) -> ValueFn {
    let element = Element { whole, index, span };
    Box::new(move |machine| {
        let list = element.whole.in_place(&(), &(), machine);
        match list.and_then(|list| element.of(list, &(), machine)) {
            Some(value) => Ok(value.clone()),
            None => element.evaluate(machine),
        }
    })
}

/// `whole.name`
fn field_of<W: Operand>(whole: W, name: Str, span: Span) -> ValueFn {
    Box::new(move |machine| {
        let held = whole.take(machine)?;
        if let Value::Map(map) = whole.peek(&held, machine)
            && let Some(value) = map.get(&name)
        {
            return Ok(value);
        }
        check_set(machine, &whole, &held)?;
        let value = operators::field(whole.peek(&held, machine), &name);
        value.map_err(|error| machine.throw(span, error))
    })
}
