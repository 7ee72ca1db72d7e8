//! What others left below `.ns`, for front ends: shown, taken over, removed.

use crate::limits::{Limits, Meter};
use crate::sandbox::Journal;
use crate::text::ToolCode;
use crate::toolkit::{SessionMemory, ToolError};

pub use crate::sandbox::{ForeignDeed, ForeignRun, ForeignState, Ownership};

use super::{Engine, internal_fault, on_large_stack};

impl Engine {
    /// Looks for what is foreign below `.ns`: what the user's key did not seal for this sandbox. Then does with
    /// it what is asked.
    ///
    /// # Errors
    /// `policy_denied` where nothing may be changed and something is to be.
    pub fn foreign(&self, deed: ForeignDeed) -> Result<ForeignState, ToolError> {
        let session = SessionMemory::new(if deed == ForeignDeed::Remove { "ns gc --foreign" } else { "ns adopt" });
        // The limits are for scripts.
        let mut meter = Meter::new(&Limits { timeout: None, ..Limits::default() }, self.interrupt.clone());
        let done = on_large_stack(|| self.gate.foreign(deed, (&mut meter, &session)))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)));
        if deed != ForeignDeed::Show {
            self.settle();
        }
        done
    }

    /// Whose `.ns` is; `None` when there is none.
    pub fn ownership(&self) -> Result<Option<Ownership>, ToolError> {
        Ok(Journal::ownership(&self.gate.root)?)
    }

    /// Why nothing that this process seals can be told from a stranger's later; `None` where the user's key is
    /// kept.
    pub fn key_lost_because(&self) -> Option<&str> {
        self.gate.root.user().key.lost_because()
    }
}
