//! Garbage collection: removes old backups, journals and leftovers of unfinished work.
//!
//! Collection retains everything that the newest runs and all active runs need. It removes each entry under the lock
//! of `.ns`, after a second check that no run needs it. It writes nothing, so it works on a full disk.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io;

use super::super::handles::reserved::STATE_DIR;
use crate::limits::{Meter, Watch};

use super::super::changing::backups::{
    ReclaimReason, Reclaimer, Retention, RetentionRules, StoreLock, Sweep, SweepReport, is_fresh,
};
use super::super::changing::journal::folders::OPEN;
use super::super::changing::journal::list::is_sealed;
use super::super::changing::journal::needs::Needs;
use super::super::changing::journal::owner::{OWNER_FILE, Ownership};
use super::super::changing::journal::roots::Roots;
use super::super::changing::journal::{JOURNAL, Journal};
use super::super::handles::address::Address;
use super::super::handles::discard::discard;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::Folder;
use super::super::handles::metadata::Kind;
use super::super::handles::private::check_regular;
use super::super::handles::root::Root;
use super::super::handles::staging::is_draft_name;
use super::super::handles::stamp;
use super::super::internal::internal_change::InternalChange;
use super::super::internal::state_dir::display;

/// Rules of garbage collection.
#[derive(Clone, Debug)]
pub struct GcRules {
    /// Retention of backups.
    pub kept: Retention,
    /// Retention of journals: their number, age in days and total bytes. Zero means no limit.
    pub journals: Retention,
    /// Number of newest runs whose backups and journals are retained.
    pub keep_runs: usize,
    /// Whether to remove everything that those runs do not need.
    pub everything: bool,
    /// Whether only to report what would be removed.
    pub is_dry: bool,
}

impl Journal {
    /// Removes what exceeds the rules, and reports what is removed and what remains.
    pub fn collect(&self, roots: Roots<'_>, rules: &GcRules, meter: &Meter) -> Result<SweepReport, SandboxError> {
        let own = if rules.is_dry { None } else { Some(self.begin_own()?) };
        let own = own.as_ref();
        let watch = meter.watch();
        let needs = RefCell::new(Needs::of(roots, rules.keep_runs)?);
        let mut swept = SweepReport::default();
        for root in [roots.main].into_iter().chain(roots.further) {
            swept.add(collect_kept(&Collector { root, needs: &needs, meter, own }, rules, &watch)?);
        }
        let collector = Collector { root: roots.main, needs: &needs, meter, own };
        collect_journals(&collector, rules, &mut swept)?;
        collect_unfinished(&collector, &mut swept)?;
        needs.into_inner().flaws.into_iter().for_each(|flaw| swept.flaw(flaw));
        Ok(swept)
    }
}

/// Removes backups below one root.
fn collect_kept(collector: &Collector<'_>, rules: &GcRules, watch: &Watch) -> Result<SweepReport, SandboxError> {
    let kept = RetentionRules { everything: rules.everything, ..RetentionRules::new(rules.kept) };
    let look = || Sweep::new(collector.root, &kept, collector, watch).run();
    let mut swept = look()?;
    // One sweep considers a limited number of backups for the byte limit.
    while swept.is_cut && !rules.is_dry {
        let later = look()?;
        let is_over = later.reclaimed().things == 0;
        swept.go_on(later);
        if is_over {
            break;
        }
    }
    Ok(swept)
}

/// Removes journals of finished runs.
fn collect_journals(collector: &Collector<'_>, rules: &GcRules, swept: &mut SweepReport) -> Result<(), SandboxError> {
    let ended = match collector.needs.borrow().folders() {
        Some(folders) => folders.ended.duplicate().map_err(|error| wrap(&error))?,
        None => return Ok(()),
    };
    let journals = journals_in(collector.root, &ended, swept)?;
    if let Some(folders) = collector.needs.borrow().folders() {
        strangers_in(&folders.open, swept)?;
    }
    let ages = RetentionRules::new(rules.journals);
    let most = if rules.journals.count == 0 { u64::MAX } else { rules.journals.count };
    let mut bytes: u64 = journals.iter().map(|(_, size)| size).sum();
    let count = journals.len() as u64;
    for (number, (name, size)) in (0..).zip(journals) {
        let why = if collector.needs.borrow().is_new(&name) {
            None
        } else if rules.everything {
            Some(ReclaimReason::Unneeded)
        } else if ages.is_too_old(&name) {
            Some(ReclaimReason::Old)
        } else if count - number > most {
            Some(ReclaimReason::Many)
        } else if rules.journals.bytes > 0 && bytes > rules.journals.bytes {
            Some(ReclaimReason::Large)
        } else {
            None
        };
        match why.map(|why| (why, collector.take(&ended, &[JOURNAL.into()], &name))) {
            Some((why, Ok(true))) => {
                bytes -= size;
                swept.journals.gone.add(size);
                swept.name(format!("{}/{}", display(JOURNAL), name.to_string_lossy()), size, why);
                continue;
            }
            Some((_, Err(error @ SandboxError::Limit(_)))) => return Err(error),
            Some((_, Err(error))) => swept.fails(error),
            _ => {}
        }
        swept.journals.kept.add(size);
    }
    Ok(())
}

/// Returns this user's journals of finished runs with their sizes, the oldest first. Other entries are left alone and
/// reported.
fn journals_in(root: &Root, ended: &Folder, swept: &mut SweepReport) -> Result<Vec<(OsString, u64)>, SandboxError> {
    let mut journals = Vec::new();
    for entry in ended.entries().map_err(|error| wrap(&error))? {
        let name = entry.name;
        let path = format!("{}/{}", display(JOURNAL), name.to_string_lossy());
        if name == OPEN || name == OWNER_FILE || is_draft_name(&name) {
            continue;
        }
        if !stamp::is_stamp(&name) {
            swept.flaw(SandboxError::NotOurs { path, reason: "it is no journal" });
            continue;
        }
        let Ok(metadata) = ended.metadata(&name) else { continue };
        match check_regular(path, &metadata) {
            Ok(()) if is_sealed(ended, &name, &root.seal) => journals.push((name, metadata.size)),
            Ok(()) => swept.meets_foreign(&[JOURNAL.into()], &name, metadata.size, false),
            Err(error) => swept.flaw(error),
        }
    }
    journals.sort_unstable();
    Ok(journals)
}

/// Reports entries that are not journals in the directory of open journals.
fn strangers_in(open: &Folder, swept: &mut SweepReport) -> Result<(), SandboxError> {
    let names = open.entries().map_err(|error| wrap(&error))?.into_iter().map(|entry| entry.name);
    for name in names.filter(|name| !stamp::is_stamp(name) && !is_draft_name(name)) {
        let path = format!("{}/{OPEN}/{}", display(JOURNAL), name.to_string_lossy());
        swept.flaw(SandboxError::NotOurs { path, reason: "it is no journal" });
    }
    Ok(())
}

/// Removes leftover staging files directly in the state directory and in the directories of journals.
fn collect_unfinished(collector: &Collector<'_>, swept: &mut SweepReport) -> Result<(), SandboxError> {
    // In a foreign state directory, even files with our temporary names are not this user's to remove.
    if Journal::ownership(collector.root)? != Some(Ownership::Ours) {
        return Ok(());
    }
    let Some(own) = collector.root.own_folder()? else { return Ok(()) };
    let mut folders = vec![(own.into_folder(), Vec::new())];
    if let Some(journals) = collector.needs.borrow().folders() {
        for (folder, names) in [(&journals.ended, vec![JOURNAL]), (&journals.open, vec![JOURNAL, OPEN])] {
            let folder = folder.duplicate().map_err(|error| wrap(&error))?;
            folders.push((folder, names.into_iter().map(OsString::from).collect()));
        }
    }
    for (folder, names) in folders {
        let entries = folder.entries().map_err(|error| wrap(&error))?;
        for name in entries.into_iter().map(|entry| entry.name).filter(|name| is_draft_name(name)) {
            let Ok(metadata) = folder.metadata(&name) else { continue };
            if metadata.kind != Kind::File || is_fresh(&metadata) {
                continue;
            }
            match collector.take(&folder, &names, &name) {
                Ok(_) => swept.sweeps(&names, &name, metadata.size),
                Err(error @ SandboxError::Limit(_)) => return Err(error),
                Err(error) => swept.fails(error),
            }
        }
    }
    Ok(())
}

fn wrap(error: &io::Error) -> SandboxError {
    SandboxError::io(display(JOURNAL), error)
}

/// Removes entries below one root.
struct Collector<'a> {
    root: &'a Root,
    needs: &'a RefCell<Needs>,
    meter: &'a Meter,
    /// Permission to remove; `None` on a dry run.
    own: Option<&'a InternalChange>,
}

impl Collector<'_> {
    fn is_needed(&self, names: &[OsString], name: &OsStr) -> bool {
        let path = names.iter().map(OsString::as_os_str).chain([name]);
        let base = Address(OsString::from(&*self.root.address_of(STATE_DIR)));
        let address = path.fold(base, |address, name| address.join(name));
        self.needs.borrow().needs(&address, name)
    }
}

impl Reclaimer for &Collector<'_> {
    fn may_take(&self, names: &[OsString], name: &OsStr) -> bool {
        !self.is_needed(names, name)
    }

    fn take(&self, folder: &Folder, names: &[OsString], name: &OsStr) -> Result<bool, SandboxError> {
        self.meter.poll()?;
        if self.own.is_none() {
            return Ok(true);
        }
        let _locked = StoreLock::wait_to_remove(self.root, self.meter)?;
        self.needs.borrow_mut().refresh()?;
        if stamp::is_kept_shape(name) && self.is_needed(names, name) {
            return Ok(false);
        }
        let path = names.iter().map(OsString::as_os_str).chain([name]).collect::<std::path::PathBuf>();
        discard(folder, name, &display(&path.to_string_lossy())).map(|()| true)
    }

    fn clear(&self, above: &Folder, name: &OsStr, is_fresh: bool) {
        if self.own.is_none() {
            return;
        }
        // A run may be about to put a backup into it.
        let locked = StoreLock::wait_to_remove(self.root, self.meter);
        let is_alone = || locked.is_ok() && self.needs.borrow_mut().refresh().is_ok() && !self.needs.borrow().goes_on;
        if !is_fresh || is_alone() {
            // A directory that is not empty stays, as it should.
            let _ = above.remove_folder(name);
        }
    }
}
