//! Lints: warnings about valid code that is probably not intended, beyond the findings of lowering.
//!
//! Lints read the tree as written and change nothing; a finding carries a safe fix where there is one
//! (`Diagnostic::fix`). A text with errors is linted only for its comments, since the names in a line that could not be
//! parsed are unknown.

mod allow;
mod braces;
mod calls;
mod command_line;
mod comments;
mod conditions;
mod hidden;
mod never_nil;
mod operands;
mod text;
mod uncalled_main;
mod unreachable;
mod unseen;
mod unused;
mod walk;

use crate::gate::Gate;
use crate::syntax::TextLimits;
use crate::syntax::ast::Tree;
use crate::text::{Diagnostic, Source};

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
    let is_whole = !findings.iter().any(Diagnostic::is_error);
    let here = source.span();
    let is_here =
        |finding: &Diagnostic| finding.span().is_some_and(|span| here.start <= span.start && span.end <= here.end);
    let (mut found, others) = std::mem::take(findings).into_iter().partition(is_here);
    *findings = others;
    comments::lint(source, tree, ground, &mut found);
    if is_whole {
        let text = Text::new(source, tree, ground);
        unused::lint(&text, &mut found);
        hidden::lint(&text, &mut found);
        unreachable::lint(&text, &mut found);
        conditions::lint(&text, &mut found);
        never_nil::lint(&text, &mut found);
        unseen::lint(&text, &mut found);
        calls::lint(&text, &mut found);
        operands::lint(&text, &mut found);
        braces::lint(&text, &mut found);
        command_line::lint(&text, &mut found);
        found.extend(uncalled_main::find(source, tree));
    }
    let needless = allow::apply(source, tree, &mut found);
    // Whether an allow comment is needed is known only after all lints have run.
    found.extend(needless.into_iter().filter(|_| is_whole));
    findings.append(&mut found);
}
