//! Compiles the lowered tree to boxed closures, which the machine runs.
//!
//! There are three kinds of closure: values, conditions that return a bare `bool`, and statements that return one byte.
//! Compilation selects the implementation for each combination of operator and operand shapes once; running only makes
//! calls.
//!
//! Operands have shapes: local variable, int constant, constant, or any expression ([`operand`]). An operation is
//! compiled once per pair of shapes, with a shortcut for two ints and two floats; everything else falls back to
//! `value::operators`. An operation that often occurs inside another (`a * b`, `list[i]`, `i + 1`) is a fused operand
//! and has no closure ([`fused`]). If both operands are immediate, the shortcut comes first and the general case is a
//! separate function, so that the shortcut saves no registers.
//!
//! A text or a list that nothing else holds grows in place ([`grow`]), and a variable gives up its value at its last
//! use ([`release`]). `FOR EACH i IN RANGE(…)` creates no list, a loop over
//! packed rows reuses one map, and a loop over a call of a tool that streams pulls its elements ([`pulled`]).

mod assign;
mod binary;
mod call;
mod cond;
mod element;
mod expr;
mod fused;
mod grow;
mod higher_order;
mod loops;
mod operand;
mod operands;
mod pulled;
mod release;
mod shortcut;
mod stmt;

use std::cell::RefCell;
use std::rc::Rc;

use crate::program::tree::{Body, Call, Program};
use crate::text::Span;
use crate::toolkit::{Registry, ToolId};

use super::debug;
use super::debug_table::{BodyId, DebugTable, StatementPlace};
use super::handler::Handler;
use super::machine::{Code, Compiled};
use super::tool_call::{Failing, Handling};

/// Compiles a program, whose tools are in this registry.
pub fn compile(program: &Program, registry: &Registry) -> Compiled {
    compile_with(program, registry, None)
}

/// Compiles a program for a debugger: it is told before each statement. The table gets the statements.
pub fn compile_for_debugger(program: &Program, registry: &Registry, table: &DebugTable) -> Compiled {
    compile_with(program, registry, Some(table))
}

fn compile_with(program: &Program, registry: &Registry, table: Option<&DebugTable>) -> Compiled {
    let code = |body: &Body, id, extra| {
        let debug = table.map(|table| DebugTarget { table, body: id });
        Compiler::new(body, program, registry, debug).body(body, extra)
    };
    let procedures = program.procedures.iter().enumerate();
    let procedures = procedures.map(|(number, procedure)| code(&procedure.body, BodyId::Procedure(number), 1));
    Compiled { procedures: procedures.collect(), top: code(&program.top, BodyId::Top, 0) }
}

/// The debugger's table, and the body that is compiled.
#[derive(Clone, Copy)]
struct DebugTarget<'a> {
    table: &'a DebugTable,
    body: BodyId,
}

/// The compiler of one body; the sibling modules add its rules.
pub struct Compiler<'a> {
    /// Number of slots in the body's frame, including hidden ones.
    frame: usize,
    /// The hidden slot of `LAST`, if anything reads it.
    last: Option<usize>,
    /// Whether the body itself may read `LAST`.
    reads_last: bool,
    /// Whether nothing checks the outcome of CALL statements.
    calls_unseen: bool,
    /// The ON ERROR blocks, and the hidden slot that says which one is in force.
    handlers: Option<Handlers>,
    /// The whole program, including the procedures that the body calls.
    program: &'a Program,
    /// The declarations of the tools.
    registry: &'a Registry,
    /// The debugger's table, if the program is compiled for one.
    debug: Option<DebugTarget<'a>>,
}

/// The ON ERROR blocks of a body.
#[derive(Clone)]
struct Handlers {
    slot: usize,
    list: Rc<HandlerList>,
}

/// Handlers, whose blocks are compiled together with the body.
type HandlerList = RefCell<Vec<Rc<Handler>>>;

impl<'a> Compiler<'a> {
    fn new(body: &Body, program: &'a Program, registry: &'a Registry, debug: Option<DebugTarget<'a>>) -> Compiler<'a> {
        let mut frame = body.slots.len();
        let mut hidden = |wanted: bool| {
            frame += usize::from(wanted);
            wanted.then(|| frame - 1)
        };
        let last = hidden(body.keeps_last);
        let handlers = hidden(body.handles_errors).map(|slot| Handlers { slot, list: Rc::default() });
        if let Some(DebugTarget { table, body }) = debug {
            table.add_body(body, last, handlers.as_ref().map(|handlers: &Handlers| handlers.slot));
        }
        Compiler {
            frame,
            last,
            reads_last: body.reads_last,
            calls_unseen: body.calls_unseen,
            handlers,
            program,
            registry,
            debug,
        }
    }

    /// Returns the tool to call where the script names one.
    fn tool(&self, named: ToolId) -> ToolId {
        self.program.projected.iter().find(|tool| tool.named == named).map_or(named, |tool| tool.called)
    }

    /// Returns how to handle the result and the failure of a call in the script itself.
    fn handling(&self, call: &Call, failing: Failing) -> Handling {
        Handling { failing, warns_of_truncation: self.program.unchecked_truncations.binary_search(&call.span).is_ok() }
    }

    /// Compiles a whole body, with `extra` steps charged for entering it.
    fn body(&self, body: &Body, extra: u64) -> Code {
        let (block, tail) = self.split_tail(&body.block);
        let block = self.block(block, extra + u64::from(tail.is_some()));
        let block = match self.debug {
            Some(target) => debug::body(target.body, block),
            None => block,
        };
        Code { block, tail, frame: self.frame, last: self.last }
    }

    /// Adds a statement to the table of the debugger, if there is one. Returns its number there.
    fn debug_number(&self, span: Span) -> Option<usize> {
        self.debug.map(|DebugTarget { table, body }| table.add(StatementPlace { span, body }))
    }

    /// Returns whether a debugger is told of calls of a tool.
    fn tells_calls_of(&self, tool: ToolId) -> bool {
        self.debug.is_some() && self.registry.get(tool).spec.effect.is_side_effecting()
    }
}

/// Spans of statements, for the step limit.
type Spans = Box<[Span]>;
