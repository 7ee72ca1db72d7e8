//! A warning if replacing a file changed its owner or its group: only root can give a file to another user.

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

    /// Adds a warning if the file that has its name now belongs to another user or group.
    pub fn note_new_owner(&self, context: &mut Context<'_>) {
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
