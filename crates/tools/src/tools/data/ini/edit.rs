//! `INI.Set` and `INI.Remove`.

use std::ops::Range;

use crate::gate::{Context, Tool};
use crate::limits::{MeteredVec, work};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Elements, Map, Str, Value, print};

use super::super::super::build::TextBuilder;
use super::super::super::edit::lines::{MARK, indented, is_blank, line_break, line_end, line_start, next_line};
use super::super::super::edit::path::PLACE;
use super::super::super::edit::{self, Change, Edit, Format, Part, Splices};
use super::layout::{Layout, Placed, Style, indent, split, style};
use super::read::{Continuation, GOES_ON, is_open, layout_of, value_of};
use super::write::{MARGIN, NO_KEY, ValueFault, is_key, text_of, value_fault};

const SET: Spec = Spec::pure(
    "INI.Set",
    "ini_set",
    "Sets the value at a path in an INI text",
    "Returns the text with `value` at `path`. Every other byte stays: comments, layout, order, line breaks. `path` is a \
        path of `JSON.Query` without `*`: `section.key`, or a key alone before the first section. A name with a `.` stands \
        in brackets and quotes of either kind, such as `[\"*.md\"].indent_size` or `['remote \"origin\"'].url`; capital \
        letters count. An empty path writes the whole text anew.\n\n\
        - A missing key is added after the others of its section, in their layout, and a missing section at the end.\n\
        - Numbers and bools become texts; nil is a key alone.\n\
        - A list becomes a line for each of its values. Where a key comes again, its values are a list: an index sets \
        one of them, and an index equal to the length appends one.\n\
        - A map is a section: its keys are set, and those that it does not have are removed.\n\n\
        What stands behind a value in its line is part of it, also if other programs take it for a comment. A value of \
        several lines is replaced with the comments between its lines. `continuation` is that of `INI.Parse`: \
        a value may end in a `\\` with `\"keep\"` alone.",
    Example {
        script: "SET text = \"; editor\\n[*.md]\\nindent_size = 2 \\n\"\nEMIT INI.Set(text, '[\"*.md\"].indent_size', 4)",
        output: "; editor\n[*.md]\nindent_size = 4\n\n",
    },
)
.keywords(&["crudini", "git config", "configparser.set", "ini_file", "edit ini", "set a key in a config", "editorconfig"]);
const REMOVE: Spec = Spec::pure(
    "INI.Remove",
    "ini_remove",
    "Removes a key or section from an INI text",
    "Returns the text without the key, with all its lines, or without the section, with the comments in it. Every other \
        byte stays; comments above stay, those of the next section too.\n\n\
        `path` is a path of `JSON.Query` without `*`. A key that does not exist is ignored, as by `MAP.Remove`; an \
        index removes one of the values of a key that comes again. `continuation` is that of `INI.Parse`.",
    Example {
        script: "EMIT INI.Remove(\"[a]\\nx = 1\\n# about y\\ny = 2\\n\", \"a.x\")",
        output: "[a]\n# about y\ny = 2\n\n",
    },
)
.keywords(&["configparser.remove_option", "git config unset", "crudini del", "delete key from ini", "remove section"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "INI text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `section.key`";
        value: Value = Required, Kind::Any, "new value";
        continuation: Str = Is(Literal::Text("error")), Kind::Word(&["error", "join", "keep"]), "what becomes of a `\\` at the end of a line";
    }
}

arguments! {
    struct Removed {
        text: Str = Required, Kind::Text, "INI text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `section.key`";
        continuation: Str = Is(Literal::Text("error")), Kind::Word(&["error", "join", "keep"]), "what becomes of a `\\` at the end of a line";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(SET, set), Tool::new(REMOVE, remove)]
}

fn set(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let value = as_read(&args.value, MAX_DEPTH)?;
    edit::set(context, &Ini::named(&args.continuation), &args.text, &args.path, value)
}

fn remove(context: &mut Context<'_>, args: Removed) -> Result<Str, ToolError> {
    edit::remove(context, &Ini::named(&args.continuation), &args.text, &args.path)
}

struct Ini {
    continuation: Continuation,
}

impl Ini {
    fn named(continuation: &Str) -> Ini {
        Ini { continuation: Continuation::named(&continuation.as_text()) }
    }
}

impl Format for Ini {
    const NAME: &'static str = "INI";

    fn read(&self, context: &mut Context<'_>, text: &str) -> Result<Value, ToolError> {
        if let Some(at) = lone_return(text) {
            let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1;
            let message = format!("line {line} has a carriage return within, which is no line break here");
            return Err(ToolError::bad_argument("text", message)
                .hint("`STR.Replace(text, \"\\r\", \"\\n\")` makes line feeds of all"));
        }
        value_of(context, text, self.continuation)
    }

    fn admit(&self, _value: &Value) -> Result<(), ToolError> {
        Ok(())
    }

    fn plan(&self, context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError> {
        let layout = layout_of(context, job.text, self.continuation)?;
        let mut plan = Plan::new(job, &layout, self.continuation)?;
        plan.make(context)?;
        Ok(plan.splices)
    }

    fn read_back(&self, value: Value) -> Result<Value, ToolError> {
        as_read(&value, MAX_DEPTH)
    }
}

/// How a name with a `.` is written.
const BRACKETS: &str = "a name with a `.` stands in brackets and quotes, as in `[\"a.b\"].c`";
/// Maximum number of maps in each other: a text, and its sections.
const MAX_DEPTH: usize = 2;

/// Returns a value as it is read back from a text: scalars are texts, and a list of one scalar is that scalar. What has
/// no place in a text stays as it is.
fn as_read(value: &Value, depth: usize) -> Result<Value, ToolError> {
    work::charge(1)?;
    match value {
        Value::Map(map) if depth > 0 => {
            let mut made = Map::with_capacity(map.len());
            map.try_each(|key, value| Ok::<(), ToolError>(made.put(key.clone(), as_read(value, depth - 1)?)?))?;
            Ok(made.into())
        }
        Value::List(list) if list.len() == 1 => {
            let one = list.get(0).unwrap_or(Value::Nil);
            Ok(if let Value::List(_) | Value::Map(_) = one { value.clone() } else { scalar(&one) })
        }
        Value::List(list) => {
            let mut values = Elements::default();
            list.try_each(|value| {
                work::charge(1)?;
                values.push(scalar(value))
            })?;
            Ok(values.finish()?)
        }
        value => Ok(scalar(value)),
    }
}

fn scalar(value: &Value) -> Value {
    match value {
        Value::Nil | Value::Unset => Value::Nil,
        Value::List(_) | Value::Map(_) => value.clone(),
        value => value.as_str().unwrap_or_else(|| Str::new(&value.to_string())).into(),
    }
}

/// Returns where a carriage return stands that is not part of a line break.
fn lone_return(text: &str) -> Option<usize> {
    memchr::memchr_iter(b'\r', text.as_bytes()).find(|at| text.as_bytes().get(at + 1) != Some(&b'\n'))
}

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
struct Plan<'a> {
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
    splices: Splices,
}

/// The values of a key, each for a line; `None` for a key alone.
type Values = MeteredVec<Option<Str>>;

impl<'a> Plan<'a> {
    fn new(job: &'a Edit<'a>, layout: &'a Layout, continuation: Continuation) -> Result<Plan<'a>, ToolError> {
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
        let (start, line_break) = (if text.starts_with(MARK) { MARK.len() } else { 0 }, line_break(text));
        let style = layout.style(text, section);
        Ok(Plan { job, text, start, line_break, continuation, layout, addressed, section, keys, style, splices })
    }

    fn make(&mut self, context: &mut Context<'_>) -> Result<(), ToolError> {
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
        let (key, old) = split(lines);
        let from_line = |at: usize| placed.bytes.start + at..placed.bytes.end;
        let Some(value) = value else { return Ok(self.splices.delete(from_line(key))?) };
        let text = self.written(&placed.name, value, lines)?;
        let Some(old) = old else {
            return Ok(self.splices.replace(from_line(key), spelled(self.style.separator, &text))?);
        };
        let separator = lines[key..].find(['=', ':']).map_or(key, |at| key + at) + 1;
        let is_empty = lines[old..].is_empty() || lines[old..].starts_with(['\r', '\n']);
        if is_empty || text.is_empty() {
            let before = &lines[key..separator - 1];
            let blanks =
                [&lines[separator..old], before, self.style.separator.trim_start().get(1..).unwrap_or_default()];
            let blanks = blanks.into_iter().find(|blanks| !blanks.is_empty()).unwrap_or_default();
            return Ok(self.splices.replace(from_line(separator), spelled(blanks, &text))?);
        }
        Ok(self.splices.replace(from_line(old), text)?)
    }

    /// Adds a section at the end of the text; the lines begin with a line break.
    fn add_section(&mut self, lines: TextBuilder) -> Result<(), ToolError> {
        let name = self.section.expect("it is added to a section").as_text();
        if name.contains(['\n', '\r']) {
            return Err(self.job.refused("the name of a section has one line"));
        }
        let before = self.text.strip_prefix(MARK).unwrap_or(self.text);
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
        let at = self.above(section.bytes.start, |line| line.trim_start().starts_with(['#', ';']));
        Ok(self.splices.insert(at, format!("{own}{line_break}{line_break}"))?)
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
                    let end = self.above(next.bytes.start, |line| line.trim_start().starts_with(['#', ';']));
                    self.splices.delete(header..end.max(header))?;
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
        if let Some(fault) = value_fault(&text).filter(|fault| !self.permits(*fault)) {
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

impl Plan<'_> {
    fn permits(&self, fault: ValueFault) -> bool {
        fault == ValueFault::Open && self.continuation == Continuation::Keep
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
