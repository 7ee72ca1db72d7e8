//! The records of a journal: one a line, as JSON, with the seal of the line behind it.
//!
//! The seals are chained ([`Chain`]), so that a line counts in its place in this one journal alone.

use serde::{Deserialize, Serialize};

use super::super::metadata::{Kind, Metadata, Timestamp};
use super::super::seal::{Chain, SEAL_DIGITS};
use super::address::Address;

/// The form of journals that this program writes.
pub const VERSION: u32 = 2;
/// The most bytes of a record; a longer line is damaged.
pub const RECORD_BYTES: usize = 256 << 10;
/// Hexadecimal digits of the checksum that lines of the first form begin with.
const CHECKSUM_DIGITS: usize = 8;

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// The first: whose journal it is.
    Begin(Begin),
    /// A step is about to be taken. It is synced before anything is touched.
    Step {
        /// Its number, from 1.
        number: u32,
        /// What is to be done.
        step: Step,
        /// The step of the same run that it takes back.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reverses: Option<u32>,
        /// When the folders that it changes were changed last.
        before: Vec<Option<Moment>>,
        /// Their inodes.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        inodes: Vec<Option<u64>>,
    },
    /// The draft of a step was made.
    Drafted {
        /// The step.
        number: u32,
        /// The draft's inode.
        inode: u64,
    },
    /// What a step takes away was copied whole, and the original is about to be removed.
    Copied {
        /// The step.
        number: u32,
    },
    /// A step was taken.
    Done {
        /// The step.
        number: u32,
        /// What is at its path now.
        now: Option<State>,
        /// Whether something is kept of what was there.
        kept: bool,
        /// When the folders that it changed were changed last.
        after: Vec<Option<Moment>>,
    },
    /// A folder was changed besides the steps, by something of ours that came and went.
    Touched {
        /// It.
        folder: Address,
        /// When it was changed last.
        modified: Option<Moment>,
    },
    /// A step was not taken: everything is as it was.
    Void {
        /// The step.
        number: u32,
    },
    /// From here to [`Record::Close`] all steps are taken, or none.
    Open,
    /// All of them were taken, or all were taken back.
    Close,
    /// The last: how the run ended, and how many steps stay.
    End {
        /// How.
        how: End,
        /// Steps.
        steps: u32,
    },
}

/// Whose journal it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// The form of the journal.
    pub version: u32,
    /// The run: the moment it first changed something, and a random number.
    pub run: String,
    /// What the user began: `ns run x.ns`.
    pub command: String,
    /// The number of the user who asked for it.
    pub user: u32,
    /// The run that this one takes back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undoes: Option<String>,
    /// The run that this one does again, by taking back what took that back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub redoes: Option<String>,
    /// Whether it is taken back when it does not end well.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub atomic: bool,
}

impl Begin {
    /// Whether it takes a run back, and does not do one again by that.
    pub fn is_undo(&self) -> bool {
        self.undoes.is_some() && self.redoes.is_none()
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It went well.
    Done,
    /// It ended with an error; what it did before stays.
    Failed,
    /// It ended with an error, and everything was taken back.
    TakenBack,
    /// Somebody stopped it, its process was killed or the machine stopped; what it did before stays.
    Interrupted,
}

/// A change of the tree. Each can be taken back by another of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Something new takes a place, whole.
    Put {
        /// The place.
        path: Address,
        /// What is there before.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        old: Option<State>,
        /// The name of ours in the same folder under which it is made, and under which what was there
        /// is for a moment.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        draft: Option<String>,
        /// Where what was there is kept, below the root's `.ns`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        kept: Option<Address>,
        /// Where the new thing was kept until now, and what it is.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        from: Option<(Address, State)>,
    },
    /// What is at a place is taken away and kept.
    Take {
        /// The place.
        path: Address,
        /// What is there.
        old: State,
        /// The name of ours in the same folder that it has while it is copied.
        draft: String,
        /// Where it is kept.
        kept: Address,
    },
    /// Something gets another place.
    Move {
        /// Its place.
        path: Address,
        /// What is there.
        old: State,
        /// Its new place, where nothing is.
        to: Address,
        /// On another file system: the name of ours of the copy beside its new place, and of the original
        /// beside the old one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        draft: Option<String>,
    },
    /// A folder is made.
    MakeFolder {
        /// Its place.
        path: Address,
    },
    /// An empty folder is removed.
    RemoveFolder {
        /// Its place.
        path: Address,
        /// What it is.
        old: State,
    },
    /// Something gets other permission bits.
    SetMode {
        /// Its place.
        path: Address,
        /// What it is.
        old: State,
        /// The new bits.
        mode: u32,
    },
    /// Something unfinished comes into a folder under a name of ours, and vanishes again.
    Draft {
        /// It.
        path: Address,
    },
    /// A folder that goes when the run ends.
    Temporary {
        /// It.
        path: Address,
    },
}

impl Step {
    /// The place that it changes.
    pub fn path(&self) -> &Address {
        match self {
            Step::Put { path, .. }
            | Step::Take { path, .. }
            | Step::Move { path, .. }
            | Step::MakeFolder { path }
            | Step::RemoveFolder { path, .. }
            | Step::SetMode { path, .. }
            | Step::Draft { path }
            | Step::Temporary { path } => path,
        }
    }
}

impl Step {
    /// The places that it changes.
    pub fn places(&self) -> Vec<&Address> {
        match self {
            Step::Move { path, to, .. } => vec![path, to],
            step => vec![step.path()],
        }
    }

    /// The place at which its result is.
    pub fn destination(&self) -> &Address {
        if let Step::Move { to, .. } = self { to } else { self.path() }
    }

    /// Whether it brings something to a place or takes it from there, with all that is in it.
    pub fn is_of_tree(&self) -> bool {
        matches!(self, Step::Put { .. } | Step::Take { .. } | Step::Move { .. })
    }

    /// Whether it counts as a change of the tree.
    pub fn is_change(&self) -> bool {
        !matches!(self, Step::Draft { .. } | Step::Temporary { .. })
    }

    /// Where it puts a copy of what it moves, or, as a step that takes another back, of what had been there.
    pub fn copied_back_to(&self) -> Option<&Address> {
        match self {
            Step::Move { to, draft: Some(_), .. } => Some(to),
            Step::Put { path, draft: Some(_), .. } | Step::MakeFolder { path } => Some(path),
            _ => None,
        }
    }

    /// The states of what it replaces, takes away, moves or puts back.
    pub fn states(&self) -> Vec<&State> {
        match self {
            Step::Put { old, from, .. } => old.iter().chain(from.as_ref().map(|(_, state)| state)).collect(),
            Step::Take { old, .. } | Step::Move { old, .. } => vec![old],
            _ => Vec::new(),
        }
    }

    /// The folders whose entries it changes.
    pub fn folders(&self) -> Vec<Address> {
        match self {
            Step::Move { path, to, .. } => vec![path.parent(), to.parent()],
            Step::SetMode { .. } | Step::Temporary { .. } | Step::Draft { .. } => Vec::new(),
            step => vec![step.path().parent()],
        }
    }
}

/// A time as two numbers: seconds since 1970, and nanoseconds.
pub type Moment = (i64, u32);

/// The moment of a time.
pub fn moment(time: Timestamp) -> Moment {
    (time.seconds, time.nanos)
}

/// The time of a moment.
pub fn time(moment: Moment) -> Timestamp {
    Timestamp { seconds: moment.0, nanos: moment.1 }
}

/// What stands at a place, as far as it can be told again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// What it is.
    pub kind: Kind,
    /// Its inode.
    pub inode: u64,
    /// Its bytes.
    pub size: u64,
    /// When its content was changed last.
    pub modified: Option<Moment>,
    /// Its permission bits.
    pub mode: u32,
}

impl State {
    /// What this is known as.
    pub fn of(metadata: &Metadata) -> State {
        State {
            kind: metadata.kind,
            inode: metadata.identity.inode,
            size: metadata.size,
            modified: metadata.modified.map(moment),
            mode: metadata.mode,
        }
    }

    /// When its content was changed last.
    pub fn modified(&self) -> Option<Timestamp> {
        self.modified.map(time)
    }

    /// Whether it is the same thing, and nobody has changed it. What is in a folder makes no difference.
    pub fn is_still(&self, now: &State) -> bool {
        match self.kind {
            Kind::Folder => (self.kind, self.inode, self.mode) == (now.kind, now.inode, now.mode),
            _ => self == now,
        }
    }

    /// Whether something kept is what this was when it was taken: the thing itself or a copy of it, unchanged.
    /// A special file is never that, since no tool keeps one.
    pub fn is_kept_as(&self, kept: &State) -> bool {
        let is_same_content = (self.size, self.modified) == (kept.size, kept.modified);
        match self.kind {
            _ if kept.kind != self.kind => false,
            Kind::Special => false,
            // Its entries may have changed its time before it was kept; a copy got the time that it had then.
            Kind::Folder => self.inode == kept.inode || self.modified == kept.modified,
            Kind::File | Kind::Link => is_same_content,
        }
    }

    /// Whether it is the same thing or a copy of it, and nobody has changed it.
    pub fn is_still_or_copied(&self, now: &State) -> bool {
        self.is_still(&State { inode: self.inode, ..now.clone() })
    }
}

/// Writes a record as the next line of a journal, line feed included.
pub fn line(record: &Record, chain: &mut Chain) -> String {
    let json = serde_json::to_string(record).expect("a record has only texts as keys");
    let seal = chain.seal(json.as_bytes());
    format!("{json} {seal}\n")
}

/// Reads the next line of a journal, without its line feed; `None` for one that was not written there.
pub fn parse(line: &[u8], chain: &mut Chain) -> Option<Record> {
    let (json, seal) = split(line)?;
    if chain.takes(json, seal) { serde_json::from_slice(json).ok() } else { None }
}

/// Reads a line whoever sealed it, in this form or the first: what it says is a claim.
pub fn parse_claim(line: &[u8]) -> Option<Record> {
    let json = match line.first()? {
        b'{' => split(line)?.0,
        _ => line.get(CHECKSUM_DIGITS..)?.strip_prefix(b" ")?,
    };
    serde_json::from_slice(json).ok()
}

/// The seal at the end of a line, of which the beginning may be missing; `None` where it is too short.
pub fn seal_at_end(line: &[u8]) -> Option<&[u8]> {
    line.len().checked_sub(SEAL_DIGITS).map(|start| &line[start..])
}

fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (json, seal) = line.split_at_checked(line.len().checked_sub(SEAL_DIGITS)?)?;
    Some((json.strip_suffix(b" ")?, seal))
}

#[cfg(test)]
mod tests {
    use super::super::super::root::Root;
    use super::super::super::seal::Chain;
    use super::{Address, Begin, Record, Step, line, parse, parse_claim};

    fn chain() -> Chain {
        let place = tempfile::tempdir().expect("a folder");
        Root::open(place.path()).expect("it opens").seal.chain("run")
    }

    fn address(path: &str) -> Address {
        Address::from(path)
    }

    #[test]
    fn a_line_that_was_touched_is_damaged() {
        let begin = Begin { version: 1, run: "r".to_owned(), command: "ns run \"x\"\n".to_owned(), ..Begin::default() };
        let chain = chain();
        let line = line(&Record::Begin(begin.clone()), &mut chain.clone());
        let text = line.strip_suffix('\n').expect("it ends");
        assert!(!text.contains('\n'), "one line");
        assert_eq!(parse(text.as_bytes(), &mut chain.clone()), Some(Record::Begin(begin.clone())));
        assert_eq!(parse_claim(text.as_bytes()), Some(Record::Begin(begin)));
        for at in 0..text.len() {
            let mut touched = text.as_bytes().to_vec();
            touched[at] ^= 1;
            assert_eq!(parse(&touched, &mut chain.clone()), None, "byte {at}");
            assert_eq!(parse(&text.as_bytes()[..at], &mut chain.clone()), None, "cut at {at}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn paths_that_are_no_text_come_back() {
        use std::os::unix::ffi::OsStringExt;
        let path = Address(std::ffi::OsString::from_vec(b"a/\xff\xfe".to_vec()));
        let record = Record::Step {
            number: 1,
            step: Step::MakeFolder { path },
            reverses: None,
            before: vec![None, Some((-1, 5))],
            inodes: vec![None, Some(7)],
        };
        let chain = chain();
        let line = line(&record, &mut chain.clone());
        assert_eq!(parse(line.trim_end().as_bytes(), &mut chain.clone()), Some(record));
    }

    #[test]
    fn addresses_know_what_is_below_them() {
        assert!(address("a/b").is_below(&address("a")) && address("a").is_below(&address("")));
        assert!(!address("ab").is_below(&address("a")) && !address("a").is_below(&address("a")));
        assert_eq!(address("a/b/c").moved(&address("a"), &address("x/y")), address("x/y/b/c"));
        assert_eq!((address("a/b").parent(), address("a").parent()), (address("a"), address("")));
    }
}
