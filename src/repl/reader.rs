//! Reads lines until they form a complete entry.
//!
//! With a line editor (rustyline) where possible; line by line on a dumb terminal, or if the output is redirected.
//! Invalid UTF-8 is reported, and text typed before it is not lost.

use std::cell::RefCell;
use std::io::{ErrorKind, IsTerminal, Write, stdout};
use std::rc::Rc;

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Cmd, CompletionType, Config, Editor, Event, EventHandler, KeyCode, KeyEvent, Modifiers};

use crate::completion::{At, CursorContext};
use crate::engine::{Session, on_large_stack};
use crate::terminal::interrupts::{forget_interrupt, is_second_interrupt};
use crate::terminal::keyboard::forget_typed;
use crate::terminal::report::say;
use crate::text::{ToolCode, safe};

use super::commands;
use super::helper::Typing;
use super::keys::{BulkInsert, Keys, Up};
use super::line_history::LineHistory;

/// Size of a block in bytes from which it is checked for completeness only after a line that looks like its end.
const LARGE: usize = 64 << 10;

/// The result of reading an entry.
pub enum Entry {
    /// One line, or several lines that belong together.
    Text(String),
    /// The entry was cleared.
    Cleared,
    /// The end of the input.
    End,
    /// A second Ctrl-C.
    Interrupted,
}

/// Reads entries from the terminal.
pub struct Reader<'e> {
    session: Rc<RefCell<Session<'e>>>,
    editor: Option<Editor<Typing<'e>, MemHistory>>,
    keys: Keys,
    typed: LineHistory,
}

/// The text on a line before anything is typed, on both sides of the cursor.
#[derive(Clone, Default)]
struct InitialText {
    before: String,
    behind: String,
}

/// The result of reading one line.
enum Line {
    Text(String),
    /// The block above should be edited together with this line.
    Block(String),
    Interrupted,
    /// Ctrl-C that a signal handler has already counted.
    Cleared,
    End,
}

impl<'e> Reader<'e> {
    /// Creates a reader of the terminal.
    pub fn new(session: Rc<RefCell<Session<'e>>>, mut typed: LineHistory) -> rustyline::Result<Reader<'e>> {
        let keys = Keys::default();
        let is_dumb =
            std::env::var_os("TERM").is_some_and(|term| ["dumb", "cons25", "emacs"].iter().any(|dumb| term == *dumb));
        let editor = if is_dumb || !stdout().is_terminal() {
            None
        } else {
            Some(editor(&session, &keys, std::mem::take(&mut typed.entries))?)
        };
        Ok(Reader { session, editor, keys, typed })
    }

    /// Reads the next entry.
    pub fn entry(&mut self) -> rustyline::Result<Entry> {
        let mut text = String::new();
        let mut initial = InitialText::default();
        loop {
            let mut is_new = false;
            match self.line(&text, &initial)? {
                Line::Text(line) if is_lost_command(&text, &line) => {
                    say("a block is still open above: close it first, or clear it with Ctrl-C\n");
                }
                Line::Text(line) => {
                    forget_interrupt();
                    text.push_str(&line);
                    is_new = true;
                }
                Line::Block(line) => {
                    initial = InitialText {
                        before: text.trim_end_matches('\n').to_owned(),
                        behind: if line.is_empty() { line } else { format!("\n{line}") },
                    };
                    let (columns, prompt) = (self.columns(), self.prompt(&text).len());
                    erase(&text, &initial.behind, columns, prompt);
                    text.clear();
                    continue;
                }
                Line::End => return Ok(Entry::End),
                // With something typed, Ctrl-C only clears it, however soon it follows another.
                Line::Interrupted if is_second_interrupt() && text.is_empty() && self.is_line_empty() => {
                    return Ok(Entry::Interrupted);
                }
                Line::Interrupted | Line::Cleared => return Ok(Entry::Cleared),
            }
            initial = InitialText::default();
            if !is_new {
                continue;
            }
            if !self.is_unfinished(&text) {
                break;
            }
            text.push('\n');
        }
        self.keep(&text);
        Ok(if text.trim().is_empty() { Entry::Cleared } else { Entry::Text(text) })
    }

    /// Whether a text needs more lines after the one that was just read.
    fn is_unfinished(&self, text: &str) -> bool {
        let session = self.session.borrow();
        match text.rsplit_once('\n') {
            _ if commands::of(text).is_some() => false,
            None => session.is_unfinished(text),
            Some((_, last)) => (text.len() > LARGE && !may_close(last)) || session.is_open(text),
        }
    }

    /// Saves an entry for later sessions, unless it begins with a blank.
    fn keep(&mut self, text: &str) {
        if text.trim().is_empty() || text.starts_with([' ', '\t']) {
            return;
        }
        let is_new = match &mut self.editor {
            Some(editor) => editor.add_history_entry(text).unwrap_or(false),
            None => true,
        };
        if is_new {
            self.typed.add(text);
        }
    }

    /// Returns the prompt of a line below these lines. The prompts of one mode have equal width.
    fn prompt(&self, block: &str) -> &'static str {
        match (block.is_empty(), self.session.borrow().is_planning()) {
            (true, false) => "ns> ",
            (false, false) => "... ",
            (true, true) => "plan> ",
            (false, true) => "  ... ",
        }
    }

    fn columns(&mut self) -> usize {
        let dimensions = self.editor.as_mut().and_then(Editor::dimensions);
        dimensions.map_or(80, |(columns, _)| usize::from(columns)).max(1)
    }

    /// Reads the next line. `block` holds the lines above it to which it belongs.
    fn line(&mut self, block: &str, initial: &InitialText) -> rustyline::Result<Line> {
        let prompt = self.prompt(block);
        let columns = self.columns();
        let Some(editor) = &mut self.editor else { return self.plain_line(prompt) };
        if let Some(typing) = editor.helper() {
            block.clone_into(&mut typing.block.borrow_mut());
            typing.columns.set(columns);
            typing.prompt.set(prompt.len());
        }
        let mut initial = initial.clone();
        loop {
            self.keys.begin(!block.is_empty());
            let read = on_large_stack(|| editor.readline_with_initial(prompt, (&initial.before, &initial.behind)));
            let read = match read {
                Ok(read) => read,
                Err(fault) => {
                    say(&format!("\na fault of the line editor: {}\n", safe::name(&fault)));
                    // A fault that repeats at the same line would loop forever, so clear the line then.
                    let seen = editor.helper().map(|typing| typing.seen.borrow().clone()).unwrap_or_default();
                    initial.before = if initial.before == seen { String::new() } else { seen };
                    initial.behind.clear();
                    continue;
                }
            };
            match read {
                Ok(line) => {
                    let line = self.keys.whole(line);
                    return Ok(if self.keys.asks_for_block() { Line::Block(line) } else { Line::Text(line) });
                }
                Err(ReadlineError::Interrupted) => return Ok(Line::Interrupted),
                Err(ReadlineError::Eof) => return Ok(Line::End),
                Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                    let is_paste = self.keys.is_pasting();
                    forget_typed(is_paste);
                    say(if is_paste {
                        "the pasted text is not valid UTF-8 and was ignored\n"
                    } else {
                        "the last input is not valid UTF-8 and was ignored, as was the input after it\n"
                    });
                    initial.before = editor.helper().map(|typing| typing.seen.borrow().clone()).unwrap_or_default();
                    initial.behind.clear();
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether nothing is typed on the line.
    fn is_line_empty(&self) -> bool {
        let typing = self.editor.as_ref().and_then(|editor| editor.helper());
        typing.is_none_or(|typing| typing.seen.borrow().is_empty())
    }

    /// Reads the next line without an editor.
    fn plain_line(&self, prompt: &str) -> rustyline::Result<Line> {
        match self.session.borrow().read_line(prompt) {
            Ok(None) => Ok(Line::End),
            Ok(Some(line)) => {
                if line.contains('\u{fffd}') {
                    say("invalid UTF-8 was replaced by U+FFFD\n");
                }
                Ok(Line::Text(line))
            }
            Err(error) if error.code == ToolCode::Cancelled => {
                say("\n");
                Ok(Line::Cleared)
            }
            Err(error) => Err(ReadlineError::Io(std::io::Error::other(error.message))),
        }
    }
}

fn editor<'e>(
    session: &Rc<RefCell<Session<'e>>>,
    keys: &Keys,
    entries: Vec<String>,
) -> rustyline::Result<Editor<Typing<'e>, MemHistory>> {
    let config = Config::builder()
        .max_history_size(10_000)?
        .history_ignore_space(true)
        .history_ignore_dups(true)?
        .completion_type(CompletionType::List)
        .build();
    let mut editor = Editor::with_history(config.clone(), MemHistory::with_config(&config))?;
    editor.set_helper(Some(Typing::new(session.clone())));
    let up = EventHandler::Conditional(Box::new(Up(keys.clone())));
    editor.bind_sequence(KeyEvent(KeyCode::Up, Modifiers::NONE), up);
    editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
    editor.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(BulkInsert(keys.clone()))));
    for entry in entries {
        editor.add_history_entry(entry)?;
    }
    Ok(editor)
}

/// Whether a line is a command that was typed into an open block outside of a text literal.
fn is_lost_command(block: &str, line: &str) -> bool {
    let is_command = !block.is_empty() && commands::name_in(line).is_some();
    is_command && !matches!(CursorContext::of(block).at, At::Text(..))
}

/// Whether a line may be the last of a block.
fn may_close(line: &str) -> bool {
    let line = line.trim_start();
    let closes = ["END", "end", ")", "]", "}", "'''", "```"].iter().any(|closer| line.starts_with(closer));
    line.is_empty() || closes
}

/// Erases the lines of a block from the terminal, so that they can be drawn again.
fn erase(block: &str, last: &str, columns: usize, prompt: usize) {
    let lines = block.lines().chain([last.trim_start_matches('\n')]);
    let rows: usize = lines.map(|line| 1 + (prompt + line.chars().count()) / columns).sum();
    let mut out = stdout().lock();
    // On failure the lines merely appear twice.
    let _ = write!(out, "\x1b[{rows}A\r\x1b[J").and_then(|()| out.flush());
}
