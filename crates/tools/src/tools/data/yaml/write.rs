//! `YAML.Text`: block style, with quotes wherever a reader of any YAML version could misread a text.

use crate::gate::{Context, Tool};
use crate::limits::LimitHit;
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Str, Value};

use super::super::super::build::TextBuilder;
use super::scalar::{Scalar, plain};

const SPEC: Spec = Spec::pure(
    "YAML.Text",
    "yaml_text",
    "Formats a value as YAML text",
    "Each element has its own line, each level two blanks; texts of several lines are blocks. Texts that a \
        YAML 1.1 or 1.2 reader would take for something else are quoted.",
    Example {
        script: "EMIT YAML.Text({\"name\": \"ns\", \"list\": [1, {\"a\": nil, \"b\": \"yes\"}], \"empty\": {}})",
        output: "name: ns\nlist:\n  - 1\n  - a: null\n    b: \"yes\"\nempty: {}\n\n",
    },
)
.keywords(&["yaml.dump", "yaml.safe_dump", "yaml.dumps", "write yaml", "yaml.Marshal", "yaml.stringify"]);

arguments! {
    struct Args {
        value: Value = Required, Kind::Any, "value to write";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout: Layout::default() };
    if is_block(&args.value) {
        page.block(context, &args.value, 0, Position::Line)?
    } else {
        page.scalar(&args.value, 2)?;
        page.text.push("\n")?;
    }
    page.text.finish(context)
}

/// Indentation of blocks.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Columns by which the value of a key is indented.
    pub step: usize,
    /// Columns by which a list below a key is indented.
    pub list_step: usize,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { step: 2, list_step: 2 }
    }
}

/// Width of a dash and the blank after it.
pub const DASH: usize = 2;

/// Formats a non-empty list or map as a block; all lines but the first are indented by `column`.
pub fn block(context: &mut Context<'_>, value: &Value, column: usize, layout: Layout) -> Result<String, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout };
    page.block(context, value, column, Position::Dash)?;
    let (mut text, _held) = page.text.into_held();
    text.truncate(text.len() - 1);
    Ok(text)
}

/// Formats a text as a block scalar indented by `column`: its indicator, a line break and its lines.
pub fn literal(text: &str, column: usize) -> Result<String, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout: Layout::default() };
    page.literal(text, column)?;
    Ok(page.text.into_held().0)
}

/// Formats a value on one line, lists and maps in flow style. Recursion is bounded by the limit on nesting.
pub fn line(context: &mut Context<'_>, value: &Value, is_in_brackets: bool) -> Result<String, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout: Layout::default() };
    page.line(context, value, is_in_brackets)?;
    Ok(page.text.into_held().0)
}

/// Formats a text in double quotes.
pub fn quoted(text: &str) -> Result<String, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout: Layout::default() };
    page.quoted(text)?;
    Ok(page.text.into_held().0)
}

struct Page {
    text: TextBuilder,
    layout: Layout,
}

/// Where a block starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// At the start of a line.
    Line,
    /// After the dash of a list element, which provides the first indentation.
    Dash,
}

/// Returns whether a value is written in lines of its own.
pub fn is_block(value: &Value) -> bool {
    match value {
        Value::List(list) => !list.is_empty(),
        Value::Map(map) => !map.is_empty(),
        _ => false,
    }
}

impl Page {
    /// Recursion is bounded by the limit on nesting.
    fn block(
        &mut self,
        context: &mut Context<'_>,
        value: &Value,
        column: usize,
        place: Position,
    ) -> Result<(), ToolError> {
        let mut is_first = place == Position::Dash;
        let mut begin =
            |page: &mut Page| if std::mem::take(&mut is_first) { Ok(()) } else { page.text.push_times(" ", column) };
        match value {
            Value::List(list) => {
                for item in list.iter() {
                    context.spend(1)?;
                    begin(self)?;
                    self.text.push("- ")?;
                    self.element(context, &item, column + DASH, Position::Dash)?;
                }
            }
            Value::Map(map) => {
                for (key, item) in map.iter() {
                    context.spend(1)?;
                    begin(self)?;
                    self.inline(&key.as_text())?;
                    self.text.push(":")?;
                    let is_list = matches!(item, Value::List(_));
                    let step = if is_list { self.layout.list_step } else { self.layout.step };
                    self.element(context, &item, column + step, Position::Line)?;
                }
            }
            _ => unreachable!("only lists and maps are blocks"),
        }
        Ok(())
    }

    /// Writes what follows a dash or a colon; a block is indented by `column`.
    fn element(
        &mut self,
        context: &mut Context<'_>,
        item: &Value,
        column: usize,
        place: Position,
    ) -> Result<(), ToolError> {
        if is_block(item) {
            if place == Position::Line {
                self.text.push("\n")?;
            }
            return self.block(context, item, column, place);
        }
        if place == Position::Line {
            self.text.push(" ")?;
        }
        self.scalar(item, column)?;
        Ok(self.text.push("\n")?)
    }

    /// Writes a value on the current line, or a text of several lines below it.
    fn scalar(&mut self, value: &Value, column: usize) -> Result<(), LimitHit> {
        match value {
            Value::Nil | Value::Unset => self.text.push("null"),
            Value::Float(float) if !float.get().is_finite() => self.text.push(match float.get() {
                number if number.is_nan() => ".nan",
                number if number > 0.0 => ".inf",
                _ => "-.inf",
            }),
            Value::List(_) => self.text.push("[]"),
            Value::Map(_) => self.text.push("{}"),
            value => match value.as_text() {
                Some(text) if is_literal(&text) => self.literal(&text, column),
                Some(text) => self.inline(&text),
                None => self.text.push(&value.to_string()),
            },
        }
    }

    /// Writes a value on one line. Recursion is bounded by the limit on nesting.
    fn line(&mut self, context: &mut Context<'_>, value: &Value, is_in_brackets: bool) -> Result<(), ToolError> {
        context.spend(1)?;
        match value {
            Value::List(list) if !list.is_empty() => {
                for (number, item) in list.iter().enumerate() {
                    self.text.push(if number == 0 { "[" } else { ", " })?;
                    self.line(context, &item, true)?;
                }
                Ok(self.text.push("]")?)
            }
            Value::Map(map) if !map.is_empty() => {
                for (number, (key, item)) in map.iter().enumerate() {
                    self.text.push(if number == 0 { "{" } else { ", " })?;
                    self.line(context, &key.into(), true)?;
                    self.text.push(": ")?;
                    self.line(context, &item, true)?;
                }
                Ok(self.text.push("}")?)
            }
            value => match value.as_text() {
                Some(text) if is_in_brackets && text.contains(',') => Ok(self.quoted(&text)?),
                Some(text) => Ok(self.inline(&text)?),
                None => Ok(self.scalar(value, 0)?),
            },
        }
    }

    /// Writes a text as a literal block scalar, indented by `column`.
    fn literal(&mut self, text: &str, column: usize) -> Result<(), LimitHit> {
        let body = text.trim_end_matches('\n');
        self.text.push(match text.len() - body.len() {
            0 => "|-",
            1 => "|",
            _ => "|+",
        })?;
        let lines = text.strip_suffix('\n').unwrap_or(text);
        for line in lines.split('\n') {
            self.text.push("\n")?;
            if !line.is_empty() {
                self.text.push_times(" ", column)?;
                self.text.push(line)?;
            }
        }
        Ok(())
    }

    /// Writes a text on one line, quoted if necessary.
    fn inline(&mut self, text: &str) -> Result<(), LimitHit> {
        if is_plain(text) { self.text.push(text) } else { self.quoted(text) }
    }

    /// Writes a text in double quotes.
    fn quoted(&mut self, text: &str) -> Result<(), LimitHit> {
        self.text.push("\"")?;
        for character in text.chars() {
            match character {
                '"' => self.text.push("\\\"")?,
                '\\' => self.text.push("\\\\")?,
                '\n' => self.text.push("\\n")?,
                '\t' => self.text.push("\\t")?,
                '\r' => self.text.push("\\r")?,
                c if is_unprintable(c) => self.text.push(&format!("\\u{:04x}", u32::from(c)))?,
                c => self.text.push_char(c)?,
            }
        }
        self.text.push("\"")
    }
}

/// Returns whether a character is written as an escape. All such characters are below U+10000.
pub fn is_unprintable(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns whether a text is written as a block scalar: it has several lines, and the first one reveals the
/// indentation.
pub fn is_literal(text: &str) -> bool {
    let body = text.trim_end_matches('\n');
    body.contains('\n')
        && !body.starts_with([' ', '\n', '\t'])
        && !text.chars().any(|c| is_unprintable(c) && c != '\n' && c != '\t')
}

/// Returns whether a text can be written without quotes.
pub fn is_plain(text: &str) -> bool {
    const ELSEWHERE: [&str; 8] = ["y", "n", "yes", "no", "on", "off", "true", "false"];
    let begins_well = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.'));
    let is_safe = |c: char| c.is_alphanumeric() || " _-./+()@,=".contains(c);
    // In some YAML version, a text that starts like a number may be a number, date or time.
    let is_numeric = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    begins_well
        && !text.ends_with(' ')
        && text.chars().all(is_safe)
        && !(is_numeric
            && text.chars().all(|c| c.is_ascii_digit() || "_.-+exobEXOBT:".contains(c) || c.is_ascii_hexdigit()))
        && !ELSEWHERE.iter().any(|word| word.eq_ignore_ascii_case(text))
        && matches!(plain(text), Scalar::Value(value) if value.is_text())
}
