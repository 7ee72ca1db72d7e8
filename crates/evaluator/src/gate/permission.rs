//! Questions that a tool asks the policy in the course of a call: about what it finds below a path, and about names
//! that it chooses itself.

use crate::sandbox::{Kind as EntryKind, Metadata, PathRule, SandboxPath, StrayLink, Tree};
use crate::text::ToolCode;
use crate::toolkit::{Access, ToolError};

use super::context::Context;

impl Context<'_> {
    /// Whether listings omit the directory with this address.
    pub fn hides_directory(&self, address: &str) -> bool {
        self.admission.policy.has_directory_rules() && self.admission.policy.hides(address, true)
    }

    /// Whether the policy has rules about paths, in which case moving a directory requires looking at everything in
    /// it.
    pub fn has_path_rules(&self) -> bool {
        self.admission.policy.has_path_rules()
    }

    /// Checks that the policy allows an access to an address. Tools call it for every entry below a path, and for
    /// everything that they create under a name of their own.
    pub fn admit(&self, address: &str, is_directory: bool, access: Access) -> Result<(), ToolError> {
        self.admission.policy.admit_path(address, is_directory, access)
    }

    /// Checks that the policy allows the tool to read the content of a file with this metadata.
    pub fn admit_content(&self, shown: &str, metadata: &Metadata) -> Result<(), ToolError> {
        self.admission.policy.admit_content(shown, metadata)
    }

    /// Checks that the policy allows a file of this size.
    pub fn admit_size(&self, shown: &str, bytes: u64) -> Result<(), ToolError> {
        self.admission.policy.admit_size(shown, bytes)
    }

    /// Checks that the policy allows making a backup of a path that is to be replaced. A file with several hard links
    /// is copied, and so read. Returns the metadata of what is there.
    pub fn admit_keeping(&self, place: &SandboxPath) -> Result<Option<Metadata>, ToolError> {
        let Ok(metadata) = place.metadata() else { return Ok(None) };
        if metadata.links > 1 && metadata.kind == EntryKind::File {
            self.admit_content(place.display(), &metadata)?;
        }
        Ok(Some(metadata))
    }

    /// Checks that the policy allows moving an entry to another file system. A rename reads nothing, but a copy reads
    /// the content.
    pub fn admit_carrying(&mut self, place: &SandboxPath, metadata: &Metadata) -> Result<(), ToolError> {
        match metadata.kind {
            EntryKind::File => self.admit_content(place.display(), metadata),
            EntryKind::Folder => {
                let tree = self.tree(place)?;
                for entry in (0..tree.len()).filter(|&entry| !tree.is_folder[entry]) {
                    self.admit_size(&joined(place.display(), &tree.path(entry)), tree.sizes[entry].unsigned_abs())?;
                }
                if self.admission.policy.reject_hard_links {
                    place.shared_file(self.meter)?.map_or(Ok(()), |(shown, file)| self.admit_content(&shown, &file))
                } else {
                    Ok(())
                }
            }
            EntryKind::Link | EntryKind::Special => Ok(()),
        }
    }

    /// Returns the maximum number of files that one operation lists or changes.
    pub fn files_per_operation(&self) -> u64 {
        self.admission.policy.max_files_per_operation
    }

    /// Refuses an operation that changes more files and directories than the policy allows.
    pub fn admit_files(&self, files: u64) -> Result<(), ToolError> {
        let most = self.admission.policy.max_files_per_operation;
        if files <= most {
            return Ok(());
        }
        let message = format!("the operation concerns {files} files and directories, more than {most}");
        let provenance = &self.admission.policy.provenance;
        let source = match provenance.of("max_files_per_operation") {
            _ if provenance.options.contains(&"max_files_per_operation") => "that of this command".to_owned(),
            Some(stated) => format!("stated at {stated}"),
            None => "built in".to_owned(),
        };
        let hint = format!(
            "do it in parts, or allow as many with `--max-files {files}`, or with `max_files_per_operation` in `[policy]`; the limit of {most} is {source}"
        );
        Err(ToolError::new(ToolCode::LimitExceeded, message).hint(hint))
    }

    /// Walks a directory for an operation on everything in it, and returns the number of files and directories,
    /// including itself. Errors: `policy_denied` if the policy refuses the access to any of them, or a change under
    /// its future name below `future`.
    pub fn admit_tree(&mut self, start: &SandboxPath, access: Access, future: Option<&str>) -> Result<u64, ToolError> {
        Ok(1 + self.admitted_tree(start, access, future)?.len() as u64)
    }

    /// Like [`Context::admit_tree`], but returns the tree.
    pub fn admitted_tree(
        &mut self,
        start: &SandboxPath,
        access: Access,
        future: Option<&str>,
    ) -> Result<Tree, ToolError> {
        let tree = self.tree(start)?;
        let start = start.address();
        for entry in 0..tree.len() {
            let (below, is_folder) = (tree.path(entry), tree.is_folder[entry]);
            if self.admission.policy.has_path_rules() {
                self.admit(&joined(&start, &below), is_folder, access)?;
                future.map_or(Ok(()), |future| self.admit(&joined(future, &below), is_folder, Access::Change))?;
            }
            if access == Access::Read && !is_folder {
                self.admission.policy.admit_size(&joined(&start, &below), tree.sizes[entry].unsigned_abs())?;
                self.admit_links(&joined(&start, &below))?;
            }
        }
        Ok(tree)
    }

    /// Checks that the policy allows reading a file with its number of hard links.
    fn admit_links(&self, address: &str) -> Result<(), ToolError> {
        if !self.admission.policy.reject_hard_links {
            return Ok(());
        }
        let metadata = self.place(address, PathRule::INSIDE.not_following(), Access::Look)?.metadata()?;
        self.admit_content(address, &metadata)
    }

    /// Checks that no symbolic link would lead out of the sandbox from where an entry is moved or copied to.
    pub fn admit_links_at(&mut self, source: &SandboxPath, destination: &SandboxPath) -> Result<(), ToolError> {
        let Some(StrayLink { path, text }) = self.stray_link(source, source.future(destination))? else {
            return Ok(());
        };
        let (text, there) = (text.to_string_lossy().into_owned(), destination.display());
        let message = format!("the link `{path}` to `{text}` would lead out of the sandbox from `{there}`");
        let error = ToolError::new(ToolCode::SandboxViolation, message).argument("destination").path(there);
        Err(error.hint("delete the link, and make it again there with `FS.CreateLink`"))
    }

    /// Like [`Context::admit_tree`], for a backup of a directory that is to be restored to its origin.
    pub fn admit_return(&mut self, kept: &SandboxPath, origin: &SandboxPath) -> Result<u64, ToolError> {
        let tree = self.tree(kept)?;
        let future = origin.address();
        for entry in 0..tree.len() {
            let (address, is_folder) = (joined(&future, &tree.path(entry)), tree.is_folder[entry]);
            self.admit(&address, is_folder, Access::Change)?;
            if !is_folder {
                self.admission.policy.admit_size(&address, tree.sizes[entry].unsigned_abs())?;
            }
        }
        Ok(1 + tree.len() as u64)
    }
}

/// Joins an address and a path below it; the root's own address is empty.
fn joined(address: &str, below: &str) -> String {
    if address.is_empty() { below.to_owned() } else { format!("{address}/{below}") }
}
