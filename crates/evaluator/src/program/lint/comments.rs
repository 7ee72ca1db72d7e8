//! Comments that read like code.

use std::collections::HashSet;

use crate::syntax::ast::Tree;
use crate::syntax::{TextLimits, keyword, parse};
use crate::text::{Code, Diagnostic, Source, Sources, Span};

use crate::program::tree::Body;

use super::LintContext;

/// Warns about comments after code that would parse as expressions of known names.
pub fn lint(source: &Source, tree: &Tree, ground: LintContext<'_>, findings: &mut Vec<Diagnostic>) {
    let LintContext { program, limits, .. } = ground;
    let bodies = program.procedures.iter().map(|procedure| &procedure.body).chain([&program.top]);
    let names: HashSet<&str> = bodies.flat_map(|body: &Body| body.slots.iter().map(|name| name.as_str())).collect();
    for comment in &tree.comments {
        if reads_as_code(source, *comment, &names, limits) {
            let mark = &source.slice(*comment)[..2];
            let message = format!("`{mark}` begins a comment here, so what follows it is never computed");
            let instead = if mark == "//" { "`FLOOR(a / b)` for a whole number" } else { "`- -` for arithmetic" };
            findings.push(
                Diagnostic::warning(Code::CommentLooksLikeCode, *comment, message)
                    .help(format!("write {instead}, or put a comment on a line of its own; `{mark}` is no operator")),
            );
        }
    }
}

/// Returns whether a comment follows code and would itself parse as an expression of known names.
fn reads_as_code(source: &Source, comment: Span, names: &HashSet<&str>, limits: TextLimits) -> bool {
    let text = source.slice(comment);
    let Some(body) = text.strip_prefix("--").or_else(|| text.strip_prefix("//")) else { return false };
    let body = body.trim();
    let (start, _) = source.local(comment);
    let (line, line_start) = source.line(source.line_of(start));
    let before = line[..start - line_start].trim();
    if before.is_empty() || body.is_empty() || body.len() > 200 {
        return false;
    }
    let words = body.split(|c: char| !keyword::is_word_char(c)).filter(|word| keyword::is_word(word));
    if !words.into_iter().all(|word| names.contains(word)) {
        return false;
    }
    let mut sources = Sources::new();
    let probe = sources.add("", format!("EMIT {body}"));
    let mut faults = Vec::new();
    parse(probe, limits, &mut faults);
    faults.is_empty()
}
