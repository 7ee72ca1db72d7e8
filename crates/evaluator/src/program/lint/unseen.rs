//! CALL statements whose tools can fail and whose outcome is never checked.
//!
//! A result counts as checked when LAST or LAST_ERROR is read before the next call that sets them: in the following
//! statements, or in an enclosing loop. Where the text does not settle this, the result counts as checked.

use crate::syntax::ast::{Block, ExprKind, Statement, StatementKind};
use crate::text::{Code, Diagnostic, Span};
use crate::toolkit::{Declaration, Failure};

use super::text::Text;
use super::walk::Body;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    if text.ground.strict {
        return;
    }
    let looks: Vec<Looks> = text.bodies.iter().map(|body| Looks::of(text, body)).collect();
    let reads_errors = text.outside.reads_errors || may_read_outcome(text);
    for (body, looks) in text.bodies.iter().zip(&looks) {
        // The caller of a procedure may check LAST_ERROR.
        // A line that could not be parsed may begin or end a block, and so decide which call comes last.
        if text.doubts.has_bad_lines && !looks.reads.is_empty() && !text.is_certain(body) {
            continue;
        }
        let at_end = body.procedure.is_some() && reads_errors;
        found.extend(looks.unseen(text, body, at_end));
    }
}

/// The positions where a body calls and where it checks results, in source order.
struct Looks {
    calls: Vec<u32>,
    reads: Vec<u32>,
}

/// A block and what is known about the code after it.
struct Stretch<'a> {
    block: &'a Block,
    /// End position of the block.
    end: u32,
    /// Whether the latest result is checked after the block.
    is_seen: bool,
}

impl Looks {
    fn of(text: &Text<'_>, body: &Body<'_>) -> Looks {
        let reads = &body.reads;
        // A text that is expanded may name LAST or LAST_ERROR.
        let mut looks = Looks { calls: reads.calls.clone(), reads: [&reads.outcomes[..], &reads.evals].concat() };
        if may_read_outcome(text) {
            let errors = text.doubts.within(body.span.unwrap_or(text.source.span()));
            looks.reads.extend(errors.iter().map(|error| error.start));
        }
        looks.reads.sort_unstable();
        looks
    }

    /// Returns the findings about a body. Outer blocks are visited before inner ones, and each block from its end to
    /// its start.
    fn unseen(&self, text: &Text<'_>, body: &Body<'_>, at_end: bool) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut ahead = vec![Stretch { block: body.block, end: u32::MAX, is_seen: at_end }];
        while let Some(Stretch { block, mut end, mut is_seen }) = ahead.pop() {
            for statement in block.iter().rev() {
                let range = Span { start: statement.span.start, end };
                if !is_seen && let Some(tool) = failing(text, statement) {
                    found.push(unseen(statement, tool));
                }
                ahead.extend(self.inner(text, statement, range, is_seen));
                is_seen = any_in(&self.reads, range) || is_seen && !any_in(&self.calls, range);
                end = range.start;
            }
        }
        found
    }

    /// Returns the blocks of a statement that extends to the start of the next one.
    fn inner<'a>(&self, text: &Text<'a>, statement: &'a Statement, range: Span, is_seen: bool) -> Vec<Stretch<'a>> {
        let is_loop = matches!(statement.kind, StatementKind::While { .. } | StatementKind::For { .. });
        let is_seen = is_seen || is_loop && any_in(&self.reads, range);
        let mut ends = vec![range.end];
        if let StatementKind::If { arms, otherwise } = &statement.kind {
            let heads = arms.iter().skip(1).map(|arm| text.tree[arm.condition].span.start);
            let last = otherwise.iter().filter_map(|block| block.first()).map(|first| first.span.start);
            ends = heads.chain(last).chain([range.end]).collect();
        }
        statement.blocks().into_iter().zip(ends).map(|(block, end)| Stretch { block, end, is_seen }).collect()
    }
}

/// Whether a line with an error may check results.
fn may_read_outcome(text: &Text<'_>) -> bool {
    ["LAST", "LAST_ERROR"].iter().any(|name| text.doubts.may_use(name))
}

fn any_in(places: &[u32], range: Span) -> bool {
    places.get(places.partition_point(|place| *place < range.start)).is_some_and(|place| *place < range.end)
}

/// Returns the tool that a CALL statement calls, if its result says whether it failed.
fn failing<'a>(text: &Text<'a>, statement: &Statement) -> Option<&'a Declaration> {
    let StatementKind::Call(id) = &statement.kind else { return None };
    let ExprKind::Call(call) = &text.tree[*id].kind else { return None };
    text.tool(call).filter(|tool| tool.spec.failure != Failure::Raise)
}

fn unseen(statement: &Statement, tool: &Declaration) -> Diagnostic {
    let message = format!("nobody looks whether `{}` succeeds", tool.spec.name);
    let finding = Diagnostic::warning(Code::UnseenResult, statement.span, message);
    finding.help("write `MUST CALL`, so that a failure is an error, or look at `LAST` or `LAST_ERROR`")
}
