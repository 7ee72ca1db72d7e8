//! The console of a run: reading a line, printing a value, showing progress. The front end implements it; without
//! one, nothing is read and nothing is shown.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use crate::limits::{Limit, LimitHit, Meter, space};
use crate::sandbox::Barrier;
use crate::text::ToolCode;
use crate::text::colors::ColorKey;
use crate::toolkit::ToolError;
use crate::value::{Value, print};

/// A console, implemented by a front end.
pub trait Console {
    /// Reads the next line, without its end. The prompt is shown if the console is interactive. Returns `None` at the
    /// end of the input. Errors: [`InputFault::TooLong`] for a line of more than `most` bytes.
    fn read_line(&self, prompt: &str, most: usize, meter: &Meter) -> Result<Option<String>, InputFault>;

    /// Replaces the status line; `None` clears it.
    fn show(&self, line: Option<&str>);

    /// Returns the key for sequences in texts, if output is shown with colours.
    fn color_key(&self) -> Option<&'static ColorKey> {
        None
    }
}

/// A reason why no line could be read.
#[derive(Debug)]
pub enum InputFault {
    /// The run reached a limit.
    Limit(LimitHit),
    /// The line is too long.
    TooLong,
    /// A system error.
    Io(io::Error),
}

/// The console of a gate, and the values that are to be printed.
pub struct ConsoleHandle {
    /// The barrier that a prompt waits for.
    barrier: Arc<Barrier>,
    console: RefCell<Option<Rc<dyn Console>>>,
    printed: RefCell<Vec<Value>>,
}

impl fmt::Debug for ConsoleHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleHandle").field("printed", &self.printed).finish_non_exhaustive()
    }
}

impl ConsoleHandle {
    /// Returns a handle without a console.
    pub fn new(barrier: Arc<Barrier>) -> ConsoleHandle {
        ConsoleHandle { barrier, console: RefCell::default(), printed: RefCell::default() }
    }

    /// Sets the console.
    pub fn set(&self, console: Rc<dyn Console>) {
        *self.console.borrow_mut() = Some(console);
    }

    /// Reads the next line of the input. Returns `None` at the end, or without a console.
    pub fn read_line(&self, prompt: &str, meter: &Meter) -> Result<Option<String>, ToolError> {
        let console = self.console.borrow().clone();
        let Some(console) = console else { return Ok(None) };
        self.barrier.pass()?;
        let (left, _) = space::memory_left();
        let most = space::string_bound().min(usize::try_from(left / 3).unwrap_or(usize::MAX));
        console.read_line(&self.plain(prompt), most, meter).map_err(|fault| match fault {
            InputFault::Limit(hit) => hit.into(),
            InputFault::TooLong => LimitHit { limit: Limit::String, allowed: most as u64 }.into(),
            InputFault::Io(error) => ToolError::new(ToolCode::IoError, format!("the input cannot be read: {error}")),
        })
    }

    /// Queues a value that is printed after the call.
    pub fn print(&self, value: Value) {
        self.printed.borrow_mut().push(value);
    }

    /// Whether values are queued.
    pub fn has_printed(&self) -> bool {
        !self.printed.borrow().is_empty()
    }

    /// Takes the queued values, as texts.
    pub fn take_printed_texts(&self) -> Vec<String> {
        let text = |value: &Value| print::to_text(value).map_or_else(|error| error.to_string(), String::from);
        self.take_printed().iter().map(text).collect()
    }

    /// Takes the queued values.
    pub fn take_printed(&self) -> Vec<Value> {
        std::mem::take(&mut *self.printed.borrow_mut())
    }

    /// Returns the key for sequences in texts, if output is shown with colours.
    pub fn color_key(&self) -> Option<&'static ColorKey> {
        self.console.borrow().as_ref()?.color_key()
    }

    /// Removes the sequences of colours from a text that is shown without them.
    pub fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.color_key().map_or(text.into(), |key| key.plain(text))
    }

    /// Replaces the status line; `None` clears it.
    pub fn show(&self, line: Option<&str>) {
        if let Some(console) = &*self.console.borrow() {
            console.show(line);
        }
    }
}
