//! Fused operations: operands that are operations themselves and are computed where they are used, such as `a * b`
//! inside a sum or `list[i]` inside a comparison. Fusing saves the call of a closure and the copy of a list element.

use crate::program::tree::{BinaryOp, Expr, ExprKind, Link};
use crate::text::Span;
use crate::value::Value;

use super::super::machine::{EvalResult, Machine};
use super::Compiler;
use super::element::Element;
use super::operand::{Compute, Computed, ConstInt, Local, Operand, Shape, scalar, take_both};
use super::operands::Operands;
use super::shortcut::{Add, Multiply, Subtract};

/// The product of two variables.
pub struct Product(Operands<Local, Local>);

impl Compute for Product {
    const IS_IMMEDIATE: bool = true;

    #[inline(always)]
    fn compute(&self, machine: &mut Machine) -> EvalResult<Value> {
        self.0.compute::<Multiply>(machine)
    }

    #[inline(always)]
    fn try_int(&self, machine: &Machine) -> Option<i64> {
        self.0.try_int::<Multiply>(machine)
    }

    #[inline(always)]
    fn try_float(&self, machine: &Machine) -> Option<f64> {
        self.0.try_float::<Multiply>(machine)
    }
}

/// A variable plus or minus a constant int.
pub struct Offset {
    operands: Operands<Local, ConstInt>,
    /// The signed amount to add to an int.
    addend: i64,
    subtracts: bool,
}

impl Compute for Offset {
    const IS_IMMEDIATE: bool = true;

    #[inline(always)]
    fn compute(&self, machine: &mut Machine) -> EvalResult<Value> {
        match self.try_int(machine) {
            Some(sum) => Ok(Value::Int(sum)),
            None => self.general(machine),
        }
    }

    #[inline(always)]
    fn try_int(&self, machine: &Machine) -> Option<i64> {
        self.operands.left.try_int(machine)?.checked_add(self.addend)
    }
}

impl Offset {
    #[inline(never)]
    fn general(&self, machine: &mut Machine) -> EvalResult<Value> {
        if self.subtracts { self.operands.compute::<Subtract>(machine) } else { self.operands.compute::<Add>(machine) }
    }
}

/// The held form of an element.
pub enum Found<I> {
    /// A copy of the element.
    Here(Value),
    /// Its index: the element stays in the list, which no expression changes.
    There(I),
}

/// An element of a list in a variable.
impl<I: Operand> Operand for Element<Local, I> {
    type Held = Found<I::Held>;
    const COMPUTES: bool = true;
    const IS_IMMEDIATE: bool = I::IS_IMMEDIATE;

    #[inline(always)]
    fn take(&self, machine: &mut Machine) -> EvalResult<Self::Held> {
        let ((), index) = take_both(&self.whole, &self.index, machine)?;
        let element = self.in_place(&(), &index, machine);
        Ok(match (element.and_then(scalar), element) {
            (Some(scalar), _) => Found::Here(scalar),
            (None, Some(_)) => Found::There(index),
            (None, None) => Found::Here(self.general(machine, (), index)?),
        })
    }

    #[inline(always)]
    fn peek<'a>(&'a self, held: &'a Self::Held, machine: &'a Machine) -> &'a Value {
        match held {
            Found::Here(value) => value,
            Found::There(index) => self.in_place(&(), index, machine).expect("the element was found there"),
        }
    }

    #[inline(always)]
    fn owned(&self, held: Self::Held, machine: &mut Machine) -> Value {
        match held {
            Found::Here(value) => value,
            held => self.peek(&held, machine).clone(),
        }
    }

    fn hold(&self, number: Value) -> Self::Held {
        Found::Here(number)
    }

    fn variable(&self) -> Option<Span> {
        None
    }

    #[inline(always)]
    fn try_int(&self, machine: &Machine) -> Option<i64> {
        match self.now(machine) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        }
    }

    #[inline(always)]
    fn try_float(&self, machine: &Machine) -> Option<f64> {
        match self.now(machine) {
            Some(Value::Float(number)) => Some(number.get()),
            _ => None,
        }
    }

    #[inline(always)]
    fn try_scalar(&self, machine: &Machine) -> Option<Value> {
        self.now(machine).and_then(scalar)
    }
}

/// The shape of an operand that may be fused.
pub enum FusedOperand {
    Plain(Shape),
    Product(Computed<Product>),
    Element(Element<Local, Local>),
}

/// The shape of an index or an argument.
pub enum IndexOperand {
    Plain(Shape),
    Offset(Computed<Offset>),
}

impl Compiler<'_> {
    /// Returns the shape of an expression as an operand that may be fused.
    pub fn wide(&self, expr: &Expr) -> FusedOperand {
        match &expr.kind {
            ExprKind::Chain(first, links) => self.wide_chain(first, links, expr.span),
            ExprKind::Index(whole, index) => match (Local::of(whole), Local::of(index)) {
                (Some(whole), Some(index)) => FusedOperand::Element(Element { whole, index, span: expr.span }),
                _ => FusedOperand::Plain(self.operand(expr)),
            },
            _ => FusedOperand::Plain(self.operand(expr)),
        }
    }

    /// Returns the shape of a chain, or of a chain without its last link.
    pub fn wide_chain(&self, first: &Expr, links: &[Link], span: Span) -> FusedOperand {
        match product(first, links, span) {
            Some(product) => FusedOperand::Product(Computed(product)),
            None if links.is_empty() => self.wide(first),
            None => FusedOperand::Plain(self.plain_chain(first, links, span)),
        }
    }

    /// Returns the shape of an expression as an index or an argument.
    pub fn near(&self, expr: &Expr) -> IndexOperand {
        offset(expr)
            .map_or_else(|| IndexOperand::Plain(self.operand(expr)), |offset| IndexOperand::Offset(Computed(offset)))
    }
}

fn product(first: &Expr, links: &[Link], span: Span) -> Option<Product> {
    pair(BinaryOp::Multiply, first, links, span).map(Product)
}

/// Matches one operator between two variables.
fn pair(op: BinaryOp, first: &Expr, links: &[Link], span: Span) -> Option<Operands<Local, Local>> {
    match links {
        [link] if link.op == op => Some(Operands { left: Local::of(first)?, right: Local::of(&link.operand)?, span }),
        _ => None,
    }
}

fn offset(expr: &Expr) -> Option<Offset> {
    let ExprKind::Chain(first, links) = &expr.kind else { return None };
    let ([link], Some(left)) = (&links[..], Local::of(first)) else { return None };
    let ExprKind::Const(value @ Value::Int(number)) = &link.operand.kind else { return None };
    let (addend, subtracts) = match link.op {
        BinaryOp::Add => (*number, false),
        BinaryOp::Subtract => (number.checked_neg()?, true),
        _ => return None,
    };
    let operands = Operands { left, right: ConstInt(*number, value.clone()), span: expr.span };
    Some(Offset { operands, addend, subtracts })
}

/// Calls a function that is generic over an operand with the operand of a wide shape.
macro_rules! with_wide {
    ($operand:expr, |$o:ident| $body:expr) => {{
        use $crate::eval::compile::fused::FusedOperand;
        match $operand {
            FusedOperand::Plain(plain) => $crate::eval::compile::operand::with_operand!(plain, |$o| $body),
            FusedOperand::Product($o) => $body,
            FusedOperand::Element($o) => $body,
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

/// Calls a function that is generic over an operand with the operand of an index or argument.
macro_rules! with_near {
    ($operand:expr, |$o:ident| $body:expr) => {{
        use $crate::eval::compile::fused::IndexOperand;
        match $operand {
            IndexOperand::Plain(plain) => $crate::eval::compile::operand::with_operand!(plain, |$o| $body),
            IndexOperand::Offset($o) => $body,
        }
    }};
}
pub(super) use with_near;
