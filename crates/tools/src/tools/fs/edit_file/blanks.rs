//! Finds whole lines of a text that differ from those of another in blanks alone, and makes the lines that come in their
//! place.
//!
//! A new line that is one of the old ones, with the same indentation, stays as it is in the file. Any other gets the
//! indentation that the file has where the old text has the indentation of the new line. If that is not certain, the
//! edit is refused: a wrong indentation can change what a program does.

use std::collections::HashMap;
use std::ops::Range;

use crate::gate::Context;
use crate::limits::space;
use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::print;

use super::super::lines::line_length;

/// A replacement of lines, for which blanks at both ends of a line do not count, and any blanks between words are equal.
pub struct Blanks<'a> {
    /// The text that is searched.
    pub text: &'a str,
    /// The lines that are replaced.
    pub old_text: &'a str,
    /// The lines that come in their place.
    pub new_text: &'a str,
}

/// Lines of the text that are replaced.
pub struct NearMatch {
    /// Their bytes.
    pub range: Range<usize>,
    /// The lines that come in their place.
    pub by: String,
    /// The first of them, counted from 1.
    pub line: usize,
}

/// A line without its end, and its end: LF, CRLF, CR or nothing.
#[derive(Clone, Copy)]
struct Line<'t> {
    start: usize,
    content: &'t str,
    end: &'t str,
}

/// The old line that a new line stands for.
#[derive(Clone, Copy)]
enum Origin {
    /// It has the same words.
    Kept(usize),
    /// It comes in its place.
    Paired(usize),
    Added,
}

/// Memory of one line while it is compared.
const LINE_BYTES: usize = 96;

impl Blanks<'_> {
    /// Returns the parts of the text that are replaced, in order and without overlap.
    pub fn find(&self, context: &mut Context<'_>) -> Result<Vec<NearMatch>, ToolError> {
        let wanted = lines_of(self.old_text);
        if wanted.iter().all(Line::is_blank) {
            return Ok(Vec::new());
        }
        space::check(line_count(self.text).saturating_mul(LINE_BYTES))?;
        let lines = lines_of(self.text);
        let mut numbers = Numbers::default();
        let wanted_numbers = numbers.of_all(&wanted);
        let found_numbers = numbers.of_all(&lines);
        let new = lines_of(self.new_text);
        let origins = origins(&wanted_numbers, &numbers.of_all(&new));
        let mut found: Vec<NearMatch> = Vec::new();
        let (mut at, mut bytes) = (0_usize, 0_usize);
        while let Some(end) = at.checked_add(wanted.len()).filter(|end| *end <= lines.len()) {
            let same = found_numbers[at..end].iter().zip(&wanted_numbers).take_while(|(a, b)| a == b).count();
            context.spend(same / 64)?;
            context.meter.poll()?;
            if same < wanted.len() {
                at += 1;
                continue;
            }
            let pairs = Pairs { old: &wanted, file: &lines[at..end] };
            let by = pairs.replacement(&new, &origins, at + 1)?;
            let last = &lines[end - 1];
            let stop = last.start + last.content.len() + if pairs.takes_end() { last.end.len() } else { 0 };
            bytes += by.len() + LINE_BYTES;
            space::check(bytes)?;
            found.push(NearMatch { range: lines[at].start..stop, by, line: at + 1 });
            at = end;
        }
        Ok(found)
    }
}

/// The old lines, and the lines of the file that they stand for.
struct Pairs<'p, 't> {
    old: &'p [Line<'t>],
    file: &'p [Line<'t>],
}

impl Pairs<'_, '_> {
    /// Whether the end of the last line is replaced too.
    fn takes_end(&self) -> bool {
        self.old.last().is_some_and(|line| !line.end.is_empty())
    }

    /// Returns the new lines as the file has them. The first of the replaced lines has the number `first`.
    fn replacement(&self, new: &[Line<'_>], origins: &[Origin], first: usize) -> Result<String, ToolError> {
        let usual_end = self.file.iter().map(|line| line.end).find(|end| !end.is_empty()).unwrap_or("\n");
        let ends_file = self.takes_end() && self.file.last().is_some_and(|line| line.end.is_empty());
        let mut by = String::new();
        for (index, (line, origin)) in new.iter().zip(origins).enumerate() {
            match *origin {
                Origin::Kept(old) if self.old[old].indent() == line.indent() => by.push_str(self.file[old].content),
                _ if line.is_blank() => by.push_str(line.content),
                origin => {
                    let indent = self.indent(line, origin).ok_or_else(|| self.undecided(line, index, first))?;
                    by.push_str(&indent);
                    by.push_str(line.content.trim_start());
                }
            }
            let is_last = index + 1 == new.len();
            by.push_str(match *origin {
                _ if line.end.is_empty() || is_last && ends_file => "",
                Origin::Kept(old) | Origin::Paired(old) if !self.file[old].end.is_empty() => self.file[old].end,
                _ => usual_end,
            });
        }
        Ok(by)
    }

    /// Returns the indentation of a new line in the file, if it is certain.
    fn indent(&self, line: &Line<'_>, origin: Origin) -> Option<String> {
        let new = line.indent();
        if let Origin::Kept(old) | Origin::Paired(old) = origin
            && self.old[old].indent() == new
        {
            return Some(self.file[old].indent().to_owned());
        }
        let mut alike = self.indents().filter(|(old, _)| *old == new).map(|(_, file)| file);
        if let Some(first) = alike.next() {
            return alike.all(|other| other == first).then(|| first.to_owned());
        }
        if self.indents().all(|(old, file)| old == file) {
            return Some(new.to_owned());
        }
        self.shifted(new).or_else(|| self.scaled(new))
    }

    /// Returns the pairs of indentations of old lines and their lines in the file.
    fn indents(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.old.iter().zip(self.file).filter(|(old, _)| !old.is_blank());
        pairs.map(|(old, file)| (old.indent(), file.indent()))
    }

    /// Returns an indentation that is moved as those of all old lines are, if all consist of the same character.
    fn shifted(&self, new: &str) -> Option<String> {
        let blank = only_blank(self.indents().flat_map(|(old, file)| [old, file]).chain([new]))?;
        let mut shifts = self.indents().map(|(old, file)| width(file) - width(old));
        let first = shifts.next()?;
        let count = usize::try_from(width(new) + first).ok().filter(|_| shifts.all(|other| other == first))?;
        Some(std::iter::repeat_n(blank, count).collect())
    }

    /// Returns an indentation in the file's character, if each old one is so many times as wide as that of its line.
    fn scaled(&self, new: &str) -> Option<String> {
        let old_blank = only_blank(self.indents().map(|(old, _)| old).chain([new]))?;
        let blank = only_blank(self.indents().map(|(_, file)| file)).filter(|blank| *blank != old_blank)?;
        let (old, file) = self.indents().map(|(old, file)| (width(old), width(file))).find(|(old, _)| *old > 0)?;
        let is_same = self.indents().all(|(other_old, other_file)| width(other_file) * old == width(other_old) * file);
        let count = usize::try_from(width(new) * file / old).ok()?;
        (is_same && width(new) * file % old == 0).then(|| std::iter::repeat_n(blank, count).collect())
    }

    /// Returns the error for a new line whose indentation is not certain.
    fn undecided(&self, line: &Line<'_>, index: usize, first: usize) -> ToolError {
        let shown = print::shortened(line.content.trim(), 80);
        let message = format!(
            "`old_text` occurs with other blanks, and the indentation of line {} of `new_text` is not certain: `{shown}`",
            index + 1
        );
        let there = match only_blank(self.indents().map(|(_, file)| file)) {
            Some('\t') => "with tabs",
            Some(' ') => "with spaces",
            Some(_) => "with other blanks",
            None => "with blanks of several kinds, or not at all",
        };
        let hint =
            format!("from line {first} on the file indents {there}; give both texts with the blanks of the file");
        ToolError::new(ToolCode::Conflict, message).argument("new_text").hint(hint)
    }
}

/// Returns the width of an indentation in characters.
fn width(indent: &str) -> i64 {
    indent.chars().count() as i64
}

/// Returns the only character that indentations consist of; `None` if there are several or none.
fn only_blank<'a>(indents: impl Iterator<Item = &'a str>) -> Option<char> {
    let mut all = indents.flat_map(str::chars);
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Returns which old line each new line stands for: the same lines at both ends, and as many as there are between.
fn origins(old: &[usize], new: &[usize]) -> Vec<Origin> {
    let least = old.len().min(new.len());
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let end = old.iter().rev().zip(new.iter().rev()).take(least - start).take_while(|(a, b)| a == b).count();
    let is_paired = old.len() == new.len();
    (0..new.len())
        .map(|index| match index {
            _ if index < start => Origin::Kept(index),
            _ if index >= new.len() - end => Origin::Kept(index + old.len() - new.len()),
            _ if is_paired && old[index] == new[index] => Origin::Kept(index),
            _ if is_paired => Origin::Paired(index),
            _ => Origin::Added,
        })
        .collect()
}

/// Numbers of lines: two lines have the same one if they differ in blanks alone.
#[derive(Default)]
struct Numbers {
    known: HashMap<String, usize>,
}

impl Numbers {
    fn of_all(&mut self, lines: &[Line<'_>]) -> Vec<usize> {
        lines.iter().map(|line| self.of(line.content)).collect()
    }

    fn of(&mut self, line: &str) -> usize {
        let words: Vec<&str> = line.split_whitespace().collect();
        let next = self.known.len();
        *self.known.entry(words.join(" ")).or_insert(next)
    }
}

impl<'t> Line<'t> {
    fn is_blank(&self) -> bool {
        self.content.trim().is_empty()
    }

    fn indent(&self) -> &'t str {
        &self.content[..self.content.len() - self.content.trim_start().len()]
    }
}

fn line_count(text: &str) -> usize {
    memchr::memchr2_iter(b'\n', b'\r', text.as_bytes()).count() + 1
}

/// Returns the lines of a text, as `FS.ReadFile` counts them.
fn lines_of(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let whole = &text[start..start + line_length(&text[start..])];
        let content = whole.trim_end_matches(['\n', '\r']);
        lines.push(Line { start, content, end: &whole[content.len()..] });
        start += whole.len();
    }
    lines
}
