//! `JSON.Set` and `JSON.Remove`.

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, MeteredVec, work};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::json::{Fault, read};
use crate::value::{BigNumbers, Str, Value};

use super::super::edit::flow::{BracketedList, ListStyle};
use super::super::edit::lines::{MARK, indentation, indented, line_break, text_start};
use super::super::edit::path::PLACE;
use super::super::edit::{self, Change, Edit, Format, Part, Splices, nested};
use super::parse::refused;
use super::span::{Container, container, skip_blanks, value_end};
use super::write::{self, Style, styled};

const SET: Spec = Spec::pure(
    "JSON.Set",
    "json_set",
    "Sets the value at a path in a JSON text",
    "Returns the text with `value` at `path`. Every other byte stays: layout, order, spelling of numbers and \
        texts, line breaks. `path` is a path of `JSON.Query` without `*`; an empty one is the whole value.\n\n\
        - A missing key is added after the others, in their layout, and so are missing maps on the way to it, also in \
        place of a nil.\n\
        - An index equal to the length of the list appends.\n\
        - Of duplicate keys, the last is set.\n\n\
        A float that is not a number is an error. So are comments: change JSON with comments (JSONC) as a text, with \
        `FS.EditFile`. `JSON.Parse` takes the same texts, except that it needs `big_numbers: \"text\"` for numbers \
        beyond ints and floats.",
    Example {
        script: "SET text = '{\"name\": \"ns\", \"scripts\": {\"test\": \"cargo test\"}}'\n\
            EMIT JSON.Set(text, \"scripts.test\", \"ns test\")\nEMIT JSON.Set(text, \"scripts.lint\", true)",
        output: "{\"name\": \"ns\", \"scripts\": {\"test\": \"ns test\"}}\n\
            {\"name\": \"ns\", \"scripts\": {\"test\": \"cargo test\", \"lint\": true}}\n",
    },
)
.keywords(&[
    "jq",
    "sed",
    "json.set",
    "jsonpath set",
    "lodash.set",
    "json_set",
    "jsonb_set",
    "bump version",
    "npm pkg set",
    "change a value in a config",
    "edit json",
    "package.json",
    "json_modify",
]);
const REMOVE: Spec = Spec::pure(
    "JSON.Remove",
    "json_remove",
    "Removes the value at a path from a JSON text",
    "Returns the text without the entry. Every other byte stays. `path` is a path of `JSON.Query` without \
        `*`. A key that does not exist is ignored, as by `MAP.Remove`; an index beyond the list is an error. Of a \
        duplicate key, all entries are removed.",
    Example { script: "EMIT JSON.Remove('{\"a\": 1, \"b\": [2, 3]}', \"b[0]\")", output: "{\"a\": 1, \"b\": [3]}\n" },
)
.keywords(&["jq del", "json_remove", "json.remove", "delete key from json", "npm pkg delete", "json_delete"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "JSON text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `users[0].name`";
        value: Value = Required, Kind::Any, "new value";
    }
}

arguments! {
    struct Removed {
        text: Str = Required, Kind::Text, "JSON text";
        path: Str = Required, Kind::Form(PLACE), "place of the value, such as `users[0].name`";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(SET, |context, args: Args| edit::set(context, &Json, &args.text, &args.path, args.value)),
        Tool::new(REMOVE, |context, args: Removed| edit::remove(context, &Json, &args.text, &args.path)),
    ]
}

struct Json;

impl Format for Json {
    const NAME: &'static str = "JSON";

    fn read(&self, context: &mut Context<'_>, text: &str) -> Result<Value, ToolError> {
        let text = text.strip_prefix(MARK).unwrap_or(text);
        read(text, BigNumbers::Text, |values| context.spend(values)).map_err(|fault| match fault {
            Fault::Limit(hit) => hit.into(),
            Fault::Text { at, reason, help } => refused(text, at, &reason, help),
        })
    }

    fn admit(&self, value: &Value) -> Result<(), ToolError> {
        write::admit(value)
    }

    fn plan(&self, context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError> {
        context.spend(job.parts.len())?;
        let mut splices = Splices::default();
        let way = PathWalk::walk(job)?;
        match job.change {
            Change::Set(value) if job.is_there() => way.replace(job, value, &mut splices)?,
            Change::Set(value) => {
                let (part, missing) = job.parts[job.found..].split_first().expect("a part is missing");
                way.append(job, part, &nested(value.clone(), missing)?, &mut splices)?;
            }
            Change::Remove => way.remove(job, &mut splices)?,
        }
        Ok(splices)
    }
}

/// The path to a place, and the layout observed along it.
struct PathWalk<'t> {
    text: &'t str,
    /// Where the last value that was reached starts.
    at: usize,
    /// The container of that value, or of the missing place.
    outer: Option<Container>,
    /// The indentation of one level.
    unit: Option<String>,
    /// The text between a key and its value.
    colon: Option<&'t str>,
}

impl<'t> PathWalk<'t> {
    /// Follows the path as far as it exists. Afterwards `outer` is the container of the place, whether or not
    /// the place exists.
    fn walk(job: &Edit<'t>) -> Result<PathWalk<'t>, ToolError> {
        let start = text_start(job.text);
        let mut way =
            PathWalk { text: job.text, at: skip_blanks(job.text, start), outer: None, unit: None, colon: None };
        let missing = usize::from(!job.is_there());
        for number in 0..job.found + missing {
            let within = container(way.text, way.at)?;
            way.learn(&within);
            let found = job.parts[..job.found].get(number).and_then(|part| within.find(way.text, part));
            way.outer = Some(within);
            if let Some(found) = found {
                way.at = found;
            }
        }
        Ok(way)
    }

    fn learn(&mut self, within: &Container) {
        let flow = within.flow(self.text);
        if let Some(indent) = flow.own_lines().filter(|_| !flow.members.is_empty()) {
            let unit = indent.strip_prefix(flow.outer_indentation()).filter(|unit| !unit.is_empty());
            self.unit = unit.map(str::to_owned).or(self.unit.take());
        }
        let pair = within.keys.as_slice().last().zip(within.values.as_slice().last());
        if let Some((key, value)) = pair {
            self.colon = Some(&self.text[key.end..value.start]);
        } else if let [.., before, last] = flow.members
            && &self.text[before.end..last.start] == ","
        {
            self.colon.get_or_insert(":");
        }
    }

    fn colon(&self) -> &'t str {
        self.colon.filter(|colon| !colon.contains('\n')).unwrap_or(": ")
    }

    /// Formats a value for a place: on several lines with the given indentation, or on one line.
    fn written(&self, value: &Value, lines: Option<&str>) -> Result<String, ToolError> {
        let unit = self.unit.as_deref().unwrap_or("  ");
        let style = match lines {
            Some(_) => Style::Lines(unit),
            None if self.colon().ends_with(':') => Style::Compact,
            None => Style::Line,
        };
        let text = styled(value, &style)?;
        Ok(indented(&text, lines.unwrap_or(""), line_break(self.text))?)
    }

    fn replace(&self, job: &Edit<'_>, value: &Value, splices: &mut Splices) -> Result<(), ToolError> {
        let end = value_end(self.text, self.at)?;
        let old = &self.text[self.at..end];
        let is_filled = old.starts_with(['[', '{']) && old[1..].trim_start().len() > 1;
        let in_lines = match &self.outer {
            _ if is_filled => old.contains('\n'),
            Some(outer) => outer.flow(self.text).own_lines().is_some(),
            None => job.text.trim_end().contains('\n') || job.parts.is_empty(),
        };
        let indent = in_lines.then(|| indentation(self.text, self.at));
        Ok(splices.replace(self.at..end, self.written(value, indent)?)?)
    }

    fn append(&self, job: &Edit<'_>, part: &Part, value: &Value, splices: &mut Splices) -> Result<(), ToolError> {
        let outer = self.outer.as_ref().expect("what a part is missing in was met");
        let flow = outer.flow(self.text);
        let break_of_text = line_break(self.text);
        let made = format!("{}{}", flow.outer_indentation(), self.unit.as_deref().unwrap_or("  "));
        // A member of an empty container gets its own line if the members of the outer container have.
        let opens = flow.own_lines().is_none() && flow.members.is_empty() && self.has_lines_around(job, outer);
        let indent = flow.own_lines().or(opens.then_some(made.as_str()));
        let mut entry = self.written(value, indent)?;
        if let Part::Name(name) = part {
            let key = styled(&name.clone().into(), &Style::Compact)?;
            entry = format!("{key}{}{entry}", self.colon());
        }
        if opens {
            let lines = format!("{break_of_text}{made}{entry}{break_of_text}{}", flow.outer_indentation());
            return Ok(splices.replace(flow.open + 1..flow.close, lines)?);
        }
        let gap = if self.colon().ends_with(':') { "" } else { " " };
        Ok(flow.append(&entry, &ListStyle { pad: "", gap, line_break: break_of_text }, splices)?)
    }

    /// Returns whether an empty container is inside one whose members have their own lines.
    fn has_lines_around(&self, job: &Edit<'_>, outer: &Container) -> bool {
        let is_blank = self.text[outer.open + 1..outer.close].trim().is_empty();
        let begins_line = indentation(self.text, outer.open).len();
        is_blank && job.found > 0 && self.unit.is_some() && begins_line > 0
    }

    fn remove(&self, job: &Edit<'_>, splices: &mut Splices) -> Result<(), ToolError> {
        let outer = self.outer.as_ref().expect("what is removed lies in something");
        let part = job.parts.last().expect("the whole text is not removed");
        let mut gone: MeteredVec<bool> = MeteredVec::default();
        for number in 0..outer.members.len() {
            work::charge(1)?;
            gone.push(match part {
                Part::Index(index) => *index == number,
                Part::Name(name) => outer.is_key(self.text, number, name),
            })?;
        }
        Ok(outer.flow(self.text).remove(|number| gone.as_slice()[number], splices)?)
    }
}

impl Container {
    /// Returns where the value of a part starts.
    fn find(&self, text: &str, part: &Part) -> Option<usize> {
        let number = match part {
            Part::Index(index) => Some(*index),
            Part::Name(name) => (0..self.keys.len()).rev().find(|number| self.is_key(text, *number, name)),
        };
        self.values.as_slice().get(number?).map(|value| value.start)
    }

    /// Returns whether the key of an entry equals a name.
    fn is_key(&self, text: &str, number: usize, name: &Str) -> bool {
        let Some(key) = self.keys.as_slice().get(number) else { return false };
        let written = &text[key.clone()];
        if written.contains('\\') {
            read(written, BigNumbers::Text, |_| Ok::<(), LimitHit>(()))
                .is_ok_and(|key| key.as_str().as_ref() == Some(name))
        } else {
            written[1..written.len() - 1] == *name.as_text()
        }
    }

    /// Returns the container as a list of members.
    fn flow<'a>(&'a self, text: &'a str) -> BracketedList<'a> {
        BracketedList {
            text,
            open: self.open,
            close: self.close,
            members: self.members.as_slice(),
            has_comments: false,
        }
    }
}
