//! Results of tools that are put into a variable which nothing reads. The assignment becomes a bare call, so that its
//! failure is shown like that of a CALL whose result nothing checks.

use std::collections::HashSet;

use crate::text::Span;

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

/// Marks the results that [`discard_unread`] discards, for a debugger, which shows the variables with them.
pub fn mark_unread(program: &mut Program) {
    let mut at_top = reads_of(&program.top.block);
    at_top.extend(outer_reads(program));
    let mut unread = HashSet::new();
    for procedure in &program.procedures {
        let read = reads_of(&procedure.body.block);
        collect(&procedure.body.block, &read, &mut unread);
    }
    collect(&program.top.block, &at_top, &mut unread);
    program.unread_results = unread;
}

fn collect(block: &Block, read: &Slots, unread: &mut HashSet<Span>) {
    for stmt in block {
        unread.extend(unread_result(&stmt.kind, read));
        stmt.kind.blocks().into_iter().for_each(|block| collect(block, read, unread));
    }
}

fn rewrite(block: &mut Block, read: &Slots) {
    for stmt in block {
        discard(&mut stmt.kind, read);
        stmt.kind.blocks_mut().into_iter().for_each(|block| rewrite(block, read));
    }
}

fn discard(kind: &mut StmtKind, read: &Slots) {
    if unread_result(kind, read).is_some()
        && let StmtKind::Set { value, .. } = kind
    {
        *kind = StmtKind::Call(value.take());
    }
}

/// Returns the span of the call in `SET name = Tool(…)` if nothing reads the variable.
fn unread_result(kind: &StmtKind, read: &Slots) -> Option<Span> {
    let StmtKind::Set { target, value } = kind else { return None };
    let is_tool = matches!(&value.kind, ExprKind::Call(call) if matches!(call.target, Target::Tool(_)));
    (is_tool && target.steps.is_empty() && !read.contains(&target.slot)).then_some(value.span)
}
