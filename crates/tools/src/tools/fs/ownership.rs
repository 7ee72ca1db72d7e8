//! Effects of replacing a file besides its new content: another owner or group, because only root can give a file to
//! another user, and other names, which stay those of the old file.

use crate::gate::Context;
use crate::sandbox::{Metadata, SandboxPath, Written};

/// A file that was replaced.
pub struct ReplacedFile<'a> {
    path: &'a SandboxPath,
    before: Option<Metadata>,
    now: Metadata,
}

impl<'a> ReplacedFile<'a> {
    /// Returns the file that was at a path, if there was one, beside the one that was written there.
    pub fn of(path: &'a SandboxPath, written: &Written) -> ReplacedFile<'a> {
        ReplacedFile { path, before: written.old, now: written.now }
    }

    /// Returns the number of other names (hard links) that the file had, or `None` if there were none.
    pub fn other_names(&self) -> Option<u64> {
        self.before.and_then(|before| before.links.checked_sub(1)).filter(|others| *others > 0)
    }

    /// Adds a warning if the file had other names, and one if the file that has its name now belongs to another user or
    /// group.
    pub fn note_differences(&self, context: &mut Context<'_>) {
        self.note_other_names(context);
        self.note_new_owner(context);
    }

    fn note_other_names(&self, context: &mut Context<'_>) {
        let Some(others) = self.other_names() else { return };
        let names = match others {
            1 => "1 other name (a hard link), which keeps".to_owned(),
            others => format!("{others} other names (hard links), which keep"),
        };
        context.note(format!("`{}` had {names} the old content", self.path.display()));
    }

    fn note_new_owner(&self, context: &mut Context<'_>) {
        let Some(before) = &self.before else { return };
        let (old, new) = (before.owner, self.now.owner);
        let change = if old.user != new.user {
            format!("belonged to user {} and belongs to user {} now", old.user, new.user)
        } else if old.group != new.group {
            format!("belonged to group {} and belongs to group {} now", old.group, new.group)
        } else {
            return;
        };
        context.note(format!("`{}` {change}, because it was replaced by a new file", self.path.display()));
    }
}
