//! Plans which ranges of an INI text to replace.

use std::ops::Range;

use crate::gate::Context;
use crate::limits::{MeteredVec, work};
use crate::toolkit::ToolError;
use crate::value::{Map, Str, Value, print};

use super::super::super::super::build::TextBuilder;
use super::super::super::super::edit::lines::{
    indented, is_blank, line_break, line_end, line_start, next_line, text_start,
};
use super::super::super::super::edit::{Change, Edit, Part, Splices};
use super::super::layout::{KeyLine, Layout, Placed, Style, indent, style};
use super::super::read::{Continuation, GOES_ON, is_open};
use super::super::write::{MARGIN, NO_KEY, ValueFault, is_key, text_of, value_fault};

/// How a name with a `.` is written.
const BRACKETS: &str = "a name with a `.` stands in brackets and quotes, as in `[\"a.b\"].c`";

/// The place that the path of a change leads to.
#[derive(Clone, Copy)]
enum Addressed<'a> {
    Whole,
    /// The section of the plan.
    Section,
    /// A key.
    Key(&'a Str),
    /// One of the values of a key that comes again.
    Element(&'a Str, usize),
}

/// The lines that new ones follow.
#[derive(Clone, Copy)]
enum Anchor {
    /// They end there.
    Behind(usize),
    /// There is no such section.
    Nowhere,
    /// There is no key before the first section.
    First,
}

/// A change that is planned.
pub struct Plan<'a> {
    job: &'a Edit<'a>,
    text: &'a str,
    /// Where the text begins, behind a byte order mark.
    start: usize,
    line_break: &'static str,
    continuation: Continuation,
    layout: &'a Layout,
    addressed: Addressed<'a>,
    /// The section of the place; `None` before the first.
    section: Option<&'a Str>,
    /// The keys of the section, by name and then in the order of the text.
    keys: MeteredVec<&'a Placed>,
    style: Style<'a>,
    /// The replacements so far.
    pub splices: Splices,
}

/// The values of a key, each for a line; `None` for a key alone.
type Values = MeteredVec<Option<Str>>;

impl<'a> Plan<'a> {
    /// Creates the plan of a change, without replacements.
    pub fn new(job: &'a Edit<'a>, layout: &'a Layout, continuation: Continuation) -> Result<Plan<'a>, ToolError> {
        let is_map = matches!(job.change, Change::Set(Value::Map(_)));
        let is_section = |name: &Str| is_map || layout.parts(Some(name)).next().is_some();
        let (section, addressed) = match job.parts {
            [] => (None, Addressed::Whole),
            [Part::Name(name)] if is_section(name) => (Some(name), Addressed::Section),
            [Part::Name(name)] => (None, Addressed::Key(name)),
            [Part::Name(name), Part::Index(index)] => (None, Addressed::Element(name, *index)),
            [Part::Name(section), Part::Name(name)] => (Some(section), Addressed::Key(name)),
            [Part::Name(section), Part::Name(name), Part::Index(index)] => {
                (Some(section), Addressed::Element(name, *index))
            }
            _ => return Err(job.refused("INI has sections with keys, and nothing deeper").hint(BRACKETS)),
        };
        if let (Some(section), Addressed::Key(name)) = (section, addressed)
            && !is_section(section)
        {
            let dotted = Str::checked(&format!("{}.{}", section.as_text(), name.as_text()))?;
            if layout.keys(0).any(|placed| placed.name == dotted) {
                return Err(job.refused("there is a key with this name, and no such section").hint(BRACKETS));
            }
        }
        if let Some(section) = section
            && layout.keys(0).any(|placed| placed.name == *section)
        {
            return Err(job.refused("a key before the first section has the name of the section"));
        }
        let mut keys = MeteredVec::default();
        layout.parts(section).flat_map(|part| layout.keys(part)).try_for_each(|placed| keys.push(placed))?;
        keys.as_mut_slice().sort_by(|a: &&Placed, b| a.name.as_text().cmp(&b.name.as_text()));
        let (text, splices) = (job.text, Splices::default());
        let (start, line_break) = (text_start(text), line_break(text));
        let style = layout.style(text, section);
        Ok(Plan { job, text, start, line_break, continuation, layout, addressed, section, keys, style, splices })
    }

    /// Plans the replacements.
    pub fn make(&mut self, context: &mut Context<'_>) -> Result<(), ToolError> {
        match (self.addressed, self.job.change) {
            (Addressed::Whole, Change::Set(value)) => self.write_anew(context, value),
            (Addressed::Section, Change::Set(Value::Map(map))) => self.set_section(map),
            (Addressed::Section, Change::Set(_)) => {
                Err(self.job.refused("a section has this name").hint("remove the section first, or set a map"))
            }
            (Addressed::Key(name), Change::Set(value)) => {
                let values = values(value)?;
                let anchor = self.anchor(|_| true);
                self.set_values(name, values.as_slice(), anchor)
            }
            (Addressed::Element(name, index), Change::Set(value)) => self.set_element(name, index, value),
            (Addressed::Whole, Change::Remove) => Ok(()),
            (Addressed::Section, Change::Remove) => self.remove_section(),
            (Addressed::Key(name), Change::Remove) => {
                self.lines_of(name).try_for_each(|number| self.delete_line(number))
            }
            (Addressed::Element(name, index), Change::Remove) => {
                self.lines_of(name).nth(index).map_or(Ok(()), |number| self.delete_line(number))
            }
        }
    }

    fn write_anew(&mut self, context: &mut Context<'_>, value: &Value) -> Result<(), ToolError> {
        let Value::Map(map) = value else {
            return Err(ToolError::bad_argument("value", "an INI text as a whole is a map").hint("give a map"));
        };
        let (text, _held) = text_of(context, map, "value")?.into_held();
        Ok(self.splices.replace(self.start..self.text.len(), indented(&text, "", self.line_break)?)?)
    }

    /// Returns the numbers of the lines of a key, which may come again.
    fn lines_of(&self, name: &Str) -> Range<usize> {
        let keys = self.keys.as_slice();
        let from = keys.partition_point(|placed| *placed.name.as_text() < *name.as_text());
        from..from + keys[from..].partition_point(|placed| placed.name == *name)
    }

    fn delete_line(&mut self, number: usize) -> Result<(), ToolError> {
        self.delete(self.keys.as_slice()[number].bytes.clone())
    }

    /// Returns the last lines of the section that stay.
    fn anchor(&self, stays: impl Fn(&Placed) -> bool) -> Anchor {
        let parts = || self.layout.parts(self.section).rev();
        let key = parts().find_map(|part| self.layout.keys(part).rev().find(|placed| stays(placed)));
        let header = || parts().next()?.checked_sub(1).map(|number| &self.layout.sections()[number]);
        match key.or_else(header) {
            Some(placed) => Anchor::Behind(placed.bytes.end),
            None if self.section.is_some() => Anchor::Nowhere,
            None => Anchor::First,
        }
    }

    /// Sets the keys of a section, and removes the others.
    fn set_section(&mut self, map: &Map) -> Result<(), ToolError> {
        let anchor = self.anchor(|placed| map.contains(&placed.name));
        if let Anchor::Nowhere = anchor {
            let mut lines = TextBuilder::default();
            map.try_each(|key, value| {
                let style = self.style;
                let values = values(value)?;
                values.as_slice().iter().try_for_each(|value| self.add_line(&mut lines, style, key, value.as_ref()))
            })?;
            return self.add_section(lines);
        }
        for number in 0..self.keys.as_slice().len() {
            if !map.contains(&self.keys.as_slice()[number].name) {
                self.delete_line(number)?;
            }
        }
        map.try_each(|key, value| self.set_values(key, values(value)?.as_slice(), anchor))
    }

    fn set_element(&mut self, name: &Str, index: usize, value: &Value) -> Result<(), ToolError> {
        let values = values(value)?;
        let [value] = values.as_slice() else { return Err(refused("INI has no list or map there")) };
        let mut lines = self.lines_of(name);
        let last = self.keys.as_slice()[lines.end - 1];
        match lines.nth(index) {
            Some(number) => self.replace(number, value.as_ref()),
            None => self.insert_behind(last, name, std::slice::from_ref(value)),
        }
    }

    /// Sets the values of a key: the lines that it has are kept, and others are added or removed. The lines of a key
    /// that was not there follow the anchor.
    fn set_values(&mut self, name: &Str, values: &[Option<Str>], anchor: Anchor) -> Result<(), ToolError> {
        let lines = self.lines_of(name);
        for number in lines.clone() {
            match values.get(number - lines.start) {
                Some(value) => self.replace(number, value.as_ref())?,
                None => self.delete_line(number)?,
            }
        }
        let more = values.get(lines.len()..).unwrap_or_default();
        match self.keys.as_slice()[lines].last() {
            Some(last) => self.insert_behind(last, name, more),
            None => self.insert(anchor, self.style, name, more),
        }
    }

    /// Inserts more lines of a key behind its last one, in its style.
    fn insert_behind(&mut self, last: &Placed, name: &Str, values: &[Option<Str>]) -> Result<(), ToolError> {
        let style = style(&self.text[last.bytes.clone()]).unwrap_or(self.style);
        self.insert(Anchor::Behind(last.bytes.end), style, name, values)
    }

    /// Inserts lines of a key.
    fn insert(
        &mut self,
        anchor: Anchor,
        style: Style<'_>,
        name: &Str,
        values: &[Option<Str>],
    ) -> Result<(), ToolError> {
        if values.is_empty() {
            return Ok(());
        }
        let mut lines = TextBuilder::default();
        values.iter().try_for_each(|value| self.add_line(&mut lines, style, name, value.as_ref()))?;
        match anchor {
            Anchor::Behind(at) => {
                let before = &self.text[line_start(self.text, at)..at];
                if self.continuation == Continuation::Refuse && is_open(before.trim()) {
                    let error = self.job.refused("the line before ends in `\\`, so a new one may continue it");
                    return Err(error.hint(GOES_ON));
                }
                Ok(self.splices.insert(at, lines.into_held().0)?)
            }
            Anchor::Nowhere => self.add_section(lines),
            Anchor::First => self.add_first(lines),
        }
    }

    /// Replaces the value in some lines, if it is another.
    fn replace(&mut self, number: usize, value: Option<&Str>) -> Result<(), ToolError> {
        let placed = self.keys.as_slice()[number];
        if placed.value.as_str().as_ref() == value {
            return Ok(());
        }
        let lines = &self.text[placed.bytes.clone()];
        let KeyLine { key_end, separator } = KeyLine::of(lines);
        let from_line = |at: usize| placed.bytes.start + at..placed.bytes.end;
        let Some(value) = value else { return Ok(self.splices.delete(from_line(key_end))?) };
        let text = self.written(&placed.name, value, lines)?;
        let Some(separator) = separator else {
            return Ok(self.splices.replace(from_line(key_end), spelled(self.style.separator, &text))?);
        };
        let old = &lines[separator.value..];
        if old.is_empty() || old.starts_with(['\r', '\n']) || text.is_empty() {
            let after = separator.at + 1;
            let usual = self.style.separator.trim_start().get(1..).unwrap_or_default();
            let blanks = [&lines[after..separator.value], &lines[key_end..separator.at], usual];
            let blanks = blanks.into_iter().find(|blanks| !blanks.is_empty()).unwrap_or_default();
            return Ok(self.splices.replace(from_line(after), spelled(blanks, &text))?);
        }
        Ok(self.splices.replace(from_line(separator.value), text)?)
    }

    /// Adds a section at the end of the text; the lines begin with a line break.
    fn add_section(&mut self, lines: TextBuilder) -> Result<(), ToolError> {
        let name = self.section.expect("it is added to a section").as_text();
        if name.contains(['\n', '\r']) {
            return Err(self.job.refused("the name of a section has one line"));
        }
        let before = &self.text[self.start..];
        let last = line_start(before, before.len().saturating_sub(usize::from(before.ends_with('\n'))));
        let (is_ended, is_apart) = (before.is_empty() || before.ends_with('\n'), is_blank(&before[last..]));
        let made = [
            if is_ended { "" } else { self.line_break },
            if is_apart { "" } else { self.line_break },
            "[",
            &name,
            "]",
            &lines.into_held().0,
            if is_ended { self.line_break } else { "" },
        ];
        Ok(self.splices.insert(self.text.len(), made.concat())?)
    }

    /// Adds the first lines before the first section, above the comment of that; they begin with a line break.
    fn add_first(&mut self, lines: TextBuilder) -> Result<(), ToolError> {
        let (lines, _held) = lines.into_held();
        let line_break = self.line_break;
        let own = &lines[line_break.len()..];
        let Some(section) = self.layout.sections().first() else {
            let is_ended = self.text.len() == self.start || self.text.ends_with('\n');
            let made = if is_ended { format!("{own}{line_break}") } else { lines };
            return Ok(self.splices.insert(self.text.len(), made)?);
        };
        let at = self.comment_above(section);
        Ok(self.splices.insert(at, format!("{own}{line_break}{line_break}"))?)
    }

    /// Returns where the comment above a section begins, or the section if it has none.
    fn comment_above(&self, section: &Placed) -> usize {
        self.above(section.bytes.start, |line| line.trim_start().starts_with(['#', ';']))
    }

    /// Returns where the lines above a line begin of which each is of a kind.
    fn above(&self, mut at: usize, is_meant: impl Fn(&str) -> bool) -> usize {
        while let Some(before) = self.line_before(at).filter(|line| is_meant(&self.text[line.clone()])) {
            at = before.start;
        }
        at
    }

    /// Returns the bytes of the line before a line, with its line break.
    fn line_before(&self, at: usize) -> Option<Range<usize>> {
        (at > self.start).then(|| line_start(self.text, at - 1).max(self.start)..at)
    }

    /// Deletes lines.
    fn delete(&mut self, bytes: Range<usize>) -> Result<(), ToolError> {
        let end = next_line(self.text, bytes.end);
        let is_last = end == self.text.len() && !self.text.ends_with('\n');
        // The line before becomes the last, which has no line break either.
        let before = self.line_before(bytes.start).filter(|_| is_last);
        let start = before.map_or(bytes.start, |line| line_end(self.text, line.start));
        Ok(self.splices.delete(start..end)?)
    }

    /// Deletes a section up to the comment of the next one. The last one is deleted with the empty lines above it.
    fn remove_section(&mut self) -> Result<(), ToolError> {
        let layout = self.layout;
        for part in layout.parts(self.section) {
            let header = layout.sections()[part - 1].bytes.start;
            match layout.sections().get(part) {
                Some(next) => {
                    self.splices.delete(header..self.comment_above(next))?;
                }
                None => {
                    let start = self.above(header, is_blank);
                    self.delete(start..self.text.trim_end_matches(['\r', '\n']).len().max(start))?;
                }
            }
        }
        Ok(())
    }

    /// Adds a line break and the line of a key.
    fn add_line(
        &self,
        lines: &mut TextBuilder,
        style: Style<'_>,
        key: &Str,
        value: Option<&Str>,
    ) -> Result<(), ToolError> {
        let name = key.as_text();
        if !is_key(&name) {
            let shown = print::shortened(&name, 40);
            return Err(self.job.refused(&format!("`{shown}` {NO_KEY}")));
        }
        let Style { indent, separator } = style;
        let value = match value {
            Some(value) => spelled(separator, &self.written(key, value, indent)?),
            None => String::new(),
        };
        Ok([self.line_break, indent, &name, &value].into_iter().try_for_each(|piece| lines.push(piece))?)
    }

    /// Returns a value as it is written behind its key, whose lines are given.
    fn written(&self, key: &Str, value: &Str, lines: &str) -> Result<String, ToolError> {
        let text = value.as_text();
        if let Some(fault) =
            value_fault(&text).filter(|fault| !(*fault == ValueFault::Open && self.continuation == Continuation::Keep))
        {
            let key = key.as_text();
            return Err(refused(&format!("`{}` {}", print::shortened(&key, 40), fault.reason())).hint(fault.hint()));
        }
        let own = indent(lines);
        let mut margins = lines.split('\n').skip(1).map(|line| indent(line.trim_end()));
        let margin = margins.find(|margin| margin.len() > own.len());
        let margin = margin.map_or_else(|| format!("{own}{MARGIN}"), str::to_owned);
        Ok(indented(&text, &margin, self.line_break)?)
    }
}

/// Returns the values of a key.
fn values(value: &Value) -> Result<Values, ToolError> {
    let one = |value: &Value| match value {
        Value::Nil | Value::Unset => Ok(None),
        Value::List(_) | Value::Map(_) => Err(refused("INI has no list or map there")),
        value => Ok(value.as_str()),
    };
    let mut values = Values::default();
    let Value::List(list) = value else {
        values.push(one(value)?)?;
        return Ok(values);
    };
    if list.is_empty() {
        return Err(refused("an empty list has no lines").hint("`INI.Remove` takes a key out"));
    }
    list.try_each(|value| {
        work::charge(1)?;
        Ok::<(), ToolError>(values.push(one(value)?)?)
    })?;
    Ok(values)
}

/// Returns a separator and a value, without blanks at the end.
fn spelled(separator: &str, value: &str) -> String {
    if value.is_empty() { separator.trim_end().to_owned() } else { format!("{separator}{value}") }
}

fn refused(reason: &str) -> ToolError {
    ToolError::bad_argument("value", reason)
}
