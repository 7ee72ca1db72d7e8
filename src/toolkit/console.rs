//! What tools may do with the terminal, or with whatever stands in its place: read a line, print a value,
//! show how far a script has come. Who does it is the front end's matter; where there is nobody, nothing is
//! read and nothing is shown.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::rc::Rc;

use crate::limits::{Limit, LimitHit, Meter, space};
use crate::text::ToolCode;
use crate::value::{Value, print};

use super::error::ToolError;

/// Somebody who types and reads.
pub trait Console {
    /// The next line without its end, after a prompt that is shown where somebody reads it; none at the end
    /// of the input. A line of more than `most` bytes is refused.
    fn read_line(&self, prompt: &str, most: usize, meter: &Meter) -> Result<Option<String>, InputFault>;

    /// Shows a line in the place of the one that was shown before; none clears it.
    fn show(&self, line: Option<&str>);
}

/// Why no line could be read.
#[derive(Debug)]
pub enum InputFault {
    /// The run is over.
    Limit(LimitHit),
    /// The line is too long.
    TooLong,
    /// The system refuses.
    Io(io::Error),
}

/// The console of a gate, and what is to be printed.
#[derive(Default)]
pub struct Consoles {
    console: RefCell<Option<Rc<dyn Console>>>,
    printed: RefCell<Vec<Value>>,
}

impl fmt::Debug for Consoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consoles").field("printed", &self.printed).finish_non_exhaustive()
    }
}

impl Consoles {
    /// Says who types and reads.
    pub fn set(&self, console: Rc<dyn Console>) {
        *self.console.borrow_mut() = Some(console);
    }

    /// The next line of the input; none at its end, or where there is nobody.
    pub fn read_line(&self, prompt: &str, meter: &Meter) -> Result<Option<String>, ToolError> {
        let console = self.console.borrow().clone();
        let Some(console) = console else { return Ok(None) };
        let (left, _) = space::memory_left();
        let most = space::string_bound().min(usize::try_from(left / 3).unwrap_or(usize::MAX));
        console.read_line(prompt, most, meter).map_err(|fault| match fault {
            InputFault::Limit(hit) => hit.into(),
            InputFault::TooLong => LimitHit { limit: Limit::String, allowed: most as u64 }.into(),
            InputFault::Io(error) => ToolError::new(ToolCode::IoError, format!("the input cannot be read: {error}")),
        })
    }

    /// Notes a value that is printed when the call is over.
    pub fn print(&self, value: Value) {
        self.printed.borrow_mut().push(value);
    }

    /// Whether something is to be printed.
    pub fn has_printed(&self) -> bool {
        !self.printed.borrow().is_empty()
    }

    /// Takes what is to be printed, as texts.
    pub fn take_printed_texts(&self) -> Vec<String> {
        let text = |value: &Value| print::to_text(value).map_or_else(|error| error.to_string(), String::from);
        self.take_printed().iter().map(text).collect()
    }

    /// Takes what is to be printed.
    pub fn take_printed(&self) -> Vec<Value> {
        std::mem::take(&mut *self.printed.borrow_mut())
    }

    /// Shows a line in the place of the last one; none clears it.
    pub fn show(&self, line: Option<&str>) {
        if let Some(console) = &*self.console.borrow() {
            console.show(line);
        }
    }
}
