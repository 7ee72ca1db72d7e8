//! What a look through all that is kept came to.

use std::ffi::{OsStr, OsString};

use super::super::error::SandboxError;
use super::{Drawer, shown_below};

/// Things that are named; of the others it is said how many they are.
const NAMED: usize = 1_000;

/// So many things, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many.
    pub things: u64,
    /// Their bytes together.
    pub bytes: u64,
}

/// What stays and what goes of one sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// What stays.
    pub kept: Amount,
    /// What goes.
    pub gone: Amount,
}

/// Something that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// Its path.
    pub path: String,
    /// Its bytes.
    pub bytes: u64,
    /// Why it goes.
    pub why: Why,
}

/// Why something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No run that stays needs it, and nothing else was asked.
    Unneeded,
    /// There are too many of one file, or in all.
    Many,
    /// It is too old.
    Old,
    /// All together are too many bytes.
    Large,
    /// It was never finished, and nobody goes on with it.
    Unfinished,
    /// This user's key did not seal it for this root.
    Foreign,
}

/// What came of a look.
#[derive(Debug, Default)]
pub struct Swept {
    /// Old content of files.
    pub backups: Tally,
    /// What was deleted.
    pub trash: Tally,
    /// Journals of runs.
    pub journals: Tally,
    /// What was never finished.
    pub unfinished: Tally,
    /// What this user's key did not seal for this root.
    pub foreign: Tally,
    /// What goes, as far as it is named.
    pub named: Vec<GivenUp>,
    /// What is not ours or not as it should be; it is left alone.
    pub flaws: Vec<SandboxError>,
    /// What could not be given up.
    pub failures: Vec<SandboxError>,
    /// Whether still more would have to go for the sake of bytes.
    pub is_cut: bool,
}

impl Amount {
    /// Adds one thing.
    pub fn add(&mut self, bytes: u64) {
        self.things += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn remove(&mut self, bytes: u64) {
        self.things = self.things.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    fn add_all(&mut self, other: Amount) {
        self.things += other.things;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl Swept {
    /// The bytes of backups and trash that stay.
    pub fn kept_bytes(&self) -> u64 {
        self.backups.kept.bytes.saturating_add(self.trash.kept.bytes)
    }

    /// What goes, of all sorts.
    pub fn gone(&self) -> Amount {
        let mut sum = Amount::default();
        [self.backups, self.trash, self.journals, self.unfinished, self.foreign]
            .iter()
            .for_each(|tally| sum.add_all(tally.gone));
        sum
    }

    /// Something in the folders with these names from `.ns` stays.
    pub(super) fn stays(&mut self, names: &[OsString], size: u64) {
        self.of(names).kept.add(size);
    }

    /// Something that was said to stay is looked at again.
    pub(super) fn reconsiders(&mut self, names: &[OsString], size: u64) {
        self.of(names).kept.remove(size);
    }

    /// Something goes.
    pub(super) fn goes(&mut self, names: &[OsString], name: &OsStr, bytes: u64, why: Why) {
        self.of(names).gone.add(bytes);
        self.name(format!("{}/{}", shown_below(names), name.to_string_lossy()), bytes, why);
    }

    /// Something foreign was found, and is left alone or was handled.
    pub(in super::super) fn meets_foreign(&mut self, names: &[OsString], name: &OsStr, bytes: u64, is_handled: bool) {
        if is_handled {
            self.foreign.gone.add(bytes);
            self.name(format!("{}/{}", shown_below(names), name.to_string_lossy()), bytes, Why::Foreign);
        } else {
            self.foreign.kept.add(bytes);
        }
    }

    /// Something unfinished goes.
    pub(in super::super) fn sweeps(&mut self, names: &[OsString], name: &OsStr, bytes: u64) {
        self.unfinished.gone.add(bytes);
        self.name(format!("{}/{}", shown_below(names), name.to_string_lossy()), bytes, Why::Unfinished);
    }

    /// Names something that goes.
    pub(in super::super) fn name(&mut self, path: String, bytes: u64, why: Why) {
        if self.named.len() < NAMED {
            self.named.push(GivenUp { path, bytes, why });
        }
    }

    /// Something is not as it should be.
    pub(in super::super) fn flaw(&mut self, error: SandboxError) {
        if self.flaws.len() < NAMED {
            self.flaws.push(error);
        }
    }

    /// Something could not be given up.
    pub(in super::super) fn fails(&mut self, error: SandboxError) {
        if self.failures.len() < NAMED {
            self.failures.push(error);
        }
    }

    /// Takes in what a look at another root came to.
    pub(in super::super) fn add(&mut self, other: Swept) {
        for (own, other) in self.sorts(&other) {
            own.kept.add_all(other.kept);
            own.gone.add_all(other.gone);
        }
        self.is_cut |= other.is_cut;
        other.named.into_iter().for_each(|GivenUp { path, bytes, why }| self.name(path, bytes, why));
        other.flaws.into_iter().for_each(|flaw| self.flaw(flaw));
        other.failures.into_iter().for_each(|failure| self.fails(failure));
    }

    /// Takes in what a later look at the same root came to.
    pub(in super::super) fn go_on(&mut self, later: Swept) {
        for (own, later) in self.sorts(&later) {
            own.kept = later.kept;
            own.gone.add_all(later.gone);
        }
        self.is_cut = later.is_cut;
        later.named.into_iter().for_each(|GivenUp { path, bytes, why }| self.name(path, bytes, why));
    }

    fn sorts(&mut self, other: &Swept) -> [(&mut Tally, Tally); 5] {
        [
            (&mut self.backups, other.backups),
            (&mut self.trash, other.trash),
            (&mut self.journals, other.journals),
            (&mut self.unfinished, other.unfinished),
            (&mut self.foreign, other.foreign),
        ]
    }

    fn of(&mut self, names: &[OsString]) -> &mut Tally {
        if names.first().is_some_and(|name| name == Drawer::Trash.name()) { &mut self.trash } else { &mut self.backups }
    }
}
