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

use super::handler::Handler;
use super::machine::{Code, Compiled};
use super::tool_call::{Failing, Handling};

/// Compiles a program, whose tools are in this registry.
pub fn compile(program: &Program, registry: &Registry) -> Compiled {
    let code = |body: &Body, extra| Compiler::new(body, program, registry).body(body, extra);
    let procedures = program.procedures.iter().map(|procedure| code(&procedure.body, 1));
    Compiled { procedures: procedures.collect(), top: code(&program.top, 0) }
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
    fn new(body: &Body, program: &'a Program, registry: &'a Registry) -> Compiler<'a> {
        let mut frame = body.slots.len();
        let mut hidden = |wanted: bool| {
            frame += usize::from(wanted);
            wanted.then(|| frame - 1)
        };
        let last = hidden(body.keeps_last);
        let handlers = hidden(body.handles_errors).map(|slot| Handlers { slot, list: Rc::default() });
        Compiler {
            frame,
            last,
            reads_last: body.reads_last,
            calls_unseen: body.calls_unseen,
            handlers,
            program,
            registry,
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
        Code { block: self.block(block, extra + u64::from(tail.is_some())), tail, frame: self.frame, last: self.last }
    }
}

/// Spans of statements, for the step limit.
type Spans = Box<[Span]>;
