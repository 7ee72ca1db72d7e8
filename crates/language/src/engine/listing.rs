//! Names and files of the sandbox for front ends that complete paths or offer files, as far as the policy lets tools
//! see them. None of this is a call of a tool, and the audit log records nothing.

use std::time::Duration;

use crate::gate::{Caller, FilePage, NameRequest, PageRequest, SessionMemory};
use crate::limits::{Interrupt, Limits, Meter, space, work};
use crate::text::ToolCode;
use crate::toolkit::{Access, ToolError};

use super::stack::on_large_stack;
use super::{Engine, internal_fault};

/// Maximum number of names of one directory that are offered for completion.
const MOST_NAMES: usize = 5_000;
/// Maximum number of entries of a directory in which names are completed.
const MOST_ENTRIES: u64 = 1_000_000;
/// Maximum time that completion may take.
const PATIENCE: Duration = Duration::from_millis(300);
/// Maximum number of files of a page, and of entries that are looked at for it.
const PAGE: usize = 200;
const PAGE_ENTRIES: usize = 20_000;

/// The names that a completion wants.
#[derive(Clone, Copy, Debug)]
pub struct NamesWanted<'a> {
    /// The directory.
    pub folder: &'a str,
    /// The text that the names begin with.
    pub prefix: &'a str,
    /// The access that the policy must allow to the target of a name. [`Access::Look`] asks for nothing beyond the
    /// listing.
    pub access: Access,
}

impl Engine {
    /// Returns the names in a directory that begin with a text, sorted, each with whether it is a directory.
    ///
    /// # Errors
    /// The directory cannot be listed, the policy refuses it, or listing it takes too long.
    pub fn names_in(&self, wanted: NamesWanted<'_>, session: &SessionMemory) -> Result<Vec<(String, bool)>, ToolError> {
        let limits = Limits { max_steps: MOST_ENTRIES, timeout: Some(PATIENCE), ..self.limits.clone() };
        let NamesWanted { folder, prefix, access } = wanted;
        let request = NameRequest { folder, prefix, access, most: MOST_NAMES };
        let meter = Meter::new(&limits, Interrupt::default());
        self.look(meter, &limits, |meter| self.gate.names_in(request, Caller { meter, session }))
    }

    /// Returns a page of the files of the sandbox, beginning after a path: files that tools may read, without links,
    /// hidden names and what `.gitignore` names.
    ///
    /// # Errors
    /// The root cannot be listed, or a limit of runs is reached.
    pub fn files_after(&self, after: Option<&str>, session: &SessionMemory) -> Result<FilePage, ToolError> {
        let request = PageRequest { after, files: PAGE, entries: PAGE_ENTRIES };
        let meter = Meter::new(&self.limits, self.interrupt.clone());
        self.look(meter, &self.limits, |meter| self.gate.files_after(request, Caller { meter, session }))
    }

    /// Looks at the sandbox within limits.
    fn look<T>(
        &self,
        mut meter: Meter,
        limits: &Limits,
        look: impl FnOnce(&mut Meter) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        self.check_sealed()?;
        let _space = space::enter(limits);
        let _work = work::enter(meter.watch());
        on_large_stack(|| look(&mut meter))
            .unwrap_or_else(|panic| Err(ToolError::new(ToolCode::IoError, internal_fault(&panic).message)))
    }
}
