//! Handling of Ctrl-C.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::engine::Interrupt;

use super::exit::Exit;

/// Time in milliseconds within which a second Ctrl-C ends the process.
const AGAIN_MS: u64 = 1_000;

/// Makes Ctrl-C interrupt the run, and a second one within a second end the process.
pub fn catch_interrupts(interrupt: &Interrupt) {
    let interrupt = interrupt.clone();
    on_interrupt(move || interrupt.raise());
}

/// Calls a function at each Ctrl-C, and ends the process after a second one within a second.
pub fn on_interrupt(act: impl Fn() + Send + 'static) {
    // Fails only if the system has no signals; Ctrl-C then ends the process.
    let _ = ctrlc::set_handler(move || {
        let is_second = is_second_interrupt();
        act();
        if is_second {
            std::process::exit(Exit::Interrupted.code());
        }
    });
}

/// The time of the last Ctrl-C in milliseconds; 0 if there was none since the last line.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Forgets the last Ctrl-C, because a line was entered since.
pub fn forget_interrupt() {
    LAST.store(0, Ordering::Relaxed);
}

/// Records a Ctrl-C and returns whether there was another within the preceding second.
pub fn is_second_interrupt() -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
    let before = LAST.swap(now, Ordering::Relaxed);
    now.saturating_sub(before) < AGAIN_MS
}
