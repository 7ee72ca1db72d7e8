//! Plans which ranges of a TOML text to replace.

use std::ops::Range;

use crate::gate::Context;
use crate::limits::{MeteredVec, work};
use crate::toolkit::ToolError;
use crate::value::{Map, Value};

use super::super::super::super::build::TextBuilder;
use super::super::super::super::edit::flow::{BracketedList, ListStyle};
use super::super::super::super::edit::lines::{
    MARK, indentation, indented, is_blank, line_break, line_end, line_start, next_line,
};
use super::super::super::super::edit::{Change, Edit, Part, Splices, nested};
use super::model::{Expression, Kind, Model, Shape};
use super::relation::{Relation, Relations, relations};
use super::spell;

/// Plans the splices for a job.
pub fn plan(context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError> {
    let mut plan = Plan {
        model: Model::read(context, job.text)?,
        job,
        line_break: line_break(job.text),
        splices: Splices::default(),
        context,
    };
    match job.change {
        Change::Set(value) if job.parts.is_empty() => plan.write_anew(value)?,
        Change::Set(value) if job.is_there() => plan.replace(job.parts, value)?,
        Change::Set(value) => {
            let (part, missing) = job.parts[job.found..].split_first().expect("a part is missing");
            plan.append(&job.parts[..job.found], part, &nested(value.clone(), missing)?)?;
        }
        Change::Remove => plan.remove(job.parts)?,
    }
    Ok(plan.splices)
}

struct Plan<'a, 'c, 't> {
    model: Model<'t>,
    job: &'a Edit<'t>,
    line_break: &'static str,
    splices: Splices,
    context: &'a mut Context<'c>,
}

/// A value in the text, and the array or inline table that contains it.
struct Found {
    node: usize,
    /// The array or inline table that contains the value, and the index of the value in it.
    outer: Option<(usize, usize)>,
}

impl<'t> Plan<'_, '_, 't> {
    fn write_anew(&mut self, value: &Value) -> Result<(), ToolError> {
        let Value::Map(map) = value else {
            return Err(ToolError::bad_argument("value", "a TOML text as a whole is a map").hint("give a map"));
        };
        let (text, _held) = spell::document(self.context, map)?.into_held();
        let start = if self.model.text.starts_with(MARK) { MARK.len() } else { 0 };
        Ok(self.splices.replace(start..self.model.text.len(), indented(&text, "", self.line_break)?)?)
    }

    /// Returns the value at a path if it belongs to a pair, possibly inside arrays and inline tables.
    fn find(&self, relations: &Relations, parts: &[Part]) -> Result<Option<Found>, ToolError> {
        for (expression, relation) in self.model.expressions().iter().zip(relations.list.as_slice()) {
            work::charge(1)?;
            let Kind::Pair(node) = expression.kind else { continue };
            let rest = match relation {
                Relation::At => &[],
                Relation::Towards(at) => &parts[*at..],
                _ => continue,
            };
            if let Some(found) = self.descend(node, rest)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn descend(&self, node: usize, mut rest: &[Part]) -> Result<Option<Found>, ToolError> {
        let mut found = Found { node, outer: None };
        while !rest.is_empty() {
            let mut next = None;
            for (number, child) in self.model.children(found.node).enumerate() {
                work::charge(1)?;
                let taken = match (self.model.node(found.node).shape, &rest[0]) {
                    (Shape::List, Part::Index(index)) => usize::from(*index == number),
                    (Shape::Table, Part::Name(_)) => self.named(child, rest),
                    _ => 0,
                };
                if taken > 0 {
                    next = Some((child, number, taken));
                    break;
                }
            }
            let Some((child, number, taken)) = next else { return Ok(None) };
            found = Found { node: child, outer: Some((found.node, number)) };
            rest = &rest[taken..];
        }
        Ok(Some(found))
    }

    /// Returns how many parts of the path the keys of an inline entry cover; 0 if they lead elsewhere.
    fn named(&self, child: usize, rest: &[Part]) -> usize {
        let keys = self.model.keys(&self.model.node(child).keys);
        let fits = keys.len() <= rest.len()
            && keys.iter().zip(rest).all(|(key, part)| matches!(part, Part::Name(name) if *name == key.text));
        if fits { keys.len() } else { 0 }
    }

    fn inline(&mut self, value: &Value) -> Result<String, ToolError> {
        let mut made = TextBuilder::default();
        spell::inline(self.context, &mut made, value)?;
        Ok(made.into_held().0)
    }

    fn replace(&mut self, parts: &[Part], value: &Value) -> Result<(), ToolError> {
        let relations = relations(&self.model, parts)?;
        match self.find(&relations, parts)? {
            Some(found) => {
                let text = self.in_place_of(found.node, value)?;
                Ok(self.splices.replace(self.model.node(found.node).span.clone(), text)?)
            }
            None => self.replace_table(&relations, parts, value),
        }
    }

    /// Formats a value as a replacement for another, in the layout of the old one.
    fn in_place_of(&mut self, node: usize, value: &Value) -> Result<String, ToolError> {
        let old = self.model.text[self.model.node(node).span.clone()].to_owned();
        match value {
            Value::List(list) if old.starts_with('[') && old.contains('\n') && !list.is_empty() => {
                let members = self.model.members(node)?;
                let flow = self.flow(node, members.as_slice());
                let Some(indent) = flow.own_lines().map(str::to_owned) else { return self.inline(value) };
                let outer = flow.outer_indentation().to_owned();
                let is_open = old[..old.len() - 1].trim_end().ends_with(',');
                let mut lines = Vec::new();
                for item in list.iter() {
                    lines.push(format!("{indent}{}", self.inline(&item)?));
                }
                let end = if is_open { "," } else { "" };
                let lines = lines.join(&format!(",{}", self.line_break));
                Ok(format!("[{0}{lines}{end}{0}{outer}]", self.line_break))
            }
            Value::List(_) | Value::Map(_) => self.inline(value),
            scalar => Ok(spell::like(scalar, &old)),
        }
    }

    fn flow<'a>(&self, node: usize, members: &'a [Range<usize>]) -> BracketedList<'a>
    where
        't: 'a,
    {
        let span = &self.model.node(node).span;
        BracketedList { text: self.model.text, open: span.start, close: span.end - 1, members, has_comments: true }
    }

    /// Adds a missing member to the list or table at a path.
    fn append(&mut self, parts: &[Part], part: &Part, value: &Value) -> Result<(), ToolError> {
        let relations = relations(&self.model, parts)?;
        if let Some(found) = self.find(&relations, parts)? {
            return self.append_inline(found.node, part, value);
        }
        let way = self.path_to(parts, part);
        match part {
            Part::Name(name) => {
                let key = spell::key(&name.as_text());
                if !self.append_to_table(&relations, parts, &key, value, &[])? {
                    return Err(self.job.refused("what holds it is spelled with dotted keys inside of braces"));
                }
            }
            Part::Index(_) => {
                if !matches!(value, Value::Map(_)) {
                    return Err(self.job.refused("an array of tables holds only maps"));
                }
                let text = self.sections(&way, value, true)?;
                let last = self.last_within(&relations, &[]);
                self.add_section(last, &text)?;
            }
        }
        Ok(())
    }

    /// Returns the dotted name of a path extended by one part.
    fn path_to(&self, parts: &[Part], part: &Part) -> String {
        let names = parts.iter().chain([part]).filter_map(|part| match part {
            Part::Name(name) => Some(spell::key(&name.as_text())),
            Part::Index(_) => None,
        });
        names.collect::<Vec<_>>().join(".")
    }

    fn sections(&mut self, way: &str, value: &Value, is_element: bool) -> Result<String, ToolError> {
        let mut made = TextBuilder::default();
        spell::sections(self.context, &mut made, way, value, is_element)?;
        let (text, _held) = made.into_held();
        Ok(indented(&text, "", self.line_break)?)
    }

    fn append_inline(&mut self, node: usize, part: &Part, value: &Value) -> Result<(), ToolError> {
        let mut entry = self.inline(value)?;
        if let Part::Name(name) = part {
            entry = format!("{}{}{entry}", spell::key(&name.as_text()), self.equals(node + 1));
        }
        let members = self.model.members(node)?;
        let pad = if self.model.node(node).shape == Shape::Table { " " } else { "" };
        let habit = ListStyle { pad, gap: " ", line_break: self.line_break };
        Ok(self.flow(node, members.as_slice()).append(&entry, &habit, &mut self.splices)?)
    }

    /// Returns the separator between key and value, spaced as in the pair with the given value.
    fn equals(&self, node: usize) -> &'static str {
        if node >= self.model.node_count() {
            return " = ";
        }
        let node = self.model.node(node);
        let key = self.model.keys(&node.keys).last();
        match key.map(|key| &self.model.text[key.span.end..node.span.start]) {
            Some("=") => "=",
            _ => " = ",
        }
    }

    /// Returns the last expression inside a place, excluding those to be removed.
    fn last_within(&self, relations: &Relations, gone: &[bool]) -> Option<usize> {
        let list = relations.list.as_slice();
        (0..list.len()).rev().find(|number| list[*number].is_within() && !is_gone(gone, *number))
    }

    /// Adds a key to a table with a header, or to the root table. Returns `false` if every expression that
    /// makes up the table is to be removed, so that there is no place for the key.
    fn append_to_table(
        &mut self,
        relations: &Relations,
        parts: &[Part],
        key: &str,
        value: &Value,
        gone: &[bool],
    ) -> Result<bool, ToolError> {
        let list = relations.list.as_slice();
        let expressions = self.model.expressions();
        let is_head = |number: usize| !matches!(expressions[number].kind, Kind::Pair(_));
        let head = (0..list.len()).find(|n| is_head(*n) && list[*n] == Relation::At && !is_gone(gone, *n));
        if parts.is_empty() || head.is_some() {
            let direct = |n: usize| !is_head(n) && relations.heads.as_slice()[n] == head && !is_gone(gone, n);
            let last = (0..list.len()).rev().find(|number| direct(*number));
            let is_section = spell::is_table(value) && self.prefers_heads(relations, parts, head);
            if is_section {
                self.add_sub_section(relations, parts, key, value, gone)?;
            } else {
                self.add_line(last.or(head), last.is_some(), "", key, value)?;
            }
            return Ok(true);
        }
        let dotted = (0..list.len()).rev().find(|n| {
            let outer = relations.heads.as_slice()[*n].map(|head| list[head]);
            !is_head(*n) && list[*n].is_within() && !outer.is_some_and(Relation::is_within) && !is_gone(gone, *n)
        });
        if let Some(pair) = dotted {
            let prefix = format!("{}.", self.prefix(relations, parts, pair));
            self.add_line(Some(pair), true, &prefix, key, value)?;
            return Ok(true);
        }
        if self.last_within(relations, gone).is_none() {
            return Ok(false);
        }
        if spell::is_table(value) {
            self.add_sub_section(relations, parts, key, value, gone)?
        } else {
            let (before, last) = parts.split_at(parts.len() - 1);
            let way = self.path_to(before, &last[0]);
            let written = self.inline(value)?;
            let text = format!("[{way}]{}{key} = {written}", self.line_break);
            self.add_section(self.last_within(relations, gone), &text)?;
        }
        Ok(true)
    }

    /// Returns whether a table that is added to another should get a header of its own rather than be written
    /// inline.
    fn prefers_heads(&self, relations: &Relations, parts: &[Part], head: Option<usize>) -> bool {
        let (mut has_pairs, mut has_heads, mut has_braces) = (false, false, false);
        for (number, expression) in self.model.expressions().iter().enumerate() {
            match expression.kind {
                Kind::Pair(node) if relations.heads.as_slice()[number] == head => {
                    has_pairs = true;
                    has_braces |= self.model.node(node).shape == Shape::Table;
                }
                Kind::Pair(_) => {}
                _ => has_heads |= relations.list.as_slice()[number] == Relation::Inside,
            }
        }
        parts.is_empty() && (has_heads || !has_braces) || !has_braces && (has_heads || !has_pairs)
    }

    fn add_sub_section(
        &mut self,
        relations: &Relations,
        parts: &[Part],
        key: &str,
        value: &Value,
        gone: &[bool],
    ) -> Result<(), ToolError> {
        let way = match parts.split_last() {
            Some((last, before)) => format!("{}.{key}", self.path_to(before, last)),
            None => key.to_owned(),
        };
        let text = self.sections(&way, value, false)?;
        let last = if parts.is_empty() { None } else { self.last_within(relations, gone) };
        self.add_section(last, &text)
    }

    /// Returns the keys of a pair that lead to a place, as written in the text.
    fn prefix(&self, relations: &Relations, parts: &[Part], pair: usize) -> &'t str {
        let reached = match relations.heads.as_slice()[pair].map(|head| relations.list.as_slice()[head]) {
            Some(Relation::Towards(at)) => at,
            _ => 0,
        };
        let keys = self.model.keys(&self.model.expressions()[pair].keys);
        let last = &keys[parts.len() - reached - 1];
        &self.model.text[keys[0].span.start..last.span.end]
    }

    /// Adds a line for a key after an expression, or at the top.
    fn add_line(
        &mut self,
        behind: Option<usize>,
        is_sibling: bool,
        prefix: &str,
        key: &str,
        value: &Value,
    ) -> Result<(), ToolError> {
        let text = self.model.text;
        let written = self.inline(value)?;
        let Some(number) = behind else { return self.add_at_top(&format!("{prefix}{key} = {written}")) };
        let expression = &self.model.expressions()[number];
        let (indent, equals) = match expression.kind {
            Kind::Pair(node) if is_sibling => (indentation(text, expression.span.start), self.equals(node)),
            _ => (indentation(text, expression.span.start), " = "),
        };
        let line = format!("{}{indent}{prefix}{key}{equals}{written}", self.line_break);
        Ok(self.splices.insert(line_end(text, expression.span.end), line)?)
    }

    /// Adds the first key to a text that has none outside of tables.
    fn add_at_top(&mut self, line: &str) -> Result<(), ToolError> {
        let text = self.model.text;
        let Some(first) = self.model.expressions().first() else {
            let is_open = !text.is_empty() && text != MARK && !text.ends_with('\n');
            let (before, after) = if is_open { (self.line_break, "") } else { ("", self.line_break) };
            return Ok(self.splices.insert(text.len(), format!("{before}{line}{after}"))?);
        };
        let head = line_start(text, first.span.start);
        let mut at = head;
        while at > 0 && text[line_start(text, at - 1)..at].trim_start().starts_with('#') {
            work::charge(1)?;
            at = line_start(text, at - 1);
        }
        // A comment at the start of the text describes the whole file, so the key goes below it.
        let at = if at == 0 { head } else { at };
        let at = if at == 0 && text.starts_with(MARK) { MARK.len() } else { at };
        Ok(self.splices.insert(at, format!("{line}{0}{0}", self.line_break))?)
    }

    /// Adds tables with headers after an expression, or at the end.
    fn add_section(&mut self, behind: Option<usize>, section: &str) -> Result<(), ToolError> {
        let (text, broken) = (self.model.text, self.line_break);
        if let Some(number) = behind {
            let at = line_end(text, self.model.expressions()[number].span.end);
            return Ok(self.splices.insert(at, format!("{broken}{broken}{section}"))?);
        }
        let content = text.trim_end_matches([' ', '\t', '\r', '\n']);
        let made = match text.ends_with('\n') {
            _ if content.is_empty() || content == MARK => format!("{section}{broken}"),
            true if text[content.len()..].matches('\n').count() > 1 => format!("{section}{broken}"),
            true => format!("{broken}{section}{broken}"),
            false => format!("{broken}{broken}{section}"),
        };
        Ok(self.splices.insert(text.len(), made)?)
    }

    /// Replaces a table that consists of headers or dotted keys with a value.
    fn replace_table(&mut self, relations: &Relations, parts: &[Part], value: &Value) -> Result<(), ToolError> {
        let list = relations.list.as_slice();
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
            let line = format!("{}{}", self.prefix(relations, parts, first), self.equals(node));
            let line = format!("{line}{}", self.inline(value)?);
            self.splices.replace(self.model.expressions()[first].span.clone(), line)?;
            gone.as_mut_slice()[first] = false;
            return self.delete(relations, gone.as_slice(), None, true);
        }
        let is_element = matches!(last, Part::Index(_));
        if matches!(value, Value::Map(_)) || !is_element && spell::is_tables(value) {
            let text = self.sections(&way, value, is_element)?;
            return self.delete(relations, gone.as_slice(), Some(text), true);
        }
        let Part::Name(name) = last else { return Err(self.job.refused("an array of tables holds only maps")) };
        let key = spell::key(&name.as_text());
        let outer = super::relation::relations(&self.model, before)?;
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
        self.delete(relations, gone.as_slice(), instead, true)
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
        let mark = if text.starts_with(MARK) { MARK.len() } else { 0 };
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

    fn remove(&mut self, parts: &[Part]) -> Result<(), ToolError> {
        let relations = relations(&self.model, parts)?;
        let found = self.find(&relations, parts)?;
        if let Some(Found { outer: Some((outer, number)), .. }) = found {
            let members = self.model.members(outer)?;
            return Ok(self.flow(outer, members.as_slice()).remove(|member| member == number, &mut self.splices)?);
        }
        let (last, before) = parts.split_last().expect("the whole text is not removed");
        let around = super::relation::relations(&self.model, before)?;
        let mut gone: MeteredVec<bool> = MeteredVec::default();
        let mut is_all = !before.is_empty();
        for (relation, around) in relations.list.as_slice().iter().zip(around.list.as_slice()) {
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
        self.delete(&relations, gone.as_slice(), None, false)
    }
}

fn is_gone(gone: &[bool], number: usize) -> bool {
    gone.get(number).copied().unwrap_or(false)
}
