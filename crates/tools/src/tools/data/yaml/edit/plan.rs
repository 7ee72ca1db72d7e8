//! Plans which ranges of a YAML text to replace.

use std::ops::Range;

use crate::gate::Context;
use crate::toolkit::ToolError;
use crate::value::{List, Map, Value};

use super::super::super::super::edit::flow::{BracketedList, ListStyle};
use super::super::super::super::edit::lines::{
    indented, is_blank, is_first, line_break, line_end, line_start, next_line,
};
use super::super::super::super::edit::{Change, Edit, Part, Splices, nested};
use super::super::read::MERGE;
use super::super::write::Layout;
use super::compose::{Holder, Written, compose, key, layout_of};
use super::find::Slot;
use super::tree::{Shape, Tree};

/// Plans the splices for a job.
pub fn plan(context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError> {
    let tree = Tree::read(context, job.text)?;
    let layout = layout_of(&tree)?;
    let mut plan = Plan { tree, job, layout, line_break: line_break(job.text), splices: Splices::default(), context };
    match job.change {
        Change::Set(value) => plan.set(value)?,
        Change::Remove => plan.remove()?,
    }
    Ok(plan.splices)
}

struct Plan<'a, 'c, 't> {
    tree: Tree<'t>,
    job: &'a Edit<'t>,
    layout: Layout,
    line_break: &'static str,
    splices: Splices,
    context: &'a mut Context<'c>,
}

impl Plan<'_, '_, '_> {
    fn set(&mut self, value: &Value) -> Result<(), ToolError> {
        let job = self.job;
        if job.is_there() {
            if let Some(slot) = self.tree.follow(job, job.parts)? {
                return self.put(&slot, value);
            }
            let Some((last, before)) = job.parts.split_last() else { return self.begin(value) };
            // The key comes from `<<`, and a key of the map itself overrides it.
            return self.append(before, last, value);
        }
        let (part, missing) = job.parts[job.found..].split_first().expect("a part is missing");
        self.append(&job.parts[..job.found], part, &nested(value.clone(), missing)?)
    }

    /// Writes the first value of an empty document.
    fn begin(&mut self, value: &Value) -> Result<(), ToolError> {
        let text = self.tree.text;
        let column = Holder::Document.column_of(value, self.layout);
        let made = match compose(self.context, value, None, Holder::Document, column, self.layout, true)? {
            Written::Inline(text) | Written::Block(text) => text,
            Written::Text(sign, lines) => format!("{sign}\n{lines}"),
        };
        let is_open = text.len() > self.tree.start && !text.ends_with('\n');
        let before = if is_open { self.line_break } else { "" };
        let made = format!("{before}{}{}", self.broken(&made)?, self.line_break);
        Ok(self.splices.insert(text.len(), made)?)
    }

    /// Replaces line feeds with the line break of the text.
    fn broken(&self, lines: &str) -> Result<String, ToolError> {
        Ok(indented(lines, "", self.line_break)?)
    }

    /// Extends the end of a node to the end of its line, including a comment.
    fn end_of_line(&self, end: usize) -> usize {
        let text = self.tree.text;
        if text[..end].ends_with('\n') {
            end - if text[..end].ends_with("\r\n") { 2 } else { 1 }
        } else {
            line_end(text, end)
        }
    }

    /// Replaces a node with a value.
    fn put(&mut self, slot: &Slot, value: &Value) -> Result<(), ToolError> {
        self.tree.admit_loss(self.job, slot.node)?;
        let node = self.tree.node(slot.node);
        let old = node.shape;
        if !slot.has_sign && slot.holder != Holder::Brackets {
            return Err(self.job.refused("its key is written with `?`"));
        }
        if node.is_block() {
            return self.put_over_block(slot, value);
        }
        let column = slot.holder.column_of(value, self.layout);
        let allows_text = !self.tree.is_drawn_in(self.end_of_line(node.end), column);
        let written = compose(self.context, value, Some(old), slot.holder, column, self.layout, allows_text)?;
        if node.is_text_block() {
            return self.put_over_text(slot, written, column);
        }
        self.put_over_line(slot, value, written, column)
    }

    /// Returns whether a scalar keeps the anchor and tag of the node that it replaces.
    fn keeps_properties(&self, slot: &Slot, value: &Value, properties: &Range<usize>) -> bool {
        let properties = &self.tree.text[properties.clone()];
        let is_scalar = !matches!(value, Value::List(_) | Value::Map(_));
        let was_scalar = matches!(self.tree.node(slot.node).shape, Shape::Scalar(_));
        is_scalar && was_scalar && (!properties.contains("!!") || properties.contains("!!str") && value.is_text())
    }

    /// Replaces a node that ends on its first line, or is empty.
    fn put_over_line(&mut self, slot: &Slot, value: &Value, written: Written, column: usize) -> Result<(), ToolError> {
        let text = self.tree.text;
        let gap = self.tree.gap(slot);
        let node = self.tree.node(slot.node);
        let kept = gap.properties.as_ref().filter(|properties| self.keeps_properties(slot, value, properties));
        let region = match (node.is_empty(), &gap.properties) {
            (true, Some(properties)) if kept.is_some() => properties.end..properties.end,
            (true, Some(properties)) => properties.clone(),
            (true, None) => slot.from..slot.from,
            (false, _) if kept.is_some() => node.start..node.end,
            (false, _) => gap.start()..node.end,
        };
        let is_behind = kept.is_some_and(|properties| properties.end == region.start);
        let blank = if node.is_empty() && region.start == slot.from || is_behind { " " } else { "" };
        match written {
            Written::Inline(made) if !slot.has_sign => Ok(self.splices.insert(slot.from, format!(": {made}"))?),
            Written::Inline(made) => Ok(self.splices.replace(region, format!("{blank}{made}"))?),
            Written::Text(sign, lines) => {
                let lines = self.broken(&lines)?;
                self.splices.replace(region.clone(), format!("{blank}{sign}"))?;
                Ok(self.splices.insert(line_end(text, region.end), format!("{}{lines}", self.line_break))?)
            }
            Written::Block(lines) => self.put_block(slot, region, &lines, column),
        }
    }

    /// Replaces a node that ends on its first line, or is empty, with a block collection.
    fn put_block(&mut self, slot: &Slot, region: Range<usize>, lines: &str, column: usize) -> Result<(), ToolError> {
        let text = self.tree.text;
        let end = line_end(text, region.end);
        let has_rest = !is_blank(&text[region.end..end]);
        let is_dash =
            matches!(slot.holder, Holder::List(_)) && line_start(text, region.start) == line_start(text, slot.from);
        let is_own = is_first(text, region.start) && (region.start > slot.from || slot.from == 0);
        let begins = if is_own || is_dash && !has_rest { Some(region.start) } else { None };
        let lines = self.broken(lines)?;
        match begins {
            Some(start) => {
                let blank = if start == slot.from && is_dash { " " } else { "" };
                let is_at = self.tree.column(start) + blank.len() == column;
                let lines =
                    if is_at { lines } else { self.moved(&lines, column, self.tree.column(start) + blank.len()) };
                Ok(self.splices.replace(region, format!("{blank}{lines}"))?)
            }
            None => {
                let start = if is_blank(&text[slot.from..region.start]) { slot.from } else { region.start };
                self.splices.delete(start..region.end)?;
                let lines = format!("{}{}{lines}", self.line_break, " ".repeat(column));
                Ok(self.splices.insert(end, lines)?)
            }
        }
    }

    /// Changes the indentation of all lines but the first.
    fn moved(&self, lines: &str, from: usize, to: usize) -> String {
        let (old, new) =
            (format!("{}{}", self.line_break, " ".repeat(from)), format!("{}{}", self.line_break, " ".repeat(to)));
        lines.replace(&old, &new)
    }

    /// Replaces a block scalar.
    fn put_over_text(&mut self, slot: &Slot, written: Written, column: usize) -> Result<(), ToolError> {
        let text = self.tree.text;
        let gap = self.tree.gap(slot);
        let Some(sign) = gap.sign.clone() else { return Err(self.job.refused("the sign of its lines was not found")) };
        let start = gap.start();
        let head_end = line_end(text, sign.end);
        let end = self.end_of_line(self.tree.node(slot.node).end).max(head_end);
        let below = match written {
            Written::Inline(made) => {
                self.splices.replace(start..sign.end, made)?;
                String::new()
            }
            Written::Text(made, lines) => {
                self.splices.replace(start..sign.end, made)?;
                format!("{}{}", self.line_break, self.broken(&lines)?)
            }
            Written::Block(lines) => {
                let before = if is_blank(&text[slot.from..start]) { slot.from } else { start };
                self.splices.delete(before..sign.end)?;
                format!("{}{}{}", self.line_break, " ".repeat(column), self.broken(&lines)?)
            }
        };
        Ok(self.splices.replace(head_end..end, below)?)
    }

    /// Replaces a block collection.
    fn put_over_block(&mut self, slot: &Slot, value: &Value) -> Result<(), ToolError> {
        let text = self.tree.text;
        let gap = self.tree.gap(slot);
        let node = self.tree.node(slot.node);
        let is_document = slot.holder == Holder::Document;
        let is_beside = line_start(text, gap.content) == line_start(text, slot.from) || is_document;
        let (start, at) = (gap.start(), self.tree.column(gap.content));
        let usual = slot.holder.column_of(value, self.layout);
        let is_deeper = match slot.holder {
            Holder::Map(outer) => at > outer || matches!(value, Value::List(_)),
            _ => true,
        };
        let is_list_or_map = matches!(value, Value::List(_) | Value::Map(_));
        let column = if is_list_or_map && (is_deeper || is_beside) { at } else { usual };
        let allows_text = !self.tree.is_drawn_in(self.end_of_line(node.end), column);
        let written = compose(self.context, value, None, slot.holder, column, self.layout, allows_text)?;
        let end = self.end_of_line(node.end);
        let content_end = node.end.min(end);
        if is_beside {
            let made = match written {
                Written::Inline(made) if !is_document => return Ok(self.splices.replace(start..content_end, made)?),
                Written::Inline(made) | Written::Block(made) => made,
                Written::Text(sign, lines) => format!("{sign}\n{lines}"),
            };
            return Ok(self.splices.replace(start..end, self.broken(&made)?)?);
        }
        let head_end = line_end(text, slot.from);
        if gap.properties.as_ref().is_some_and(|properties| properties.end > head_end) {
            return Err(self.job.refused("its anchor or tag has a line of its own"));
        }
        let head = gap.properties.clone().map_or(slot.from..slot.from, |properties| slot.from..properties.end);
        match written {
            Written::Inline(made) => {
                self.splices.replace(head, format!(" {made}"))?;
                Ok(self.splices.delete(head_end..end)?)
            }
            Written::Text(sign, lines) => {
                self.splices.replace(head, format!(" {sign}"))?;
                Ok(self.splices.replace(head_end..end, format!("{}{}", self.line_break, self.broken(&lines)?))?)
            }
            Written::Block(lines) => {
                self.splices.delete(head)?;
                let lines = format!("{}{}", " ".repeat(column), self.broken(&lines)?);
                Ok(self.splices.replace(line_start(text, gap.content)..end, lines)?)
            }
        }
    }

    /// Adds a missing member to the list or map at a path.
    fn append(&mut self, parts: &[Part], part: &Part, value: &Value) -> Result<(), ToolError> {
        if matches!(part, Part::Name(name) if *name.as_text() == *MERGE) {
            return Err(self.job.refused("`<<` merges maps in YAML, and is no key"));
        }
        let Some(outer) = self.tree.follow(self.job, parts)? else {
            let error = self.job.refused("what it lies in comes from another place by `<<`");
            return Err(error.hint("change it where its anchor stands"));
        };
        self.tree.admit(self.job, &outer, parts)?;
        if self.tree.node(outer.node).is_in_brackets() {
            self.append_in_brackets(&outer, part, value)
        } else {
            self.append_line(&outer, part, value)
        }
    }

    /// Returns the shape of the last key of a map.
    fn neighbour(&self, outer: &Slot) -> Option<Shape> {
        self.tree.children(outer.node).step_by(2).last().map(|key| self.tree.node(key).shape)
    }

    fn append_in_brackets(&mut self, outer: &Slot, part: &Part, value: &Value) -> Result<(), ToolError> {
        let Written::Inline(mut entry) = compose(self.context, value, None, Holder::Brackets, 0, self.layout, false)?
        else {
            return Err(self.job.refused("it needs lines of its own"));
        };
        if let Part::Name(name) = part {
            entry = format!("{}: {entry}", key(name, self.neighbour(outer), true)?);
        }
        let node = self.tree.node(outer.node);
        let members = self.tree.members(node, outer.node)?;
        let flow = BracketedList {
            text: self.tree.text,
            open: node.start,
            close: node.end - 1,
            members: members.as_slice(),
            has_comments: true,
        };
        let habit = ListStyle { pad: "", gap: " ", line_break: self.line_break };
        Ok(flow.append(&entry, &habit, &mut self.splices)?)
    }

    fn append_line(&mut self, outer: &Slot, part: &Part, value: &Value) -> Result<(), ToolError> {
        let node = self.tree.node(outer.node);
        if !node.is_block() {
            return Err(self.job.refused("it is no list or map in the text"));
        }
        let start = match node.shape {
            Shape::List { .. } => self.tree.gap(outer).content,
            _ => node.start,
        };
        let column = self.tree.column(start);
        let (sign, holder) = match part {
            Part::Name(name) => (format!("{}:", key(name, self.neighbour(outer), false)?), Holder::Map(column)),
            Part::Index(_) => ("-".to_owned(), Holder::List(column)),
        };
        let inner = holder.column_of(value, self.layout);
        let allows_text = !self.tree.is_drawn_in(self.end_of_line(node.end), inner);
        let made = match compose(self.context, value, None, holder, inner, self.layout, allows_text)? {
            Written::Inline(made) => format!("{sign} {made}"),
            Written::Text(mark, lines) => format!("{sign} {mark}\n{lines}"),
            Written::Block(lines) if matches!(holder, Holder::List(_)) => format!("{sign} {lines}"),
            Written::Block(lines) => format!("{sign}\n{}{lines}", " ".repeat(inner)),
        };
        let (made, blanks) = (self.broken(&made)?, " ".repeat(column));
        let (text, end) = (self.tree.text, node.end);
        let (at, line) = if text[..end].ends_with('\n') {
            (end, format!("{blanks}{made}{}", self.line_break))
        } else {
            (line_end(text, end), format!("{}{blanks}{made}", self.line_break))
        };
        Ok(self.splices.insert(at, line)?)
    }

    fn remove(&mut self) -> Result<(), ToolError> {
        let (last, before) = self.job.parts.split_last().expect("the whole text is not removed");
        let gone = self.tree.follow(self.job, self.job.parts)?;
        let (Some(outer), Some(gone)) = (self.tree.follow(self.job, before)?, gone) else {
            let error = self.job.refused("it comes from another place by `<<`");
            return Err(error.hint("remove it where its anchor stands"));
        };
        self.tree.admit_loss(self.job, gone.node)?;
        let node = self.tree.node(outer.node);
        if node.is_in_brackets() {
            return self.remove_in_brackets(&outer, gone.node);
        }
        let step = if matches!(last, Part::Name(_)) { 2 } else { 1 };
        let count = self.tree.children(outer.node).count() / step;
        if count == 1 {
            let empty: Value = match last {
                Part::Name(_) => Map::with_capacity(0).into(),
                Part::Index(_) => List::empty().into(),
            };
            return self.put(&outer, &empty);
        }
        self.remove_lines(&outer, last, gone.node)
    }

    fn remove_in_brackets(&mut self, outer: &Slot, gone: usize) -> Result<(), ToolError> {
        let node = self.tree.node(outer.node);
        let members = self.tree.members(node, outer.node)?;
        let step = if matches!(node.shape, Shape::Map { .. }) { 2 } else { 1 };
        let number = self.tree.children(outer.node).position(|child| child == gone).map_or(0, |at| at / step);
        let flow = BracketedList {
            text: self.tree.text,
            open: node.start,
            close: node.end - 1,
            members: members.as_slice(),
            has_comments: true,
        };
        Ok(flow.remove(|member| member == number, &mut self.splices)?)
    }

    /// Removes an entry or element of a block collection.
    fn remove_lines(&mut self, outer: &Slot, last: &Part, gone: usize) -> Result<(), ToolError> {
        let text = self.tree.text;
        let start = match last {
            Part::Index(index) => self.tree.items(outer)?.as_slice()[*index].from - 1,
            Part::Name(_) => self.entry_start(outer, gone),
        };
        let node_end = self.tree.node(gone).end;
        let end = self.end_of_line(node_end);
        let mut after = if text[..node_end].ends_with('\n') { node_end } else { next_line(text, end) };
        let first = if matches!(last, Part::Name(_)) { gone - 1 } else { gone };
        let is_kept = first > 0 && self.tree.keeps_blank_lines(first - 1);
        while is_kept && after < text.len() && is_blank(&text[after..next_line(text, after)]) {
            after = next_line(text, after);
        }
        if is_first(text, start) {
            let start = line_start(text, start).max(self.tree.start);
            let takes_break_before = after == text.len() && !text.ends_with('\n') && !is_kept;
            let start = if takes_break_before { self.end_of_line(start) } else { start };
            return Ok(self.splices.delete(start..after)?);
        }
        let next = self.tree.skip(after);
        if text[end..next].contains('#') {
            Ok(self.splices.delete(start..end)?)
        } else {
            Ok(self.splices.delete(start..next)?)
        }
    }

    /// Returns where the entry of a value starts in a block mapping.
    fn entry_start(&self, outer: &Slot, value: usize) -> usize {
        let mut start = self.tree.node(outer.node).start;
        let mut children = self.tree.children(outer.node);
        while let (Some(_), Some(child)) = (children.next(), children.next()) {
            if child == value {
                break;
            }
            start = self.tree.skip(self.tree.node(child).end);
        }
        start
    }
}
