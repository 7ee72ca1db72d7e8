//! Adds a missing member to a table or an array: in braces, as a line, or as a table with a header.

use crate::limits::work;
use crate::toolkit::ToolError;
use crate::value::Value;

use super::super::super::super::edit::Part;
use super::super::super::super::edit::flow::ListStyle;
use super::super::super::super::edit::lines::{MARK, indentation, line_end, line_start};
use super::model::{Kind, Shape};
use super::planner::{Planner, is_gone};
use super::relation::{Relation, Relations, relations};
use super::spell;

impl Planner<'_, '_, '_> {
    /// Adds a missing member to the list or table at a path.
    pub fn append(&mut self, parts: &[Part], part: &Part, value: &Value) -> Result<(), ToolError> {
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

    /// Adds a key to a table with a header, or to the root table. Returns `false` if every expression that
    /// makes up the table is to be removed, so that there is no place for the key.
    pub fn append_to_table(
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
        let is_empty = content.is_empty() || content == MARK;
        let made = if is_empty || text.ends_with('\n') && text[content.len()..].matches('\n').count() > 1 {
            format!("{section}{broken}")
        } else if text.ends_with('\n') {
            format!("{broken}{section}{broken}")
        } else {
            format!("{broken}{broken}{section}")
        };
        Ok(self.splices.insert(text.len(), made)?)
    }
}
