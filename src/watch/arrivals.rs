//! Files that arrive or change, handed over once they are quiet.
//!
//! A look gives the state of every file, so nothing is lost however much happens between two looks. A file is handed
//! over when its state is another than the one last handed over, and has stayed the same for a time: a file that
//! somebody still writes is not. A file that is gone is forgotten.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Maximum number of files that are handed over together; the rest follows at once.
const TOGETHER: usize = 1_000;
/// Maximum length of their paths in bytes, since they become the command line of a process.
const TOGETHER_BYTES: usize = 64 << 10;

/// Maximum time that quiet files wait for others that keep changing, in quiet times.
const PATIENCE: u32 = 10;

/// The states of files that were handed over, and the changes since. `S` tells two states of a file apart.
#[derive(Debug)]
pub struct Arrivals<S> {
    quiet: Duration,
    known: BTreeMap<String, S>,
    changed: BTreeMap<String, Change<S>>,
}

/// A state that was not handed over yet.
#[derive(Debug)]
struct Change<S> {
    state: S,
    since: Instant,
}

impl<S: Clone + PartialEq> Arrivals<S> {
    /// Begins with files that count as handed over.
    pub fn new(known: BTreeMap<String, S>, quiet: Duration) -> Arrivals<S> {
        Arrivals { quiet, known, changed: BTreeMap::new() }
    }

    /// Takes the states of all files at a moment.
    pub fn observe(&mut self, now: &BTreeMap<String, S>, at: Instant) {
        self.known.retain(|path, _| now.contains_key(path));
        self.changed.retain(|path, _| now.contains_key(path));
        for (path, state) in now {
            if self.known.get(path) == Some(state) {
                self.changed.remove(path);
            } else if self.changed.get(path).is_none_or(|change| change.state != *state) {
                self.changed.insert(path.clone(), Change { state: state.clone(), since: at });
            }
        }
    }

    /// Takes the files that are quiet at a moment, in the order of their paths. Empty while others change, unless these
    /// have waited long.
    pub fn take_quiet(&mut self, at: Instant) -> Vec<String> {
        let age = |change: &Change<S>| at.saturating_duration_since(change.since);
        let all_quiet = self.changed.values().all(|change| age(change) >= self.quiet);
        let has_waited = self.changed.values().any(|change| age(change) >= self.quiet.saturating_mul(PATIENCE));
        if all_quiet || has_waited { self.take_rest(at) } else { Vec::new() }
    }

    /// Takes further files that were quiet at a moment and have not changed since.
    pub fn take_rest(&mut self, at: Instant) -> Vec<String> {
        let age = |change: &Change<S>| at.saturating_duration_since(change.since);
        let quiet = self.changed.iter().filter(|(_, change)| age(change) >= self.quiet);
        let mut bytes = 0;
        let fits = |path: &String| {
            bytes += path.len();
            bytes <= TOGETHER_BYTES
        };
        let taken: Vec<String> = quiet.map(|(path, _)| path.clone()).take(TOGETHER).take_while(fits).collect();
        for path in &taken {
            if let Some(Change { state, .. }) = self.changed.remove(path) {
                self.known.insert(path.clone(), state);
            }
        }
        taken
    }

    /// Returns the state of a file that was handed over or accepted last.
    pub fn known(&self, path: &str) -> Option<&S> {
        self.known.get(path)
    }

    /// Takes files back that could not be handed over.
    pub fn give_back(&mut self, paths: &[String]) {
        for path in paths {
            self.known.remove(path);
        }
    }

    /// Accepts the state of a file as if it had been handed over.
    pub fn accept(&mut self, path: String, state: S) {
        self.changed.remove(&path);
        self.known.insert(path, state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, Instant};

    use super::{Arrivals, TOGETHER};

    const QUIET: Duration = Duration::from_secs(1);

    fn tree(files: &[(&str, u32)]) -> BTreeMap<String, u32> {
        files.iter().map(|(path, state)| ((*path).to_owned(), *state)).collect()
    }

    #[test]
    fn a_file_is_handed_over_when_it_is_quiet_and_once() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(tree(&[("old", 1)]), QUIET);
        arrivals.observe(&tree(&[("old", 1), ("new", 1)]), start);
        assert!(arrivals.take_quiet(start).is_empty());
        // It grows.
        arrivals.observe(&tree(&[("old", 1), ("new", 2)]), start + QUIET);
        assert!(arrivals.take_quiet(start + QUIET).is_empty());
        arrivals.observe(&tree(&[("old", 1), ("new", 2)]), start + 2 * QUIET);
        assert_eq!(arrivals.take_quiet(start + 2 * QUIET), ["new"]);
        arrivals.observe(&tree(&[("old", 1), ("new", 2)]), start + 4 * QUIET);
        assert!(arrivals.take_quiet(start + 4 * QUIET).is_empty());
    }

    #[test]
    fn a_file_that_is_gone_is_forgotten() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(tree(&[("a", 1)]), QUIET);
        arrivals.observe(&tree(&[("b", 1)]), start);
        arrivals.observe(&tree(&[]), start + QUIET);
        assert!(arrivals.take_quiet(start + QUIET).is_empty());
        arrivals.observe(&tree(&[("a", 1)]), start + QUIET);
        assert_eq!(arrivals.take_quiet(start + 2 * QUIET), ["a"]);
    }

    #[test]
    fn a_file_that_always_changes_does_not_hold_up_others() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(BTreeMap::new(), QUIET);
        let mut taken = Vec::new();
        for second in 0..12 {
            let at = start + second * QUIET;
            arrivals.observe(&tree(&[("busy", second), ("done", 1)]), at);
            taken.push(arrivals.take_quiet(at));
        }
        assert_eq!(taken.concat(), ["done"]);
    }

    #[test]
    fn accepted_states_and_large_numbers() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(BTreeMap::new(), QUIET);
        let all: BTreeMap<String, u32> = (0..2_500).map(|number| (format!("{number:05}"), 1)).collect();
        arrivals.observe(&all, start);
        arrivals.accept("00000".to_owned(), 1);
        let rounds: Vec<Vec<String>> = (0..4).map(|_| arrivals.take_quiet(start + QUIET)).collect();
        assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [TOGETHER, TOGETHER, 499, 0]);
        assert_eq!(rounds[0][0], "00001");
    }

    #[test]
    fn files_that_were_not_handed_over_come_again() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(BTreeMap::new(), QUIET);
        let long = |number: usize| format!("{number}{}", "x".repeat(30_000));
        let all: BTreeMap<String, u32> = (0..3).map(|number| (long(number), 1)).collect();
        arrivals.observe(&all, start);
        let first = arrivals.take_quiet(start + QUIET);
        assert_eq!(first, [long(0), long(1)], "a command line has a maximum length");
        arrivals.give_back(&first);
        assert_eq!(arrivals.take_quiet(start + QUIET), [long(2)]);
        arrivals.observe(&all, start + QUIET);
        assert_eq!(arrivals.take_quiet(start + 2 * QUIET), first);
    }
}
