//! Calls of tools that stream, where somebody takes their elements one by one: FOR EACH, LEN and higher-order functions.
//!
//! The list is never made, so a body that reads `LAST` gets it collected instead.

use crate::program::tree::{Args, Call, Expr, ExprKind, ReleaseMoment, Target};
use crate::text::Span;
use crate::value::Value;

use super::super::machine::{EvalFn, Machine, ValueFn};
use super::super::pulled::Pulled;
use super::Compiler;
use super::call::{perhaps_map_call, placed_tool_call};
use super::release::{BeforeCall, Nothing, Released};

/// A compiled call that opens a stream.
pub type OpenFn = EvalFn<Pulled>;

impl Compiler<'_> {
    /// Compiles an expression whose elements are pulled. Returns `None` if it is not the call of a tool that streams.
    pub(super) fn pulled(&self, expr: &Expr) -> Option<OpenFn> {
        if self.reads_last {
            return None;
        }
        match &expr.kind {
            ExprKind::Call(call) => self.pulled_call(call, Nothing),
            ExprKind::Release(release) if release.moment == ReleaseMoment::BeforeUse => match &release.expr.kind {
                ExprKind::Call(call) => self.pulled_call(call, Released(release.place.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Compiles the LEN of an expression whose elements are pulled.
    pub(super) fn pulled_count(&self, list: &Expr, span: Span) -> Option<ValueFn> {
        let open = self.pulled(list)?;
        Some(Box::new(move |machine| {
            machine.step(span)?;
            let mut elements = open(machine)?;
            let mut count = 0;
            while elements.next(machine)?.is_some() {
                count += 1;
            }
            Ok(Value::Int(count))
        }))
    }

    fn pulled_call<B: BeforeCall>(&self, call: &Call, before: B) -> Option<OpenFn> {
        let Target::Tool(named) = call.target else { return None };
        let (id, span, last) = (self.tool(named), call.span, self.last);
        if !self.registry.get(id).streams() {
            return None;
        }
        let open = move |machine: &mut Machine, args: &mut [Option<Value>]| {
            let elements = Pulled::open(machine, id, args, span)?;
            // A session keeps it for its next line, but there is no list.
            if let Some(slot) = last {
                *machine.local_mut(slot) = Value::Nil;
            }
            Ok(elements)
        };
        Some(match &call.args {
            Args::Placed { values, params } => placed_tool_call(self.placed(values), *params, before, open),
            Args::PerhapsMap(arg) => perhaps_map_call(id, self.value(arg), span, before, open),
            Args::InOrder(_) => unreachable!("lowering gives a tool no such arguments"),
        })
    }
}
