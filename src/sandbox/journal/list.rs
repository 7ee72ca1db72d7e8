//! The runs whose journals are there, without reading those whole.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::super::error::SandboxError;
use super::super::keep::stamp;
use super::super::metadata::Kind;
use super::super::own::shown;
use super::record::{Begin, End, RECORD_BYTES, Record, parse};
use super::roots::Roots;
use super::run::Folders;
use super::{JOURNAL, Journal};

/// The beginning of a journal that is read at once; most are no longer.
const HEAD: usize = 4 << 10;
/// The end of a journal, in which its last record is.
const TAIL: u64 = 256;

/// A run as a list shows it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its name.
    pub run: String,
    /// Whose journal it is; none where that cannot be read.
    pub begin: Option<Begin>,
    /// How it ended; none while it goes on.
    pub end: Option<End>,
    /// How many steps stay; none where that is not known.
    pub steps: Option<u32>,
    /// The run that took it back.
    pub undone_by: Option<String>,
    /// The run that did it again after that.
    pub redone_by: Option<String>,
}

impl Journal {
    /// The newest runs, the newest first, at most so many.
    pub fn runs(roots: Roots<'_>, most: usize) -> Result<Vec<Listed>, SandboxError> {
        let mut listed = Vec::new();
        walk(roots, |run| {
            listed.push(run);
            listed.len() < most
        })?;
        Ok(listed)
    }

    /// The newest run that changed something and was not taken back: among those that took one back, or
    /// among the others.
    pub fn newest(roots: Roots<'_>, is_undo: bool) -> Result<Option<Listed>, SandboxError> {
        let mut found = None;
        walk(roots, |run| {
            let is_meant = run.begin.as_ref().is_some_and(|begin| begin.is_undo() == is_undo);
            let is_over = run.undone_by.is_some() || run.redone_by.is_some();
            if is_meant && !is_over && run.end.is_some() && run.steps != Some(0) {
                found = Some(run);
            }
            found.is_none()
        })?;
        Ok(found)
    }

    /// The run that a text names: its whole name, or the beginning or end of it that no other has.
    pub fn find(roots: Roots<'_>, text: &str) -> Result<Vec<Listed>, SandboxError> {
        let mut found = Vec::new();
        walk(roots, |run| {
            if run.run == text {
                found = vec![run];
                return false;
            }
            if text.len() >= 4 && (run.run.starts_with(text) || run.run.ends_with(text)) {
                found.push(run);
            }
            true
        })?;
        Ok(found)
    }
}

/// Shows the runs, the newest first, until `take` says that it is enough.
fn walk(roots: Roots<'_>, mut take: impl FnMut(Listed) -> bool) -> Result<(), SandboxError> {
    let wrap = |error: io::Error| SandboxError::io(shown(JOURNAL), &error);
    let Some(folders) = Folders::find(roots.main)? else { return Ok(()) };
    let mut undone: HashMap<String, String> = HashMap::new();
    let mut redone: HashMap<String, String> = HashMap::new();
    for name in folders.runs().map_err(wrap)?.into_iter().rev() {
        let Some((file, has_ended)) = open(&folders, &name).map_err(wrap)? else { continue };
        let run = name.to_string_lossy().into_owned();
        let (begin, end) = ends(&file).map_err(wrap)?;
        let (undone_by, redone_by) = (undone.remove(&run), redone.remove(&run));
        if let (Some(begin), true) = (&begin, has_ended && end.is_none_or(|(how, _)| how == End::Done)) {
            let insert = |into: &mut HashMap<String, String>, of: &Option<String>| {
                if let Some(of) = of {
                    into.entry(of.clone()).or_insert_with(|| run.clone());
                }
            };
            insert(&mut undone, &begin.undoes);
            insert(&mut redone, &begin.redoes);
        }
        let steps = end.map(|(_, steps)| steps);
        let end = end.map(|(how, _)| how).or(if has_ended { Some(End::Interrupted) } else { None });
        if !take(Listed { run, begin, end, steps, undone_by, redone_by }) {
            break;
        }
    }
    Ok(())
}

/// Opens a journal, and says whether its run ended.
fn open(folders: &Folders, name: &OsString) -> io::Result<Option<(File, bool)>> {
    debug_assert!(stamp::is_stamp(name), "only those are runs");
    for (folder, has_ended) in [(&folders.ended, true), (&folders.open, false)] {
        match folder.metadata(name) {
            Ok(metadata) if metadata.kind == Kind::File => return Ok(Some((folder.open_file(name)?, has_ended))),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(None)
}

/// How a run ended and how many steps stay, if that is known.
type Last = Option<(End, u32)>;

/// What the first record says, and the last.
fn ends(mut file: &File) -> io::Result<(Option<Begin>, Last)> {
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
    let begin = match first.and_then(parse) {
        Some(Record::Begin(begin)) => Some(begin),
        _ => None,
    };
    let last = tail.strip_suffix(b"\n").map(|tail| tail.rsplit(|&byte| byte == b'\n').next().unwrap_or(tail));
    let end = match last.and_then(parse) {
        Some(Record::End { how, steps }) => Some((how, steps)),
        _ => None,
    };
    Ok((begin, end))
}
