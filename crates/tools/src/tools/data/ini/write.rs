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
/// The reason why a text is not written as a value.
pub const NO_VALUE: &str = "has a line that would be read back as another: it is empty, has blanks around it, begins with `#` or `;`, or ends in a `\\` that continues it";
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
            value => value.as_str().unwrap_or_else(|| Str::new(&value.to_string())),
        };
        self.text.push(" =")?;
        let text = value.as_text();
        if !is_value(&text) {
            return Err(self.refused(key, NO_VALUE));
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

/// Whether a text is read as this key.
pub fn is_key(name: &str) -> bool {
    !name.is_empty()
        && name.trim() == name
        && !name.contains(['=', ':', '\n', '\r'])
        && !name.starts_with(['[', '#', ';', '\u{feff}'])
        && !is_open(name)
}

/// Whether a value is read back as it is.
pub fn is_value(text: &str) -> bool {
    let mut lines = text.split('\n').enumerate();
    lines.all(|(index, line)| is_line(line, index) && (!line.is_empty() || text.is_empty()))
}

/// Whether a line of a value is read back as it is. The first may begin like a comment.
fn is_line(line: &str, index: usize) -> bool {
    (index == 0 || !line.starts_with(['#', ';'])) && line.trim() == line && !line.contains('\r') && !is_open(line)
}
