//! Recovery of killed runs: finishes or reverses their last steps and removes their leftovers.
//!
//! Recovery changes a path only where the policy in force would let a tool change it.

use std::cell::RefCell;
use std::io;

use crate::limits::Meter;

use super::super::changing::journal::Journal;
use super::super::changing::journal::history::{History, StepOutcome};
use super::super::changing::journal::record::{End, Step};
use super::super::changing::journal::run::JournalWriter;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::file_metadata;
use super::super::handles::metadata::Kind;
use super::abandoned::{Abandoned, place_of};
use super::aftermath::DirectoryTimes;
use super::obstacles::Conflict;
use super::resolve::StepResolver;
use super::rules::{Admit, ChangeRules};

/// A recovered run.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The name of the run.
    pub run: String,
    /// The command that the user started.
    pub command: String,
    /// How the run ended.
    pub end: End,
    /// Number of steps that are still in effect.
    pub steps: usize,
}

/// Why a run is not recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The policy in force refuses changes of these paths.
    #[error("the policy in force refuses {}", named(.0))]
    Refused(Vec<Conflict>),
    /// Recovery failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

fn named(refused: &[Conflict]) -> String {
    let first = refused.first().map(|conflict| format!("`{}` ({})", conflict.path.display(), conflict.reason));
    let more = refused.len().saturating_sub(1);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", first.unwrap_or_default())
}

impl Journal {
    /// Recovers a killed run. Returns `None` if the run had already ended and only its leftovers had to be removed.
    ///
    /// # Errors
    /// Returns [`RecoverError::Refused`] before anything is changed.
    pub fn recover(
        &self,
        abandoned: Abandoned,
        rules: &ChangeRules<'_>,
        meter: &mut Meter,
    ) -> Result<Option<Recovered>, RecoverError> {
        let Abandoned { name, file, folders, history } = abandoned;
        let refused = refused(&history, rules.admit);
        if !refused.is_empty() {
            return Err(RecoverError::Refused(refused));
        }
        let wrap = |error: io::Error| SandboxError::io(place_of(&name), &error);
        let until = file_metadata(&file).map_err(wrap)?.modified;
        if history.damaged.is_none() {
            file.set_len(history.whole).map_err(wrap)?;
        }
        let (own, begin) = (self.begin_own()?, history.begin.clone());
        self.resume(JournalWriter::resume(&name, &folders, file, &history, self.barrier(), rules.roots.main)?);
        let aftermath = RefCell::new(DirectoryTimes::new(&history, until, rules.roots));
        let ChangeRules { roots, retention, .. } = *rules;
        let resolver = StepResolver { journal: self, roots, retention, meter, own, aftermath };
        let finished = resolver.finish(&history);
        let end = match &finished {
            Ok((_, true)) => End::TakenBack,
            _ => history.end.unwrap_or(End::Interrupted),
        };
        if let Ok((steps, _)) = finished {
            self.count(steps);
        }
        self.end(end)?;
        self.check_durable()?;
        let (steps, _) = finished?;
        let is_reported = history.end.is_none();
        Ok(is_reported.then_some(Recovered { run: begin.run, command: begin.command, end, steps }))
    }
}

/// Returns the paths that recovery would change and that the policy refuses.
fn refused(history: &History, admit: &Admit<'_>) -> Vec<Conflict> {
    let from = if history.end.is_some() { None } else { history.taken_back_from() };
    let concerned = history.steps.iter().filter(|taken| {
        let is_unknown = matches!(taken.fate, StepOutcome::Unknown { .. });
        is_unknown || from.is_some_and(|from| taken.number >= from)
    });
    let places = concerned.flat_map(|taken| match &taken.step {
        // No policy rule applies to a temporary name, so its directory is checked.
        Step::Draft { path } => vec![(path.parent(), true)],
        Step::Temporary { path } | Step::MakeFolder { path } => vec![(path.clone(), true)],
        Step::Move { path, old, to, .. } => [path, to].map(|path| (path.clone(), old.kind == Kind::Folder)).into(),
        Step::Put { path, old, from, .. } => {
            let state = old.as_ref().or(from.as_ref().map(|(_, state)| state));
            vec![(path.clone(), state.is_some_and(|state| state.kind == Kind::Folder))]
        }
        Step::Take { path, old, .. }
        | Step::RemoveFolder { path, old }
        | Step::SetMode { path, old, .. }
        | Step::SetModified { path, old, .. } => {
            vec![(path.clone(), old.kind == Kind::Folder)]
        }
    });
    let mut refused: Vec<Conflict> = places
        .filter_map(|(path, is_folder)| admit(&path, is_folder).err().map(|reason| Conflict { path, reason }))
        .collect();
    refused.dedup_by(|one, other| one.path == other.path);
    refused
}
