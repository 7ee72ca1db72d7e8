//! The runs whose journals are there, without reading those whole.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use chrono::{DateTime, Utc};

use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::keep::stamp;
use super::super::metadata::Kind;
use super::super::own::shown;
use super::super::seal::{Chain, RootSeal};
use super::record::{Begin, End, RECORD_BYTES, Record, parse, seal_at_end};
use super::roots::Roots;
use super::run::Folders;
use super::{JOURNAL, Journal};

/// The beginning of a journal that is read at once; most are no longer.
const HEAD: usize = 4 << 10;
/// The end of a journal, in which its last record is.
const TAIL: u64 = 256;
/// So many journals are read one after another before more are read at once.
const FEW: usize = 64;
/// So many are read at once, by so many threads.
const MANY: usize = 4_096;
const THREADS: usize = 4;

/// A run as a list shows it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its name.
    pub run: String,
    /// Whose journal it is; `None` where it is foreign: this user's key did not seal it for this root.
    pub begin: Option<Begin>,
    /// How it ended; none while it goes on.
    pub end: Option<End>,
    /// How many steps stay; none where that is not known.
    pub steps: Option<u32>,
    /// State that later undos and redos gave it, or `None` if no run reversed it.
    pub reversal: Option<Reversal>,
}

/// What undos and redos made of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversal {
    /// The newest of the undos and redos that concern the run. Taking that back reverses the state.
    pub by: String,
    /// Whether the run is taken back now; else it was done again.
    pub is_undone: bool,
}

/// The run that an undo or redo concerns in the end: the script, call or line that a person began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its name.
    pub run: String,
    /// What the user began; empty if its journal is gone or foreign.
    pub command: String,
    /// How many changes of it stayed when it ended; none where that is not known.
    pub changes: Option<u32>,
}

/// Which runs a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Each undo and redo is told as the state of the run that it concerns.
    Folded,
    /// Each undo and redo is a run of its own.
    All,
}

impl Listed {
    /// The short name, by which people call it.
    pub fn short(&self) -> &str {
        stamp::short(&self.run)
    }

    /// When it first changed something.
    pub fn began(&self) -> Option<DateTime<Utc>> {
        stamp::time_of(&self.run)
    }

    /// Whether the run takes another back, or does one again by that.
    fn is_reversal(&self) -> bool {
        self.begin.as_ref().is_some_and(|begin| begin.undoes.is_some())
    }

    /// Whether the run took another back, or did one again by that: also where nothing was left to do, since the other
    /// is listed in another state by it.
    fn reverses(&self) -> bool {
        self.is_reversal() && self.end == Some(End::Done)
    }

    /// Whether nothing of the run stays, so that there is nothing to take back.
    pub fn is_nothing(&self) -> bool {
        self.reversal.is_none() && self.steps == Some(0) && self.end.is_some() && !self.reverses()
    }

    /// Whether the run is taken back.
    pub fn is_undone(&self) -> bool {
        self.reversal.as_ref().is_some_and(|reversal| reversal.is_undone)
    }

    /// The run that must be taken back to reverse the state of this one.
    pub fn tip(&self) -> &str {
        self.reversal.as_ref().map_or(&self.run, |reversal| &reversal.by)
    }
}

impl Origin {
    /// Follows a run that takes others back to the one that those concern.
    pub(super) fn of(folders: &Folders, begin: &Begin) -> Origin {
        let mut origin = Origin { run: begin.run.clone(), command: begin.command.clone(), changes: None };
        let mut earlier = begin.redoes.clone().or(begin.undoes.clone());
        // Names sort by time, and a run concerns older ones only: so this ends.
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
    /// The newest runs, the newest first, at most so many.
    pub fn runs(roots: Roots<'_>, selection: Selection, most: usize) -> Result<Vec<Listed>, SandboxError> {
        let mut listed = Vec::new();
        walk(roots, |run, names| {
            let concerned = run.begin.as_ref().and_then(|begin| begin.undoes.as_deref());
            // One whose run is gone is told by itself.
            if selection == Selection::All || !concerned.is_some_and(|concerned| names.have(concerned)) {
                listed.push(run);
            }
            listed.len() < most
        })?;
        Ok(listed)
    }

    /// The newest runs that changed something and were not taken back, the newest first, at most so many: of
    /// those that took one back, or of the others. What was taken back before another run changed something is
    /// left: to do it again must be asked for by name.
    pub fn undoable(roots: Roots<'_>, is_undo: bool, most: usize) -> Result<Vec<Listed>, SandboxError> {
        let mut found = Vec::new();
        walk(roots, |run, _| {
            let is_meant = run.begin.as_ref().is_some_and(|begin| begin.is_undo() == is_undo);
            if is_meant && run.reversal.is_none() && run.end.is_some() && (run.steps != Some(0) || run.reverses()) {
                found.push(run);
                return found.len() < most;
            }
            let is_new_work = run.begin.is_some() && !run.is_reversal() && run.steps != Some(0);
            !(is_undo && is_new_work && !run.is_undone())
        })?;
        Ok(found)
    }

    /// The runs that a text may name. The first of these readings that fits any run counts: the whole name,
    /// the beginning of the short name, the beginning of the whole name, its end.
    pub fn find(roots: Roots<'_>, text: &str) -> Result<Vec<Listed>, SandboxError> {
        let mut readings: [Vec<Listed>; 3] = Default::default();
        let mut whole = None;
        walk(roots, |run, _| {
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

/// Shows the runs, the newest first, until `take` says that it is enough.
pub(super) fn walk(roots: Roots<'_>, mut take: impl FnMut(Listed, Names<'_>) -> bool) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(shown(JOURNAL), &error);
    let Some(folders) = Folders::find(roots.main)? else { return Ok(()) };
    let mut reversals: HashMap<String, Reversal> = HashMap::new();
    let journals = names(&folders).map_err(wrap)?;
    // Most want to see a few; for whoever wants all, many are read at once.
    let (few, many) = journals.split_at(journals.len().min(FEW));
    for batch in [few].into_iter().chain(many.chunks(MANY)) {
        for (name, found) in batch.iter().zip(read_all(&folders, batch).map_err(wrap)?) {
            let Some(Ends { begin, last: end, has_ended }) = found else { continue };
            let run = name.name.to_string_lossy().into_owned();
            let reversal = reversals.remove(&run);
            if let (Some(begin), true) = (&begin, has_ended && end.is_none_or(|(how, _)| how == End::Done))
                && let Some(concerned) = &begin.undoes
            {
                let of_concerned = match &reversal {
                    None => Reversal { by: run.clone(), is_undone: true },
                    Some(reversal) => Reversal { by: reversal.by.clone(), is_undone: !reversal.is_undone },
                };
                reversals.entry(concerned.clone()).or_insert(of_concerned);
            }
            let steps = end.map(|(_, steps)| steps);
            let end = end.map(|(how, _)| how).or(if has_ended { Some(End::Interrupted) } else { None });
            if !take(Listed { run, begin, end, steps, reversal }, Names(&journals)) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The name of a journal as a folder lists it.
struct Name {
    name: OsString,
    /// Whether it is certain that it is a file.
    is_file: bool,
}

/// The names of all journals, the newest first.
#[derive(Clone, Copy)]
pub(super) struct Names<'a>(&'a [Name]);

impl Names<'_> {
    /// Whether there is a journal of a name.
    fn have(self, name: &str) -> bool {
        self.0.binary_search_by(|found| OsStr::new(name).cmp(&found.name)).is_ok()
    }
}

/// Lists the names of all journals, the newest first.
fn names(folders: &Folders) -> io::Result<Vec<Name>> {
    let mut names = Vec::new();
    // The open ones first: a run that ends meanwhile is seen twice and not missed.
    for folder in [&folders.open, &folders.ended] {
        let entries = folder.entries()?.into_iter().filter(|entry| stamp::is_stamp(&entry.name));
        names.extend(entries.map(|entry| Name { name: entry.name, is_file: entry.kind == Some(Kind::File) }));
    }
    names.sort_unstable_by(|one, other| other.name.cmp(&one.name));
    names.dedup_by(|one, other| one.name == other.name);
    Ok(names)
}

/// The beginnings and ends of journals; none of what is no journal, or gone by now.
fn read_all(folders: &Folders, names: &[Name]) -> io::Result<Vec<Option<Ends>>> {
    let read = |names: &[Name]| -> io::Result<Vec<Option<Ends>>> {
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

/// Opens a journal, and says whether its run ended.
fn open(folders: &Folders, Name { name, is_file }: &Name) -> io::Result<Option<(File, bool)>> {
    for (folder, has_ended) in [(&folders.ended, true), (&folders.open, false)] {
        // Nothing but a file is ever opened.
        let is_file = if *is_file { Ok(true) } else { folder.metadata(name).map(|found| found.kind == Kind::File) };
        let opened = is_file.and_then(|is_file| if is_file { folder.open_file(name).map(Some) } else { Ok(None) });
        match opened {
            Ok(Some(file)) => return Ok(Some((file, has_ended))),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(None)
}

/// Whether this user's key sealed the first line of a journal for this root.
pub(super) fn is_sealed(folder: &Folder, name: &OsStr, seal: &RootSeal) -> bool {
    let chain = seal.chain(&name.to_string_lossy());
    folder.open_file(name).and_then(|file| ends(&file, true, chain)).is_ok_and(|ends| ends.begin.is_some())
}

/// Whose journal one is; `None` where it is foreign or cannot be read.
pub(super) fn begin_of(folders: &Folders, name: &OsStr) -> Option<Begin> {
    ends_of(folders, name)?.begin
}

fn ends_of(folders: &Folders, name: &OsStr) -> Option<Ends> {
    let listed = Name { name: name.to_owned(), is_file: false };
    let (file, has_ended) = open(folders, &listed).ok()??;
    ends(&file, has_ended, folders.seal.chain(&name.to_string_lossy())).ok()
}

/// How a run ended and how many steps stay, if that is known.
type Last = Option<(End, u32)>;

/// What a journal says first and last.
struct Ends {
    begin: Option<Begin>,
    last: Last,
    /// Whether it lies among those of runs that ended.
    has_ended: bool,
}

/// Reads the first record, and the last.
fn ends(mut file: &File, has_ended: bool, chain: Chain) -> io::Result<Ends> {
    let mut head = vec![0; HEAD];
    let length = file.read(&mut head)?;
    head.truncate(length);
    let mut tail = head.clone();
    if length == HEAD {
        // There is more of it.
        BufReader::new(file).take(RECORD_BYTES as u64).read_until(b'\n', &mut head)?;
        let length = file.metadata()?.len();
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
    Ok(Ends { begin, last, has_ended })
}

/// The last record of a journal, from its last bytes: the seal of the line before it is among them.
fn last_record(tail: &[u8], chain: Chain) -> Option<Record> {
    let mut lines = tail.strip_suffix(b"\n")?.rsplit(|&byte| byte == b'\n');
    let (last, before) = (lines.next()?, lines.next()?);
    parse(last, &mut chain.behind(seal_at_end(before)?)?)
}
