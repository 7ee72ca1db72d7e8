//! Values on standard output: as text, JSON, lines of JSON or tables.

use std::cell::RefCell;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write, stderr, stdout};
use std::rc::Rc;

use crate::engine::{EmitError, LimitHit, Meter, Output, work};
use crate::text::safe;
use crate::value::{Room, Sink, Value, json, print};

use super::args::OutputFormat;
use super::console::clear_line;
use super::table::{Fit, is_rows, sections, table};
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
    out: BufWriter<Box<dyn Write>>,
    format: Format,
    is_terminal: bool,
    line: String,
    has_refused_path: bool,
}

/// Bytes that are written at once when nobody watches.
const BUFFER: usize = 64 << 10;

impl Printer {
    /// A printer for a format.
    pub fn new(format: Format) -> Printer {
        let out = stdout();
        Printer::on(out.is_terminal(), Box::new(out), format)
    }

    /// One that prints on standard error, where standard output is for something else.
    pub fn on_stderr(format: Format) -> Printer {
        let out = stderr();
        Printer::on(out.is_terminal(), Box::new(out), format)
    }

    fn on(is_terminal: bool, out: Box<dyn Write>, format: Format) -> Printer {
        Printer {
            out: BufWriter::with_capacity(BUFFER, out),
            format,
            is_terminal,
            line: String::new(),
            has_refused_path: false,
        }
    }

    /// The text of values in the printer's format, with a line feed at the end, as far as there is room.
    fn text(&mut self, values: &[Value], room: Room) -> Result<(), LimitHit> {
        self.line.clear();
        match (self.format, values) {
            (Format::Json | Format::JsonLines, _) => {
                let mut sink = Sink::new(room);
                let written = self.write_json(values, &mut sink);
                written.map_err(|_| sink.hit())?;
                self.line = String::from_utf8(sink.into_bytes()).expect("JSON is text");
                return Ok(());
            }
            (Format::Table, [Value::List(list)]) if is_rows(&values[0]) => {
                self.line = table(&list.iter().collect::<Vec<_>>(), Fit::ALL)?;
            }
            (Format::Table, [Value::Map(map)]) if !map.is_empty() => {
                self.line = sections(map, Fit::ALL)?;
            }
            (Format::Raw | Format::Table, _) => return print::write_line(values, &mut self.line, room),
        }
        self.line.push('\n');
        Ok(())
    }

    /// Writes values as JSON: on one line, or one line for each and for each element of a list.
    fn write_json(&self, values: &[Value], out: &mut impl Write) -> io::Result<()> {
        match (self.format, values) {
            (Format::JsonLines, values) => values.iter().try_for_each(|value| write_json_lines(value, out)),
            (_, [value]) => write_json_line(value, out),
            (_, values) => {
                for (place, value) in values.iter().enumerate() {
                    out.write_all(if place > 0 { b"," } else { b"[" })?;
                    json::write(value, &mut *out)?;
                }
                out.write_all(if values.is_empty() { b"[]\n" } else { b"]\n" })
            }
        }
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

    /// Prints values. JSON that no terminal must be kept from is written as it is made, however long it is.
    pub fn print(&mut self, values: &[Value]) -> Result<(), EmitError> {
        if self.is_terminal || !matches!(self.format, Format::Json | Format::JsonLines) {
            self.text(values, Room::of_text())?;
            return self.write();
        }
        let mut out = std::mem::replace(&mut self.out, BufWriter::with_capacity(0, Box::new(io::sink())));
        let written = self.write_json(values, &mut out);
        self.out = out;
        written.map_err(|error| work::check().map_or_else(EmitError::Limit, |()| emit_error(error)))
    }

    /// Writes what still waits.
    pub fn flush(&mut self) -> Result<(), EmitError> {
        self.out.flush().map_err(emit_error)
    }
}

impl Output for Printer {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        let (left, hit) = meter.output_left();
        self.text(values, Room::of_text().at_most(left, hit))?;
        meter.print(self.line.len() as u64)?;
        self.write()
    }

    fn warn(&mut self, text: &str) {
        // What was printed before the warning is shown before it.
        let _ = self.out.flush();
        terminal::say(&format!("warning: {}\n", safe::name(text)));
    }

    fn refuse_path(&mut self) {
        self.has_refused_path = true;
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

    /// Whether a path outside the sandbox was warned of.
    pub fn has_refused_path(&self) -> bool {
        self.0.borrow().has_refused_path
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

    fn refuse_path(&mut self) {
        self.0.borrow_mut().refuse_path();
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

fn write_json_lines(value: &Value, out: &mut impl Write) -> io::Result<()> {
    match value {
        Value::List(list) => list.try_each(|item| write_json_line(item, out)),
        value => write_json_line(value, out),
    }
}

fn write_json_line(value: &Value, out: &mut impl Write) -> io::Result<()> {
    json::write(value, &mut *out)?;
    out.write_all(b"\n")
}
