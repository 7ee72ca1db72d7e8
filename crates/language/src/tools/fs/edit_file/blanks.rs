//! Finds whole lines of a text that differ from those of another in blanks alone.

use std::collections::HashMap;
use std::ops::Range;

use crate::gate::Context;
use crate::limits::space;
use crate::toolkit::ToolError;

/// A replacement of lines, for which blanks at both ends of a line do not count, and any blanks between words are equal.
pub struct Blanks<'a> {
    /// The text that is searched.
    pub text: &'a str,
    /// The lines that are replaced.
    pub old_text: &'a str,
    /// The lines that come in their place.
    pub new_text: &'a str,
}

/// Memory of one line while it is compared.
const LINE_BYTES: usize = 64;

impl Blanks<'_> {
    /// Returns the parts of the text that are replaced, in order and without overlap, each with its new lines, which get
    /// the indentation of the part.
    pub fn find(&self, context: &mut Context<'_>) -> Result<Vec<(Range<usize>, String)>, ToolError> {
        let wanted: Vec<&str> = self.old_text.lines().collect();
        let takes_end = self.old_text.ends_with('\n');
        if wanted.iter().all(|line| line.trim().is_empty()) {
            return Ok(Vec::new());
        }
        let lines = lines_of(self.text);
        space::check(lines.len().saturating_mul(LINE_BYTES))?;
        let mut numbers = Numbers::default();
        let wanted_numbers: Vec<usize> = wanted.iter().map(|line| numbers.of(line)).collect();
        let found_numbers: Vec<usize> = lines.iter().map(|line| numbers.of(&self.text[line.clone()])).collect();
        let old_indent = first_indent(wanted.iter().copied());
        let mut found = Vec::new();
        let mut at = 0_usize;
        while let Some(end) = at.checked_add(wanted.len()).filter(|end| *end <= lines.len()) {
            let same = found_numbers[at..end].iter().zip(&wanted_numbers).take_while(|(a, b)| a == b).count();
            context.spend(same / 64)?;
            context.meter.poll()?;
            if same < wanted.len() {
                at += 1;
                continue;
            }
            let last = &lines[end - 1];
            let stop = if takes_end { lines.get(end).map_or(self.text.len(), |next| next.start) } else { last.end };
            let indent = first_indent(lines[at..end].iter().map(|line| &self.text[line.clone()]));
            let by = indented(self.new_text, old_indent, indent);
            space::check((found.len() + 1).saturating_mul(by.len() + LINE_BYTES))?;
            found.push((lines[at].start..stop, by));
            at = end;
        }
        Ok(found)
    }
}

/// Numbers of lines: two lines have the same one if they differ in blanks alone.
#[derive(Default)]
struct Numbers {
    known: HashMap<String, usize>,
}

impl Numbers {
    fn of(&mut self, line: &str) -> usize {
        let words: Vec<&str> = line.split_whitespace().collect();
        let next = self.known.len();
        *self.known.entry(words.join(" ")).or_insert(next)
    }
}

/// Returns where the lines of a text are, without their ends.
fn lines_of(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let content = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
            let range = start..start + content.len();
            start += line.len();
            range
        })
        .collect()
}

/// Returns the blanks before the first line that has anything else.
fn first_indent<'a>(mut lines: impl Iterator<Item = &'a str>) -> &'a str {
    lines.find(|line| !line.trim().is_empty()).map_or("", |line| &line[..line.len() - line.trim_start().len()])
}

/// Returns lines with another indentation. Lines that do not begin with the old one stay as they are.
fn indented(text: &str, old_indent: &str, indent: &str) -> String {
    if old_indent == indent {
        return text.to_owned();
    }
    let line = |line: &str| match line.strip_prefix(old_indent) {
        Some(rest) if !line.trim().is_empty() => format!("{indent}{rest}"),
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}
