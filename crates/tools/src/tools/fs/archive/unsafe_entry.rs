//! Entries that are not made, because of their name or of what they are, and the error about all of them.

use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::Entry;
use super::fault::{display, refused};

/// Number of further entries that the error names.
const NAMED: usize = 3;

/// The treatment of entries that are not safe to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnUnsafe {
    /// The whole archive is refused for them.
    Refuse,
    /// They are left out.
    Skip,
}

impl OnUnsafe {
    /// Returns the treatment for a `skip_unsafe` flag.
    pub fn of(skips: bool) -> OnUnsafe {
        if skips { OnUnsafe::Skip } else { OnUnsafe::Refuse }
    }
}

/// An entry that is not made.
#[derive(Debug)]
pub struct UnsafeEntry {
    /// The entry, as declared.
    pub entry: Entry,
    /// Why.
    pub refusal: Refusal,
}

/// Why an entry is not made.
#[derive(Debug)]
pub struct Refusal {
    /// The error code for the whole archive.
    pub code: ToolCode,
    /// The reason, a sentence about the entry.
    pub reason: String,
}

impl Refusal {
    /// The entry would leave the destination, or has a name that nothing in the sandbox has.
    pub fn leaves(reason: impl AsRef<str>) -> Refusal {
        Refusal { code: ToolCode::SandboxViolation, reason: display(reason.as_ref()) }
    }

    /// The entry contradicts others, or nothing is made of its kind.
    pub fn invalid(reason: impl AsRef<str>) -> Refusal {
        Refusal { code: ToolCode::InvalidArchive, reason: display(reason.as_ref()) }
    }
}

/// Returns the error for an archive with unsafe entries, or `None` if there are none.
pub fn error(entries: &[UnsafeEntry]) -> Option<ToolError> {
    let (UnsafeEntry { refusal, .. }, rest) = entries.split_first()?;
    let mut reason = refusal.reason.clone();
    if !rest.is_empty() {
        let named: Vec<String> =
            rest.iter().take(NAMED).map(|next| format!("`{}`", display(&next.entry.name))).collect();
        let more = if rest.len() > NAMED { ", …" } else { "" };
        let entries = if rest.len() == 1 { "entry" } else { "entries" };
        reason += &format!("; and for {} more {entries}: {}{more}", rest.len(), named.join(", "));
    }
    Some(
        refused(refusal.code, &reason)
            .hint("`FS.ListArchive` shows what is `unsafe`, and `FS.Extract` with `skip_unsafe: true` leaves it out"),
    )
}
