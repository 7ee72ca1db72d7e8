//! Results of tools that are put into a variable which nothing reads. The assignment becomes a bare call, so that its
//! failure is shown like that of a CALL whose result nothing checks.

use super::reads::{Slots, outer_reads, reads_of};
use super::tree::{Block, ExprKind, Program, StmtKind, Target};

/// Rewrites `SET name = Tool(…)` as `CALL Tool(…)` where nothing reads the variable. The program must be all that ever
/// sees its variables.
pub fn discard_unread(program: &mut Program) {
    let mut at_top = reads_of(&program.top.block);
    at_top.extend(outer_reads(program));
    for procedure in &mut program.procedures {
        let read = reads_of(&procedure.body.block);
        rewrite(&mut procedure.body.block, &read);
    }
    rewrite(&mut program.top.block, &at_top);
}

fn rewrite(block: &mut Block, read: &Slots) {
    for stmt in block {
        discard(&mut stmt.kind, read);
        stmt.kind.blocks_mut().into_iter().for_each(|block| rewrite(block, read));
    }
}

fn discard(kind: &mut StmtKind, read: &Slots) {
    let StmtKind::Set { target, value } = kind else { return };
    let is_tool = matches!(&value.kind, ExprKind::Call(call) if matches!(call.target, Target::Tool(_)));
    if is_tool && target.steps.is_empty() && !read.contains(&target.slot) {
        *kind = StmtKind::Call(value.take());
    }
}
