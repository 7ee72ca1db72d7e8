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
mod hidden;
mod metadata;
mod never_nil;
mod operands;
mod overwritten;
mod resumed;
mod text;
mod uncalled_main;
mod unreachable;
mod unseen;
mod unused;
mod upstream;
pub(in crate::program) mod walk;

use crate::gate::Gate;
use crate::syntax::TextLimits;
use crate::syntax::ast::Tree;
use crate::text::{Diagnostic, Source};

use super::tree::Program;

use doubt::Doubts;
use text::Text;
use walk::Body;

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
    let bodies = Body::all(tree);
    let Some(doubts) = Doubts::of(source, &bodies, &found) else { return finish(source, tree, found, findings) };
    let text = Text::new(source, tree, ground, doubts, bodies);
    let mut warnings = Vec::new();
    all_lints(&text, &mut warnings);
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
