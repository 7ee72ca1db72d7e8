//! Plans which ranges of a TOML text to replace.

use crate::gate::Context;
use crate::toolkit::ToolError;
use crate::value::Value;

use super::super::super::super::edit::lines::{indented, line_break, text_start};
use super::super::super::super::edit::{Change, Edit, Part, Splices, nested};
use super::model::Model;
use super::planner::Planner;
use super::relation::relations;
use super::spell;

/// Plans the splices for a job.
pub fn plan(context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError> {
    let mut planner = Planner {
        model: Model::read(context, job.text)?,
        job,
        line_break: line_break(job.text),
        splices: Splices::default(),
        context,
    };
    match job.change {
        Change::Set(value) if job.parts.is_empty() => planner.write_anew(value)?,
        Change::Set(value) if job.is_there() => planner.replace(job.parts, value)?,
        Change::Set(value) => {
            let (part, missing) = job.parts[job.found..].split_first().expect("a part is missing");
            planner.append(&job.parts[..job.found], part, &nested(value.clone(), missing)?)?;
        }
        Change::Remove => planner.remove(job.parts)?,
    }
    Ok(planner.splices)
}

impl Planner<'_, '_, '_> {
    fn write_anew(&mut self, value: &Value) -> Result<(), ToolError> {
        let Value::Map(map) = value else {
            return Err(ToolError::bad_argument("value", "a TOML text as a whole is a map").hint("give a map"));
        };
        let (text, _held) = spell::document(self.context, map)?.into_held();
        let start = text_start(self.model.text);
        Ok(self.splices.replace(start..self.model.text.len(), indented(&text, "", self.line_break)?)?)
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
}
