//! The world of calls: the sandbox, its journal and memory, the clock, the console, and everything else that calls work
//! on. Nothing here decides what is allowed.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use crate::audit::{Audit, LogLocation};
use crate::limits::{Jobs, Meter};
use crate::memory::Project;
use crate::sandbox::{
    Journal, Overlay, PlanRefusals, Retention, Root, Roots, SandboxError, SandboxPath, TemporaryFolders,
};
use crate::toolkit::Settings;

use super::console::ConsoleHandle;
use super::library::Library;
use super::observer::CallObservers;
use super::random::{Clock, RandomSource};

/// Everything that calls work on.
#[derive(Debug)]
pub struct World {
    /// The sandbox root.
    pub(super) root: Root,
    /// Further roots that the policy allows, reached by absolute paths.
    pub(super) further: Vec<Root>,
    /// Directories of modules outside the sandbox, which no tool can reach.
    pub(super) libraries: Rc<[Library]>,
    /// The settings of single tools from the policy file.
    pub(super) settings: Settings,
    /// Warnings of successful calls that have not been shown yet.
    pub(super) notes: RefCell<Vec<String>>,
    /// Project memory: values that scripts store in the sandbox.
    pub(super) project: Project,
    /// The view that shows progress.
    pub(super) observers: Rc<CallObservers>,
    /// Directories that are removed when the run ends.
    pub(super) temporary: TemporaryFolders,
    /// The audit log.
    pub(super) audit: Audit,
    /// Whether and where the audit log is kept.
    pub(super) log_location: LogLocation,
    /// The source of the current time.
    pub(super) clock: Clock,
    /// Random numbers.
    pub(super) random: Rc<RandomSource>,
    /// The number of threads that one call may use.
    pub(super) jobs: Jobs,
    /// The console.
    pub(super) console: Rc<ConsoleHandle>,
    /// The journal, which makes changes undoable.
    pub(super) journal: Journal,
    /// The overlay over the roots while a run is planned.
    pub(super) overlay: Option<Arc<Overlay>>,
    /// The calls that were refused while a run is planned.
    pub(super) refusals: RefCell<PlanRefusals>,
}

impl World {
    /// Creates the same world under an overlay, which takes all changes.
    ///
    /// # Errors
    /// A system error if there is no place to store the planned contents.
    pub(super) fn covered(&self, journal: Journal) -> io::Result<World> {
        let overlay = self.root.new_overlay()?;
        let further: io::Result<Vec<Root>> = self.further.iter().map(|root| root.covered(&overlay)).collect();
        Ok(World {
            root: self.root.covered(&overlay)?,
            further: further?,
            libraries: self.libraries.clone(),
            settings: self.settings.clone(),
            notes: RefCell::default(),
            project: Project::default(),
            observers: self.observers.clone(),
            temporary: TemporaryFolders::default(),
            audit: self.audit.beside(),
            // A planned run changes nothing below the root, but what it tries is on record.
            log_location: match self.log_location {
                LogLocation::Off => LogLocation::Off,
                LogLocation::Root | LogLocation::State => LogLocation::State,
            },
            clock: self.clock,
            random: self.random.clone(),
            jobs: self.jobs,
            console: self.console.clone(),
            journal,
            overlay: Some(overlay),
            refusals: RefCell::default(),
        })
    }

    /// Returns the sandbox root and the further roots.
    pub(super) fn roots(&self) -> Roots<'_> {
        Roots { main: &self.root, further: &self.further }
    }

    /// Returns the root that contains a resolved path.
    pub(super) fn root_of(&self, place: &SandboxPath) -> &Root {
        self.further.iter().find(|root| root.has(place)).unwrap_or(&self.root)
    }

    /// Rolls back the steps of the current run from `first_step` on, regardless of the remaining budget. Returns the
    /// steps that could not be rolled back, with the reasons.
    pub(super) fn roll_back(
        &self,
        retention: Retention,
        first_step: u32,
    ) -> Result<Vec<(u32, SandboxError)>, SandboxError> {
        self.journal.roll_back(self.roots(), retention, first_step, &mut Meter::unlimited())
    }

    /// Adds a warning: one sentence.
    pub(super) fn note(&self, note: String) {
        self.notes.borrow_mut().push(note);
    }

    /// Takes the warnings so far, one sentence each.
    pub(super) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.borrow_mut())
    }

    /// Removes the temporary directories. One that cannot be removed becomes a warning and is removed at the next
    /// start.
    pub(super) fn remove_temporary(&self) {
        let failed = self.temporary.remove_all(&self.root);
        if !failed.is_empty() {
            self.journal.leave_unswept();
        }
        self.notes.borrow_mut().extend(failed);
    }
}
