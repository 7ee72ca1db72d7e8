//! The journals of killed runs: finds them and locks them.
//!
//! Only journals that this user's key sealed for this root are read. A run that the ledger lists as finished does not
//! count, because its journal could be an old one that somebody put back.

use std::ffi::{OsStr, OsString};
use std::io;

use super::super::changing::journal::folders::{Folders, OPEN};
use super::super::changing::journal::history::{History, HistoryError};
use super::super::changing::journal::roots::Roots;
use super::super::changing::journal::{JOURNAL, Journal};
use super::super::handles::error::SandboxError;
use super::super::handles::folder::File;
use super::super::handles::folder::lock::may_be_held;
use super::super::handles::private::check_regular;
use super::super::handles::root::Root;
use super::super::handles::seal::RootSeal;
use super::super::handles::staging::is_draft_name;
use super::super::handles::stamp;
use super::super::handles::user_state::Ledger;
use super::super::internal::state_dir::display;

/// The journal of a killed run, open and locked.
#[derive(Debug)]
pub struct Abandoned {
    pub(super) name: OsString,
    pub(super) file: File,
    pub(super) folders: Folders,
    pub(super) history: History,
}

impl Abandoned {
    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        &self.history.begin.run
    }
}

/// The open journals of runs that are no longer active.
#[derive(Debug, Default)]
pub struct AllAbandoned {
    /// Journals of this user's runs, the oldest first.
    pub runs: Vec<Abandoned>,
    /// Names of foreign journals and of journals whose runs are already finished.
    pub foreign: Vec<OsString>,
    /// Errors for journals that cannot be read, one sentence each.
    pub unreadable: Vec<String>,
}

impl Journal {
    /// Finds the journals of killed runs. The only change it makes is to remove journals of runs that never began.
    pub fn abandoned(&self, roots: Roots<'_>) -> Result<AllAbandoned, SandboxError> {
        let mut all = AllAbandoned::default();
        let Some(folders) = Folders::find(roots.main)? else { return Ok(all) };
        let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
        let mut names: Vec<OsString> =
            folders.open.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect();
        // Files of other origin are left alone.
        names.retain(|name| stamp::is_stamp(name) || is_draft_name(name));
        names.sort_unstable();
        for name in names {
            let Some(file) = abandoned(&folders, &name).map_err(wrap)? else { continue };
            if self.is_writable() && is_unbegun(&name, &file, &folders.seal).map_err(wrap)? {
                folders.open.remove_file(&name).map_err(wrap)?;
                continue;
            }
            match self.read_abandoned(roots.main, &name, &file) {
                Ok(Some(history)) => {
                    let folders = folders.duplicate().map_err(wrap)?;
                    all.runs.push(Abandoned { name, file, folders, history });
                }
                Ok(None) if is_draft_name(&name) => {}
                Ok(None) => all.foreign.push(name),
                Err(error) => all.unreadable.push(format!("the journal `{}` cannot be read: {error}", place_of(&name))),
            }
        }
        Ok(all)
    }

    /// Reads a journal if it belongs to an unfinished run of this user; returns `None` otherwise.
    fn read_abandoned(&self, root: &Root, name: &OsStr, file: &File) -> Result<Option<History>, HistoryError> {
        let history = match History::read(file, name, &root.seal) {
            Err(HistoryError::Foreign) => return Ok(None),
            other => other?,
        };
        // Without a ledger, the journal could be an old one that somebody put back.
        let is_over = |ledger: &Ledger| ledger.is_over(root.seal.id(), &history.begin.run);
        let is_over = root.user.ledger.as_ref().map(is_over).transpose()?;
        Ok(Some(history).filter(|_| is_over == Some(false) || root.user.key.lost_because().is_some()))
    }
}

/// Returns the path of the journal of an unfinished run, for messages.
pub(super) fn place_of(name: &OsStr) -> String {
    format!("{}/{OPEN}/{}", display(JOURNAL), name.to_string_lossy())
}

/// Whether the run was killed before its journal began: the file is empty, or still has its temporary name and
/// contains no steps.
fn is_unbegun(name: &OsStr, file: &File, seal: &RootSeal) -> io::Result<bool> {
    let is_empty = file.size()? == 0;
    Ok(is_empty
        || is_draft_name(name)
            && History::claimed_run(file)?.is_some_and(|run| {
                History::read(file, run.as_ref(), seal).is_ok_and(|history| history.steps.is_empty())
            }))
}

/// Opens the journal of a run whose process is gone. Returns `None` if the run is active or has just ended, or if the
/// file is not a regular file of this user's with one link.
fn abandoned(folders: &Folders, name: &OsStr) -> io::Result<Option<File>> {
    let opened = folders.open.metadata(name).and_then(|metadata| {
        let is_ours = check_regular(String::new(), &metadata).is_ok();
        Ok(if is_ours { Some((metadata, folders.open.open_log(name)?)) } else { None })
    });
    let (metadata, file) = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => match other? {
            Some(opened) => opened,
            None => return Ok(None),
        },
    };
    if may_be_held(&file) {
        return Ok(None);
    }
    // The run may have ended between opening and locking.
    let is_there = folders.open.metadata(name).is_ok_and(|there| there.identity == metadata.identity);
    Ok(is_there.then_some(file))
}
