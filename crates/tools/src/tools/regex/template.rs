//! The new text for a match, which may name groups of the expression.

use std::ops::Range;

use crate::toolkit::ToolError;
use crate::value::print;

use super::super::build::TextBuilder;
use super::expression::Expression;

/// A parsed replacement.
pub struct Template<'t> {
    pieces: Vec<Piece<'t>>,
}

/// A part of a replacement.
enum Piece<'t> {
    Text(&'t str),
    Group(usize),
}

impl<'t> Template<'t> {
    /// Parses a replacement. Errors: it names a group that the expression does not have.
    pub fn parse(replacement: &'t str, expression: &Expression) -> Result<Template<'t>, ToolError> {
        let mut pieces = Vec::new();
        let mut rest = replacement;
        while let Some(at) = rest.find('$') {
            pieces.push(Piece::Text(&rest[..at]));
            let after = &rest[at + 1..];
            if let Some(after) = after.strip_prefix('$') {
                pieces.push(Piece::Text("$"));
                rest = after;
                continue;
            }
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let (name, end) = match after.strip_prefix('{') {
                Some(inside) => {
                    let end = inside.find('}').unwrap_or(inside.len());
                    (&inside[..end], end + 2)
                }
                None => {
                    let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                    (&after[..end], end)
                }
            };
            let group = group_of(name, expression).ok_or_else(|| unknown(name))?;
            pieces.push(Piece::Group(group));
            rest = after.get(end..).unwrap_or("");
        }
        pieces.push(Piece::Text(rest));
        Ok(Template { pieces })
    }

    /// Returns a replacement that is a text without groups.
    pub fn literal(text: &'t str) -> Template<'t> {
        Template { pieces: vec![Piece::Text(text)] }
    }

    /// Appends the new text for a match in `text`.
    pub fn push(
        &self,
        expression: &Expression,
        text: &str,
        found: Range<usize>,
        replaced: &mut TextBuilder,
    ) -> Result<(), ToolError> {
        let has_groups = self.pieces.iter().any(|piece| matches!(piece, Piece::Group(1..)));
        let groups = if has_groups { Some(expression.groups(text, found.clone())?) } else { None };
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => replaced.push(text)?,
                Piece::Group(0) => replaced.push(&text[found.clone()])?,
                Piece::Group(number) => {
                    let group = groups.as_ref().and_then(|groups| groups.get_group(*number));
                    replaced.push(group.map_or("", |group| &text[group.range()]))?;
                }
            }
        }
        Ok(())
    }
}

fn group_of(name: &str, expression: &Expression) -> Option<usize> {
    match name.parse::<usize>() {
        Ok(number) => Some(number).filter(|number| *number < expression.group_count()),
        Err(_) => expression.names().position(|known| known == Some(name)),
    }
}

fn unknown(name: &str) -> ToolError {
    let shown = print::shortened(name, 40);
    let error = ToolError::bad_argument("replacement", format!("the pattern has no group `{shown}`"));
    let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match digits {
        0 if name.is_empty() => error.hint("write `$$` for a dollar"),
        1 if name.len() == 1 => {
            error.hint("groups are the brackets of the pattern, counted from 1; write `$$` for a dollar")
        }
        digits if digits == name.len() => {
            let (group, rest) = name.split_at(1);
            let rest = print::shortened(rest, 40);
            error.hint(format!("where digits follow group {group}, write `${{{group}}}{rest}`"))
        }
        0 => error.hint("name groups as `(?<name>…)`, or count them from 1; write `$$` for a dollar"),
        digits => error.hint(format!("write `${{{}}}{}`", &name[..digits], &shown[digits.min(shown.len())..])),
    }
}
