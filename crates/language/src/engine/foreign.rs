//! Foreign state below `.ns`, for front ends: showing, adopting and removing it.

use crate::gate::{Caller, SessionMemory};
use crate::limits::{Limits, Meter};
use crate::sandbox::Journal;
use crate::text::ToolCode;
use crate::toolkit::ToolError;

pub use crate::sandbox::{ForeignAction, ForeignRun, ForeignState, NO_KEY_YET, Ownership};

use super::{Engine, internal_fault, on_large_stack};

impl Engine {
    /// Looks for foreign state below `.ns`, which the user's key did not seal for this sandbox. Then shows, adopts or
    /// removes it.
    ///
    /// # Errors
    /// `policy_denied` for adopting or removing in a read-only engine.
    pub fn foreign(&self, action: ForeignAction) -> Result<ForeignState, ToolError> {
        let session = SessionMemory::new(if action == ForeignAction::Remove { "ns gc --foreign" } else { "ns adopt" });
        // The engine's limits apply to scripts only.
        let mut meter = Meter::new(&Limits { timeout: None, ..Limits::default() }, self.interrupt.clone());
        let done = on_large_stack(|| self.gate.foreign(action, Caller { meter: &mut meter, session: &session }))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        if action != ForeignAction::Show {
            self.settle();
        }
        done
    }

    /// Returns whose state `.ns` is; `None` if there is none.
    pub fn ownership(&self) -> Result<Option<Ownership>, ToolError> {
        Ok(Journal::ownership(self.gate.root())?)
    }

    /// Returns why the user's key is not stored, so that seals of this process cannot be recognized later; `None` if
    /// it is stored.
    pub fn key_lost_because(&self) -> Option<&str> {
        self.gate.root().user().key.lost_because()
    }
}
