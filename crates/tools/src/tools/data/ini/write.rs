//! `INI.Text`: writes only what `INI.Parse` reads back as the same text.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Map, Str, Value, print};

use super::super::super::build::TextBuilder;
use super::read::is_open;

const SPEC: Spec = Spec::pure(
    "INI.Text",
    "ini_text",
    "Returns the INI text of a map",
    "Keys with other values come first, then the maps as sections, both in their order. A list becomes a line for each \
        value, nil a key alone, and the lines of a text after its first are indented. Values are read back \
        as texts, and lists with `repeated: \"list\"`, where one value alone is a text. Anything else that `INI.Parse` would \
        read back as something different is an error that says where: a key with `=`, a blank at the end of a text, a map in a section. Comments, blank lines and CRLF of a text that was \
        parsed are lost; `INI.Set` changes one value and keeps them.",
    Example {
        script: "EMIT INI.Text({\"root\": true, \"*.md\": {\"indent_size\": 2}})",
        output: "root = true\n\n[*.md]\nindent_size = 2\n\n",
    },
)
.also(&["INI.Format"])
.keywords(&["write ini", "ConfigParser.write", "ini.stringify", "save config"]);

arguments! {
    struct Args {
        map: Rc<Map> = Required, Kind::Map, "map of sections to write";
    }
}

/// The reason why a text is not written as a key.
pub const NO_KEY: &str = "is no key: it is empty, has `=`, `:`, a line end or blanks around it, begins like a section or comment, or ends in `\\`";
/// The margin of the lines that continue a value.
pub const MARGIN: &str = "    ";

pub fn tool() -> Tool {
    Tool::new(SPEC, write)
}

fn write(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    text_of(context, &args.map, "map")?.finish(context)
}

/// Returns the text of a map that is given as an argument.
pub fn text_of(context: &mut Context<'_>, map: &Map, argument: &'static str) -> Result<TextBuilder, ToolError> {
    let mut writer = Writer { text: TextBuilder::default(), section: None, argument };
    map.try_each(|key, value| match value {
        Value::Map(_) => Ok(()),
        value => writer.values(context, key, value),
    })?;
    map.try_each(|name, value| match value {
        Value::Map(section) => writer.section(context, name, section),
        _ => Ok(()),
    })?;
    Ok(writer.text)
}

struct Writer {
    text: TextBuilder,
    /// The name of the section that is written.
    section: Option<String>,
    /// The name of the argument that is written.
    argument: &'static str,
}

impl Writer {
    fn section(&mut self, context: &mut Context<'_>, name: &Str, section: &Map) -> Result<(), ToolError> {
        let name = name.as_text();
        if name.contains(['\n', '\r']) {
            return Err(self.refused_at(&print::shortened(&name, 40), "is no name of a section, which has one line"));
        }
        if !self.text.is_empty() {
            self.text.push("\n")?;
        }
        self.section = Some(name.to_string());
        for piece in ["[", &name, "]\n"] {
            self.text.push(piece)?;
        }
        section.try_each(|key, value| self.values(context, key, value))
    }

    /// Writes a key with its value, or with each value of a list.
    fn values(&mut self, context: &mut Context<'_>, key: &Str, value: &Value) -> Result<(), ToolError> {
        let Value::List(list) = value else { return self.entry(context, key, value) };
        if list.is_empty() {
            return Err(self.refused(key, "is an empty list, for which nothing can stand"));
        }
        list.try_each(|value| self.entry(context, key, value))
    }

    fn entry(&mut self, context: &mut Context<'_>, key: &Str, value: &Value) -> Result<(), ToolError> {
        context.spend(1)?;
        let name = key.as_text();
        if !is_key(&name) {
            return Err(self.refused(key, NO_KEY));
        }
        self.text.push(&name)?;
        let value = match value {
            Value::Nil | Value::Unset => return Ok(self.text.push("\n")?),
            Value::List(_) | Value::Map(_) => {
                return Err(self.refused(key, "is a list or map, which INI has not there"));
            }
            value => scalar_text(value),
        };
        self.text.push(" =")?;
        let text = value.as_text();
        if let Some(fault) = value_fault(&text) {
            return Err(self.refused(key, fault.reason()).hint(fault.hint()));
        }
        for (index, line) in text.split('\n').enumerate() {
            let before = match (index, line) {
                (0, "") => "",
                (0, _) => " ",
                _ => MARGIN,
            };
            self.text.push(before)?;
            self.text.push(line)?;
            self.text.push("\n")?;
        }
        Ok(())
    }

    fn refused(&self, key: &Str, reason: &str) -> ToolError {
        let key = key.as_text();
        let key = print::shortened(&key, 40);
        match &self.section {
            Some(section) => self.refused_at(&format!("{}.{key}", print::shortened(section, 40)), reason),
            None => self.refused_at(&key, reason),
        }
    }

    fn refused_at(&self, place: &str, reason: &str) -> ToolError {
        ToolError::bad_argument(self.argument, format!("`{place}` {reason}"))
    }
}

/// Returns the text of a scalar.
pub fn scalar_text(value: &Value) -> Str {
    value.as_str().unwrap_or_else(|| Str::new(&value.to_string()))
}

/// Whether a text is read as this key.
pub fn is_key(name: &str) -> bool {
    !name.is_empty()
        && name.trim() == name
        && !name.contains(['=', ':', '\n', '\r'])
        && !name.starts_with(['[', '#', ';', '\u{feff}'])
        && !is_open(name)
}

/// Why a value would be read back as another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFault {
    /// A line of several is empty.
    Empty,
    /// A line has blanks around it.
    Blanks,
    /// A line after the first begins like a comment.
    Comment,
    /// It contains a carriage return.
    Return,
    /// A line ends in a `\` that other programs take for its continuation.
    Open,
}

impl ValueFault {
    /// Returns the reason, as the end of a sentence about a value.
    pub fn reason(self) -> &'static str {
        match self {
            ValueFault::Empty => "has an empty line in its value, which is left out when it is read back",
            ValueFault::Blanks => "has a line with blanks around it in its value, which are lost when it is read back",
            ValueFault::Comment => "has a line in its value that begins like a comment, and is read back as one",
            ValueFault::Return => "has a carriage return in its value, which is not read back",
            ValueFault::Open => {
                "has a line in its value that ends in a `\\`, and goes on in the next one for other programs"
            }
        }
    }

    /// Returns what to do.
    pub fn hint(self) -> &'static str {
        match self {
            ValueFault::Empty => "leave empty lines out, also the one before the first",
            ValueFault::Blanks => "`STR.Trim` removes the blanks around a text",
            ValueFault::Comment => "write the comment with `FS.EditFile`, outside of the value",
            ValueFault::Return => "`STR.Replace(value, \"\\r\", \"\")` removes it",
            ValueFault::Open => "`INI.Set` writes it with `continuation: \"keep\"`",
        }
    }
}

/// Returns why a value would be read back as another one, if it would.
pub fn value_fault(text: &str) -> Option<ValueFault> {
    text.split('\n').enumerate().find_map(|(index, line)| {
        if line.is_empty() && !text.is_empty() {
            Some(ValueFault::Empty)
        } else if line.contains('\r') {
            Some(ValueFault::Return)
        } else if line.trim() != line {
            Some(ValueFault::Blanks)
        } else if index > 0 && line.starts_with(['#', ';']) {
            Some(ValueFault::Comment)
        } else {
            is_open(line).then_some(ValueFault::Open)
        }
    })
}
