//! The history of a run, as read from its journal.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Seek};

use super::super::super::handles::address::Address;
use super::super::super::handles::folder::File;
use super::super::super::handles::seal::{Chain, RootSeal};
use super::super::super::handles::state::{Moment, State};
use super::record::{Begin, End, RECORD_BYTES, Record, Step, VERSION, parse, parse_claim};

/// The contents of a journal.
#[derive(Clone, Debug)]
pub struct History {
    /// The header of the journal.
    pub begin: Begin,
    /// The steps that were or may have been carried out, in order, without those that were reversed.
    pub steps: Vec<JournaledStep>,
    /// Directories that changed outside the steps, with their modification time and the line that records it.
    pub touched: Vec<(Address, Option<Moment>, u64)>,
    /// Where reversed steps left copies of the original entries, with the line that records it.
    pub copied: Vec<(Address, u64)>,
    /// States restored by steps that reversed others of the same run.
    pub put_back: Vec<PutBack>,
    /// How the run ended; `None` if it is active or was killed.
    pub end: Option<End>,
    /// Number of changes in effect at the end of the run; `None` if the journal does not record its end.
    pub stays: Option<u32>,
    /// The first step of a group that is still open.
    pub open_from: Option<u32>,
    /// The first damaged line. Its contents and those of all later lines are unknown.
    pub damaged: Option<u64>,
    /// Number of bytes before an incomplete last line.
    pub whole: u64,
    /// The chain of seals after the last complete line, for appending.
    pub chain: Chain,
}

/// A path after a step that reversed another step of the same run.
#[derive(Clone, Debug)]
pub struct PutBack {
    /// The path.
    pub place: Address,
    /// State after the reversal, or `None` if nothing is there.
    pub now: Option<State>,
    /// The line that records it.
    pub line: u64,
}

/// A step as the journal has it.
#[derive(Clone, Debug)]
pub struct JournaledStep {
    /// The number of the step.
    pub number: u32,
    /// The change.
    pub step: Step,
    /// The step of the same run that it reverses.
    pub reverses: Option<u32>,
    /// Modification times of its directories before the step.
    pub before: Vec<Option<Moment>>,
    /// Inodes of its directories, as far as they are known.
    pub inodes: Vec<Option<u64>>,
    /// The outcome of the step.
    pub fate: StepOutcome,
}

/// The outcome of a step.
#[derive(Clone, Debug)]
pub enum StepOutcome {
    /// The journal has no outcome; recovery determines it from the file system.
    Unknown {
        /// The inode of the staging file, if it was created.
        drafted: Option<u64>,
        /// Whether the entry to be removed was copied completely.
        copied: bool,
    },
    /// The step was carried out.
    Done {
        /// The entry at its path afterwards.
        now: Option<State>,
        /// Whether the previous entry was backed up.
        kept: bool,
        /// Modification times of its directories after the step.
        after: Vec<Option<Moment>>,
        /// The line that records it.
        line: u64,
    },
}

impl JournaledStep {
    /// Whether the step was carried out after line `other` was written.
    pub fn is_after(&self, other: u64) -> bool {
        matches!(self.fate, StepOutcome::Done { line, .. } if line > other)
    }
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The operating system reported an error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Its first line was not sealed by this user's key for this directory.
    #[error("it is foreign: your key did not seal it for this directory")]
    Foreign,
    /// A newer version of the program wrote it.
    #[error("it has form {0}, and this program knows form {VERSION}")]
    Later(u32),
}

impl History {
    /// Returns the run that a journal claims to belong to, without checking its seal.
    pub fn claimed_run(mut file: &File) -> io::Result<Option<String>> {
        file.rewind()?;
        let mut lines = Lines { reader: BufReader::new(file), line: Vec::new() };
        let first = lines.next()?.and_then(|line| parse_claim(line.text?));
        Ok(if let Some(Record::Begin(begin)) = first { Some(begin.run) } else { None })
    }

    /// Reads the whole journal of a run; `seal` is that of the root above the journal.
    pub fn read(mut file: &File, run: &OsStr, seal: &RootSeal) -> Result<History, HistoryError> {
        file.rewind()?;
        let mut chain = seal.chain(&run.to_string_lossy());
        let mut lines = Lines { reader: BufReader::new(file), line: Vec::new() };
        let begin = match lines.next()?.and_then(|line| parse(line.text?, &mut chain)) {
            Some(Record::Begin(begin)) if begin.version > VERSION => return Err(HistoryError::Later(begin.version)),
            Some(Record::Begin(begin)) => begin,
            _ => return Err(HistoryError::Foreign),
        };
        let mut reading = HistoryReader { line: 1, ..HistoryReader::default() };
        let mut whole = lines.line.len() as u64;
        let mut damaged = None;
        while let Some(line) = lines.next()? {
            reading.line += 1;
            let (is_ended, bytes) = (line.is_ended, line.bytes);
            let Some(record) = line.text.and_then(|text| parse(text, &mut chain)) else {
                // A line without a line feed was cut off when the process was killed. In a file that was not synced, a
                // power failure may leave zeros in the place of records; no record has one.
                let has_zeros = lines.line.contains(&0);
                damaged = (is_ended && !has_zeros).then_some(reading.line);
                break;
            };
            whole += bytes;
            reading.take(record);
        }
        let HistoryReader { steps, touched, copied, put_back, end, stays, open_from, .. } = reading;
        Ok(History { begin, steps, touched, copied, put_back, end, stays, open_from, damaged, whole, chain })
    }
}

impl History {
    /// Returns the first step to roll back if the run was killed: the first step of an atomic run, or of an open
    /// group. Returns `None` if its changes stay.
    pub fn taken_back_from(&self) -> Option<u32> {
        if self.begin.atomic { Some(1) } else { self.open_from }
    }

    /// Returns the history without steps inside the run's temporary directories. Entries moved out of them count as
    /// new.
    pub fn without_temporary(mut self) -> History {
        let temporary = |taken: &JournaledStep| match &taken.step {
            Step::Temporary { path } => Some(path.clone()),
            _ => None,
        };
        let folders: Vec<Address> = self.steps.iter().filter_map(temporary).collect();
        let is_inside = |path: &Address| folders.iter().any(|folder| path == folder || path.is_below(folder));
        self.steps.retain_mut(|taken| {
            if let Step::Move { path, to, .. } = &taken.step
                && is_inside(path)
                && !is_inside(to)
            {
                taken.before = taken.before.split_off(1.min(taken.before.len()));
                taken.inodes = taken.inodes.split_off(1.min(taken.inodes.len()));
                if let StepOutcome::Done { after, .. } = &mut taken.fate {
                    *after = after.split_off(1.min(after.len()));
                }
                taken.step =
                    Step::Put { path: to.clone(), old: None, draft: None, kept: None, from: None, is_empty: false };
            }
            !is_inside(taken.step.path())
        });
        self
    }
}

/// The lines of a journal.
struct Lines<R> {
    reader: R,
    line: Vec<u8>,
}

struct Line<'a> {
    /// The line without its line feed; `None` if the line is incomplete or too long for a record.
    text: Option<&'a [u8]>,
    is_ended: bool,
    bytes: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let bytes = (&mut self.reader).take(RECORD_BYTES as u64 + 1).read_until(b'\n', &mut self.line)? as u64;
        if bytes == 0 {
            return Ok(None);
        }
        let text = self.line.strip_suffix(b"\n");
        let is_ended = text.is_some() || bytes > RECORD_BYTES as u64;
        Ok(Some(Line { text, is_ended, bytes }))
    }
}

/// The state accumulated from the records so far.
#[derive(Default)]
struct HistoryReader {
    /// The number of the current line.
    line: u64,
    steps: Vec<JournaledStep>,
    touched: Vec<(Address, Option<Moment>, u64)>,
    copied: Vec<(Address, u64)>,
    put_back: Vec<PutBack>,
    end: Option<End>,
    stays: Option<u32>,
    open_from: Option<u32>,
}

impl HistoryReader {
    fn take(&mut self, record: Record) {
        match record {
            Record::Begin(_) => {}
            Record::Step { number, step, reverses, before, mut inodes } => {
                inodes.resize(before.len(), None);
                let fate = StepOutcome::Unknown { drafted: None, copied: false };
                self.steps.push(JournaledStep { number, step, reverses, before, inodes, fate });
            }
            Record::Drafted { number, inode } => {
                if let Some(StepOutcome::Unknown { drafted, .. }) = self.fate(number) {
                    *drafted = Some(inode);
                }
            }
            Record::Copied { number } => {
                if let Some(StepOutcome::Unknown { copied, .. }) = self.fate(number) {
                    *copied = true;
                }
            }
            Record::Touched { folder, modified } => self.touched.push((folder, modified, self.line)),
            Record::Done { number, now, kept, after } => {
                self.done(number, StepOutcome::Done { now, kept, after, line: self.line })
            }
            Record::Void { number } => self.forget(number),
            Record::Open => self.open_from = Some(self.steps.last().map_or(0, |taken| taken.number).saturating_add(1)),
            Record::Close => self.open_from = None,
            Record::End { how, steps } => (self.end, self.stays) = (Some(how), Some(steps)),
        }
    }

    fn fate(&mut self, number: u32) -> Option<&mut StepOutcome> {
        self.steps.iter_mut().rev().find(|taken| taken.number == number).map(|taken| &mut taken.fate)
    }

    /// Removes a step. The search starts at the end because reversals follow soon after their steps.
    fn forget(&mut self, number: u32) {
        if let Some(at) = self.steps.iter().rposition(|taken| taken.number == number) {
            self.steps.remove(at);
        }
    }

    fn done(&mut self, number: u32, fate: StepOutcome) {
        let Some(at) = self.steps.iter().rposition(|taken| taken.number == number) else { return };
        match self.steps[at].reverses {
            // A step and its reversal cancel out.
            Some(reversed) => {
                let JournaledStep { step, .. } = self.steps.remove(at);
                self.copied.extend(step.copied_back_to().map(|place| (place.clone(), self.line)));
                if let StepOutcome::Done { now, line, .. } = fate {
                    self.put_back.push(PutBack { place: step.destination().clone(), now, line });
                }
                self.forget(reversed);
            }
            None => self.steps[at].fate = fate,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::io::Write;

    use super::super::record::{Begin, Record, VERSION, line};
    use super::{History, HistoryError};
    use crate::sandbox::handles::folder::File;
    use crate::sandbox::handles::root::Root;

    #[test]
    fn a_later_form_is_named_and_not_read() {
        let place = tempfile::tempdir().expect("a folder");
        let root = Root::open(place.path()).expect("it opens");
        let begin = Begin { version: VERSION + 1, run: "run".to_owned(), ..Begin::default() };
        let text = line(&Record::Begin(begin), &mut root.seal.chain("run"));
        let mut file = File::from(tempfile::tempfile().expect("a file"));
        file.write_all(text.as_bytes()).expect("it is written");
        let Err(error) = History::read(&file, OsStr::new("run"), &root.seal) else { panic!("it was read") };
        assert!(matches!(error, HistoryError::Later(found) if found == VERSION + 1), "{error}");
        assert_eq!(error.to_string(), format!("it has form {}, and this program knows form {VERSION}", VERSION + 1));
    }

    /// A power failure may leave zeros in the place of records that were not synced: they were cut off, not damaged.
    #[test]
    fn zeros_end_a_journal() {
        let place = tempfile::tempdir().expect("a folder");
        let root = Root::open(place.path()).expect("it opens");
        for (rest, is_damaged) in [("\0\0\0", false), ("\0\0 record\n", false), ("record\n", true), ("rec", false)] {
            let mut chain = root.seal.chain("run");
            let begin = Begin { version: VERSION, run: "run".to_owned(), ..Begin::default() };
            let whole = [Record::Begin(begin), Record::Open].map(|record| line(&record, &mut chain)).concat();
            let mut file = File::from(tempfile::tempfile().expect("a file"));
            file.write_all(format!("{whole}{rest}").as_bytes()).expect("it is written");
            let history = History::read(&file, OsStr::new("run"), &root.seal).expect("it is read");
            assert_eq!((history.damaged.is_some(), history.whole), (is_damaged, whole.len() as u64), "{rest:?}");
        }
    }
}
