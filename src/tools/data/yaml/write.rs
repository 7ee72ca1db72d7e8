//! `YAML.Text`: block style, with quotes wherever a reader of any version could take a text for something else.

use crate::limits::LimitHit;
use crate::toolkit::{Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::{Str, Value};

use super::super::super::build::TextBuilder;
use super::scalar::{Scalar, plain};

const SPEC: Spec = Spec::pure(
    "YAML.Text",
    "yaml_text",
    "Gives the YAML text of a value",
    "An element a line, two blanks a level, texts of several lines as blocks. Texts that readers of YAML 1.1 or 1.2 would \
        take for something else are quoted.",
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
    match is_block(&args.value) {
        true => page.block(context, &args.value, 0, Place::Line)?,
        false => {
            page.scalar(&args.value, 2)?;
            page.text.push("\n")?;
        }
    }
    page.text.finish(context)
}

/// How far blocks are indented.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Columns that what is in a map stands behind its keys.
    pub step: usize,
    /// The same for a list.
    pub list_step: usize,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { step: 2, list_step: 2 }
    }
}

/// Columns of a dash and the blank behind it.
pub const DASH: usize = 2;

/// The lines of a list or map that is not empty, all but the first behind so many blanks.
pub fn block(context: &mut Context<'_>, value: &Value, column: usize, layout: Layout) -> Result<String, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout };
    page.block(context, value, column, Place::Dash)?;
    let (mut text, _held) = page.text.into_held();
    text.truncate(text.len() - 1);
    Ok(text)
}

/// A text of several lines as a block behind so many blanks: its sign, a line break and its lines.
pub fn literal(text: &str, column: usize) -> Result<String, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout: Layout::default() };
    page.literal(text, column)?;
    Ok(page.text.into_held().0)
}

/// A value on one line, in brackets where it is a list or map. Calls itself as deep as it nests, which is bounded.
pub fn line(context: &mut Context<'_>, value: &Value, is_in_brackets: bool) -> Result<String, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout: Layout::default() };
    page.line(context, value, is_in_brackets)?;
    Ok(page.text.into_held().0)
}

/// A text in double quotes.
pub fn quoted(text: &str) -> Result<String, ToolError> {
    let mut page = Page { text: TextBuilder::default(), layout: Layout::default() };
    page.quoted(text)?;
    Ok(page.text.into_held().0)
}

struct Page {
    text: TextBuilder,
    layout: Layout,
}

/// Where a block begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the beginning of a line.
    Line,
    /// After the dash of a list's element, which has taken the first indentation.
    Dash,
}

/// Whether a value takes lines of its own.
pub fn is_block(value: &Value) -> bool {
    match value {
        Value::List(list) => !list.is_empty(),
        Value::Map(map) => !map.is_empty(),
        _ => false,
    }
}

impl Page {
    /// Calls itself as deep as the value nests, which is bounded.
    fn block(
        &mut self,
        context: &mut Context<'_>,
        value: &Value,
        column: usize,
        place: Place,
    ) -> Result<(), ToolError> {
        let mut is_first = place == Place::Dash;
        let mut begin = |page: &mut Page| match std::mem::take(&mut is_first) {
            true => Ok(()),
            false => page.text.push_times(" ", column),
        };
        match value {
            Value::List(list) => {
                for item in list.iter() {
                    context.spend(1)?;
                    begin(self)?;
                    self.text.push("- ")?;
                    self.element(context, &item, column + DASH, Place::Dash)?;
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
                    self.element(context, &item, column + step, Place::Line)?;
                }
            }
            _ => unreachable!("only lists and maps are blocks"),
        }
        Ok(())
    }

    /// What follows a dash or a colon; what takes lines of its own stands behind so many blanks.
    fn element(
        &mut self,
        context: &mut Context<'_>,
        item: &Value,
        column: usize,
        place: Place,
    ) -> Result<(), ToolError> {
        if is_block(item) {
            if place == Place::Line {
                self.text.push("\n")?;
            }
            return self.block(context, item, column, place);
        }
        if place == Place::Line {
            self.text.push(" ")?;
        }
        self.scalar(item, column)?;
        Ok(self.text.push("\n")?)
    }

    /// A value on the line that is there, or a text of several lines below it.
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

    /// A value on one line. Calls itself as deep as it nests, which is bounded.
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

    /// A text of several lines as it stands, behind so many blanks.
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

    /// A text on one line, in quotes where it needs them.
    fn inline(&mut self, text: &str) -> Result<(), LimitHit> {
        match is_plain(text) {
            true => self.text.push(text),
            false => self.quoted(text),
        }
    }

    /// A text in double quotes.
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

/// Characters that stand as escapes, all of them below U+10000.
pub fn is_unprintable(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether a text is written as a block: several lines, the first of which shows its indentation.
pub fn is_literal(text: &str) -> bool {
    let body = text.trim_end_matches('\n');
    body.contains('\n')
        && !body.starts_with([' ', '\n', '\t'])
        && !text.chars().any(|c| is_unprintable(c) && c != '\n' && c != '\t')
}

/// Whether a text can stand without quotes.
pub fn is_plain(text: &str) -> bool {
    const ELSEWHERE: [&str; 8] = ["y", "n", "yes", "no", "on", "off", "true", "false"];
    let begins_well = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.'));
    let is_safe = |c: char| c.is_alphanumeric() || " _-./+()@,=".contains(c);
    // What begins like a number may be one, or a date or time, in some version.
    let is_numeric = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    begins_well
        && !text.ends_with(' ')
        && text.chars().all(is_safe)
        && !(is_numeric
            && text.chars().all(|c| c.is_ascii_digit() || "_.-+exobEXOBT:".contains(c) || c.is_ascii_hexdigit()))
        && !ELSEWHERE.iter().any(|word| word.eq_ignore_ascii_case(text))
        && matches!(plain(text), Scalar::Value(value) if value.is_text())
}
