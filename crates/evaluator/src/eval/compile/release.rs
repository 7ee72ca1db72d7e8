//! Last uses: a variable or place lets go of its value before the value is used, so that the user is its only holder.

use crate::program::tree::{ExprKind, Release, ReleaseMoment, ReleasedPlace, ReleasedStep};
use crate::text::Span;
use crate::value::Value;

use super::super::machine::{Machine, ValueFn};
use super::super::tool_call::Failing;
use super::Compiler;

/// An action between the evaluation of arguments and the call.
pub trait BeforeCall: 'static {
    /// Runs the action.
    fn run(&self, machine: &mut Machine);
}

/// No action.
pub struct Nothing;

impl BeforeCall for Nothing {
    #[inline(always)]
    fn run(&self, _: &mut Machine) {}
}

/// A place that is released.
pub struct Released(pub ReleasedPlace);

impl BeforeCall for Released {
    fn run(&self, machine: &mut Machine) {
        let ReleasedPlace { slot, steps } = &self.0;
        let steps = steps.iter().map(|step| match step {
            ReleasedStep::Const(value) => value.clone(),
            ReleasedStep::Local(slot) => machine.local(slot.0 as usize).clone(),
        });
        let steps: Vec<Value> = steps.collect();
        let variable = machine.local_mut(slot.0 as usize);
        if steps.is_empty() {
            *variable = Value::Unset;
        } else {
            variable.release_place(&steps);
        }
    }
}

impl Compiler<'_> {
    /// Compiles a variable at its last use.
    pub fn taken(&self, slot: usize, span: Span) -> ValueFn {
        Box::new(move |machine| match machine.take_local(slot) {
            Value::Unset => Err(machine.throw_unset(span)),
            value => Ok(value),
        })
    }

    /// Compiles an expression that releases a place.
    pub fn releasing(&self, release: &Release) -> ValueFn {
        let released = Released(release.place.clone());
        match &release.expr.kind {
            ExprKind::Call(call) if release.moment == ReleaseMoment::BeforeUse => {
                self.call_with(call, Failing::AsDeclared, released)
            }
            ExprKind::Chain(..) | ExprKind::Join(_) if release.moment == ReleaseMoment::BeforeUse => {
                self.growing_value(&release.expr, released)
            }
            _ => {
                let value = self.value(&release.expr);
                Box::new(move |machine| {
                    let value = value(machine)?;
                    if !value.is_flat() {
                        released.run(machine);
                    }
                    Ok(value)
                })
            }
        }
    }
}
