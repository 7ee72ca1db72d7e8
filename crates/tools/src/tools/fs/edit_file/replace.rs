//! One replacement in a text: finds the old text, counts it, and puts the new text in its place.

use crate::gate::Context;
use crate::sandbox::SandboxPath;
use crate::text::{ToolCode, nearest};
use crate::toolkit::ToolError;
use crate::value::print;

use super::super::replacement::{LineEnds, Replacement, occurrences, replaced};
use super::Edit;
use super::blanks::{Blanks, NearMatch};

/// Maximum number of near matches in the result.
pub const MATCHES: usize = 10;

/// A file that is edited.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// Its path.
    pub path: &'a SandboxPath,
    /// The line ends that all its lines have.
    pub ends: LineEnds,
    /// Whether lines may differ in blanks.
    pub ignores_blanks: bool,
}

/// A text after a replacement.
pub struct Edited {
    /// The text.
    pub text: String,
    /// How often the old text was replaced.
    pub replacements: usize,
    /// Where the old text was found only because blanks were ignored.
    pub near_matches: Vec<NearText>,
}

/// A part of the file that differs from the old text in blanks.
pub struct NearText {
    /// Its first line, counted from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
}

impl Target<'_> {
    /// Makes one replacement in a text of the file.
    pub fn edit(self, context: &mut Context<'_>, text: &str, edit: &Edit) -> Result<Edited, ToolError> {
        let old_text = self.ends.given_to(&edit.old_text.as_text());
        let new_text = self.ends.given_to(&edit.new_text.as_text());
        if old_text == new_text {
            let error =
                ToolError::bad_argument("new_text", "the texts differ in line ends alone, and get those of the file");
            return Err(error.hint("write the file anew to change its line ends"));
        }
        context.spend_text(text.len())?;
        let mut found = occurrences(text, &old_text, &new_text)?;
        let mut near_matches = Vec::new();
        // An old text without the indentation of its first line would give only the first new line that of the file.
        let is_cut = || new_text.contains('\n') && found.iter().any(|found| is_after_blanks(text, found.range.start));
        if self.ignores_blanks && (found.is_empty() || is_cut()) {
            let blanks = Blanks { text, old_text: &old_text, new_text: &new_text };
            let near = blanks.find(context).map_err(|error| self.at_path(error))?;
            if !near.is_empty() {
                found.clear();
            }
            for NearMatch { range, by, line } in near {
                if near_matches.len() < MATCHES {
                    near_matches.push(NearText { line, text: text[range.clone()].to_owned() });
                }
                found.push(Replacement { range, by: by.into() });
            }
        }
        let wanted = edit.expected_count.unwrap_or(1);
        if edit.replace_all && !found.is_empty() || found.len() as i64 == wanted {
            let replacements = found.len();
            return Ok(Edited { text: replaced(text, &found)?, replacements, near_matches });
        }
        let error =
            if found.is_empty() { missing(self, text, &old_text) } else { miscounted(self.path, text, &found, wanted) };
        Err(self.at_path(error.argument("old_text")))
    }

    fn at_path(self, error: ToolError) -> ToolError {
        if error.limit.is_some() { error } else { error.path(self.path.display()) }
    }
}

/// Whether blanks, and nothing else, stand before a place in its line.
fn is_after_blanks(text: &str, at: usize) -> bool {
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    line < at && text[line..at].trim().is_empty()
}

/// Returns the error for an old text that does not occur.
fn missing(target: Target<'_>, text: &str, old_text: &str) -> ToolError {
    let message = format!("`old_text` does not occur in `{}`", target.path.display());
    let error = ToolError::new(ToolCode::Conflict, message);
    if target.ends == LineEnds::Any && text.contains('\n') && old_text.contains('\n') {
        return error.hint("the file ends some lines in CRLF and some in LF; give the text with its own line ends");
    }
    if let Some(Difference { line, there, wanted }) = first_difference(text, old_text) {
        let is_blank = !target.ignores_blanks && there.split_whitespace().eq(wanted.split_whitespace());
        let other = if is_blank { "; with `ignore_blanks: true` it fits" } else { "" };
        let (there, wanted) = (print::shortened(there, 120), print::shortened(wanted, 120));
        return error.hint(format!("line {line} of the file is `{there}`, where `old_text` has `{wanted}`{other}"));
    }
    match nearest_line(text, old_text) {
        Some((number, line)) => {
            let differs_in_blanks = first_words(old_text).is_some_and(|wanted| line.split_whitespace().eq(wanted));
            let other = if differs_in_blanks && !target.ignores_blanks { ", or `ignore_blanks: true`" } else { "" };
            let line = print::shortened(line.trim_end(), 120);
            let rest = format!("give the text exactly as it stands in the file{other}");
            error.hint(format!("line {number} comes nearest: `{line}`; {rest}"))
        }
        None => error.hint("read the file, and give the text exactly as it stands there"),
    }
}

/// A line of a file that is not as an old text has it, although the lines before it are.
struct Difference<'a> {
    /// Its number, from 1.
    line: usize,
    there: &'a str,
    wanted: &'a str,
}

/// Maximum number of bytes of an old text that are compared at all places of a file together, and of places.
const COMPARED_BYTES: usize = 1 << 20;
const COMPARED_PLACES: usize = 1_000;

/// Returns the first line that differs where most of the first lines of an old text stand in the file; nothing if not even
/// the first one does, or if all do but are part of longer lines.
fn first_difference<'a>(text: &'a str, old_text: &'a str) -> Option<Difference<'a>> {
    let first = old_text.split_inclusive('\n').next().filter(|line| !line.trim().is_empty())?;
    let common =
        |at: usize| text[at..].lines().zip(old_text.lines()).take_while(|(there, wanted)| there == wanted).count();
    let most = (COMPARED_BYTES / old_text.len()).clamp(1, COMPARED_PLACES);
    let places = text.match_indices(first).map(|(at, _)| at).filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let (count, at) =
        places.take(most).map(|at| (common(at), at)).max_by_key(|(count, at)| (*count, usize::MAX - at))?;
    let wanted = old_text.lines().nth(count)?;
    let there = text[at..].lines().nth(count)?;
    let before = text[..at].matches('\n').count();
    (count > 0).then_some(Difference { line: before + count + 1, there, wanted })
}

/// Returns the words of the first line that has any.
fn first_words(text: &str) -> Option<std::str::SplitWhitespace<'_>> {
    text.lines().find(|line| !line.trim().is_empty()).map(str::split_whitespace)
}

/// Maximum number of lines compared by character.
const COMPARED_LINES: usize = 2_000;

/// Returns the line of a file that is most similar to the first non-blank line of a text: one that differs only
/// in blanks, else one that contains it, else one with few characters changed.
fn nearest_line<'a>(text: &'a str, wanted: &str) -> Option<(usize, &'a str)> {
    let wanted = wanted.lines().map(str::trim).find(|line| !line.is_empty())?;
    let lines = || text.lines().enumerate().map(|(number, line)| (number + 1, line));
    let same = |line: &str| line.split_whitespace().eq(wanted.split_whitespace());
    lines().find(|(_, line)| same(line)).or_else(|| lines().find(|(_, line)| line.contains(wanted))).or_else(|| {
        let near = nearest(wanted, lines().take(COMPARED_LINES).map(|(_, line)| line.trim()))?;
        lines().find(|(_, line)| line.trim() == near)
    })
}

/// Returns the error for an old text that occurs a different number of times than expected.
fn miscounted(path: &SandboxPath, text: &str, found: &[Replacement<'_>], expected: i64) -> ToolError {
    let times = |count: i64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let count = found.len() as i64;
    let message = format!("`old_text` occurs {} in `{}`, not {}", times(count), path.display(), times(expected));
    let mut lines = Vec::new();
    let (mut line, mut from) = (1, 0);
    for Replacement { range, .. } in found.iter().take(10) {
        line += text[from..range.start].matches('\n').count();
        from = range.start;
        lines.push(line.to_string());
    }
    let more = if found.len() > lines.len() { ", …" } else { "" };
    let lines = format!("it begins on line {}{more}", lines.join(", "));
    ToolError::new(ToolCode::Conflict, message)
        .hint(format!("{lines}; give more of the text around the one that is meant, or `expected_count: {count}`"))
}
