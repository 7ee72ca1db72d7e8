//! Lists runs without reading their journals completely.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use chrono::{DateTime, Utc};

use super::super::super::handles::error::SandboxError;
use super::super::super::handles::folder::File;
use super::super::super::handles::folder::Folder;
use super::super::super::handles::metadata::Kind;
use super::super::super::handles::seal::{Chain, RootSeal};
use super::super::super::handles::stamp;
use super::super::super::internal::state_dir::display;
use super::folders::Folders;
use super::record::{Begin, End, RECORD_BYTES, Record, parse, seal_at_end};
use super::roots::Roots;
use super::{JOURNAL, Journal};

/// Number of bytes first read from a journal. Most journals are not longer.
const HEAD: usize = 4 << 10;
/// Number of bytes at the end of a journal that contain its last record.
const TAIL: u64 = 256;
/// Number of journals read sequentially before the rest are read in parallel.
const FEW: usize = 64;
/// Number of journals per parallel batch; [`THREADS`] limits the threads.
const MANY: usize = 4_096;
const THREADS: usize = 4;

/// A run as listed.
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// The name of the run.
    pub run: String,
    /// The header of its journal, or `None` if the journal is foreign: this user's key did not seal it for this root.
    pub begin: Option<Begin>,
    /// How the run ended; `None` while it is running.
    pub end: Option<End>,
    /// Number of steps that are still in effect, or `None` if it is not known.
    pub steps: Option<u32>,
    /// State that later undos and redos gave it, or `None` if no run reversed it.
    pub reversal: Option<Reversal>,
}

/// The effect of undos and redos on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversal {
    /// The newest undo or redo that affects the run. Undoing that one reverses the state.
    pub by: String,
    /// Whether the run is currently undone; `false` if it was redone.
    pub is_undone: bool,
    /// Whether a forced undo left some of its changes in effect.
    pub is_partial: bool,
}

/// The original run behind an undo or redo: the script, call or session line that a person started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The name of the run.
    pub run: String,
    /// The command that the user started; empty if its journal is gone or foreign.
    pub command: String,
    /// Number of its changes in effect when it ended; `None` if unknown.
    pub changes: Option<u32>,
}

/// Which runs to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Shows each undo and redo as the state of its original run.
    Folded,
    /// Shows each undo and redo as a run of its own.
    All,
}

impl RunSummary {
    /// Returns the short name, for people.
    pub fn short(&self) -> &str {
        stamp::short(&self.run)
    }

    /// Returns when the run made its first change.
    pub fn began(&self) -> Option<DateTime<Utc>> {
        stamp::time_of(&self.run)
    }

    /// Whether the run was made for this client; true for every run if `client` is `None`.
    pub fn is_of(&self, client: Option<&str>) -> bool {
        client.is_none() || self.begin.as_ref().is_some_and(|begin| begin.client.as_deref() == client)
    }

    /// Whether the run is an undo or a redo.
    fn is_reversal(&self) -> bool {
        self.begin.as_ref().is_some_and(|begin| begin.undoes.is_some())
    }

    /// Whether the run completed an undo or redo. True even if it changed nothing, because it still changes the listed
    /// state of the other run.
    fn reverses(&self) -> bool {
        self.is_reversal() && self.end == Some(End::Done)
    }

    /// Whether no change of the run is in effect, so that there is nothing to undo.
    pub fn is_nothing(&self) -> bool {
        self.reversal.is_none() && self.steps == Some(0) && self.end.is_some() && !self.reverses()
    }

    /// Whether the run is currently undone.
    pub fn is_undone(&self) -> bool {
        self.reversal.as_ref().is_some_and(|reversal| reversal.is_undone)
    }

    /// Returns the run to undo in order to reverse the state of this one.
    pub fn tip(&self) -> &str {
        self.reversal.as_ref().map_or(&self.run, |reversal| &reversal.by)
    }
}

impl Origin {
    /// Follows undos and redos back to their original run.
    pub(in crate::sandbox) fn of(folders: &Folders, begin: &Begin) -> Origin {
        let mut origin = Origin { run: begin.run.clone(), command: begin.command.clone(), changes: None };
        let mut earlier = begin.redoes.clone().or(begin.undoes.clone());
        // The loop ends: names sort by time, and an undo or redo refers to an older run.
        while let Some(run) = earlier.filter(|run| *run < origin.run) {
            let begin = begin_of(folders, OsStr::new(&run));
            earlier = begin.as_ref().and_then(|begin| begin.redoes.clone().or(begin.undoes.clone()));
            origin = Origin { run, command: begin.map(|begin| begin.command).unwrap_or_default(), changes: None };
        }
        let last = ends_of(folders, OsStr::new(&origin.run)).and_then(|ends| ends.last);
        Origin { changes: last.map(|(_, changes)| changes), ..origin }
    }
}

impl Journal {
    /// Returns the newest runs of a client, or of all, the newest first, at most `most`.
    pub fn runs(
        roots: Roots<'_>,
        client: Option<&str>,
        selection: Selection,
        most: usize,
    ) -> Result<Vec<RunSummary>, SandboxError> {
        let mut listed = Vec::new();
        walk(roots, |run, names| {
            if !run.is_of(client) {
                return true;
            }
            let concerned = run.begin.as_ref().and_then(|begin| begin.undoes.as_deref());
            // A refused undo has changed nothing.
            if run.is_reversal() && run.end == Some(End::TakenBack) {
                return true;
            }
            // An undo or redo whose target is gone is listed on its own.
            if selection == Selection::All || !concerned.is_some_and(|concerned| names.have(concerned)) {
                listed.push(run);
            }
            listed.len() < most
        })?;
        Ok(listed)
    }

    /// Returns the newest runs of a client, or of all, that changed something and were not undone, the newest first, at
    /// most `most`: undos if `is_undo`, other runs otherwise. Undos older than the last new change are left out; a redo
    /// of those must name the run.
    pub fn undoable(
        roots: Roots<'_>,
        client: Option<&str>,
        is_undo: bool,
        most: usize,
    ) -> Result<Vec<RunSummary>, SandboxError> {
        let mut found = Vec::new();
        walk(roots, |run, _| {
            if !run.is_of(client) {
                return true;
            }
            let is_meant = run.begin.as_ref().is_some_and(|begin| begin.is_undo() == is_undo);
            // An active run counts: the run before it is not the newest.
            let has_ended = run.end.is_some() || !is_undo;
            if is_meant && run.reversal.is_none() && has_ended && (run.steps != Some(0) || run.reverses()) {
                found.push(run);
                return found.len() < most;
            }
            let is_new_work = run.begin.is_some() && !run.is_reversal() && run.steps != Some(0);
            !(is_undo && is_new_work && !run.is_undone())
        })?;
        Ok(found)
    }

    /// Returns the runs of a client, or of all, that a text may name. The text is matched against the whole name, the
    /// beginning of the short name, the beginning of the whole name, and its end, in this order; the first kind of match
    /// that finds a run wins.
    pub fn find(roots: Roots<'_>, client: Option<&str>, text: &str) -> Result<Vec<RunSummary>, SandboxError> {
        let mut readings: [Vec<RunSummary>; 3] = Default::default();
        let mut whole = None;
        walk(roots, |run, _| {
            if !run.is_of(client) {
                return true;
            }
            if run.run == text {
                whole = Some(run);
                return false;
            }
            let fits = [run.short().starts_with(text), run.run.starts_with(text), run.run.ends_with(text)];
            if let Some(reading) = fits.iter().position(|fits| *fits && !text.is_empty()) {
                readings[reading].push(run);
            }
            true
        })?;
        let fitting = readings.into_iter().find(|runs| !runs.is_empty());
        Ok(whole.map(|run| vec![run]).or(fitting).unwrap_or_default())
    }
}

/// The newest undo or redo of a run, before the run itself is read.
struct NewestReversal {
    by: String,
    is_undone: bool,
    /// Number of steps of the run that are reversed, or `None` if it is not known.
    steps: Option<u32>,
}

impl NewestReversal {
    /// Returns its effect on the run, which has so many steps.
    fn of(&self, steps: Option<u32>) -> Reversal {
        let is_some = self.steps.zip(steps).is_some_and(|(reversed, all)| (1..all).contains(&reversed));
        Reversal { by: self.by.clone(), is_undone: self.is_undone, is_partial: self.is_undone && is_some }
    }
}

/// Passes the runs to `take`, the newest first, until it returns false.
pub(in crate::sandbox) fn walk(
    roots: Roots<'_>,
    mut take: impl FnMut(RunSummary, JournalNames<'_>) -> bool,
) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(display(JOURNAL), &error);
    let Some(folders) = Folders::find(roots.main)? else { return Ok(()) };
    let mut reversals: HashMap<String, NewestReversal> = HashMap::new();
    let journals = names(&folders).map_err(wrap)?;
    // Most callers need only a few runs; for the others, journals are read in parallel.
    let (few, many) = journals.split_at(journals.len().min(FEW));
    for batch in [few].into_iter().chain(many.chunks(MANY)) {
        for (name, found) in batch.iter().zip(read_all(&folders, batch).map_err(wrap)?) {
            let Some(JournalBounds { begin, last: end, has_ended }) = found else { continue };
            let run = name.name.to_string_lossy().into_owned();
            let (steps, end) = (end.map(|(_, steps)| steps), end.map(|(how, _)| how));
            let newest = reversals.remove(&run);
            let reversal = newest.as_ref().map(|newest| newest.of(steps));
            if let (Some(begin), true) = (&begin, has_ended && end.is_none_or(|how| how == End::Done))
                && let Some(concerned) = &begin.undoes
            {
                let (by, is_undone) = match &reversal {
                    None => (run.clone(), true),
                    Some(reversal) => (reversal.by.clone(), !reversal.is_undone),
                };
                // Only what is in effect of an undo reverses anything.
                let reversed = newest.map_or(Some(0), |newest| newest.steps);
                let steps = steps.zip(reversed).map(|(all, reversed)| all.saturating_sub(reversed));
                reversals.entry(concerned.clone()).or_insert(NewestReversal { by, is_undone, steps });
            }
            let end = end.or(if has_ended { Some(End::Interrupted) } else { None });
            if !take(RunSummary { run, begin, end, steps, reversal }, JournalNames(&journals)) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The name of a journal as found in its directory.
struct JournalName {
    name: OsString,
    /// Whether the entry is known to be a file. If false, its kind must be queried.
    is_file: bool,
}

/// The names of all journals, the newest first.
#[derive(Clone, Copy)]
pub(in crate::sandbox) struct JournalNames<'a>(&'a [JournalName]);

impl JournalNames<'_> {
    /// Whether there is a journal with this name.
    fn have(self, name: &str) -> bool {
        self.0.binary_search_by(|found| OsStr::new(name).cmp(&found.name)).is_ok()
    }
}

/// Lists the names of all journals, the newest first.
fn names(folders: &Folders) -> io::Result<Vec<JournalName>> {
    let mut names = Vec::new();
    // List open journals first: a run that finishes in between is then seen twice rather than missed.
    for folder in [&folders.open, &folders.ended] {
        let entries = folder.entries()?.into_iter().filter(|entry| stamp::is_stamp(&entry.name));
        names.extend(entries.map(|entry| JournalName { name: entry.name, is_file: entry.kind == Some(Kind::File) }));
    }
    names.sort_unstable_by(|one, other| other.name.cmp(&one.name));
    names.dedup_by(|one, other| one.name == other.name);
    Ok(names)
}

/// Reads the first and last records of journals. Returns `None` for each name that is not a journal or has
/// disappeared.
fn read_all(folders: &Folders, names: &[JournalName]) -> io::Result<Vec<Option<JournalBounds>>> {
    let read = |names: &[JournalName]| -> io::Result<Vec<Option<JournalBounds>>> {
        names
            .iter()
            .map(|listed| {
                let Some((file, has_ended)) = open(folders, listed)? else { return Ok(None) };
                ends(&file, has_ended, folders.seal.chain(&listed.name.to_string_lossy())).map(Some)
            })
            .collect()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    if names.len() <= FEW || threads == 1 {
        return read(names);
    }
    std::thread::scope(|scope| {
        let parts = names.chunks(names.len().div_ceil(threads));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || read(part))).collect();
        let parts = parts.into_iter().map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        Ok(parts.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    })
}

/// Opens a journal and tells whether its run has finished.
fn open(folders: &Folders, JournalName { name, is_file }: &JournalName) -> io::Result<Option<(File, bool)>> {
    folders.open_either(|folder| {
        // Only regular files are opened.
        let is_file = *is_file || folder.metadata(name)?.kind == Kind::File;
        if is_file { folder.open_file(name).map(Some) } else { Ok(None) }
    })
}

/// Whether this user's key sealed the first line of a journal for this root.
pub(in crate::sandbox) fn is_sealed(folder: &Folder, name: &OsStr, seal: &RootSeal) -> bool {
    let chain = seal.chain(&name.to_string_lossy());
    folder.open_file(name).and_then(|file| ends(&file, true, chain)).is_ok_and(|ends| ends.begin.is_some())
}

/// Returns the header of a journal, or `None` if it is foreign or cannot be read.
pub(super) fn begin_of(folders: &Folders, name: &OsStr) -> Option<Begin> {
    ends_of(folders, name)?.begin
}

fn ends_of(folders: &Folders, name: &OsStr) -> Option<JournalBounds> {
    let listed = JournalName { name: name.to_owned(), is_file: false };
    let (file, has_ended) = open(folders, &listed).ok()??;
    ends(&file, has_ended, folders.seal.chain(&name.to_string_lossy())).ok()
}

/// How a run ended and the number of steps still in effect, if known.
type Last = Option<(End, u32)>;

/// The first and last records of a journal.
struct JournalBounds {
    begin: Option<Begin>,
    last: Last,
    /// Whether the journal is in the directory of finished runs.
    has_ended: bool,
}

/// Reads the first and the last record.
fn ends(mut file: &File, has_ended: bool, chain: Chain) -> io::Result<JournalBounds> {
    let mut head = vec![0; HEAD];
    let length = file.read(&mut head)?;
    head.truncate(length);
    let mut tail = head.clone();
    if length == HEAD {
        // The journal is longer.
        BufReader::new(file).take(RECORD_BYTES as u64).read_until(b'\n', &mut head)?;
        let length = file.size()?;
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        tail.clear();
        file.take(TAIL).read_to_end(&mut tail)?;
    }
    let first = head.iter().position(|&byte| byte == b'\n').map(|end| &head[..end]);
    let begin = match first.and_then(|line| parse(line, &mut chain.clone())) {
        Some(Record::Begin(begin)) => Some(begin),
        _ => None,
    };
    let last = begin.as_ref().and_then(|_| last_record(&tail, chain));
    let last = match last {
        Some(Record::End { how, steps }) => Some((how, steps)),
        _ => None,
    };
    Ok(JournalBounds { begin, last, has_ended })
}

/// Parses the last record from the end of a journal. The seal of the previous line, which the chain needs, is also in
/// `tail`.
fn last_record(tail: &[u8], chain: Chain) -> Option<Record> {
    let mut lines = tail.strip_suffix(b"\n")?.rsplit(|&byte| byte == b'\n');
    let (last, before) = (lines.next()?, lines.next()?);
    parse(last, &mut chain.behind(seal_at_end(before)?)?)
}
