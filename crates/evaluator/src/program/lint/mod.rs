//! Lints: warnings about valid code that is probably not intended, beyond the findings of lowering.
//!
//! Lints read the tree as written and change nothing; a finding carries a safe fix where there is one
//! (`Diagnostic::fix`). In a text with errors, only what no error makes uncertain is reported (`doubt`), without fixes.

mod allow;
mod braces;
mod calls;
mod command_line;
mod comments;
mod conditions;
mod doubt;
mod facts;
mod hidden;
mod metadata;
mod names;
mod never_nil;
mod operands;
mod overwritten;
mod reads;
mod resumed;
mod text;
mod uncalled_main;
mod unreachable;
mod unseen;
mod unused;
mod upstream;
pub(in crate::program) mod walk;

use std::cell::RefCell;
use std::rc::Rc;

use compact_str::CompactString;

use crate::gate::Gate;
use crate::syntax::TextLimits;
use crate::syntax::ast::{Procedure, Tree};
use crate::text::{Diagnostic, Source};

use super::known::{CleanProcedure, KnownProcedures};
use super::tree::Program;

use text::Text;

/// The context that texts of a program are checked against.
#[derive(Clone, Copy)]
pub struct LintContext<'a> {
    /// The program.
    pub program: &'a Program,
    /// The tools and the policy.
    pub gate: &'a Gate,
    /// The limits on the size of a text.
    pub limits: TextLimits,
    /// Whether every tool failure is an error.
    pub strict: bool,
    /// The procedures in which earlier checks found nothing.
    pub known: Option<&'a RefCell<KnownProcedures>>,
}

impl LintContext<'_> {
    /// Returns a procedure that was not lowered, because there is nothing to find in it.
    fn clean(&self, procedure: &Procedure) -> Option<Rc<CleanProcedure>> {
        self.known?.borrow().skipped(procedure)
    }
}

/// Returns the warning that nothing calls `Main`, unless the text allows it.
pub fn uncalled_main(source: &Source, tree: &Tree) -> Option<Diagnostic> {
    let mut found = Vec::from_iter(uncalled_main::find(source, tree));
    if !found.is_empty() {
        allow::apply(source, tree, &mut found);
    }
    found.pop()
}

/// Lints a text that was parsed and lowered, and removes the warnings that the text allows.
pub fn lint(source: &Source, tree: &Tree, ground: LintContext<'_>, findings: &mut Vec<Diagnostic>) {
    let here = source.span();
    let is_here =
        |finding: &Diagnostic| finding.span().is_some_and(|span| here.start <= span.start && span.end <= here.end);
    let (mut found, others) = std::mem::take(findings).into_iter().partition(is_here);
    *findings = others;
    comments::lint(source, tree, ground, &mut found);
    let Some(text) = Text::new(source, tree, ground, &found) else { return finish(source, tree, found, findings) };
    let mut warnings = Vec::new();
    all_lints(&text, &mut warnings);
    keep_clean(&text, found.iter().chain(&warnings));
    warnings.retain(|warning| !text.doubts.is_on_line_of(source, warning));
    found.append(&mut warnings);
    finish(source, tree, found, findings);
}

/// Applies the lints that need a parsed text.
fn all_lints(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    unused::lint(text, found);
    hidden::lint(text, found);
    unreachable::lint(text, found);
    conditions::lint(text, found);
    never_nil::lint(text, found);
    unseen::lint(text, found);
    overwritten::lint(text, found);
    calls::lint(text, found);
    operands::lint(text, found);
    resumed::lint(text, found);
    upstream::lint(text, found);
    if !text.doubts.has_bad_lines {
        braces::lint(text, found);
        command_line::lint(text, found);
        metadata::lint(text, found);
    }
    if text.doubts.is_none() {
        found.extend(uncalled_main::find(text.source, text.tree));
    }
}

/// Keeps the procedures in which there is nothing to find.
fn keep_clean<'f>(text: &Text<'_>, found: impl Iterator<Item = &'f Diagnostic>) {
    let Some(known) = text.ground.known else { return };
    let mut places: Vec<u32> = found.filter_map(Diagnostic::span).map(|span| span.start).collect();
    places.sort_unstable();
    let mut known = known.borrow_mut();
    for body in text.top_and_procedures().1 {
        let Some(lowered) = body.procedure.and_then(|procedure| known.lowered(procedure)) else { continue };
        let next = places.get(places.partition_point(|place| *place < lowered.span.start));
        let is_clean = next.is_none_or(|place| *place >= lowered.span.end);
        if is_clean && !text.doubts.may_concern(lowered.words.iter().map(CompactString::as_str)) {
            known.keep(lowered, facts::facts(text.tree, body), text.outside);
        }
    }
}

/// Removes the warnings that a text allows, and the fixes if there are errors, here or in another text.
fn finish(source: &Source, tree: &Tree, mut found: Vec<Diagnostic>, findings: &mut Vec<Diagnostic>) {
    let is_whole = !found.iter().chain(&*findings).any(Diagnostic::is_error);
    let needless = allow::apply(source, tree, &mut found);
    // Whether an allow comment is needed is known only after all lints have run.
    found.extend(needless.into_iter().filter(|_| is_whole));
    if !is_whole {
        found.iter_mut().for_each(|finding| finding.fix = None);
    }
    findings.append(&mut found);
}
