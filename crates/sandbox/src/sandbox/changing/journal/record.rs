//! The records of a journal: one JSON object per line, followed by the seal of the line.
//!
//! The seals form a chain ([`Chain`]), so a line is valid only at its position in this one journal.

use serde::{Deserialize, Serialize};

use super::super::super::handles::address::Address;
use super::super::super::handles::metadata::Kind;
use super::super::super::handles::seal::{Chain, SEAL_DIGITS};
use super::super::super::handles::state::{Moment, State};

/// The format version of journals that this program writes. It rises when an older program would misread a line; an
/// optional field with a default does not need that.
pub const VERSION: u32 = 2;
/// Maximum size of a record in bytes. A longer line is damaged.
pub const RECORD_BYTES: usize = 256 << 10;
/// Number of hexadecimal digits of the checksum at the start of each line in format version 1.
const CHECKSUM_DIGITS: usize = 8;

/// A record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// The first record: the header.
    Begin(Begin),
    /// A step is about to be carried out. The record is written before any file changes, and synced before it if the
    /// step needs that ([`Step::needs_durable_record`]).
    Step {
        /// The number of the step, from 1.
        number: u32,
        /// The change.
        step: Step,
        /// The step of the same run that it reverses.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reverses: Option<u32>,
        /// Modification times of the directories that it changes, before the step.
        before: Vec<Option<Moment>>,
        /// Inodes of those directories.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        inodes: Vec<Option<u64>>,
    },
    /// The staging file of a step was created.
    Drafted {
        /// The number of the step.
        number: u32,
        /// The inode of the staging file.
        inode: u64,
    },
    /// The entry that a step removes was copied completely, and the original is about to be removed.
    Copied {
        /// The number of the step.
        number: u32,
    },
    /// A step was carried out.
    Done {
        /// The number of the step.
        number: u32,
        /// The entry at its path afterwards.
        now: Option<State>,
        /// Whether the previous entry was backed up.
        kept: bool,
        /// Modification times of the directories that it changed, after the step.
        after: Vec<Option<Moment>>,
    },
    /// A directory was changed outside the steps: by a short-lived staging file, or by restoring its time.
    Touched {
        /// The directory.
        folder: Address,
        /// Its modification time.
        modified: Option<Moment>,
    },
    /// A step did not happen; nothing changed.
    Void {
        /// The number of the step.
        number: u32,
    },
    /// Opens a group: all steps up to [`Record::Close`] take effect, or none.
    Open,
    /// Closes a group: all its steps took effect, or all were reversed.
    Close,
    /// The last record.
    End {
        /// How the run ended.
        how: End,
        /// Number of steps that are still in effect.
        steps: u32,
    },
}

/// The header of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// The format version of the journal.
    pub version: u32,
    /// The name of the run: the time of its first change and a random number.
    pub run: String,
    /// The command that the user started, such as `ns run x.ns`.
    pub command: String,
    /// The numeric ID of the user who started it.
    pub user: u32,
    /// The client of a server for which it was started; `None` if the user did not start it through a server that
    /// tells its clients apart.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<String>,
    /// The run that this one undoes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undoes: Option<String>,
    /// The run that this one redoes, by undoing its undo.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub redoes: Option<String>,
    /// Whether the run is rolled back if it fails.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub atomic: bool,
}

impl Begin {
    /// Whether the run is an undo, and not a redo.
    pub fn is_undo(&self) -> bool {
        self.undoes.is_some() && self.redoes.is_none()
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It succeeded.
    Done,
    /// It failed; its earlier changes stay.
    Failed,
    /// It failed and was rolled back.
    TakenBack,
    /// It was interrupted, its process was killed or the machine stopped; its earlier changes stay.
    Interrupted,
}

/// A change of the tree. Each kind can be reversed by another step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Installs a complete new entry at a path.
    Put {
        /// The path.
        path: Address,
        /// The previous entry.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        old: Option<State>,
        /// The temporary name in the same directory under which the new entry is prepared and which the previous
        /// entry has for a moment.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        draft: Option<String>,
        /// The backup of the previous entry, below the root's `.ns`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        kept: Option<Address>,
        /// The backup that the new entry comes from, and its state.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        from: Option<(Address, State)>,
        /// Whether the new entry is an empty directory from the backup store, whose entries follow one by one, as
        /// those of [`Step::MakeFolder`] do.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        is_empty: bool,
    },
    /// Removes an entry and backs it up.
    Take {
        /// The path.
        path: Address,
        /// The entry there.
        old: State,
        /// The temporary name in the same directory that the entry has while it is copied.
        draft: String,
        /// The backup.
        kept: Address,
    },
    /// Moves an entry.
    Move {
        /// The old path.
        path: Address,
        /// The entry there.
        old: State,
        /// The new path, at which nothing exists.
        to: Address,
        /// Only for a move to another file system: the temporary name of the copy next to the new path, and of the
        /// original next to the old one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        draft: Option<String>,
    },
    /// Creates a directory.
    MakeFolder {
        /// The path.
        path: Address,
    },
    /// Removes an empty directory.
    RemoveFolder {
        /// The path.
        path: Address,
        /// The state of the directory.
        old: State,
    },
    /// Changes permission bits.
    SetMode {
        /// The path.
        path: Address,
        /// The entry there.
        old: State,
        /// The new permission bits.
        mode: u32,
    },
    /// Changes the modification time.
    SetModified {
        /// The path.
        path: Address,
        /// The entry there.
        old: State,
        /// The new time.
        modified: Moment,
    },
    /// Creates a staging file that is removed again.
    Draft {
        /// The path.
        path: Address,
    },
    /// Creates a directory that is removed when the run ends.
    Temporary {
        /// The path.
        path: Address,
    },
}

impl Step {
    /// Returns the path that it changes; for a move, the old path.
    pub fn path(&self) -> &Address {
        match self {
            Step::Put { path, .. }
            | Step::Take { path, .. }
            | Step::Move { path, .. }
            | Step::MakeFolder { path }
            | Step::RemoveFolder { path, .. }
            | Step::SetMode { path, .. }
            | Step::SetModified { path, .. }
            | Step::Draft { path }
            | Step::Temporary { path } => path,
        }
    }
}

impl Step {
    /// Returns all paths that it changes.
    pub fn places(&self) -> Vec<&Address> {
        match self {
            Step::Move { path, to, .. } => vec![path, to],
            step => vec![step.path()],
        }
    }

    /// Returns the path of its result.
    pub fn destination(&self) -> &Address {
        if let Step::Move { to, .. } = self { to } else { self.path() }
    }

    /// Whether it installs, removes or moves an entry with everything in it.
    pub fn is_of_tree(&self) -> bool {
        matches!(self, Step::Put { is_empty: false, .. } | Step::Take { .. } | Step::Move { .. })
    }

    /// Whether the step counts as a change of the tree.
    pub fn is_change(&self) -> bool {
        !matches!(self, Step::Draft { .. } | Step::Temporary { .. })
    }

    /// Whether its record must be on the disk before it begins: it replaces, removes or hides an entry, or prepares one
    /// under a temporary name, which only the record tells recovery to remove.
    pub fn needs_durable_record(&self) -> bool {
        match self {
            Step::Put { old, draft, .. } => old.is_some() || draft.is_some(),
            Step::Move { draft, .. } => draft.is_some(),
            Step::Take { .. } | Step::RemoveFolder { .. } | Step::Draft { .. } | Step::Temporary { .. } => true,
            Step::MakeFolder { .. } | Step::SetMode { .. } | Step::SetModified { .. } => false,
        }
    }

    /// Returns where the step puts a copy: of the entry that it moves, or, in a reversal, of the original entry.
    pub fn copied_back_to(&self) -> Option<&Address> {
        match self {
            Step::Move { to, draft: Some(_), .. } => Some(to),
            Step::Put { path, draft: Some(_), .. } | Step::MakeFolder { path } => Some(path),
            _ => None,
        }
    }

    /// Returns the states of the entries that it replaces, removes, moves or restores.
    pub fn states(&self) -> Vec<&State> {
        match self {
            Step::Put { old, from, .. } => old.iter().chain(from.as_ref().map(|(_, state)| state)).collect(),
            Step::Take { old, .. } | Step::Move { old, .. } => vec![old],
            _ => Vec::new(),
        }
    }

    /// Returns the directories whose entries it changes, or whose own time.
    pub fn folders(&self) -> Vec<Address> {
        match self {
            Step::Move { path, to, .. } => vec![path.parent(), to.parent()],
            Step::SetModified { path, old, .. } if old.kind == Kind::Folder => vec![path.clone()],
            Step::SetMode { .. } | Step::SetModified { .. } | Step::Temporary { .. } | Step::Draft { .. } => Vec::new(),
            step => vec![step.path().parent()],
        }
    }
}

/// Formats a record as the next line of a journal, with its line feed.
pub fn line(record: &Record, chain: &mut Chain) -> String {
    let json = serde_json::to_string(record).expect("a record has only texts as keys");
    let seal = chain.seal(json.as_bytes());
    format!("{json} {seal}\n")
}

/// Parses the next line of a journal, without its line feed. Returns `None` if its seal is not valid at this position
/// or it is not a record.
pub fn parse(line: &[u8], chain: &mut Chain) -> Option<Record> {
    let (json, seal) = split(line)?;
    if chain.takes(json, seal) { serde_json::from_slice(json).ok() } else { None }
}

/// Parses a line of any format version without checking its seal: its contents are an unverified claim.
pub fn parse_claim(line: &[u8]) -> Option<Record> {
    let json = match line.first()? {
        b'{' => split(line)?.0,
        _ => line.get(CHECKSUM_DIGITS..)?.strip_prefix(b" ")?,
    };
    serde_json::from_slice(json).ok()
}

/// Returns the seal at the end of a line, whose beginning may be missing. Returns `None` if the line is too short.
pub fn seal_at_end(line: &[u8]) -> Option<&[u8]> {
    line.len().checked_sub(SEAL_DIGITS).map(|start| &line[start..])
}

fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (json, seal) = line.split_at_checked(line.len().checked_sub(SEAL_DIGITS)?)?;
    Some((json.strip_suffix(b" ")?, seal))
}

#[cfg(test)]
mod tests {
    use super::{Address, Begin, Record, Step, line, parse, parse_claim};
    use crate::sandbox::handles::root::Root;
    use crate::sandbox::handles::seal::Chain;

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
