//! On whose behalf something is done.

use crate::limits::Meter;
use crate::memory::Session as SessionMemory;

/// The session that asks for something, and the meter that accounts for it.
#[derive(Debug)]
pub struct Caller<'a> {
    /// The meter of the run, line or call.
    pub meter: &'a mut Meter,
    /// The session.
    pub session: &'a SessionMemory,
}
