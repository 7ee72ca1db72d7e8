//! Finds the last use of a value before its variable or place is overwritten, so that it is moved and not shared there.
//!
//! In `SET list = Add(list, item)` nothing reads the old value of `list` after the arguments are evaluated. If the
//! variable releases it before the call, the procedure is its only holder and can change it in place. The same holds
//! for `SET m[k] = LIST.Append(m[k], item)`, for a value that is returned, and for
//! `SET g = m[k]` … `SET m[k] = g`.
//!
//! A release must not be seen. So it happens only where nothing can read the variable before it is set again: no later
//! operand, no handler of an error (a failed SET leaves its target as it was), no EVAL, and no procedure that reads the
//! variables of the top level. Sessions keep what an interrupted line has computed, so their top level releases
//! nothing.

mod liveness;
mod points;

use super::reads::{Slots, outer_reads};
use super::tree::{Block, Body, Program};

use liveness::{After, Liveness};

/// Number of statements times number of variables above which a body is left as it is.
const MAX_WORK: usize = 4_000_000;

/// Whether a debugger reads the variables of a running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Nobody does.
    Never,
    /// A debugger reads them between statements. A statement may give up an old value only of a variable that it sets or
    /// returns.
    BetweenStatements,
}

/// Marks the last uses in a program.
pub fn mark_last_uses(program: &mut Program, observed: Observed) {
    let outer = outer_reads(program);
    mark_procedures(program, observed);
    mark(&mut program.top, &outer, observed);
}

/// Marks the last uses in the procedures of a program whose top level somebody observes.
pub fn mark_procedures(program: &mut Program, observed: Observed) {
    program.procedures.iter_mut().for_each(|procedure| mark(&mut procedure.body, &Slots::new(), observed));
}

/// Marks the last uses in a body. `outer` are its variables that procedures read.
fn mark(body: &mut Body, outer: &Slots, observed: Observed) {
    if count(&body.block).saturating_mul(body.slots.len()) > MAX_WORK {
        return;
    }
    let mut analysis = Liveness::new(body, outer);
    if observed == Observed::BetweenStatements {
        analysis.observe(body);
    }
    let mut after = After { live: outer.clone(), ..After::default() };
    analysis.block(&mut body.block, &mut after);
}

/// Returns the number of statements.
fn count(block: &Block) -> usize {
    block.iter().map(|stmt| 1 + stmt.kind.blocks().into_iter().map(count).sum::<usize>()).sum()
}
