//! Calls of procedures, built-ins and tools.

use crate::limits::space;
use crate::program::Builtin;
use crate::program::tree::{Args, Call, Expr, PlacedArg, Target};
use crate::text::Span;
use crate::toolkit::ToolId;
use crate::value::Value;

use super::super::builtins;
use super::super::debug;
use super::super::machine::{EvalFn, EvalResult, Flow, Machine, ValueFn};
use super::super::tool_call::{self, Failing};
use super::Compiler;
use super::fused::with_near;
use super::operand::{Operand, take_set};
use super::release::{BeforeCall, Nothing};

/// A compiled argument and the parameter that it is for.
pub(super) struct CompiledArg {
    /// The index of the parameter.
    pub place: usize,
    /// The argument.
    pub value: ValueFn,
}

impl Compiler<'_> {
    /// Compiles a call whose failure is returned as its declaration says.
    pub fn call(&self, call: &Call) -> ValueFn {
        self.call_with(call, Failing::AsDeclared, Nothing)
    }

    /// Compiles a call whose result nothing checks: the user is warned about a failure.
    pub fn unseen_call(&self, call: &Call) -> ValueFn {
        self.call_with(call, Failing::Warned, Nothing)
    }

    /// Compiles a call whose failure is an error.
    pub fn strict_call(&self, call: &Call) -> ValueFn {
        self.call_with(call, Failing::AsError, Nothing)
    }

    /// Compiles a call before which something happens.
    pub(super) fn call_with<B: BeforeCall>(&self, call: &Call, failing: Failing, before: B) -> ValueFn {
        match (call.target, &call.args) {
            (Target::Builtin(builtin), Args::InOrder(args)) => self.builtin_call(builtin, args, call.span),
            (Target::Procedure(id), Args::InOrder(args)) => {
                let inner = self.procedure_call(id.0 as usize, args, call.span, before);
                self.keeping_last(inner)
            }
            (Target::Procedure(id), Args::Placed { values, params }) => {
                let inner = self.placed_procedure_call(id.0 as usize, values, *params, call.span, before);
                self.keeping_last(inner)
            }
            (Target::Tool(id), _) if self.tells_calls_of(id) => self.told_tool_call(id, call, failing, before),
            (Target::Tool(id), Args::Placed { values, params }) => {
                let finish = self.tool_call(id, call, failing);
                self.keeping_last(placed_tool_call(self.placed(values), *params, before, finish))
            }
            (Target::Tool(id), Args::PerhapsMap(arg)) => {
                let finish = self.tool_call(id, call, failing);
                self.keeping_last(perhaps_map_call(self.tool(id), self.value(arg), call.span, before, finish))
            }
            (Target::HigherOrder(function, callback), _) => {
                let inner = self.higher_order_call(function, callback, call, failing, before);
                self.keeping_last(inner)
            }
            (target, _) => unreachable!("lowering gives {target:?} no such arguments"),
        }
    }

    /// Returns the function that calls a tool with evaluated arguments.
    fn tool_call(
        &self,
        id: ToolId,
        call: &Call,
        failing: Failing,
    ) -> impl Fn(&mut Machine, &mut [Option<Value>]) -> EvalResult<Value> + use<> {
        let (id, span, handling) = (self.tool(id), call.span, self.handling(call, failing));
        move |machine, args| tool_call::call(machine, id, args, span, handling)
    }

    /// Compiles a call of which a debugger is told.
    fn told_tool_call<B: BeforeCall>(&self, id: ToolId, call: &Call, failing: Failing, before: B) -> ValueFn {
        let (id, span, handling) = (self.tool(id), call.span, self.handling(call, failing));
        let finish = move |machine: &mut Machine, args: &mut [Option<Value>]| {
            debug::changing_call(machine, id, args, span, handling)
        };
        self.keeping_last(match &call.args {
            Args::Placed { values, params } => placed_tool_call(self.placed(values), *params, before, finish),
            Args::PerhapsMap(arg) => perhaps_map_call(id, self.value(arg), span, before, finish),
            Args::InOrder(_) => unreachable!("lowering gives tools no such arguments"),
        })
    }

    fn builtin_call(&self, builtin: Builtin, args: &[Expr], span: Span) -> ValueFn {
        let count = match args {
            [list] if builtin == Builtin::Len => self.pulled_count(list, span),
            _ => None,
        };
        count.unwrap_or_else(|| builtin_call(builtin, self.values(args), span))
    }

    /// Stores the result in `LAST` if anything reads it.
    pub fn keeping_last(&self, call: ValueFn) -> ValueFn {
        match self.last {
            None => call,
            Some(slot) => Box::new(move |machine| {
                let value = call(machine)?;
                *machine.local_mut(slot) = value.clone();
                Ok(value)
            }),
        }
    }

    /// Compiles arguments, each with the index of its parameter.
    pub(super) fn placed(&self, args: &[PlacedArg]) -> Vec<CompiledArg> {
        args.iter().map(|arg| CompiledArg { place: arg.place, value: self.value(&arg.value) }).collect()
    }

    fn placed_procedure_call<B: BeforeCall>(
        &self,
        number: usize,
        values: &[PlacedArg],
        params: usize,
        span: Span,
        before: B,
    ) -> ValueFn {
        let frame = self.frame;
        let args = self.placed(values);
        Box::new(move |machine| {
            let mut values = vec![Value::Nil; params];
            for arg in &args {
                values[arg.place] = (arg.value)(machine)?;
            }
            before.run(machine);
            run_procedure(machine, number, frame, span, values)
        })
    }

    fn procedure_call<B: BeforeCall>(&self, number: usize, args: &[Expr], span: Span, before: B) -> ValueFn {
        let frame = self.frame;
        match args {
            [] => Box::new(move |machine| run_procedure(machine, number, frame, span, [])),
            [first] => with_near!(self.near(first), |first| Box::new(move |machine| {
                let first = first.take(machine).and_then(|held| take_set(machine, &first, held))?;
                before.run(machine);
                run_procedure(machine, number, frame, span, [first])
            })),
            [first, second] => {
                let (first, second) = (self.value(first), self.value(second));
                Box::new(move |machine| {
                    let first = first(machine)?;
                    let second = second(machine)?;
                    before.run(machine);
                    run_procedure(machine, number, frame, span, [first, second])
                })
            }
            _ => {
                let args = self.values(args);
                Box::new(move |machine| {
                    let mut values = Vec::with_capacity(args.len());
                    for arg in &args {
                        values.push(arg(machine)?);
                    }
                    before.run(machine);
                    run_procedure(machine, number, frame, span, values)
                })
            }
        }
    }
}

/// Runs a procedure in a new frame directly after the caller's.
#[inline(always)]
pub(super) fn run_procedure(
    machine: &mut Machine,
    number: usize,
    caller_frame: usize,
    span: Span,
    args: impl IntoIterator<Item = Value>,
) -> EvalResult<Value> {
    let procedures = machine.procedures.clone();
    let code = &procedures[number];
    if let Err(hit) = machine.enter_call() {
        return Err(machine.throw(span, hit));
    }
    let caller_base = machine.base;
    let base = caller_base + caller_frame;
    machine.reserve_frame(base, code.frame);
    for (slot, arg) in args.into_iter().enumerate() {
        machine.slab[base + slot] = arg;
    }
    machine.base = base;
    let result = match (code.block)(machine) {
        Flow::Next => match &code.tail {
            Some(tail) => tail(machine).map_err(|_| passing(machine, span)),
            None => Ok(Value::Nil),
        },
        Flow::Return => {
            code.refund_tail(&mut machine.meter);
            Ok(std::mem::replace(&mut machine.returned, Value::Nil))
        }
        _ => {
            code.refund_tail(&mut machine.meter);
            Err(passing(machine, span))
        }
    };
    for slot in &mut machine.slab[base..base + code.frame] {
        *slot = Value::Unset;
    }
    machine.base = caller_base;
    machine.depth -= 1;
    result
}

/// Adds a call to the trace of the error that passes through it.
#[cold]
#[inline(never)]
fn passing(machine: &mut Machine, span: Span) -> super::super::machine::Thrown {
    let mut fault = machine.take_fault();
    fault.pass_call(span);
    machine.rethrow(fault)
}

fn builtin_call(builtin: Builtin, args: Vec<ValueFn>, span: Span) -> ValueFn {
    if builtin == Builtin::Range {
        return range_call(args, span);
    }
    match <[ValueFn; 1]>::try_from(args) {
        Ok([arg]) => {
            let apply = builtins::unary(builtin);
            Box::new(move |machine| {
                machine.step(span)?;
                let value = arg(machine)?;
                apply(&value).map_err(|error| machine.throw(span, error))
            })
        }
        Err(args) => Box::new(move |machine| {
            machine.step(span)?;
            let mut values = Vec::with_capacity(args.len());
            for arg in &args {
                values.push(arg(machine)?);
            }
            builtins::apply(builtin, &values).map_err(|error| machine.throw(span, error))
        }),
    }
}

/// Compiles a RANGE that creates its list; each element is charged before it is created.
fn range_call(args: Vec<ValueFn>, span: Span) -> ValueFn {
    Box::new(move |machine| {
        machine.step(span)?;
        let mut values = Vec::with_capacity(args.len());
        for arg in &args {
            values.push(arg(machine)?);
        }
        range_of(machine, &values, span)
    })
}

/// Returns the list of a RANGE with these arguments.
pub(super) fn range_of(machine: &mut Machine, args: &[Value], span: Span) -> EvalResult<Value> {
    let range = builtins::int_range(args).map_err(|error| machine.throw(span, error))?;
    let length = range.count();
    space::check_items(usize::try_from(length).unwrap_or(usize::MAX)).map_err(|hit| machine.throw(span, hit))?;
    machine.meter.step(length).map_err(|hit| machine.throw(span, hit))?;
    range.to_list().map_err(|error| machine.throw(span, error))
}

/// Compiles a call with arguments for known parameters, which `finish` makes.
pub(super) fn placed_tool_call<B: BeforeCall, T>(
    args: Vec<CompiledArg>,
    params: usize,
    before: B,
    finish: impl Fn(&mut Machine, &mut [Option<Value>]) -> EvalResult<T> + 'static,
) -> EvalFn<T> {
    Box::new(move |machine| {
        let fill = |machine: &mut Machine, values: &mut [Option<Value>]| {
            for arg in &args {
                values[arg.place] = Some((arg.value)(machine)?);
            }
            before.run(machine);
            finish(machine, values)
        };
        with_room(machine, params, fill)
    })
}

/// Maximum number of parameters whose arguments are kept on the native stack.
const FEW: usize = 4;

/// Provides a buffer for the arguments of a tool, all of them initially omitted.
#[inline(always)]
pub(super) fn with_room<T>(
    machine: &mut Machine,
    params: usize,
    fill: impl FnOnce(&mut Machine, &mut [Option<Value>]) -> T,
) -> T {
    let mut few = [const { None }; FEW];
    match few.get_mut(..params) {
        Some(values) => fill(machine, values),
        None => fill(machine, &mut vec![None; params]),
    }
}

/// Compiles a call with one value, which is the map of all arguments if it is a map. `finish` makes the call.
pub(super) fn perhaps_map_call<B: BeforeCall, T>(
    id: ToolId,
    arg: ValueFn,
    span: Span,
    before: B,
    finish: impl Fn(&mut Machine, &mut [Option<Value>]) -> EvalResult<T> + 'static,
) -> EvalFn<T> {
    Box::new(move |machine| {
        let value = arg(machine)?;
        before.run(machine);
        let tool = machine.world.gate.registry().get(id);
        let Value::Map(map) = &value else {
            return with_room(machine, tool.params.len(), |machine, values| {
                values[0] = Some(value);
                finish(machine, values)
            });
        };
        match tool.binder().spread_value(&value, map) {
            Ok(mut args) => finish(machine, &mut args),
            Err(error) => Err(tool_call::refuse(machine, id, error, span)),
        }
    })
}
