//! What a tool may use: the sandbox, the run's account, its settings. Nothing of the evaluator.

use crate::limits::{LimitHit, Meter};
use crate::sandbox::{Change, Journal, SandboxError};

use super::error::ToolError;
use super::settings::Settings;

/// The world as one call of a tool sees it.
pub struct Context<'a> {
    /// What the run has spent and may spend.
    pub meter: &'a mut Meter,
    /// What the policy file says for single tools.
    pub settings: &'a Settings,
    /// The most bytes that the answer may take as JSON.
    pub answer_bytes: Option<u64>,
    pub(super) journal: Journal,
}

impl Context<'_> {
    /// Opens a change of so many files and folders; nothing can be changed without one.
    pub fn begin_change(&mut self, files: u64) -> Result<Change, ToolError> {
        self.journal.begin(files, self.meter).map_err(|error: SandboxError| error.into())
    }

    /// Charges steps for what the tool produces.
    pub fn spend(&mut self, produced: usize) -> Result<(), LimitHit> {
        self.meter.step(produced as u64)
    }
}
