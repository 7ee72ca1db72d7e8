//! `# ns: allow NS0112` comments, which suppress warnings.
//!
//! A comment beside a statement applies to that line; one on its own line to the next statement and everything nested
//! in it; one before the first statement and separated by an empty line to the whole text.

use std::collections::HashMap;

use crate::program::statements::extent;
use crate::syntax::ast::{Statement, Tree};
use crate::text::{Code, Diagnostic, Edit, Source, Span};

use super::walk::Body;

/// The codes that one comment allows, and where.
struct Allow {
    comment: Span,
    codes: Vec<Allowed>,
    /// The range of start positions whose findings the comment suppresses.
    range: Span,
}

/// A code in a comment.
struct Allowed {
    code: Code,
    place: Span,
    is_needed: bool,
}

/// Removes allowed warnings from `found`. Returns the warnings about comments that allow something that was not found.
pub fn apply(source: &Source, tree: &Tree, found: &mut Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut allows = allows(source, tree);
    allows.sort_by_key(|allow| allow.range.start);
    found.sort_by_key(Diagnostic::span);
    let (mut passed, mut needed) = (Passed::default(), Vec::new());
    found.retain(|finding| {
        let Some(span) = finding.span().filter(|_| !finding.is_error()) else { return true };
        passed.go_on(&allows, span.start);
        let silenced = passed.reach.get(finding.code.id()).filter(|reach| span.start < reach.end);
        needed.extend(silenced.map(|reach| (reach.allow, reach.code)));
        silenced.is_none()
    });
    for (allow, code) in needed {
        allows[allow].codes[code].is_needed = true;
    }
    allows.iter().filter_map(|allow| needless(source, allow)).collect()
}

/// The comments whose range begins before the current position.
#[derive(Default)]
struct Passed {
    number: usize,
    /// For each code, the comment whose range extends furthest.
    reach: HashMap<&'static str, Reach>,
}

/// How far a code is allowed, and by which comment.
struct Reach {
    end: u32,
    allow: usize,
    code: usize,
}

impl Passed {
    fn go_on(&mut self, allows: &[Allow], place: u32) {
        while let Some(allow) = allows.get(self.number).filter(|allow| allow.range.start <= place) {
            for (code, allowed) in allow.codes.iter().enumerate() {
                let new = Reach { end: allow.range.end, allow: self.number, code };
                let known = self.reach.get(allowed.code.id()).map_or(0, |reach| reach.end);
                if new.end > known {
                    self.reach.insert(allowed.code.id(), new);
                }
            }
            self.number += 1;
        }
    }
}

fn needless(source: &Source, allow: &Allow) -> Option<Diagnostic> {
    let (needed, needless): (Vec<_>, Vec<_>) = allow.codes.iter().partition(|allowed| allowed.is_needed);
    let shown: Vec<String> = needless.iter().map(|allowed| format!("`{}`", allowed.code)).collect();
    let message = match &shown[..] {
        [] if needed.is_empty() => "this allows nothing: no code stands behind `allow`".to_owned(),
        [] => return None,
        [one] => format!("{one} is allowed here, and was not found"),
        several => format!("{} are allowed here, and were not found", several.join(", ")),
    };
    let edit = match (&needed[..], &allow.codes[..]) {
        ([], _) => without_comment(source, allow.comment),
        (kept, [first, .., last]) => {
            let codes: Vec<&str> = kept.iter().map(|allowed| allowed.code.id()).collect();
            Edit { span: first.place.to(last.place), text: codes.join(", ") }
        }
        _ => return None,
    };
    let finding = Diagnostic::warning(Code::NeedlessAllow, allow.comment, message);
    Some(finding.help("remove it, or name the code that is meant").fix(Some(edit)))
}

/// Returns the edit that removes a comment together with its line, or with the blanks before it.
fn without_comment(source: &Source, comment: Span) -> Edit {
    let line = source.lines_of(comment);
    let before = source.slice(Span { start: line.start, end: comment.start });
    let kept = before.trim_end().len() as u32;
    let span = if kept == 0 { line } else { Span { start: line.start + kept, end: comment.end } };
    Edit { span, text: String::new() }
}

fn allows(source: &Source, tree: &Tree) -> Vec<Allow> {
    let named: Vec<(Span, Vec<Allowed>)> =
        tree.comments.iter().filter_map(|comment| Some((*comment, codes(source, *comment)?))).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let mut places = Places::of(source, tree);
    named.into_iter().map(|(comment, codes)| Allow { comment, codes, range: places.range(source, comment) }).collect()
}

/// The statements that a comment can apply to.
struct Places<'a> {
    /// All statements, in source order.
    statements: Vec<&'a Statement>,
    /// Start of the last empty line before the first statement.
    head_end: u32,
    /// Cache of statement extents, by statement index.
    extents: HashMap<usize, Span>,
}

impl<'a> Places<'a> {
    fn of(source: &Source, tree: &'a Tree) -> Places<'a> {
        let bodies = Body::all(tree);
        let mut statements: Vec<&Statement> = bodies.iter().flat_map(|body| &body.statements).copied().collect();
        statements.sort_by_key(|statement| statement.span.start);
        let first = statements.first().map_or(0, |first| source.local(first.span).0);
        let (mut head_end, mut at) = (0, 0);
        for line in source.text()[..first].split_inclusive('\n') {
            if line.ends_with('\n') && line.trim().is_empty() {
                head_end = at;
            }
            at += line.len();
        }
        Places { statements, head_end: (source.base() + head_end) as u32, extents: HashMap::new() }
    }

    /// Returns the range that a comment applies to.
    fn range(&mut self, source: &Source, comment: Span) -> Span {
        if let Some(line) = beside(source, comment) {
            return line;
        }
        if comment.end <= self.head_end {
            return source.span();
        }
        let next = self.statements.partition_point(|statement| statement.span.start < comment.end);
        match self.statements.get(next) {
            Some(statement) => *self.extents.entry(next).or_insert_with(|| extent(statement)),
            None => Span { start: comment.end, end: comment.end },
        }
    }
}

/// Returns the line up to the comment if there is code before it.
fn beside(source: &Source, comment: Span) -> Option<Span> {
    let line = Span { start: source.lines_of(comment).start, end: comment.start };
    (!source.slice(line).trim().is_empty()).then_some(line)
}

/// Returns the codes after `ns: allow`, up to the first word that is not a code. Returns `None` for other comments.
fn codes(source: &Source, comment: Span) -> Option<Vec<Allowed>> {
    let text = source.slice(comment);
    let rest = text.trim_start_matches(['#', '-', '/']).trim_start().strip_prefix("ns:")?;
    let rest = rest.trim_start().strip_prefix("allow")?;
    if !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let start = comment.start as usize + text.len() - rest.len();
    let words = rest.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    let allowed = words.map_while(|word| {
        let at = start + (word.as_ptr() as usize - rest.as_ptr() as usize);
        Some(Allowed { code: Code::from_id(word)?, place: Span::new(at, at + word.len()), is_needed: false })
    });
    Some(allowed.collect())
}
