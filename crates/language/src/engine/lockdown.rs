//! The lockdown for front ends: which directories a run needs, and the check that nothing runs without a lockdown if
//! the policy requires one.
//!
//! A front end opens its engine, reads its outside inputs (script, arguments, document, history), calls
//! [`Engine::seal`], and then runs. If plans are made later or already exist, it first calls [`settle_scratch`],
//! since planned contents are in `TMPDIR`.
//!
//! A missing protection is reported ([`LockdownStatus`]). If the policy requires the lockdown, no front end runs
//! anything without it. `ns test` is sealed as a server of cases: it reaches the directories of the tests (writable
//! only for golden files that it updates) and a directory for the sandboxes. It reads test files through
//! `engine/test_folder`.

use std::path::Path;

#[cfg(target_os = "linux")]
use crate::audit::LogLocation;
#[cfg(target_os = "linux")]
use crate::gate::LibraryPlace;
#[cfg(target_os = "linux")]
use crate::lockdown::Rights;
use crate::lockdown::{AllowedPath, LockdownError, seal};
use crate::sandbox::SandboxError;
#[cfg(target_os = "linux")]
use crate::sandbox::scratch_handles;
use crate::text::{Code, Diagnostic, ToolCode};
use crate::toolkit::ToolError;

pub use crate::lockdown::{LockdownStatus, Network, Process, open_outside, outside};
pub use crate::sandbox::{leave_scratch, scratch_home, settle_scratch};

#[cfg(target_os = "linux")]
use super::config::files;
use super::options::SetupError;
use super::{Engine, on_large_stack};

/// Locks down a process that runs nothing itself but starts `ns` for every script: no other programs, no network
/// (except accepted connections if `network` allows them) and no special files.
///
/// # Errors
/// The restriction that the kernel failed to apply.
pub fn seal_tester(network: Network) -> Result<(), LockdownError> {
    seal(Process::Tester(network), Vec::new()).map(drop)
}

/// Locks down the process of `ns test`, and its children, to the directories of the tests, its sandboxes, and the
/// files that the user named.
///
/// # Errors
/// The restriction that the kernel failed to apply.
pub fn seal_tests(folders: &TestPaths<'_>) -> Result<(), LockdownError> {
    seal(Process::Server(Network::None), folders.allowed_paths()).map(drop)
}

/// The paths that a run of `ns test` needs.
#[derive(Debug)]
pub struct TestPaths<'a> {
    /// Directories that are read.
    pub read: Vec<&'a Path>,
    /// Directories in which golden files are written.
    pub written: Vec<&'a Path>,
    /// Files that the user named.
    pub files: Vec<&'a Path>,
    /// The directory of the sandboxes, removed at the end.
    pub home: &'a Path,
}

impl TestPaths<'_> {
    #[cfg(target_os = "linux")]
    fn allowed_paths(&self) -> Vec<AllowedPath> {
        let allowed = |path: &Path, rights| files::handle(path).ok().map(|handle| AllowedPath { handle, rights });
        let read = self.read.iter().filter_map(|path| allowed(path, Rights::Read));
        let written = self.written.iter().filter_map(|path| allowed(path, Rights::Change));
        let named = self.files.iter().filter_map(|path| allowed(path, Rights::ReadFile));
        let above = self.home.parent().and_then(|above| allowed(above, Rights::RemoveFolders));
        read.chain(written).chain(named).chain(allowed(self.home, Rights::Change)).chain(above).collect()
    }

    #[cfg(not(target_os = "linux"))]
    fn allowed_paths(&self) -> Vec<AllowedPath> {
        Vec::new()
    }
}

impl Engine {
    /// Locks down this process to what its runs need, irrevocably: see [`Process`].
    ///
    /// # Errors
    /// The restriction that the kernel failed to apply. Also if `require_kernel_sandbox` is true and a protection is
    /// missing.
    pub fn seal(&self, process: Process) -> Result<(), SetupError> {
        Engine::seal_together(&[self], process)
    }

    /// Like [`Engine::seal`], for several engines in this thread: the process reaches what any of them needs.
    ///
    /// # Errors
    /// As for [`Engine::seal`].
    pub fn seal_together(engines: &[&Engine], process: Process) -> Result<(), SetupError> {
        Engine::seal_to(engines, process, |engine| engine.allowed_paths(process))
    }

    /// Locks down this process to reading the sandboxes and libraries of these engines, irrevocably. Nothing can be run
    /// or changed afterwards.
    ///
    /// # Errors
    /// As for [`Engine::seal`].
    pub fn seal_to_reading(engines: &[&Engine]) -> Result<(), SetupError> {
        Engine::seal_to(engines, Process::Script, Engine::readable_paths)
    }

    fn seal_to(
        engines: &[&Engine],
        process: Process,
        paths_of: impl Fn(&Engine) -> Result<Vec<AllowedPath>, SandboxError>,
    ) -> Result<(), SetupError> {
        let paths: Result<Vec<_>, _> = engines.iter().map(|engine| paths_of(engine)).collect();
        let paths = paths.map_err(|error| not_restricted(&error))?.into_iter().flatten().collect();
        // The first stack check reads the stack size from a file that is out of reach later.
        let _ = on_large_stack(|| ());
        let status = seal(process, paths).map_err(|error| not_restricted(&error))?;
        for engine in engines {
            // A second lockdown of this process only adds to the first.
            let _ = engine.lockdown.set(status.clone());
        }
        let refused = engines.iter().filter(|_| !status.is_whole()).find_map(|engine| engine.unsealed());
        refused.map_or(Ok(()), |finding| Err(SetupError::new(finding)))
    }

    /// Records that this engine is under the lockdown of another engine in the same thread that covers its sandbox.
    pub fn share_lockdown(&self, other: &Engine) {
        other.lockdown.get().into_iter().for_each(|status| drop(self.lockdown.set(status.clone())));
    }

    /// Returns the lockdown in force; `None` before [`Engine::seal`].
    pub fn lockdown(&self) -> Option<&LockdownStatus> {
        self.lockdown.get()
    }

    /// Returns a finding if the policy requires a lockdown that is not fully in force, so that nothing may run.
    pub(super) fn unsealed(&self) -> Option<Diagnostic> {
        let is_whole = self.lockdown.get().is_some_and(LockdownStatus::is_whole);
        (self.gate.policy().require_kernel_sandbox && !is_whole).then(|| {
            let state = self.lockdown.get().map_or("none: the process was not sealed", LockdownStatus::summary);
            let message =
                format!("`require_kernel_sandbox` is true, and the kernel does not restrict the process ({state})");
            Diagnostic::placeless(Code::BadPolicy, message).help(
                "nothing runs; use Linux 5.19 or newer with Landlock and seccomp, or set it to false to do without",
            )
        })
    }

    /// Like [`Engine::unsealed`], as an error for tool calls.
    pub(super) fn check_sealed(&self) -> Result<(), ToolError> {
        match self.unsealed() {
            None => Ok(()),
            Some(finding) => Err(finding
                .help
                .into_iter()
                .fold(ToolError::new(ToolCode::PolicyDenied, finding.message), ToolError::hint)),
        }
    }

    /// Returns the sandbox and the libraries, for reading.
    #[cfg(target_os = "linux")]
    fn readable_paths(&self) -> Result<Vec<AllowedPath>, SandboxError> {
        let outside = self.gate.libraries().iter().filter_map(|library| match &library.place {
            LibraryPlace::Outside(root) => Some(&**root),
            LibraryPlace::Inside(_) => None,
        });
        let roots = self.gate.roots().further.iter().chain([self.gate.root()]).chain(outside);
        let roots = roots.filter(|root| !root.is_in_memory());
        roots.map(|root| Ok(AllowedPath { handle: root.handle()?, rights: Rights::Read })).collect()
    }

    #[cfg(not(target_os = "linux"))]
    fn readable_paths(&self) -> Result<Vec<AllowedPath>, SandboxError> {
        Ok(Vec::new())
    }

    /// Returns the paths that runs need, with the rights there.
    #[cfg(target_os = "linux")]
    fn allowed_paths(&self, process: Process) -> Result<Vec<AllowedPath>, SandboxError> {
        let gate = &self.gate;
        let changes = !gate.policy().read_only && !gate.is_planning();
        let mut paths = Vec::new();
        // A root in memory is no path.
        for root in gate.roots().further.iter().chain([gate.root()]).filter(|root| !root.is_in_memory()) {
            let rights = if changes { Rights::Change } else { Rights::Read };
            paths.push(AllowedPath { handle: root.handle()?, rights });
            // The memory database is read through files to which readers write too.
            if let Some(own) = root.own_folder().ok().flatten().filter(|_| !changes) {
                paths.push(AllowedPath { handle: own.handle()?, rights: Rights::Change });
            }
        }
        for library in gate.libraries().iter() {
            if let LibraryPlace::Outside(root) = &library.place {
                paths.push(AllowedPath { handle: root.handle()?, rights: Rights::Read });
            }
        }
        if let Some((home, above)) = scratch_handles().map_err(|error| SandboxError::io("TMPDIR", &error))? {
            paths.push(AllowedPath { handle: home, rights: Rights::Change });
            paths.push(AllowedPath { handle: above, rights: Rights::RemoveFolders });
        }
        // Refusals of planned runs are recorded there; the server's workers may plan.
        let keeps_in_state = match gate.log_location() {
            LogLocation::State => true,
            LogLocation::Root => self.may_plan || matches!(process, Process::Server(_)),
            LogLocation::Off => false,
        };
        if let Some(log) = gate.audit().folder_in_state(gate.root()).filter(|_| keeps_in_state) {
            paths.push(AllowedPath { handle: log.handle()?, rights: Rights::Log });
        }
        // A worker opens the ledger again, under the lockdown of its server.
        if let (Process::Server(_), Some(ledger)) = (process, &gate.root().user().ledger) {
            let handle = ledger.handle().map_err(|error| SandboxError::io("the ledger", &error))?;
            paths.push(AllowedPath { handle, rights: Rights::Use });
        }
        // Workers of the server read them again.
        let read = gate.policy().provenance.files.iter().filter_map(|file| file.path.as_deref());
        for path in read.filter(|_| matches!(process, Process::Server(_))) {
            paths.extend(files::handle(path).ok().map(|handle| AllowedPath { handle, rights: Rights::ReadFile }));
        }
        Ok(paths)
    }

    #[cfg(not(target_os = "linux"))]
    fn allowed_paths(&self, _: Process) -> Result<Vec<AllowedPath>, SandboxError> {
        Ok(Vec::new())
    }
}

fn not_restricted(reason: &dyn std::fmt::Display) -> SetupError {
    let message = format!("the kernel does not restrict the process: {reason}");
    SetupError::new(Diagnostic::placeless(Code::BadRoot, message).help("nothing runs; `ns doctor` tells more"))
}
