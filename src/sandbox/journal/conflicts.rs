//! Conflicts: changes made since a run that prevent its undo.

use std::collections::BTreeSet;
use std::ffi::OsString;

use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::metadata::Kind;
use super::address::Address;
use super::later::Since;
use super::outcome::{PathOutcome, RunOutcome, Touched};
use super::record::State;
use super::roots::Roots;

/// Why a path cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The path.
    pub path: Address,
    /// The reason, as a clause that continues the path.
    pub reason: String,
}

/// A comparison of the tree with the outcome of a run.
pub(super) struct Comparison<'a> {
    outcome: &'a RunOutcome,
    roots: Roots<'a>,
    since: Since<'a>,
    /// Roots of copies of what the run left.
    copied: BTreeSet<Address>,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison of the tree with an outcome.
    pub fn new(outcome: &'a RunOutcome, roots: Roots<'a>, since: Since<'a>) -> Comparison<'a> {
        Comparison { outcome, roots, since, copied: BTreeSet::new() }
    }

    /// Returns the paths that are no longer as the run left them.
    pub fn conflicts(&mut self) -> Vec<Conflict> {
        let outcome = self.outcome;
        let mut conflicts = Vec::new();
        for (path, place) in &outcome.places {
            let reason = self.difference(path, place).unwrap_or_else(|error| Some(error.to_string()));
            conflicts.extend(reason.map(|reason| Conflict { path: path.clone(), reason }));
        }
        conflicts
    }

    /// Returns the directories in which the run changed entries and which no longer exist.
    pub fn missing(&mut self) -> Vec<Conflict> {
        let outcome = self.outcome;
        let mut missing = Vec::new();
        for (path, touched) in outcome.folders.iter().filter(|(path, _)| !outcome.places.contains_key(*path)) {
            let reason = self.folder_difference(path, touched).unwrap_or_else(|error| Some(error.to_string()));
            missing.extend(reason.map(|reason| Conflict { path: path.clone(), reason }));
        }
        missing
    }

    /// Returns the roots of copies of what the run left.
    pub fn into_copied(self) -> BTreeSet<Address> {
        self.copied
    }

    fn difference(&mut self, path: &Address, place: &PathOutcome) -> Result<Option<String>, SandboxError> {
        let reason = match (&place.now, self.roots.state(path)?) {
            (None, None) => None,
            // This entry came with the tree, which is checked as a whole.
            (None, Some(_)) if place.is_covered || self.outcome.is_in_tree(path) => None,
            (None, Some(_)) => Some("there is something new"),
            (Some(_), None) => Some("it is no longer there"),
            (Some(then), Some(now)) if then.is_still(&now) => None,
            (Some(then), Some(now)) if then.is_still_or_copied(&now) && self.is_copied(path, place.is_copied) => None,
            (Some(then), Some(now)) if (then.inode, then.kind) == (now.inode, now.kind) => Some("it was changed since"),
            _ => Some("something else is there now"),
        };
        if let Some(reason) = reason {
            return Ok(Some(reason.to_owned()));
        }
        if let (Some(kept), Some(was)) = (&place.kept, &place.was)
            && let Some(reason) = kept_difference(kept, self.outcome.kept.get(kept).unwrap_or(was), self.roots)?
        {
            return Ok(Some(reason));
        }
        if place.now.is_some() && place.is_made {
            return self.stranger_in(path);
        }
        if place.is_tree && place.now.is_some() {
            return changed_below(self.roots.place(path)?.open_folder()?, &self.since, path);
        }
        Ok(None)
    }

    /// Returns a reason if the directory no longer exists, so that nothing can be restored in it.
    fn folder_difference(&mut self, path: &Address, touched: &Touched) -> Result<Option<String>, SandboxError> {
        let Some(now) = self.roots.state(path)? else { return Ok(Some("it is no longer there".to_owned())) };
        let is_same = now.kind == Kind::Folder
            && (touched.inode == Some(now.inode) || self.is_copied(path, touched.inode.is_none()));
        if is_same { Ok(None) } else { Ok(Some("something else is there now".to_owned())) }
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
        Ok(stranger.map(|entry| format!("`{}` was put into it since", entry.name.to_string_lossy())))
    }
}

impl RunOutcome {
    /// Returns the paths that the policy does not allow to be changed.
    pub(super) fn refused(&self, admit: &dyn Fn(&Address, bool) -> Result<(), String>) -> Vec<Conflict> {
        let refused = |(path, place): (&Address, &PathOutcome)| {
            let is_folder = place.now.as_ref().or(place.was.as_ref())?.kind == Kind::Folder;
            admit(path, is_folder).err().map(|reason| Conflict { path: path.clone(), reason })
        };
        self.places.iter().filter_map(refused).collect()
    }
}

/// Returns why the previous entry of a path cannot be restored from its backup.
fn kept_difference(kept: &Address, old: &State, roots: Roots<'_>) -> Result<Option<String>, SandboxError> {
    let Some(place) = roots.kept(kept)? else {
        return Ok(Some(format!("what was there is no longer kept (`{}`)", kept.display())));
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
    let wrap = |error: std::io::Error| SandboxError::io(path.display(), &error);
    if since.at.is_none() {
        return Ok(None);
    }
    let names = |folder: &Folder| -> Result<Vec<OsString>, SandboxError> {
        Ok(folder.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect())
    };
    let first = names(&folder)?;
    let mut levels = vec![(folder, path.clone(), first)];
    while let Some((folder, address, ahead)) = levels.last_mut() {
        let Some(name) = ahead.pop() else {
            levels.pop();
            continue;
        };
        let metadata = folder.metadata(&name).map_err(wrap)?;
        let address = address.join(&name);
        if since.is_changed(path, &address, &metadata) {
            return Ok(Some(format!("`{}` in it was changed since", name.to_string_lossy())));
        }
        if metadata.kind == Kind::Folder {
            let inner = folder.open_folder(&name).map_err(wrap)?;
            let ahead = names(&inner)?;
            levels.push((inner, address, ahead));
        }
    }
    Ok(None)
}
