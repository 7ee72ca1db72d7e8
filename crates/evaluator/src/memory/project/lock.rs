//! When work on project memory ends early: waiting for the lock of another process, and statements that run for long.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::limits::Watch;

/// Seconds to wait for a lock.
pub const PATIENCE_S: u64 = 60;

/// Number of SQLite's instructions between two looks at the deadline.
const INSTRUCTIONS: i32 = 1000;

/// Waits for locks until `PATIENCE_S` or the deadline of the run is over, or the run is interrupted. The latter two also
/// end a statement.
pub fn wait_with(connection: &mut Connection, watch: &Watch) -> Result<(), rusqlite::Error> {
    let ending = watch.clone();
    connection.progress_handler(INSTRUCTIONS, Some(move || ending.poll().is_err()))?;
    let watch = watch.clone();
    let mut since = None;
    let handler = move |tries: i32| {
        let since: &mut Instant = match tries {
            0 => since.insert(Instant::now()),
            _ => since.get_or_insert_with(Instant::now),
        };
        // The wait grows with each attempt and differs between processes, so that they do not retry in lockstep.
        let base = 1 << tries.clamp(0, 4);
        std::thread::sleep(Duration::from_micros(500 * base + u64::from(std::process::id() % 1000)));
        watch.poll().is_ok() && since.elapsed() < Duration::from_secs(PATIENCE_S)
    };
    connection.busy_handler(Some(handler))
}
