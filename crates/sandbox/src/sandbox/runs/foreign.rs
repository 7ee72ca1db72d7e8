//! Lists, adopts or removes foreign state below `.ns`.
//!
//! A journal or backup is foreign if this user's key did not seal it for this root: somebody else made it, or the
//! directory came from another machine. Only [`ForeignAction::Adopt`] seals such state with this user's key, and only
//! at the request of a person who has seen it. A foreign journal is an unverified claim; it is adopted only if every
//! path in it is one that a tool could have written.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::Path;

use crate::limits::Meter;

use super::super::changing::backups::{
    BackupKind, Reclaimer, Retention, RetentionRules, StoreLock, Sweep, SweepReport,
};
use super::super::changing::journal::folders::{Folders, OPEN};
use super::super::changing::journal::history::HistoryError;
use super::super::changing::journal::list::is_sealed;
use super::super::changing::journal::owner::OWNER_FILE;
use super::super::changing::journal::record::{Begin, RECORD_BYTES, Record, Step, VERSION, line, parse_claim};
use super::super::changing::journal::roots::Roots;
use super::super::changing::journal::{JOURNAL, Journal};
use super::super::handles::address::Address;
use super::super::handles::discard::discard;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::File;
use super::super::handles::folder::lock::may_be_held;
use super::super::handles::folder::{Folder, Replace};
use super::super::handles::private::{FILE_MODE, check_regular};
use super::super::handles::reserved::{STATE_DIR, is_reserved};
use super::super::handles::root::Root;
use super::super::handles::staging::{StagingFile, is_draft_name, random_name};
use super::super::handles::stamp;
use super::super::internal::state_dir::display;

/// Maximum size of a journal to examine, in bytes.
const MAX_JOURNAL: u64 = 64 << 20;
/// Maximum number of changed paths to list for a run.
const NAMED: usize = 20;

/// A run with a foreign journal, as the journal describes it.
#[derive(Clone, Debug)]
pub struct ForeignRun {
    /// The name of the journal.
    pub run: String,
    /// The command that the user started.
    pub command: String,
    /// Whether the run finished. Once adopted, an unfinished run is recovered at the next start.
    pub has_ended: bool,
    /// Number of its steps.
    pub steps: usize,
    /// The first paths that it changed.
    pub paths: Vec<Address>,
    /// Why it cannot be adopted, or `None` if it can.
    pub flaw: Option<String>,
}

/// Foreign state below `.ns`.
#[derive(Debug, Default)]
pub struct ForeignState {
    /// Foreign runs, the oldest first.
    pub runs: Vec<ForeignRun>,
    /// Foreign backups, counted in `foreign`; `flaws` lists other entries that do not belong there.
    pub kept: SweepReport,
}

/// An action on foreign state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignAction {
    /// List it only.
    Show,
    /// Seal it with this user's key.
    Adopt,
    /// Remove it for good.
    Remove,
}

impl Journal {
    /// Finds foreign state below the `.ns` of all roots and applies `action` to it.
    ///
    /// # Errors
    /// Returns errors of the operating system and exceeded limits. Actions completed before an error stay in effect.
    pub fn foreign(
        &self,
        roots: Roots<'_>,
        action: ForeignAction,
        meter: &Meter,
    ) -> Result<ForeignState, SandboxError> {
        if action != ForeignAction::Show {
            self.begin_own()?;
        }
        let mut state = ForeignState::default();
        let rules = RetentionRules::new(Retention { count: 0, days: 0, bytes: 0 });
        for root in [roots.main].into_iter().chain(roots.further) {
            let handler = Handler { root, action, meter };
            state.kept.add(Sweep::new(root, &rules, handler, &meter.watch()).run()?);
        }
        let folders = Folders::find(roots.main)?;
        if let Some(folders) = &folders {
            for (folder, has_ended) in [(&folders.ended, true), (&folders.open, false)] {
                let handler = Handler { root: roots.main, action, meter };
                handler.journals(Journals { folder, has_ended, roots }, &mut state)?;
            }
        }
        state.runs.sort_by(|one, other| one.run.cmp(&other.run));
        let is_left = state.kept.foreign.kept.things > 0 || state.runs.iter().any(|run| run.flaw.is_some());
        if let (true, false, Some(folders)) = (action != ForeignAction::Show, is_left, folders) {
            folders.claim(roots.main)?;
        }
        Ok(state)
    }
}

/// A directory of journals.
struct Journals<'a> {
    folder: &'a Folder,
    has_ended: bool,
    roots: Roots<'a>,
}

/// Applies the action to the foreign state of one root.
#[derive(Clone, Copy)]
struct Handler<'a> {
    root: &'a Root,
    action: ForeignAction,
    meter: &'a Meter,
}

impl Reclaimer for Handler<'_> {
    fn may_take(&self, _: &[OsString], _: &OsStr) -> bool {
        false
    }

    fn take(&self, _: &Folder, _: &[OsString], _: &OsStr) -> Result<bool, SandboxError> {
        Ok(false)
    }

    fn clear(&self, above: &Folder, name: &OsStr, _: bool) {
        if self.action == ForeignAction::Remove {
            // A directory that is not empty stays, as it should.
            let _ = above.remove_folder(name);
        }
    }

    fn foreign(&self, folder: &Folder, names: &[OsString], name: &OsStr) -> Result<bool, SandboxError> {
        self.meter.poll()?;
        let shown_path = || {
            display(
                &names.iter().map(OsString::as_os_str).chain([name]).collect::<std::path::PathBuf>().to_string_lossy(),
            )
        };
        match self.action {
            ForeignAction::Show => Ok(false),
            ForeignAction::Remove => {
                let _locked = StoreLock::wait_to_remove(self.root, self.meter)?;
                discard(folder, name, &shown_path()).map(|()| true)
            }
            ForeignAction::Adopt => {
                let sealed = stamp::kept_name(stamp::stamp_of(name), names, &self.root.seal);
                let renamed = folder.rename(name, folder, &sealed, Replace::No);
                renamed.map(|()| true).map_err(|error| SandboxError::io(shown_path(), &error))
            }
        }
    }
}

impl Handler<'_> {
    /// Handles the foreign journals of a directory.
    fn journals(&self, journals: Journals<'_>, state: &mut ForeignState) -> Result<(), SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
        let names = journals.folder.entries().map_err(wrap)?.into_iter().map(|entry| entry.name);
        for name in names.filter(|name| name != OPEN && name != OWNER_FILE) {
            self.meter.poll()?;
            let Some(file) = open(&journals, &name).map_err(wrap)? else {
                if stamp::is_stamp(&name) || !is_draft_name(&name) {
                    let path = format!("{}/{}", display(JOURNAL), name.to_string_lossy());
                    state.kept.flaw(SandboxError::NotOurs { path, reason: "it is no journal" });
                }
                continue;
            };
            if let Some(run) = self.journal(&journals, &name, file)? {
                state.runs.push(run);
            }
        }
        Ok(())
    }

    /// Handles a journal if it is foreign.
    fn journal(&self, journals: &Journals<'_>, name: &OsStr, file: File) -> Result<Option<ForeignRun>, SandboxError> {
        let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
        let is_over = !journals.has_ended && self.is_over(name);
        if !is_over && is_sealed(journals.folder, name, &self.root.seal) {
            return Ok(None);
        }
        let claim = read_claim(&file).map_err(wrap)?;
        let flaw = claim.flaw.clone().or_else(|| claim.strange_address(journals.roots));
        let run = claim.as_run(name, journals.has_ended, flaw);
        match self.action {
            ForeignAction::Show => {}
            ForeignAction::Remove => journals.folder.remove_file(name).map_err(wrap)?,
            ForeignAction::Adopt if run.flaw.is_none() && !is_over => {
                rewrite(journals.folder, name, &claim, journals.roots).map_err(wrap)?;
            }
            ForeignAction::Adopt => {}
        }
        let is_left = self.action == ForeignAction::Adopt && is_over;
        let flaw = is_left.then(|| "its run is over, and was brought to an end before".to_owned());
        Ok(Some(ForeignRun { flaw: run.flaw.clone().or(flaw).filter(|_| self.action != ForeignAction::Remove), ..run }))
    }

    fn is_over(&self, name: &OsStr) -> bool {
        let ledger = self.root.user.ledger.as_ref();
        ledger.is_some_and(|ledger| ledger.is_over(self.root.seal.id(), &name.to_string_lossy()).unwrap_or(false))
    }
}

/// Opens a journal. Returns `None` if it is not a regular file of this user's or if its run is active.
fn open(journals: &Journals<'_>, name: &OsStr) -> io::Result<Option<File>> {
    let is_file = journals.folder.metadata(name).is_ok_and(|it| check_regular(String::new(), &it).is_ok());
    if !(is_file && stamp::is_stamp(name)) {
        return Ok(None);
    }
    // On NFS a lock needs a file that is open for writing.
    let file = journals.folder.open_log(name).or_else(|_| journals.folder.open_file(name))?;
    let goes_on = !journals.has_ended && may_be_held(&file);
    Ok(Some(file).filter(|_| !goes_on))
}

/// The unverified contents of a journal.
struct Claim {
    begin: Begin,
    records: Vec<Record>,
    flaw: Option<String>,
}

fn read_claim(mut file: &File) -> io::Result<Claim> {
    let mut claim = Claim { begin: Begin::default(), records: Vec::new(), flaw: None };
    if file.size()? > MAX_JOURNAL {
        claim.flaw = Some(format!("it has more than {MAX_JOURNAL} bytes"));
        return Ok(claim);
    }
    file.rewind()?;
    let mut reader = BufReader::new(file);
    let mut number = 0;
    loop {
        let mut bytes = Vec::new();
        (&mut reader).take(RECORD_BYTES as u64 + 1).read_until(b'\n', &mut bytes)?;
        let Some(text) = bytes.strip_suffix(b"\n") else { break };
        number += 1;
        match (parse_claim(text), number) {
            (Some(Record::Begin(begin)), 1) if begin.version <= VERSION => claim.begin = begin,
            (Some(Record::Begin(begin)), 1) => {
                claim.flaw = Some(HistoryError::Later(begin.version).to_string());
                break;
            }
            (Some(record), 2..) if !matches!(record, Record::Begin(_)) => claim.records.push(record),
            _ => {
                claim.flaw = Some(format!("line {number} is no record"));
                break;
            }
        }
    }
    if number == 0 {
        claim.flaw = Some("it is empty, or not a journal".to_owned());
    }
    Ok(claim)
}

impl Claim {
    fn as_run(&self, name: &OsStr, has_ended: bool, flaw: Option<String>) -> ForeignRun {
        let steps = self.records.iter().filter_map(|record| match record {
            Record::Step { step, .. } => Some(step),
            _ => None,
        });
        let paths = steps.clone().flat_map(|step| {
            let (path, to) = (step.path(), step.destination());
            [path].into_iter().chain((to != path).then_some(to))
        });
        ForeignRun {
            run: name.to_string_lossy().into_owned(),
            command: self.begin.command.clone(),
            has_ended,
            paths: paths.take(NAMED).cloned().collect(),
            steps: steps.count(),
            flaw,
        }
    }

    /// Returns why no tool can have written the journal: it names a path that no tool changes.
    fn strange_address(&self, roots: Roots<'_>) -> Option<String> {
        self.records.iter().find_map(|record| {
            let addresses = addresses_of(record);
            let strange = addresses.tree.into_iter().find(|address| !is_tree_address(address, roots));
            let strange = strange.or_else(|| addresses.kept.into_iter().find(|it| resealed(it, roots).is_none()));
            let draft =
                addresses.drafts.into_iter().find(|name| !is_draft_name(OsStr::new(name)) || name.contains('/'));
            let strange = strange.map(|address| address.display().into_owned()).or(draft.cloned());
            strange.map(|address| format!("it names `{address}`, which no tool changes"))
        })
    }
}

/// The paths and names in a record, by kind.
#[derive(Default)]
struct Addresses<'a> {
    tree: Vec<&'a Address>,
    kept: Vec<&'a Address>,
    drafts: Vec<&'a String>,
}

fn addresses_of(record: &Record) -> Addresses<'_> {
    let mut found = Addresses::default();
    match record {
        Record::Step { step, .. } => {
            found.tree.push(step.path());
            match step {
                Step::Put { draft, kept, from, .. } => {
                    found.drafts.extend(draft);
                    found.kept.extend(kept.iter().chain(from.as_ref().map(|(from, _)| from)));
                }
                Step::Take { draft, kept, .. } => {
                    found.drafts.push(draft);
                    found.kept.push(kept);
                }
                Step::Move { to, draft, .. } => {
                    found.tree.push(to);
                    found.drafts.extend(draft);
                }
                _ => {}
            }
        }
        Record::Touched { folder, .. } if !folder.0.is_empty() => found.tree.push(folder),
        _ => {}
    }
    found
}

/// Whether a path could be one that a tool changed: below a root of this run, with no reserved name.
fn is_tree_address(address: &Address, roots: Roots<'_>) -> bool {
    let Ok((_, below)) = roots.of(address) else { return false };
    let is_plain = |part: &OsStr| !(part.is_empty() || part == "." || part == ".." || is_reserved(part));
    let text = below.as_os_str().as_encoded_bytes();
    !text.is_empty() && !text.contains(&0) && Path::new(below).components().all(|part| is_plain(part.as_os_str()))
}

/// Returns the path that a backup has once it is adopted, or `None` if the path is not that of a backup.
fn resealed(address: &Address, roots: Roots<'_>) -> Option<Address> {
    let (root, below) = roots.of(address).ok()?;
    let names: Vec<&OsStr> = below.components().map(|part| part.as_os_str()).collect();
    let (own, names) = names.split_first()?;
    let is_backup_kind = names.first().is_some_and(|name| BackupKind::named(name).is_some());
    let at = names.iter().position(|part| stamp::is_kept_shape(part)).filter(|&at| at > 1)?;
    if *own != STATE_DIR || !is_backup_kind || names.contains(&OsStr::new("..")) {
        return None;
    }
    let sealed = stamp::kept_name(stamp::stamp_of(names[at]), &names[..at], &root.seal);
    let parts = names[..at].iter().copied().chain([sealed.as_os_str()]).chain(names[at + 1..].iter().copied());
    Some(parts.fold(Address::from(&*root.address_of(STATE_DIR)), |address, part| address.join(part)))
}

/// Rewrites a journal with this user's seals.
fn rewrite(folder: &Folder, name: &OsStr, claim: &Claim, roots: Roots<'_>) -> io::Result<()> {
    let run = name.to_string_lossy().into_owned();
    let mut chain = roots.main.seal.chain(&run);
    let begin = Begin { version: VERSION, run, ..claim.begin.clone() };
    let mut text = line(&Record::Begin(begin), &mut chain);
    for record in &claim.records {
        text.push_str(&line(&with_new_names(record.clone(), roots), &mut chain));
    }
    let (mut draft, mut file) = StagingFile::create(folder, random_name(), FILE_MODE)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?;
    draft.rename(folder, name, Replace::Yes)?;
    folder.sync()
}

/// Replaces the backup paths in a record with those after adoption.
fn with_new_names(mut record: Record, roots: Roots<'_>) -> Record {
    let renew = |address: &mut Address| {
        if let Some(renewed) = resealed(address, roots) {
            *address = renewed;
        }
    };
    match &mut record {
        Record::Step { step: Step::Put { kept, from, .. }, .. } => {
            kept.iter_mut().for_each(renew);
            from.iter_mut().for_each(|(from, _)| renew(from));
        }
        Record::Step { step: Step::Take { kept, .. }, .. } => renew(kept),
        _ => {}
    }
    record
}
