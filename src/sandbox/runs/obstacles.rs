//! Places that are no longer as a run left them, and what a forced undo does with each.

use std::collections::BTreeMap;

use super::super::handles::address::Address;

use super::outcome::RunOutcome;

/// Why a path cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The path.
    pub path: Address,
    /// The reason, as a clause that continues the path.
    pub reason: String,
}

/// Why nothing may be changed at an address, where a folder is or was.
pub(super) type Admit<'a> = dyn Fn(&Address, bool) -> Result<(), String> + 'a;

/// A place that is no longer as a run left it.
pub(super) struct Obstacle {
    pub conflict: Conflict,
    pub is: Obstruction,
}

/// The effect of a forced undo where the tree is no longer as the run left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstruction {
    /// The entry that the run left is gone, or changed in a way that does not matter: what can come back does.
    Passable,
    /// Something else stands where something comes back: it gives way, and is kept.
    InTheWay,
    /// The entry there stays, unless it is in something that gives way.
    Stays,
    /// The place stays as it is: nothing can come back to it, or nothing may be changed there.
    Barred,
}

/// Splits obstacles into those because of which a place stays as it is, and the others.
pub(super) fn split(mut obstacles: Vec<Obstacle>, outcome: &RunOutcome) -> (Vec<Conflict>, Vec<Obstacle>) {
    give_way(&mut obstacles, outcome);
    let stays = |obstacle: &Obstacle| matches!(obstacle.is, Obstruction::Stays | Obstruction::Barred);
    let (stay, pass): (Vec<Obstacle>, Vec<Obstacle>) = obstacles.into_iter().partition(stays);
    (stay.into_iter().map(|obstacle| obstacle.conflict).collect(), pass)
}

/// Something in a folder that the run made in place of something that comes back gives way together with it.
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
            obstacles.push(Obstacle { conflict: Conflict { path: folder.clone(), reason }, is: Obstruction::InTheWay });
        }
    }
}

/// Obstacles by their places, as a message names them.
pub(super) fn conflicts(obstacles: Vec<Obstacle>) -> Vec<Conflict> {
    let by_path: BTreeMap<Address, String> =
        obstacles.into_iter().rev().map(|Obstacle { conflict, .. }| (conflict.path, conflict.reason)).collect();
    by_path.into_iter().map(|(path, reason)| Conflict { path, reason }).collect()
}
