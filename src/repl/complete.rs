//! Tab completion.

use rustyline::completion::Pair;

use crate::completion::{Candidate, CandidateKind, Candidates, begins_folded, candidates, sorted};
use crate::engine::{Session, pages};
use crate::manual::entries;

use super::commands::{self, COMMANDS};
use super::names::SessionNames;

/// Maximum number of candidates.
const MOST: usize = 1_000;
/// The text that Tab inserts at the beginning of a line.
const INDENT: &str = "  ";

/// Returns the candidates for the cursor position, and the offset at which the text that they replace begins. `block`
/// holds the lines above.
pub fn complete(session: &Session<'_>, block: &str, line: &str, at: usize) -> (usize, Vec<Pair>) {
    let before = &line[..at];
    let newest = before.rsplit_once('\n').map_or(before, |(_, newest)| newest);
    if newest.trim().is_empty() {
        return (at, vec![plain(INDENT.to_owned())]);
    }
    if let Some(end) = commands::name_in(line).filter(|_| block.is_empty()) {
        return command(session, before, end);
    }
    let text = format!("{block}{before}");
    expression(session, &text, &line[at..], at)
}

/// Completes a command whose name ends at `end`.
fn command(session: &Session<'_>, before: &str, end: usize) -> (usize, Vec<Pair>) {
    let start = before.len() - before.trim_start().len() + 1;
    let (name, rest) = before.split_at(end.min(before.len()));
    if rest.is_empty() {
        let found = COMMANDS.iter().filter(|(known, ..)| known.starts_with(&name[start..]));
        return (start, found.map(|(known, ..)| plain(format!("{known} "))).collect());
    }
    let typed = rest.trim_start();
    let begin = before.len() - typed.len();
    match commands::full_name(&name[start..]) {
        Some("type" | "time") => expression(session, typed, "", before.len()),
        Some("help" | "tools") => {
            let tools = entries(session.engine().registry()).into_iter().map(|entry| entry.spec.name);
            let names = pages().flat_map(|page| page.names.iter().copied()).chain(tools);
            let found = names.filter(|name| begins_folded(name, typed));
            let found = found.map(|name| Candidate::plain(name.to_owned(), CandidateKind::Keyword));
            (begin, pairs(sorted(found.collect())))
        }
        _ => (before.len(), Vec::new()),
    }
}

/// Completes the end of a text. `behind` is the text after the cursor; `at` is the position of the cursor in the line.
fn expression(session: &Session<'_>, text: &str, behind: &str, at: usize) -> (usize, Vec<Pair>) {
    let Candidates { replaced, found, .. } = candidates(&SessionNames(session), text, behind);
    (at - replaced, pairs(found))
}

fn pairs(found: Vec<Candidate>) -> Vec<Pair> {
    let pair = |candidate: Candidate| Pair { display: candidate.display, replacement: candidate.replacement };
    found.into_iter().take(MOST).map(pair).collect()
}

fn plain(text: String) -> Pair {
    Pair { display: text.trim_end().to_owned(), replacement: text }
}
