//! The helper of the line editor: completion, highlighting, hints and validation.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use crate::engine::Session;
use crate::terminal::paint::takes_colors;

use super::commands::name_in;
use super::complete::complete;
use super::highlight::colored;
use super::hint::hint;

/// Length in bytes from which a line is neither highlighted nor hinted at each key.
const LONG: usize = 16 << 10;

/// The line editor's helper for one session.
pub struct Typing<'e> {
    session: Rc<RefCell<Session<'e>>>,
    /// The lines of the block above the current line, each with its line feed.
    pub block: RefCell<String>,
    /// The line as last seen, to restore it after the terminal has sent invalid UTF-8.
    pub seen: RefCell<String>,
    /// Width of the terminal in columns.
    pub columns: Cell<usize>,
    /// Width of the prompt in columns.
    pub prompt: Cell<usize>,
    /// Whether colours can distinguish hints from typed text.
    has_colors: bool,
}

impl<'e> Typing<'e> {
    /// Creates the helper of a session.
    pub fn new(session: Rc<RefCell<Session<'e>>>) -> Typing<'e> {
        Typing {
            session,
            block: RefCell::default(),
            seen: RefCell::default(),
            columns: Cell::new(80),
            prompt: Cell::new(0),
            has_colors: takes_colors(),
        }
    }
}

impl Helper for Typing<'_> {}

impl Validator for Typing<'_> {
    /// Enter ends a line. A multi-line text that was recalled or pasted ends when nothing in it is open.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let is_open = text.contains('\n') && self.block.borrow().is_empty() && self.session.borrow().is_open(text);
        Ok(if is_open { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Highlighter for Typing<'_> {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        colored(&self.block.borrow(), line)
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        format!("\x1b[90m{hint}\x1b[0m").into()
    }

    fn highlight_char(&self, line: &str, _: usize, kind: CmdKind) -> bool {
        kind == CmdKind::Other && line.len() < LONG
    }
}

impl Hinter for Typing<'_> {
    type Hint = Shown;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<Shown> {
        line.clone_into(&mut self.seen.borrow_mut());
        let block = self.block.borrow();
        if !self.has_colors
            || at < line.len()
            || line.len() + block.len() > LONG
            || (block.is_empty() && name_in(line).is_some())
        {
            return None;
        }
        let newest = line.rsplit_once('\n').map_or(line, |(_, newest)| newest);
        let room = self.columns.get().saturating_sub(self.prompt.get() + newest.chars().count() + 1);
        hint(&self.session.borrow(), &format!("{block}{line}"), room).map(Shown)
    }
}

impl Completer for Typing<'_> {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok(complete(&self.session.borrow(), &self.block.borrow(), line, at))
    }
}

/// A hint that is displayed but cannot be accepted into the line.
pub struct Shown(String);

impl Hint for Shown {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}
