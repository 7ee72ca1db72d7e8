//! Effects of replacing a file besides its new content: another owner or group, because only root can give a file to
//! another user, and other names, which stay those of the old file.

use crate::gate::Context;
use crate::sandbox::{Kind, Metadata, SandboxPath};

/// The file that is about to be replaced.
pub struct Replaceable<'a> {
    path: &'a SandboxPath,
    before: Option<Metadata>,
}

impl<'a> Replaceable<'a> {
    /// Looks at the file, if there is one.
    pub fn at(path: &'a SandboxPath) -> Replaceable<'a> {
        Replaceable { path, before: file_at(path) }
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
        let (Some(before), Some(now)) = (&self.before, file_at(self.path)) else { return };
        let (old, new) = (before.owner, now.owner);
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

fn file_at(path: &SandboxPath) -> Option<Metadata> {
    path.metadata().ok().filter(|metadata| metadata.kind == Kind::File)
}
