//! Obstacles to an undo: paths that are no longer as the run left them, and how a forced undo treats each of them.

use std::collections::BTreeMap;

use super::super::handles::address::Address;

use super::outcome::RunOutcome;

/// The reason for an entry that a run left and that no longer exists.
pub(super) const GONE: &str = "it is no longer there";

/// Why a path cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The path.
    pub path: Address,
    /// The reason, as a clause that continues the path.
    pub reason: String,
}

/// A path that is no longer as a run left it.
#[derive(Clone)]
pub(super) struct Obstacle {
    pub conflict: Conflict,
    pub is: Obstruction,
}

impl Obstacle {
    pub fn at(path: &Address, reason: String, is: Obstruction) -> Obstacle {
        Obstacle { conflict: Conflict { path: path.clone(), reason }, is }
    }
}

/// How a forced undo treats an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstruction {
    /// The entry that the run left is gone, or its change does not prevent the undo: everything possible is restored.
    Passable,
    /// Another entry occupies a path to restore: it is displaced to the backup store.
    InTheWay,
    /// The entry stays, unless a directory above it is displaced.
    Stays,
    /// The path stays as it is: its entry cannot be restored, or must not be changed.
    Barred,
}

/// Splits obstacles into the conflicts of paths that stay as they are, and the obstacles that the undo can overcome.
pub(super) fn split(mut obstacles: Vec<Obstacle>, outcome: &RunOutcome) -> (Vec<Conflict>, Vec<Obstacle>) {
    give_way(&mut obstacles, outcome);
    let stays = |obstacle: &Obstacle| matches!(obstacle.is, Obstruction::Stays | Obstruction::Barred);
    let (stay, pass): (Vec<Obstacle>, Vec<Obstacle>) = obstacles.into_iter().partition(stays);
    (stay.into_iter().map(|obstacle| obstacle.conflict).collect(), pass)
}

/// Displaces a directory that the run created in place of an entry to restore, together with the changed entries in
/// it, unless a path in it is barred.
fn give_way(obstacles: &mut Vec<Obstacle>, outcome: &RunOutcome) {
    let made = outcome.places.iter().filter(|(_, place)| place.is_made && place.now.is_some() && place.was.is_some());
    for (folder, _) in made {
        let is_barred = |it: &Obstacle| {
            it.is == Obstruction::Barred && (it.conflict.path == *folder || it.conflict.path.is_below(folder))
        };
        if obstacles.iter().any(is_barred) {
            continue;
        }
        let below = obstacles.iter_mut().filter(|it| it.is == Obstruction::Stays && it.conflict.path.is_below(folder));
        let reason = below.map(|it| {
            it.is = Obstruction::InTheWay;
            it.conflict.reason.clone()
        });
        if let Some(reason) = reason.last() {
            obstacles.push(Obstacle::at(folder, reason, Obstruction::InTheWay));
        }
    }
}

/// Returns one conflict for each path, sorted by path; the first reason counts.
pub(super) fn conflicts(obstacles: Vec<Obstacle>) -> Vec<Conflict> {
    let by_path: BTreeMap<Address, String> =
        obstacles.into_iter().rev().map(|Obstacle { conflict, .. }| (conflict.path, conflict.reason)).collect();
    by_path.into_iter().map(|(path, reason)| Conflict { path, reason }).collect()
}
