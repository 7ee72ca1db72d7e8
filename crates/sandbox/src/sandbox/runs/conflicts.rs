//! Conflicts: changes made since a run that prevent its undo.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use crate::text::fold;

use super::super::changing::journal::roots::Roots;
use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::folder::Folder;
use super::super::handles::metadata::Kind;
use super::super::handles::state::State;
use super::below::visit_below;
use super::later::{OF_OTHERS, Since};
use super::obstacles::{Conflict, GONE, Obstacle, Obstruction};
use super::outcome::{PathOutcome, RunOutcome, Touched, keys_below};
use super::rules::Admit;

/// The keys of the policy that decide how long backups are kept.
const KEEP_MORE: &str = "`backup_count`, `backup_days` and `backup_bytes` in `[policy]` keep more";

/// A comparison of the tree with the outcome of a run.
pub(super) struct Comparison<'a> {
    outcome: &'a RunOutcome,
    roots: Roots<'a>,
    since: Since<'a>,
    /// The roots of copies of what the run left.
    copied: BTreeSet<Address>,
    /// The case-folded paths of the entries that the run left, with their inodes; collected when first needed.
    left: OnceCell<HashSet<(String, u64)>>,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison of the tree with an outcome.
    pub fn new(outcome: &'a RunOutcome, roots: Roots<'a>, since: Since<'a>) -> Comparison<'a> {
        Comparison { outcome, roots, since, copied: BTreeSet::new(), left: OnceCell::new() }
    }

    /// Returns the paths that are no longer as the run left them.
    pub fn obstacles(&mut self) -> Vec<Obstacle> {
        let outcome = self.outcome;
        let mut obstacles = Vec::new();
        for (path, place) in &outcome.places {
            obstacles.extend(self.obstacle(path, place).unwrap_or_else(|error| Some(barred(path, &error))));
        }
        obstacles
    }

    /// Returns the directories in which the run changed entries and which no longer exist.
    pub fn missing(&mut self) -> Vec<Obstacle> {
        let outcome = self.outcome;
        let mut missing = Vec::new();
        // The root itself is there. In an adopted copy it is another directory than the run knew.
        let is_meant = |path: &Address| !(path.0.is_empty() || outcome.places.contains_key(path));
        for (path, touched) in outcome.folders.iter().filter(|(path, _)| is_meant(path)) {
            missing.extend(self.folder_obstacle(path, touched).unwrap_or_else(|error| Some(barred(path, &error))));
        }
        missing
    }

    /// Returns the paths whose entry the run moved to where it no longer exists or, by the obstacles, was changed and
    /// would be displaced, and at which the run left another entry. Undo cannot restore the first, so it must not remove
    /// the second.
    pub fn lost(&self, obstacles: &[Obstacle]) -> Vec<Conflict> {
        let places = &self.outcome.places;
        let reason_at = |path: &Address| {
            if matches!(self.roots.state(path), Ok(None)) {
                return Some((GONE.to_owned(), "it is no longer"));
            }
            let mut displaced = obstacles.iter().filter(|it| it.is == Obstruction::InTheWay);
            let obstacle = displaced.find(|it| it.conflict.path == *path)?;
            Some((obstacle.conflict.reason.clone(), "it no longer is as it was"))
        };
        let mut lost = Vec::new();
        for (to, moved) in places.iter().filter(|(_, moved)| moved.now.is_some()) {
            let from = moved.from.as_ref().and_then(|from| Some((from, places.get(from)?)));
            let occupied = from.filter(|(_, place)| place.was.is_some() && place.kept.is_none() && place.now.is_some());
            // A directory is made again to restore what the run removed from it.
            let is_made_again = || keys_below(places, to).any(|below| places[below].kept.is_some());
            let Some((from, _)) = occupied.filter(|_| !is_made_again()) else { continue };
            let Some((reason, fate)) = reason_at(to) else { continue };
            let moved = format!("it was moved to `{}`, where {fate}", to.display());
            lost.push(Conflict { path: from.clone(), reason: moved });
            lost.push(Conflict { path: to.clone(), reason });
        }
        lost
    }

    /// Returns the short names of the later runs that made such changes, newest first.
    pub fn later_runs(&self) -> Vec<String> {
        self.since.named()
    }

    /// Returns the roots of copies of what the run left.
    pub fn into_copied(self) -> BTreeSet<Address> {
        self.copied
    }

    /// Returns an obstacle if the path is no longer as the run left it, or its previous entry cannot be restored.
    fn obstacle(&mut self, path: &Address, place: &PathOutcome) -> Result<Option<Obstacle>, SandboxError> {
        let found = self.roots.state(path)?;
        let reason = match (&place.now, &found) {
            (None, None) => None,
            // This entry came with the tree, which is checked as a whole.
            (None, Some(_)) if place.is_covered || self.outcome.is_in_tree(path) => None,
            (None, Some(found)) if self.is_respelled(path, found) => None,
            (None, Some(_)) => Some("there is something new"),
            (Some(_), None) => Some(GONE),
            (Some(then), Some(now)) if then.is_still(now) => None,
            (Some(then), Some(now)) if then.is_still_or_copied(now) && self.is_copied(path, place.is_copied) => None,
            (Some(then), Some(now)) if (then.inode, then.kind) == (now.inode, now.kind) => Some("it was changed since"),
            _ => Some("something else is there now"),
        };
        let moved = place.now.as_ref().filter(|_| found.is_none()).and_then(|now| self.since.moved_to(path, now));
        let reason = reason.map(|reason| match &moved {
            Some((to, run)) => format!("it was moved to `{}`{}", to.display(), by_run(Some(run))),
            None => format!("{reason}{}", by_run(self.since.author(path, found.as_ref()))),
        });
        let is_moved_on = moved.is_some();
        if let (Some(kept), Some(was)) = (&place.kept, &place.was)
            && let Some(lost) = kept_difference(kept, self.outcome.kept.get(kept).unwrap_or(was), self.roots)?
        {
            let reason = reason.map_or_else(|| lost.clone(), |reason| format!("{reason}; {lost}"));
            return Ok(Some(Obstacle::at(path, reason, Obstruction::Barred)));
        }
        let obstruction = self.outcome.obstruction(place, found.as_ref(), is_moved_on);
        let reason = match reason {
            Some(reason) => Some(reason),
            None if place.now.is_some() && place.is_made => self.stranger_in(path)?,
            None if place.now.is_some() && place.is_tree => {
                changed_below(self.roots.place(path)?.open_folder()?, &self.since, path)?
            }
            None => None,
        };
        Ok(reason.map(|reason| Obstacle::at(path, reason, obstruction)))
    }

    /// Whether the entry at a path is the one that the run left under another spelling of the name, on a file system to
    /// which both are the same.
    fn is_respelled(&self, path: &Address, found: &State) -> bool {
        let left = self.left.get_or_init(|| {
            let places = self.outcome.places.iter();
            places.filter_map(|(path, place)| Some((fold(&path.display()), place.now.as_ref()?.inode))).collect()
        });
        left.contains(&(fold(&path.display()), found.inode))
    }

    /// Returns an obstacle if the directory no longer exists, so that nothing can be restored in it.
    fn folder_obstacle(&mut self, path: &Address, touched: &Touched) -> Result<Option<Obstacle>, SandboxError> {
        let Some(now) = self.roots.state(path)? else {
            return Ok(Some(Obstacle::at(path, GONE.to_owned(), Obstruction::Passable)));
        };
        let is_same = now.kind == Kind::Folder
            && (touched.inode == Some(now.inode) || self.is_copied(path, touched.inode.is_none()));
        // Entries can also be restored into another directory with the same name.
        let obstruction = if now.kind == Kind::Folder { Obstruction::Passable } else { Obstruction::Barred };
        let other = || Obstacle::at(path, "something else is there now".to_owned(), obstruction);
        Ok((!is_same).then(other))
    }

    /// Whether the entry may be a copy of what the run left, made by the run itself or by a later one.
    fn is_copied(&mut self, path: &Address, by_run: bool) -> bool {
        let is_copied = by_run || self.since.is_copied(path);
        if is_copied {
            self.copied.insert(path.clone());
        }
        is_copied
    }

    /// Finds an entry in a directory that the run created which the run did not put there.
    fn stranger_in(&self, path: &Address) -> Result<Option<String>, SandboxError> {
        let folder = self.roots.place(path)?.open_folder()?;
        let entries = folder.entries().map_err(|error| SandboxError::io(path.display(), &error))?;
        let stranger = entries.into_iter().find(|entry| {
            let inside = self.outcome.places.get(&path.join(&entry.name));
            inside.is_none_or(|place| place.now.is_none())
        });
        let Some(stranger) = stranger else { return Ok(None) };
        let inside = path.join(&stranger.name);
        let by = by_run(self.since.author(&inside, self.roots.state(&inside)?.as_ref()));
        Ok(Some(format!("`{}` was put into it since{by}", stranger.name.to_string_lossy())))
    }
}

/// Returns a clause that names the later run which made a change.
fn by_run(run: Option<&str>) -> String {
    match run {
        None => String::new(),
        Some(OF_OTHERS) => ", by another client".to_owned(),
        Some(run) => format!(", by the run {run}"),
    }
}

/// Returns the obstacle for a path that cannot be inspected. It stays as it is.
fn barred(path: &Address, error: &SandboxError) -> Obstacle {
    Obstacle::at(path, error.to_string(), Obstruction::Barred)
}

impl RunOutcome {
    /// Returns how a forced undo treats a path that is no longer as the run left it.
    fn obstruction(&self, place: &PathOutcome, found: Option<&State>, is_moved_on: bool) -> Obstruction {
        let is_in_place = |was: &State| place.now.as_ref().is_some_and(|now| now.inode == was.inode);
        match (&place.was, found) {
            // The run's entry is still there, at another path, and nothing else can come back.
            (None, None) if is_moved_on && !self.comes_back_by(place) => Obstruction::Stays,
            (_, None) => Obstruction::Passable,
            (_, Some(found)) if found.kind == Kind::Special => Obstruction::Barred,
            (None, Some(_)) if self.comes_back_by(place) => Obstruction::InTheWay,
            // There is no entry to restore at this path.
            (None, Some(_)) => Obstruction::Stays,
            // The run changed only the permission bits of the entry.
            (Some(was), Some(found)) if is_in_place(was) => {
                if (was.inode, was.kind) == (found.inode, found.kind) {
                    Obstruction::Passable
                } else {
                    Obstruction::Stays
                }
            }
            (Some(_), Some(_)) => Obstruction::InTheWay,
        }
    }

    /// Whether an entry that was moved to this path, and replaced before or after the move, can be restored to its
    /// original path.
    fn comes_back_by(&self, place: &PathOutcome) -> bool {
        let origin = place.replaced.as_ref().or(place.from.as_ref()).and_then(|origin| self.places.get(origin));
        origin.is_some_and(|origin| origin.was.is_some() && origin.kept.is_some())
    }

    /// Returns the paths that the policy does not allow to be changed.
    pub(super) fn refused(&self, admit: &Admit<'_>) -> Vec<Obstacle> {
        let refused = |(path, place): (&Address, &PathOutcome)| {
            let is_folder = place.now.as_ref().or(place.was.as_ref())?.kind == Kind::Folder;
            admit(path, is_folder).err().map(|reason| Obstacle::at(path, reason, Obstruction::Barred))
        };
        self.places.iter().filter_map(refused).collect()
    }
}

/// Returns why the previous entry of a path cannot be restored from its backup.
fn kept_difference(kept: &Address, old: &State, roots: Roots<'_>) -> Result<Option<String>, SandboxError> {
    let Some(place) = roots.kept(kept)? else {
        return Ok(Some(format!("what was there is no longer kept (`{}`); {KEEP_MORE}", kept.display())));
    };
    let now = place.metadata()?;
    if old.is_kept_as(&State::of(&now)) {
        return Ok(None);
    }
    let reason = format!("what was kept as `{}` was changed since", kept.display());
    let is_shared = now.identity.inode == old.inode && now.kind == Kind::File && now.links > 1;
    Ok(Some(if is_shared { format!("{reason} under another name (hard link)") } else { reason }))
}

/// Finds an entry in a tree that was changed after a run.
fn changed_below(folder: Folder, since: &Since<'_>, path: &Address) -> Result<Option<String>, SandboxError> {
    if since.at.is_none() {
        return Ok(None);
    }
    let changed = visit_below(folder, path, |address, metadata| {
        if !since.is_changed(path, address, metadata) {
            return ControlFlow::Continue(true);
        }
        let path_in = address.0.to_string_lossy();
        let name = path_in.rsplit('/').next().unwrap_or_default();
        let by = by_run(since.author(address, Some(&State::of(metadata))));
        ControlFlow::Break(format!("`{name}` in it was changed since{by}"))
    });
    changed.map_err(|error| SandboxError::io(path.display(), &error))
}
