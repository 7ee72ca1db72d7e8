//! What a script may do and probably does not mean, beyond what lowering meets on its way.
//!
//! It looks at the tree as it was written, and changes nothing: where a change is safe, a finding carries
//! it (`Diagnostic::fix`). Nothing is told of a text with errors but its comments, since names in a line
//! that could not be read are not known.

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
mod unreachable;
mod unseen;
mod unused;
mod walk;

use crate::syntax::TextLimits;
use crate::syntax::ast::Tree;
use crate::text::{Diagnostic, Source};
use crate::toolkit::Gate;

use super::tree::Program;

use text::Text;

/// What the texts of a program are checked against.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The program.
    pub program: &'a Program,
    /// The tools and the policy.
    pub gate: &'a Gate,
    /// What bounds a text.
    pub limits: TextLimits,
    /// Whether every failure of a tool is an error.
    pub strict: bool,
}

/// Warnings about a text that was parsed and lowered; those that it allows are taken away.
pub fn lint(source: &Source, tree: &Tree, ground: Ground<'_>, findings: &mut Vec<Diagnostic>) {
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
    }
    let needless = allow::apply(source, tree, &mut found);
    // Whether a comment is needed is known once everything was looked at.
    found.extend(needless.into_iter().filter(|_| is_whole));
    findings.append(&mut found);
}
