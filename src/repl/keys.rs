//! Special key handling: Up in a block, and input that arrives faster than it can be drawn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustyline::{Cmd, ConditionalEventHandler, Event, EventContext, KeyCode, KeyEvent, Modifiers, RepeatCount};

use crate::terminal::keyboard::is_input_waiting;

/// Length in bytes from which input that arrives at once is inserted together: redrawing after each key costs time
/// proportional to the line.
const LONG: usize = 4 << 10;

/// Shared state of the key handlers of a reader.
#[derive(Clone, Default)]
pub struct Keys(Arc<State>);

#[derive(Default)]
struct State {
    /// Whether this line continues a block.
    in_block: AtomicBool,
    /// Whether Up recalled the lines above.
    up: AtomicBool,
    /// Whether the last key began a paste.
    paste: AtomicBool,
    /// Typed text that is not in the line yet, preceded by its offset in the line.
    waiting: Mutex<(usize, String)>,
}

impl Keys {
    /// Resets the state before a line is read.
    pub fn begin(&self, in_block: bool) {
        self.0.in_block.store(in_block, Ordering::Relaxed);
        self.0.up.store(false, Ordering::Relaxed);
        self.0.paste.store(false, Ordering::Relaxed);
        *self.waiting() = Default::default();
    }

    /// Returns the line including text that was still waiting.
    pub fn whole(&self, mut line: String) -> String {
        let (at, waiting) = std::mem::take(&mut *self.waiting());
        if !waiting.is_empty() && line.is_char_boundary(at) {
            line.insert_str(at, &waiting);
        }
        line
    }

    /// Whether the line ended because Up recalled the lines above.
    pub fn asks_for_block(&self) -> bool {
        self.0.up.load(Ordering::Relaxed)
    }

    /// Whether a paste is being read.
    pub fn is_pasting(&self) -> bool {
        self.0.paste.load(Ordering::Relaxed)
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, (usize, String)> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handles Up in a block: recalls its lines, so that all of them can be edited.
pub struct Up(pub Keys);

impl ConditionalEventHandler for Up {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let state = &self.0.0;
        if !state.in_block.load(Ordering::Relaxed) || context.line().contains('\n') {
            return None;
        }
        state.up.store(true, Ordering::Relaxed);
        Some(Cmd::AcceptLine)
    }
}

/// Inserts keys that arrive faster than they can be drawn into a long line together.
pub struct BulkInsert(pub Keys);

impl ConditionalEventHandler for BulkInsert {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        let Event::KeySeq(keys) = event else { return None };
        let [KeyEvent(key, modifiers)] = keys[..] else { return None };
        self.0.0.paste.store(key == KeyCode::BracketedPasteStart, Ordering::Relaxed);
        let mut waiting = self.0.waiting();
        if waiting.1.is_empty() && context.line().len() < LONG {
            return None;
        }
        let typed = match (key, modifiers) {
            (KeyCode::Char(c), Modifiers::NONE) => c,
            (KeyCode::Tab, Modifiers::NONE) => '\t',
            (KeyCode::Enter, Modifiers::NONE) | (KeyCode::Char('J' | 'M'), Modifiers::CTRL) => {
                return (!waiting.1.is_empty()).then_some(Cmd::AcceptLine);
            }
            (KeyCode::Char('C'), Modifiers::CTRL) => return None,
            _ if waiting.1.is_empty() => return None,
            _ => return Some(Cmd::Insert(1, std::mem::take(&mut waiting.1))),
        };
        if waiting.1.is_empty() {
            if !is_input_waiting() {
                return None;
            }
            waiting.0 = context.pos();
        }
        waiting.1.push(typed);
        let more = is_input_waiting();
        Some(if more { Cmd::Noop } else { Cmd::Insert(1, std::mem::take(&mut waiting.1)) })
    }
}
