//! Output of values: as text, JSON, JSON lines or tables.

use std::cell::RefCell;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write, stderr, stdout};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use crate::engine::{Barrier, EmitError, LimitHit, Meter, Output, work};
use crate::options::OutputFormat;
use crate::text::{Diagnostic, Sources, safe};
use crate::value::json::Unwritable;
use crate::value::{Sink, TextBudget, Value, json, print};

use super::paint::{Paint, color_key};
use super::report::{report_findings, say};
use super::screen;
use super::table::{Fit, is_rows, sections, table};

/// The format of printed values.
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
    /// Returns the format for output of a script.
    pub fn for_run(format: OutputFormat) -> Format {
        Format::explicit(format).unwrap_or(Format::Raw)
    }

    /// Returns the format for the result of a call. `None` selects the default of `ns call`: text as it is, other
    /// values as JSON.
    pub fn for_call(format: OutputFormat) -> Option<Format> {
        Format::explicit(format).or_else(|| stdout().is_terminal().then_some(Format::Table))
    }

    /// Returns the format for data that also has a display for people; `None` selects that display.
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

/// Prints to standard output. On a terminal, escapes sequences that could change its state, but those of [`color_key`].
pub struct Printer {
    out: Arc<Mutex<Buffer>>,
    /// Whether buffered output must be written soon, even if no more output follows.
    hurries: bool,
    format: Format,
    paint: Paint,
    line: String,
    has_refused_path: bool,
    /// Whether the run has emitted anything.
    has_emitted: bool,
    /// Whether warnings about the script are shown.
    warns_of_script: bool,
}

/// Size of the output buffer, in bytes.
const BUFFER: usize = 64 << 10;
/// Maximum time that output stays in the buffer.
const WRITTEN_AFTER: Duration = Duration::from_millis(80);

/// The output buffer, shared with the thread that flushes it.
struct Buffer {
    writer: BufWriter<Waiting>,
    /// Whether the flushing thread is running.
    has_flusher: bool,
}

/// A destination that is written to only after the changes before are durable.
struct Waiting {
    barrier: Option<Arc<Barrier>>,
    out: Box<dyn Write + Send>,
}

impl Waiting {
    fn pass(&self) -> io::Result<()> {
        let passed = self.barrier.as_ref().map_or(Ok(()), |barrier| barrier.pass());
        passed.map_err(|error| io::Error::other(error.to_string()))
    }
}

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pass()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn lock(buffer: &Mutex<Buffer>) -> MutexGuard<'_, Buffer> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Flushes the buffer periodically until the printer is dropped.
fn flush_in_time(buffer: &Weak<Mutex<Buffer>>) {
    loop {
        thread::sleep(WRITTEN_AFTER);
        let Some(buffer) = buffer.upgrade() else { return };
        // Output that cannot be written stays in the buffer; the next print reports the error.
        let _ = lock(&buffer).writer.flush();
    }
}

impl Printer {
    /// Creates a printer for a format.
    pub fn new(format: Format) -> Printer {
        let out = stdout();
        Printer::on(Paint::of(&out), Box::new(out), format)
    }

    /// Creates a printer to standard error, for use when standard output is occupied.
    pub fn on_stderr(format: Format) -> Printer {
        let out = stderr();
        Printer::on(Paint::of(&out), Box::new(out), format)
    }

    /// Sets whether warnings about the script are shown.
    pub fn warning_of_script(mut self, warns_of_script: bool) -> Printer {
        self.warns_of_script = warns_of_script;
        self
    }

    fn on(paint: Paint, out: Box<dyn Write + Send>, format: Format) -> Printer {
        let writer = BufWriter::with_capacity(BUFFER, Waiting { barrier: None, out });
        let buffer = Buffer { writer, has_flusher: false };
        Printer {
            out: Arc::new(Mutex::new(buffer)),
            hurries: false,
            format,
            paint,
            line: String::new(),
            has_refused_path: false,
            has_emitted: false,
            warns_of_script: false,
        }
    }

    fn is_terminal(&self) -> bool {
        self.paint != Paint::Plain
    }

    /// Starts the flushing thread if needed. If that fails, output stays in the buffer until more follows.
    fn hurry(&self, buffer: &mut Buffer) {
        if self.hurries && !buffer.has_flusher && !buffer.writer.buffer().is_empty() {
            buffer.has_flusher = true;
            let waiting = Arc::downgrade(&self.out);
            let _ = thread::Builder::new().name("output".to_owned()).spawn(move || flush_in_time(&waiting));
        }
    }

    /// Formats values into `line`, ending with a line feed.
    ///
    /// Errors: `room` or another limit is exceeded.
    fn text(&mut self, values: &[Value], room: TextBudget) -> Result<(), LimitHit> {
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
            (Format::Table, [value]) if value.as_text().is_some_and(|text| text.ends_with('\n')) => {
                let text = value.as_text().expect("it was just looked at");
                self.line.push_str(&text);
                return Ok(());
            }
            (Format::Raw | Format::Table, _) => return print::write_line(values, &mut self.line, room),
        }
        self.line.push('\n');
        Ok(())
    }

    /// Writes values as JSON: on one line, or as JSON lines.
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
        let text = match self.paint {
            Paint::Plain => self.line.as_str().into(),
            Paint::Escaped => safe::prose(&self.line),
            Paint::Colored => color_key().shown(&self.line),
        };
        let mut buffer = lock(&self.out);
        let written = if self.is_terminal() {
            // On a terminal, output must be visible at once.
            screen::print(|| buffer.writer.write_all(text.as_bytes()).and_then(|()| buffer.writer.flush()))
        } else {
            buffer.writer.write_all(text.as_bytes())
        };
        self.hurry(&mut buffer);
        written.map_err(emit_error)
    }

    /// Prints a text unchanged, with a line feed.
    pub fn print_line(&mut self, text: &str) -> Result<(), EmitError> {
        self.line.clear();
        self.line.push_str(text);
        self.line.push('\n');
        self.write()
    }

    /// Prints a text unchanged. On a terminal, adds a line feed if the last line has none.
    pub fn print_text(&mut self, text: &str) -> Result<(), EmitError> {
        if self.is_terminal() && !text.ends_with('\n') {
            return self.print_line(text);
        }
        self.line.clear();
        self.line.push_str(text);
        self.write()
    }

    /// Prints values. JSON that needs no escaping for a terminal is streamed, whatever its length.
    pub fn print(&mut self, values: &[Value]) -> Result<(), EmitError> {
        self.admit(values)?;
        if self.is_terminal() || !matches!(self.format, Format::Json | Format::JsonLines) {
            self.text(values, TextBudget::of_text())?;
            return self.write();
        }
        let mut buffer = lock(&self.out);
        let written = self.write_json(values, &mut buffer.writer);
        self.hurry(&mut buffer);
        written.map_err(|error| work::check().map_or_else(EmitError::Limit, |()| emit_error(error)))
    }

    /// Refuses values that the format cannot write.
    fn admit(&self, values: &[Value]) -> Result<(), EmitError> {
        let is_json = matches!(self.format, Format::Json | Format::JsonLines);
        let mut found = values.iter().filter(|_| is_json).map(Unwritable::find_in);
        found.try_for_each(|found| found?.map_or(Ok(()), |found| Err(EmitError::Unwritable(found))))
    }

    /// Writes buffered output.
    pub fn flush(&mut self) -> Result<(), EmitError> {
        lock(&self.out).writer.flush().map_err(emit_error)
    }
}

impl Output for Printer {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.has_emitted = true;
        self.admit(values)?;
        let (left, hit) = meter.output_left();
        self.text(values, TextBudget::of_text().at_most(left, hit))?;
        meter.print(self.line.len() as u64)?;
        self.write()
    }

    fn warn(&mut self, text: &str) {
        // Show earlier output before the warning. What cannot be written or made durable is reported at the end.
        let _ = self.flush();
        let _ = lock(&self.out).writer.get_ref().pass();
        say(&format!("warning: {}\n", safe::name(text)));
    }

    fn warn_of_script(&mut self, finding: Diagnostic, sources: &Sources) {
        if self.warns_of_script {
            report_findings(&[finding], sources);
        }
    }

    fn wait_for(&mut self, barrier: &Arc<Barrier>) {
        lock(&self.out).writer.get_mut().barrier = Some(barrier.clone());
    }

    fn refuse_path(&mut self) {
        self.has_refused_path = true;
    }
}

/// A printer shared by a run and its caller: the caller flushes it at the end, and a session also prints to it.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<Printer>>);

impl Shared {
    /// Shares a printer. From now on buffered output is flushed in time, whatever the run does.
    pub fn new(mut printer: Printer) -> Shared {
        printer.hurries = true;
        Shared(Rc::new(RefCell::new(printer)))
    }

    /// Prints values in the printer's format.
    pub fn print(&self, values: &[Value]) -> Result<(), EmitError> {
        self.0.borrow_mut().print(values)
    }

    /// Prints a text unchanged, with a line feed.
    pub fn print_line(&self, text: &str) -> Result<(), EmitError> {
        self.0.borrow_mut().print_line(text)
    }

    /// Whether the run has emitted anything.
    pub fn has_emitted(&self) -> bool {
        self.0.borrow().has_emitted
    }

    /// Whether a path outside the sandbox was refused.
    pub fn has_refused_path(&self) -> bool {
        self.0.borrow().has_refused_path
    }

    /// Writes buffered output.
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

    fn warn_of_script(&mut self, finding: Diagnostic, sources: &Sources) {
        self.0.borrow_mut().warn_of_script(finding, sources);
    }

    fn wait_for(&mut self, barrier: &Arc<Barrier>) {
        self.0.borrow_mut().wait_for(barrier);
    }

    fn refuse_path(&mut self) {
        self.0.borrow_mut().refuse_path();
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        let _ = self.flush();
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
