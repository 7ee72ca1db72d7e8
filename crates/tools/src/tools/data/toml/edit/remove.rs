//! Removes a value, or replaces a table that consists of several expressions.

use std::ops::Range;

use crate::limits::{MeteredVec, work};
use crate::toolkit::ToolError;
use crate::value::{Map, Value};

use super::super::super::super::edit::Part;
use super::super::super::super::edit::lines::{is_blank, line_end, line_start, next_line, text_start};
use super::model::{Expression, Kind};
use super::planner::{Found, Member, Planner};
use super::relation::{Relations, relations};
use super::spell;

impl Planner<'_, '_, '_> {
    /// Removes the value at a path.
    pub fn remove(&mut self, parts: &[Part]) -> Result<(), ToolError> {
        let within = relations(&self.model, parts)?;
        let found = self.find(&within, parts)?;
        if let Some(Found { outer: Some(Member { node, number }), .. }) = found {
            let members = self.model.members(node)?;
            return Ok(self.flow(node, members.as_slice()).remove(|member| member == number, &mut self.splices)?);
        }
        let (last, before) = parts.split_last().expect("the whole text is not removed");
        let around = relations(&self.model, before)?;
        let mut gone: MeteredVec<bool> = MeteredVec::default();
        let mut is_all = !before.is_empty();
        for (relation, around) in within.list.as_slice().iter().zip(around.list.as_slice()) {
            work::charge(1)?;
            gone.push(relation.is_within())?;
            is_all &= relation.is_within() || !around.is_within();
        }
        // Nothing else defines the containing table or array, so it is replaced with an empty one.
        if is_all {
            let empty = match last {
                Part::Name(_) => Map::with_capacity(0).into(),
                Part::Index(_) => Value::list(Vec::new())?,
            };
            return self.replace_table(&around, before, &empty);
        }
        self.delete(&within, gone.as_slice(), None, false)
    }

    /// Replaces a table that consists of headers or dotted keys with a value.
    pub fn replace_table(&mut self, within: &Relations, parts: &[Part], value: &Value) -> Result<(), ToolError> {
        let list = within.list.as_slice();
        let mut gone: MeteredVec<bool> = MeteredVec::default();
        for relation in list {
            work::charge(1)?;
            gone.push(relation.is_within())?;
        }
        let first = gone.as_slice().iter().position(|gone| *gone);
        let (Some(first), Some((last, before))) = (first, parts.split_last()) else {
            return Err(self.job.refused("it is spelled with dotted keys inside of braces"));
        };
        let way = self.path_to(before, last);
        if let Kind::Pair(node) = self.model.expressions()[first].kind {
            let line = format!("{}{}", self.prefix(within, parts, first), self.equals(node));
            let line = format!("{line}{}", self.inline(value)?);
            self.splices.replace(self.model.expressions()[first].span.clone(), line)?;
            gone.as_mut_slice()[first] = false;
            return self.delete(within, gone.as_slice(), None, true);
        }
        let is_element = matches!(last, Part::Index(_));
        if matches!(value, Value::Map(_)) || !is_element && spell::is_tables(value) {
            let text = self.sections(&way, value, is_element)?;
            return self.delete(within, gone.as_slice(), Some(text), true);
        }
        let Part::Name(name) = last else { return Err(self.job.refused("an array of tables holds only maps")) };
        let key = spell::key(&name.as_text());
        let outer = relations(&self.model, before)?;
        let is_placed = self.append_to_table(&outer, before, &key, value, gone.as_slice())?;
        let instead = if is_placed {
            None
        } else {
            let (above, last) = before.split_at(before.len() - 1);
            let (open, close) = if matches!(last[0], Part::Index(_)) { ("[[", "]]") } else { ("[", "]") };
            let way = self.path_to(above, &last[0]);
            let written = self.inline(value)?;
            Some(format!("{open}{way}{close}{}{key} = {written}", self.line_break))
        };
        self.delete(within, gone.as_slice(), instead, true)
    }

    /// Deletes expressions and writes `instead` in the place of the first. `is_set` says that the job sets a
    /// value: then the line break before expressions at the end of the text stays.
    fn delete(
        &mut self,
        relations: &Relations,
        gone: &[bool],
        mut instead: Option<String>,
        is_set: bool,
    ) -> Result<(), ToolError> {
        let mut from = 0;
        while from < gone.len() {
            work::charge(1)?;
            if !gone[from] {
                from += 1;
                continue;
            }
            // The expressions below a deleted header form one range with it.
            let follows =
                |number: usize| gone[number] && relations.heads.as_slice()[number].is_some_and(|head| gone[head]);
            let to = (from + 1..gone.len()).find(|number| !follows(*number)).unwrap_or(gone.len());
            let expressions = self.model.expressions();
            let mut range = self.lines_of(&expressions[from], &expressions[to - 1], instead.is_some());
            let text = self.model.text;
            if range.end == text.len() && !text.ends_with('\n') && !is_set {
                let before = &text[..range.start];
                range.start = before.strip_suffix("\r\n").or(before.strip_suffix('\n')).map_or(range.start, str::len);
            }
            self.splices.replace(range, instead.take().unwrap_or_default())?;
            from = to;
        }
        Ok(())
    }

    /// Returns the range of lines from one expression to another, without the last line break if the lines are
    /// replaced.
    fn lines_of(&self, first: &Expression, last: &Expression, is_replaced: bool) -> Range<usize> {
        let text = self.model.text;
        let mark = text_start(text);
        let mut start = line_start(text, first.span.start).max(mark);
        if is_replaced {
            return start..line_end(text, last.span.end);
        }
        let mut end = next_line(text, last.span.end);
        if !matches!(first.kind, Kind::Pair(_)) {
            // The blank lines before it are enough to separate what follows.
            let is_apart = start == mark || is_blank(&text[line_start(text, start - 1)..start]);
            while is_apart && end < text.len() && is_blank(&text[end..next_line(text, end)]) {
                end = next_line(text, end);
            }
            while end == text.len() && start > mark && is_blank(&text[line_start(text, start - 1)..start]) {
                start = line_start(text, start - 1).max(mark);
            }
        }
        start..end
    }
}
