//! The right to change NeuroScript's own files, outside the journal.

/// Permission to change NeuroScript's own files: the audit log, project memory, the journal itself.
#[derive(Debug)]
pub struct InternalChange(());

impl InternalChange {
    /// Gives the permission. Only the journal may call this, which knows whether anything may be changed.
    pub(in crate::sandbox) fn allowed() -> InternalChange {
        InternalChange(())
    }
}
