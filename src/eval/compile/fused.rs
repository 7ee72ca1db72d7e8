//! Operands that are operations themselves, computed where they are used: `a * b` inside a sum, `list[i]`
//! inside a comparison. They save the call of a closure, and a list's element is not copied.

use crate::program::tree::{BinaryOp, Expr, ExprKind, Link, Variable};
use crate::text::Span;
use crate::value::Value;

use super::super::machine::{Machine, Run};
use super::Compiler;
use super::binary::Operands;
use super::expr::Element;
use super::operand::{Compute, Computed, ConstInt, Local, Operand, Shape};
use super::shortcut::{Add, Multiply, Subtract};

/// A product of two variables.
pub struct Product(Operands<Local, Local>);

impl Compute for Product {
    #[inline(always)]
    fn compute(&self, machine: &mut Machine) -> Run<Value> {
        self.0.compute::<Multiply>(machine)
    }
}

/// A variable and an int that is added to it, or subtracted.
pub struct Offset {
    operands: Operands<Local, ConstInt>,
    /// What is added, where it is an int.
    addend: i64,
    subtracts: bool,
}

impl Compute for Offset {
    #[inline(always)]
    fn compute(&self, machine: &mut Machine) -> Run<Value> {
        match machine.local(self.operands.left.slot) {
            Value::Int(number) if let Some(sum) = number.checked_add(self.addend) => Ok(Value::Int(sum)),
            _ => self.by_the_rules(machine),
        }
    }
}

impl Offset {
    #[inline(never)]
    fn by_the_rules(&self, machine: &mut Machine) -> Run<Value> {
        match self.subtracts {
            false => self.operands.compute::<Add>(machine),
            true => self.operands.compute::<Subtract>(machine),
        }
    }
}

/// An element of a list in a variable; what is held is `Unset` where the element stays in the list.
impl Operand for Element<Local, Local> {
    type Held = Value;
    const COMPUTES: bool = true;

    #[inline(always)]
    fn take(&self, machine: &mut Machine) -> Run<Value> {
        match self.in_place(&(), &(), machine) {
            Some(Value::Int(number)) => Ok(Value::Int(*number)),
            Some(Value::Float(number)) => Ok(Value::Float(*number)),
            Some(Value::Bool(truth)) => Ok(Value::Bool(*truth)),
            Some(_) => Ok(Value::Unset),
            None => self.by_the_rules(machine, (), ()),
        }
    }

    #[inline(always)]
    fn peek<'a>(&'a self, held: &'a Value, machine: &'a Machine) -> &'a Value {
        match held {
            Value::Unset => self.in_place(&(), &(), machine).unwrap_or(held),
            held => held,
        }
    }

    #[inline(always)]
    fn owned(&self, held: Value, machine: &Machine) -> Value {
        match held {
            Value::Unset => self.peek(&held, machine).clone(),
            held => held,
        }
    }

    fn variable(&self) -> Option<Span> {
        None
    }
}

/// The shape of an operand that may be fused.
pub enum Wide {
    Plain(Shape),
    Product(Computed<Product>),
    Element(Element<Local, Local>),
}

/// The shape of an index or an argument.
pub enum Near {
    Plain(Shape),
    Offset(Computed<Offset>),
}

impl Compiler<'_> {
    /// The shape of an expression as an operand that may be fused.
    pub fn wide(&self, expr: &Expr) -> Wide {
        match &expr.kind {
            ExprKind::Chain(first, links) => self.wide_chain(first, links, expr.span),
            ExprKind::Index(whole, index) => match (local(whole), local(index)) {
                (Some(whole), Some(index)) => Wide::Element(Element { whole, index, span: expr.span }),
                _ => Wide::Plain(self.operand(expr)),
            },
            _ => Wide::Plain(self.operand(expr)),
        }
    }

    /// The shape of a chain, or of the links of one before the last.
    pub fn wide_chain(&self, first: &Expr, links: &[Link], span: Span) -> Wide {
        match product(first, links, span) {
            Some(product) => Wide::Product(Computed(product)),
            None if links.is_empty() => self.wide(first),
            None => Wide::Plain(self.plain_chain(first, links, span)),
        }
    }

    /// The shape of an expression as an index or an argument.
    pub fn near(&self, expr: &Expr) -> Near {
        let offset = match &expr.kind {
            ExprKind::Chain(first, links) => offset(first, links, expr.span),
            _ => None,
        };
        offset.map_or_else(|| Near::Plain(self.operand(expr)), |offset| Near::Offset(Computed(offset)))
    }
}

fn product(first: &Expr, links: &[Link], span: Span) -> Option<Product> {
    match links {
        [link] if link.op == BinaryOp::Multiply => {
            Some(Product(Operands { left: local(first)?, right: local(&link.operand)?, span }))
        }
        _ => None,
    }
}

fn offset(first: &Expr, links: &[Link], span: Span) -> Option<Offset> {
    let ([link], Some(left)) = (links, local(first)) else { return None };
    let ExprKind::Const(value @ Value::Int(number)) = &link.operand.kind else { return None };
    let (addend, subtracts) = match link.op {
        BinaryOp::Add => (*number, false),
        BinaryOp::Subtract => (number.checked_neg()?, true),
        _ => return None,
    };
    let operands = Operands { left, right: ConstInt(*number, value.clone()), span };
    Some(Offset { operands, addend, subtracts })
}

fn local(expr: &Expr) -> Option<Local> {
    match &expr.kind {
        ExprKind::Variable(Variable::Local(slot)) => Some(Local { slot: slot.0 as usize, span: expr.span }),
        _ => None,
    }
}

/// Calls a function that is generic over an operand with the operand of a wide shape.
macro_rules! with_wide {
    ($operand:expr, |$o:ident| $body:expr) => {{
        use $crate::eval::compile::fused::Wide;
        match $operand {
            Wide::Plain(plain) => $crate::eval::compile::operand::with_operand!(plain, |$o| $body),
            Wide::Product($o) => $body,
            Wide::Element($o) => $body,
        }
    }};
}
pub(super) use with_wide;

/// Calls a function that is generic over two operands with the operands of two wide shapes.
macro_rules! with_both_wide {
    ($left:expr, $right:expr, |$l:ident, $r:ident| $body:expr) => {{
        let right = $right;
        with_wide!($left, |$l| with_wide!(right, |$r| $body))
    }};
}
pub(super) use with_both_wide;

/// Calls a function that is generic over an operand with an index or argument.
macro_rules! with_near {
    ($operand:expr, |$o:ident| $body:expr) => {{
        use $crate::eval::compile::fused::Near;
        match $operand {
            Near::Plain(plain) => $crate::eval::compile::operand::with_operand!(plain, |$o| $body),
            Near::Offset($o) => $body,
        }
    }};
}
pub(super) use with_near;
