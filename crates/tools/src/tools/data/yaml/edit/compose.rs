//! Formats a value for a YAML text: on the current line, or in lines below it.

use granit_parser::ScalarStyle;

use crate::gate::Context;
use crate::limits::work;
use crate::toolkit::ToolError;
use crate::value::{Str, Value};

use super::super::write::{DASH, Layout, block, is_block, is_literal, is_plain, is_unprintable, line, literal, quoted};
use super::tree::{Shape, Tree};

/// A formatted value.
pub enum Written {
    /// On the current line.
    Inline(String),
    /// A block scalar: its indicator, and the indented lines below.
    Text(String, String),
    /// A block collection: all lines but the first are indented.
    Block(String),
}

/// The container of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// None: the value is the whole document.
    Document,
    /// A block mapping whose keys start in this column.
    Map(usize),
    /// A block sequence whose dashes are in this column.
    List(usize),
    /// A flow collection.
    Brackets,
}

impl Holder {
    /// Returns the column of a value that is written in lines of its own.
    pub fn column_of(self, value: &Value, layout: Layout) -> usize {
        let is_list = matches!(value, Value::List(_));
        match self {
            Holder::Document if value.is_text() => layout.step,
            Holder::Document | Holder::Brackets => 0,
            Holder::Map(column) if is_list => column + layout.list_step,
            Holder::Map(column) => column + layout.step,
            Holder::List(column) => column + DASH,
        }
    }
}

/// Formats a value for a place. A text keeps the kind of quotes of the old one. Without `allows_text` a text
/// stays on one line.
pub fn compose(
    context: &mut Context<'_>,
    value: &Value,
    old: Option<Shape>,
    holder: Holder,
    column: usize,
    layout: Layout,
    allows_text: bool,
) -> Result<Written, ToolError> {
    let was_in_brackets = matches!(old, Some(Shape::List { in_brackets: true } | Shape::Map { in_brackets: true }));
    let in_brackets = holder == Holder::Brackets;
    if let Some(text) = value.as_text() {
        work::charge_bytes(text.len())?;
        let is_quoted = matches!(old, Some(Shape::Scalar(ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted)));
        if allows_text && is_literal(&text) && !in_brackets && !is_quoted {
            let made = literal(&text, column)?;
            let (sign, lines) = made.split_once('\n').unwrap_or((&made, ""));
            return Ok(Written::Text(sign.to_owned(), lines.to_owned()));
        }
        return Ok(Written::Inline(scalar(&text, old, in_brackets)?));
    }
    if is_block(value) && !in_brackets && !was_in_brackets {
        Ok(Written::Block(block(context, value, column, layout)?))
    } else {
        Ok(Written::Inline(line(context, value, in_brackets)?))
    }
}

/// Formats a text on one line, with the kind of quotes of the old one.
fn scalar(text: &str, old: Option<Shape>, in_brackets: bool) -> Result<String, ToolError> {
    let is_simple = !text.chars().any(is_unprintable);
    match old {
        Some(Shape::Scalar(ScalarStyle::SingleQuoted)) if is_simple => Ok(format!("'{}'", text.replace('\'', "''"))),
        Some(Shape::Scalar(ScalarStyle::DoubleQuoted)) => quoted(text),
        Some(Shape::Scalar(ScalarStyle::Plain)) if is_plain_as_before(text, in_brackets) => Ok(text.to_owned()),
        _ if is_plain(text) && !(in_brackets && text.contains(',')) => Ok(text.to_owned()),
        _ => quoted(text),
    }
}

/// Returns whether a text can stay unquoted in the place of an unquoted one, as in `web:1.25`: no reader takes
/// it for anything but a string.
fn is_plain_as_before(text: &str, in_brackets: bool) -> bool {
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    let is_safe = |c: char| c.is_alphanumeric() || " _-./+()@,=:~$%^*&!?;<>'\"\\".contains(c);
    is_word
        && is_plain(&text.replace(|c: char| is_safe(c) && !c.is_alphanumeric(), "_"))
        && text.chars().all(is_safe)
        && !text.contains(": ")
        && !text.ends_with([':', ' '])
        && !(in_brackets && text.contains([',', ':']))
}

/// Formats a key, quoted if the neighbouring key is.
pub fn key(name: &Str, neighbour: Option<Shape>, in_brackets: bool) -> Result<String, ToolError> {
    scalar(&name.as_text(), neighbour, in_brackets)
}

/// Determines the indentation of the blocks of a text.
pub fn layout_of(tree: &Tree<'_>) -> Result<Layout, ToolError> {
    let (mut step, mut list_step) = (None, None);
    for number in 0..tree.len() {
        work::charge(1)?;
        if step.is_some() && list_step.is_some() {
            break;
        }
        if tree.node(number).shape != (Shape::Map { in_brackets: false }) {
            continue;
        }
        let column = tree.column(tree.node(number).start);
        for value in tree.children(number).skip(1).step_by(2) {
            work::charge(1)?;
            let node = tree.node(value);
            match node.shape {
                Shape::Map { in_brackets: false } => {
                    step.get_or_insert(tree.column(node.start).saturating_sub(column));
                }
                Shape::List { in_brackets: false } => {
                    // If the dashes of a list are in the column of the keys, its node starts after the first
                    // dash.
                    let is_dash = tree.text[node.start..].starts_with("- ") && tree.column(node.start) > column;
                    let dash = if is_dash { tree.column(node.start) } else { column };
                    list_step.get_or_insert(dash - column);
                }
                _ => {}
            }
        }
    }
    let step = step.filter(|step| *step > 0).unwrap_or(2);
    Ok(Layout { step, list_step: list_step.unwrap_or(2) })
}
