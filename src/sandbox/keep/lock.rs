//! One run at a time: `.ns/lock`, on which the run that is replacing something holds a lock of the system.
//!
//! It makes looking at what is replaced and replacing it one step for all runs. It is held for that
//! step alone, not while content is written or synced, and vanishes with the process.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::time::{Duration, Instant};

use crate::limits::Meter;

use super::super::error::SandboxError;
use super::super::journal::OwnChange;
use super::super::own::{OwnFolder, shown};
use super::super::root::{Root, SandboxPath};
use super::super::seal::RootSeal;
use super::slot::Slot;
use super::{Drawer, Keeper};

const LOCK: &str = "lock";
/// For how long another run is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a look at the lock is put off, at most.
const PAUSE: Duration = Duration::from_millis(5);

/// The right to keep things, until it is dropped.
pub struct Locked {
    own: OwnFolder,
    seal: RootSeal,
    _lock: File,
}

impl Locked {
    /// Waits for the lock.
    pub(super) fn wait(keeper: Keeper<'_>, meter: &Meter, change: &OwnChange) -> Result<Locked, SandboxError> {
        let own = keeper.root.make_own_folder(change)?;
        let file = own.open_or_make(LOCK)?;
        Locked::wait_for(keeper.root, own, file, meter)
    }

    /// The same for what only removes things, and needs no room on the disk: none where there is no lock and
    /// none can be made, so that nobody else has it.
    pub(in super::super) fn wait_to_remove(root: &Root, meter: &Meter) -> Result<Option<Locked>, SandboxError> {
        let Some(own) = root.own_folder()? else { return Ok(None) };
        match own.open_or_make(LOCK) {
            Ok(file) => Locked::wait_for(root, own, file, meter).map(Some),
            Err(SandboxError::NoSpace(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn wait_for(root: &Root, own: OwnFolder, file: File, meter: &Meter) -> Result<Locked, SandboxError> {
        let begin = Instant::now();
        let mut pause = Duration::from_micros(50);
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => {}
                Err(TryLockError::WouldBlock) => return Err(SandboxError::Busy(PATIENCE.as_secs())),
                // File systems that have no locks are used by one run at a time.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => break,
                Err(TryLockError::Error(error)) => return Err(SandboxError::io(shown(LOCK), &error)),
            }
            meter.poll()?;
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSE);
        }
        Ok(Locked { own, seal: root.seal.clone(), _lock: file })
    }

    /// Makes room for what is at a place, under a name with a stamp of [`Keeper::new_stamp`].
    pub fn slot(&self, place: &SandboxPath, drawer: Drawer, stamp: &str) -> Result<Slot, SandboxError> {
        Slot::make(&self.own, &self.seal, drawer, place.resolved_raw(), stamp)
    }
}
