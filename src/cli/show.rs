//! Values on standard output: as text, JSON, lines of JSON or tables.

use std::cell::RefCell;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write, stdout};
use std::rc::Rc;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::engine::{EmitError, Meter, Output};
use crate::text::safe;
use crate::value::{Map, Str, Value, json, print};

use super::args::OutputFormat;
use super::console::clear_line;
use super::terminal;

/// How values are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As EMIT prints them.
    Raw,
    /// As JSON.
    Json,
    /// One line of JSON for each element of a list.
    JsonLines,
    /// Lists of maps as tables.
    Table,
}

impl Format {
    /// The format for what a script prints.
    pub fn for_run(format: OutputFormat) -> Format {
        Format::explicit(format).unwrap_or(Format::Raw)
    }

    /// The format for the result of a call; none for what the contract of `ns call` says.
    pub fn for_call(format: OutputFormat) -> Option<Format> {
        Format::explicit(format).or_else(|| stdout().is_terminal().then_some(Format::Table))
    }

    /// The format for what has a form of its own for people; none is that form.
    pub fn for_shown(format: OutputFormat) -> Option<Format> {
        Format::explicit(format).filter(|format| *format != Format::Raw)
    }

    fn explicit(format: OutputFormat) -> Option<Format> {
        match format {
            OutputFormat::Auto => None,
            OutputFormat::Table => Some(Format::Table),
            OutputFormat::Json => Some(Format::Json),
            OutputFormat::Jsonl => Some(Format::JsonLines),
            OutputFormat::Raw => Some(Format::Raw),
        }
    }
}

/// Prints on standard output. On a terminal, what could change its state is escaped.
pub struct Printer {
    out: BufWriter<Stdout>,
    format: Format,
    is_terminal: bool,
    line: String,
}

/// Bytes that are written at once when nobody watches.
const BUFFER: usize = 64 << 10;

impl Printer {
    /// A printer for a format.
    pub fn new(format: Format) -> Printer {
        let out = stdout();
        let is_terminal = out.is_terminal();
        Printer { out: BufWriter::with_capacity(BUFFER, out), format, is_terminal, line: String::new() }
    }

    /// The text of values in the printer's format, with a line feed at the end.
    fn text(&mut self, values: &[Value]) -> Result<(), EmitError> {
        self.line.clear();
        match (self.format, values) {
            (Format::Raw, _) => return self.raw(values),
            (Format::Json, [value]) => self.line.push_str(&json::to_text(value)),
            (Format::Json, values) => {
                let parts: Vec<String> = values.iter().map(json::to_text).collect();
                self.line = format!("[{}]", parts.join(","));
            }
            (Format::JsonLines, values) => {
                for value in values {
                    push_json_lines(value, &mut self.line);
                }
                return Ok(());
            }
            (Format::Table, [Value::List(list)])
                if !list.is_empty() && list.iter().all(|item| matches!(item, Value::Map(_))) =>
            {
                self.line = table(&list.iter().collect::<Vec<_>>());
            }
            (Format::Table, [Value::Map(map)]) if !map.is_empty() => {
                self.line = sections(map);
            }
            (Format::Table, _) => return self.raw(values),
        }
        self.line.push('\n');
        Ok(())
    }

    fn raw(&mut self, values: &[Value]) -> Result<(), EmitError> {
        print::write_line(values, &mut self.line)?;
        Ok(())
    }

    fn write(&mut self) -> Result<(), EmitError> {
        let text = if self.is_terminal { safe::prose(&self.line) } else { self.line.as_str().into() };
        if self.is_terminal {
            clear_line();
        }
        let written = self.out.write_all(text.as_bytes());
        // A terminal is watched, so nothing waits in the buffer.
        let written = if self.is_terminal { written.and_then(|()| self.out.flush()) } else { written };
        written.map_err(emit_error)
    }

    /// Prints a text as it is, with a line feed.
    pub fn print_line(&mut self, text: &str) -> Result<(), EmitError> {
        self.line.clear();
        self.line.push_str(text);
        self.line.push('\n');
        self.write()
    }

    /// Prints values.
    pub fn print(&mut self, values: &[Value]) -> Result<(), EmitError> {
        self.text(values)?;
        self.write()
    }

    /// Writes what still waits.
    pub fn flush(&mut self) -> Result<(), EmitError> {
        self.out.flush().map_err(emit_error)
    }
}

impl Output for Printer {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.text(values)?;
        meter.print(self.line.len() as u64)?;
        self.write()
    }

    fn warn(&mut self, text: &str) {
        // What was printed before the warning is shown before it.
        let _ = self.out.flush();
        terminal::say(&format!("warning: {}\n", safe::name(text)));
    }
}

/// A printer that a run and its caller share: the caller checks the end of the output, and a session prints
/// besides.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<Printer>>);

impl Shared {
    /// Shares a printer.
    pub fn new(printer: Printer) -> Shared {
        Shared(Rc::new(RefCell::new(printer)))
    }

    /// Prints values in the printer's format.
    pub fn print(&self, values: &[Value]) -> Result<(), EmitError> {
        self.0.borrow_mut().print(values)
    }

    /// Prints a text as it is, with a line feed.
    pub fn print_line(&self, text: &str) -> Result<(), EmitError> {
        self.0.borrow_mut().print_line(text)
    }

    /// Writes what still waits.
    pub fn flush(&self) -> Result<(), EmitError> {
        self.0.borrow_mut().flush()
    }
}

impl Output for Shared {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.0.borrow_mut().emit(values, meter)
    }

    fn warn(&mut self, text: &str) {
        self.0.borrow_mut().warn(text);
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        let _ = self.out.flush();
    }
}

fn emit_error(error: io::Error) -> EmitError {
    if error.kind() == ErrorKind::BrokenPipe { EmitError::Closed } else { EmitError::Io(error) }
}

fn push_json_lines(value: &Value, text: &mut String) {
    match value {
        Value::List(list) => {
            for item in list.iter() {
                text.push_str(&json::to_text(&item));
                text.push('\n');
            }
        }
        value => {
            text.push_str(&json::to_text(value));
            text.push('\n');
        }
    }
}

/// A map: keys and values in two columns, and below them what takes more than a line, under its key.
fn sections(map: &Map) -> String {
    let key_of = |key: &Str| key.as_text().to_string();
    let (long, short): (Vec<_>, Vec<_>) = map.iter().partition(|(_, value)| is_long(value));
    let mut text = match short.is_empty() {
        true => String::new(),
        false => pairs(short.iter().map(|(key, value)| (key_of(key), value.clone()))),
    };
    for (key, value) in &long {
        let body = match value {
            Value::List(list) => table(&list.iter().collect::<Vec<_>>()),
            value => value.as_text().map(|text| safe::prose(text.trim_end()).into_owned()).unwrap_or_default(),
        };
        let gap = if text.is_empty() { "" } else { "\n\n" };
        text.push_str(&format!("{gap}{}:\n{body}", safe::name(&key_of(key))));
    }
    text
}

/// Whether a value takes more than a line: a list of maps, or a text of several lines.
fn is_long(value: &Value) -> bool {
    match value {
        Value::List(list) => !list.is_empty() && list.iter().all(|item| matches!(item, Value::Map(_))),
        value => value.as_text().is_some_and(|text| text.trim_end().contains('\n')),
    }
}

/// A list of maps as a table: one column for each key, numbers at the right.
fn table(rows: &[Value]) -> String {
    let mut columns: Vec<String> = Vec::new();
    for row in rows {
        let Value::Map(map) = row else { continue };
        for (key, value) in map.iter() {
            let key = key.as_text();
            // A column of nothing but nil says nothing.
            if !matches!(value, Value::Nil) && !columns.iter().any(|column| *column == *key) {
                columns.push(key.to_string());
            }
        }
    }
    let mut table = new_table();
    table.set_header(columns.iter().map(|column| safe::name(column).into_owned()));
    let mut numeric = vec![true; columns.len()];
    for row in rows {
        let Value::Map(map) = row else { continue };
        let cells = columns.iter().enumerate().map(|(number, column)| {
            let value = map.get_str(column).unwrap_or(Value::Nil);
            numeric[number] &= matches!(value, Value::Int(_) | Value::Float(_) | Value::Nil);
            cell(&value)
        });
        table.add_row(cells.collect::<Vec<_>>());
    }
    for (number, numeric) in numeric.into_iter().enumerate() {
        if let (true, Some(column)) = (numeric, table.column_mut(number)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

/// Keys and values in two columns.
pub fn pairs(rows: impl Iterator<Item = (String, Value)>) -> String {
    let mut table = new_table();
    for (key, value) in rows {
        table.add_row([safe::name(&key).into_owned(), cell(&value)]);
    }
    table.to_string()
}

/// Columns that a table takes at least.
const NARROWEST: u16 = 40;

/// A table without lines, as wide as the terminal at most.
pub fn new_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // A terminal that says it has no columns, or next to none, does not know.
    if table.width().is_some_and(|width| width < NARROWEST) {
        table.set_width(NARROWEST);
    }
    table
}

/// A value as the text of a cell: on one line, and not too long.
fn cell(value: &Value) -> String {
    match value {
        Value::Nil => String::new(),
        _ => match value.as_text() {
            Some(text) => safe::name(&print::shortened(&text, 200)).into_owned(),
            None => print::preview(value),
        },
    }
}
