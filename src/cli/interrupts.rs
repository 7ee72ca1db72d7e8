//! Ctrl-C.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::engine::Interrupt;

use super::exit::Exit;

/// Milliseconds within which a second Ctrl-C means that the process shall end.
const AGAIN_MS: u64 = 1_000;

/// Ctrl-C asks the run to stop; a second one within a second ends the process.
pub fn catch_interrupts(interrupt: &Interrupt) {
    let interrupt = interrupt.clone();
    // A handler can only be missing where the system has no signals; then Ctrl-C ends the process.
    let _ = ctrlc::set_handler(move || {
        if is_second_interrupt() {
            std::process::exit(Exit::Interrupted.code());
        }
        interrupt.raise();
    });
}

/// Notes a Ctrl-C, and whether there was one within the second before.
pub fn is_second_interrupt() -> bool {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
    let before = LAST.swap(now, Ordering::Relaxed);
    now.saturating_sub(before) < AGAIN_MS
}
