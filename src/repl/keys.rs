//! Keys that do something of their own: Up in a block, and the end of a paste that is not marked as one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustyline::{Cmd, ConditionalEventHandler, Event, EventContext, KeyCode, KeyEvent, Modifiers, RepeatCount};

use crate::cli::is_input_waiting;

/// Bytes of a line from which on what comes in at once is not drawn key by key: each costs as much as the line.
const LONG: usize = 4 << 10;

/// What the keys of a reader have done.
#[derive(Clone, Default)]
pub struct Keys(Arc<State>);

#[derive(Default)]
struct State {
    /// Whether lines of a block were read before this one.
    in_block: AtomicBool,
    /// Whether Up asked for the lines above.
    up: AtomicBool,
    /// Whether the last key began a paste.
    paste: AtomicBool,
    /// What was typed and is not in the line yet, and where it belongs.
    waiting: Mutex<(usize, String)>,
}

impl Keys {
    /// Before a line is read.
    pub fn begin(&self, in_block: bool) {
        self.0.in_block.store(in_block, Ordering::Relaxed);
        self.0.up.store(false, Ordering::Relaxed);
        self.0.paste.store(false, Ordering::Relaxed);
        *self.waiting() = Default::default();
    }

    /// The line as it was typed, once it is read.
    pub fn whole(&self, mut line: String) -> String {
        let (at, waiting) = std::mem::take(&mut *self.waiting());
        if !waiting.is_empty() && line.is_char_boundary(at) {
            line.insert_str(at, &waiting);
        }
        line
    }

    /// Whether the line ended because Up asked for the lines above.
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

/// Up in a block brings its lines back, so that all of them can be edited.
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

/// Keys that come faster than they can be drawn are put into a long line together.
pub struct Flood(pub Keys);

impl ConditionalEventHandler for Flood {
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
