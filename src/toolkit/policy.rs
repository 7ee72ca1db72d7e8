//! What the user allows. So far: everything below the root, and no change in a read-only run.
//!
//! The File System Tool's policy grows here; the gate asks it for every call and every path.

use crate::sandbox::{Journal, SandboxPath};
use crate::text::ToolCode;

use super::error::ToolError;
use super::spec::{Effect, Spec};

/// The rules in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// Nothing may be changed.
    pub read_only: bool,
}

impl Policy {
    /// Whether a tool may be called at all.
    pub fn admit(&self, spec: &Spec) -> Result<(), ToolError> {
        if self.read_only && spec.effect.is_side_effecting() {
            let message = format!("`{}` changes files, and the run is read-only", spec.name);
            return Err(ToolError::new(ToolCode::PolicyDenied, message).hint("run without `--read-only`"));
        }
        Ok(())
    }

    /// Whether a tool may touch a place.
    pub fn admit_path(&self, _effect: Effect, _path: &SandboxPath) -> Result<(), ToolError> {
        Ok(())
    }

    /// The journal that fits.
    pub fn journal(&self) -> Journal {
        if self.read_only { Journal::read_only() } else { Journal::writable() }
    }
}
