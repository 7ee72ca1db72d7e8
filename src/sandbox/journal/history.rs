//! A journal as it is read: what a run did, as far as is known.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};

use super::super::seal::{Chain, RootSeal};
use super::address::Address;
use super::record::{Begin, End, Moment, RECORD_BYTES, Record, State, Step, VERSION, parse, parse_claim};

/// What a journal says of a run.
#[derive(Clone, Debug)]
pub struct History {
    /// Whose journal it is.
    pub begin: Begin,
    /// The steps that were taken or may have been, in order; those that were taken back are left out.
    pub steps: Vec<Taken>,
    /// Folders that were changed besides the steps, when, and the line that says so.
    pub touched: Vec<(Address, Option<Moment>, u64)>,
    /// Where steps that were taken back left copies of what had been there, and the line that says so.
    pub copied: Vec<(Address, u64)>,
    /// States restored by steps that reversed others of the same run.
    pub put_back: Vec<PutBack>,
    /// How the run ended; none while it goes on and when it was killed.
    pub end: Option<End>,
    /// How many changes stayed when it ended; none where it did not end by itself.
    pub stays: Option<u32>,
    /// Where the steps begin of which all or none are taken, while they are not all taken.
    pub open_from: Option<u32>,
    /// The first line that is damaged; what it and those after it said is not known.
    pub damaged: Option<u64>,
    /// The bytes before a line that was cut off at the end.
    pub whole: u64,
    /// The seals behind the last whole line, to go on with.
    pub chain: Chain,
}

/// A place after a step that took back another of the same run.
#[derive(Clone, Debug)]
pub struct PutBack {
    /// The place.
    pub place: Address,
    /// State after the reversal, or `None` if nothing is there.
    pub now: Option<State>,
    /// The line that says so.
    pub line: u64,
}

/// A step as a journal has it.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Its number.
    pub number: u32,
    /// What was to be done.
    pub step: Step,
    /// The step of the same run that it takes back.
    pub reverses: Option<u32>,
    /// When its folders were changed last before.
    pub before: Vec<Option<Moment>>,
    /// The inodes of its folders, as far as they are known.
    pub inodes: Vec<Option<u64>>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a step.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It is not known; the disk tells.
    Unknown {
        /// The inode of the draft, if that was made.
        drafted: Option<u64>,
        /// Whether what it takes away was copied whole.
        copied: bool,
    },
    /// It was taken.
    Done {
        /// What was at its path then.
        now: Option<State>,
        /// Whether something is kept of what was there.
        kept: bool,
        /// When its folders were changed last.
        after: Vec<Option<Moment>>,
        /// The line that says so.
        line: u64,
    },
}

impl Taken {
    /// Whether it was taken after a line was written.
    pub fn is_after(&self, other: u64) -> bool {
        matches!(self.fate, Fate::Done { line, .. } if line > other)
    }
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The system does not let us.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Its first line was not sealed by this user's key for this directory.
    #[error("it is foreign: your key did not seal it for this directory")]
    Foreign,
    /// A later program wrote it.
    #[error("it has form {0}, and this program knows form {VERSION}")]
    Later(u32),
}

impl History {
    /// The run that a journal claims to be of, whoever sealed it; `None` where it claims nothing.
    pub fn claimed_run(mut file: &File) -> io::Result<Option<String>> {
        file.rewind()?;
        let mut lines = Lines { reader: BufReader::new(file), line: Vec::new() };
        let first = lines.next()?.and_then(|line| parse_claim(line.text?));
        Ok(if let Some(Record::Begin(begin)) = first { Some(begin.run) } else { None })
    }

    /// Reads the journal of a run whole; `seal` is that of the root it lies below.
    pub fn read(mut file: &File, run: &OsStr, seal: &RootSeal) -> Result<History, HistoryError> {
        file.rewind()?;
        let mut chain = seal.chain(&run.to_string_lossy());
        let mut lines = Lines { reader: BufReader::new(file), line: Vec::new() };
        let begin = match lines.next()?.and_then(|line| parse(line.text?, &mut chain)) {
            Some(Record::Begin(begin)) if begin.version > VERSION => return Err(HistoryError::Later(begin.version)),
            Some(Record::Begin(begin)) => begin,
            _ => return Err(HistoryError::Foreign),
        };
        let mut reading = Reading { line: 1, ..Reading::default() };
        let mut whole = lines.line.len() as u64;
        let mut damaged = None;
        while let Some(line) = lines.next()? {
            reading.line += 1;
            let Some(record) = line.text.and_then(|text| parse(text, &mut chain)) else {
                // A line without an end was cut off when the process was killed.
                damaged = line.is_ended.then_some(reading.line);
                break;
            };
            whole += line.bytes;
            reading.take(record);
        }
        let Reading { steps, touched, copied, put_back, end, stays, open_from, .. } = reading;
        Ok(History { begin, steps, touched, copied, put_back, end, stays, open_from, damaged, whole, chain })
    }
}

impl History {
    /// The first of the steps that are taken back where the run is killed: of an atomic run all, of a group
    /// those in it. `None` where what was done stays.
    pub fn taken_back_from(&self) -> Option<u32> {
        if self.begin.atomic { Some(1) } else { self.open_from }
    }

    /// The same without what happened in folders that went with the run; what left them was new.
    pub fn without_temporary(mut self) -> History {
        let temporary = |taken: &Taken| match &taken.step {
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
                if let Fate::Done { after, .. } = &mut taken.fate {
                    *after = after.split_off(1.min(after.len()));
                }
                taken.step = Step::Put { path: to.clone(), old: None, draft: None, kept: None, from: None };
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
    /// What it says; none when it is longer than any record.
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

/// What the records so far come to.
#[derive(Default)]
struct Reading {
    /// The number of the line.
    line: u64,
    steps: Vec<Taken>,
    touched: Vec<(Address, Option<Moment>, u64)>,
    copied: Vec<(Address, u64)>,
    put_back: Vec<PutBack>,
    end: Option<End>,
    stays: Option<u32>,
    open_from: Option<u32>,
}

impl Reading {
    fn take(&mut self, record: Record) {
        match record {
            Record::Begin(_) => {}
            Record::Step { number, step, reverses, before, mut inodes } => {
                inodes.resize(before.len(), None);
                let fate = Fate::Unknown { drafted: None, copied: false };
                self.steps.push(Taken { number, step, reverses, before, inodes, fate });
            }
            Record::Drafted { number, inode } => {
                if let Some(Fate::Unknown { drafted, .. }) = self.fate(number) {
                    *drafted = Some(inode);
                }
            }
            Record::Copied { number } => {
                if let Some(Fate::Unknown { copied, .. }) = self.fate(number) {
                    *copied = true;
                }
            }
            Record::Touched { folder, modified } => self.touched.push((folder, modified, self.line)),
            Record::Done { number, now, kept, after } => {
                self.done(number, Fate::Done { now, kept, after, line: self.line })
            }
            Record::Void { number } => self.forget(number),
            Record::Open => self.open_from = Some(self.steps.last().map_or(0, |taken| taken.number).saturating_add(1)),
            Record::Close => self.open_from = None,
            Record::End { how, steps } => (self.end, self.stays) = (Some(how), Some(steps)),
        }
    }

    fn fate(&mut self, number: u32) -> Option<&mut Fate> {
        self.steps.iter_mut().rev().find(|taken| taken.number == number).map(|taken| &mut taken.fate)
    }

    /// Leaves a step out; it is among the last, as steps are taken and taken back in turn.
    fn forget(&mut self, number: u32) {
        if let Some(at) = self.steps.iter().rposition(|taken| taken.number == number) {
            self.steps.remove(at);
        }
    }

    fn done(&mut self, number: u32, fate: Fate) {
        let Some(at) = self.steps.iter().rposition(|taken| taken.number == number) else { return };
        match self.steps[at].reverses {
            // A step and what took it back come to nothing.
            Some(reversed) => {
                let Taken { step, .. } = self.steps.remove(at);
                self.copied.extend(step.copied_back_to().map(|place| (place.clone(), self.line)));
                if let Fate::Done { now, line, .. } = fate {
                    self.put_back.push(PutBack { place: step.destination().clone(), now, line });
                }
                self.forget(reversed);
            }
            None => self.steps[at].fate = fate,
        }
    }
}
