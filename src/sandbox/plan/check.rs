//! Whether a plan may be done: what it may not name, and what is no longer as it was.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::super::error::SandboxError;
use super::super::journal::{Address, Roots, State};
use super::super::keep::Drawer;
use super::super::metadata::Kind;
use super::super::own::OWN;
use super::super::reserved::is_reserved;
use super::{Deed, PlannedChange, tree_digest};

/// Why a plan may not do a change.
pub(super) fn refused(
    change: &PlannedChange,
    roots: Roots<'_>,
    admit: &dyn Fn(&Address, bool) -> Result<(), String>,
) -> Option<String> {
    let is_folder = change.now.as_ref().or(change.was.as_ref()).is_some_and(|state| state.kind == Kind::Folder);
    let from = change.from.as_ref().map(|(from, _)| from);
    let kept = from.filter(|_| change.change == Deed::Restored);
    let named = [Some(&change.path), change.origin.as_ref(), from.filter(|_| kept.is_none())];
    let is_bad = |address: &&Address| !is_clean(address, roots);
    if let Some(bad) = named.into_iter().flatten().find(is_bad) {
        return Some(format!("no plan may name `{}`", bad.shown()));
    }
    if let Some(kept) = kept.filter(|kept| !is_kept(kept, roots)) {
        return Some(format!("nothing is kept at `{}`", kept.shown()));
    }
    named.into_iter().flatten().find_map(|address| admit(address, is_folder).err())
}

/// Whether an address is tidy and no part of it leads up or is reserved; the root itself is none.
fn is_clean(address: &Address, roots: Roots<'_>) -> bool {
    plain_way(address, roots).is_some_and(|way| !way.is_empty() && !way.iter().any(|name| is_reserved(name)))
}

/// Whether an address is that of something that is kept.
fn is_kept(address: &Address, roots: Roots<'_>) -> bool {
    let is_drawer = |name: &OsStr| [Drawer::Backups, Drawer::Trash].iter().any(|drawer| name == drawer.name());
    plain_way(address, roots)
        .is_some_and(|way| matches!(way[..], [own, drawer, _, ..] if own == OWN && is_drawer(drawer)))
}

/// The parts of the way to an address, if it is written as we write it and no part leads up.
fn plain_way<'a>(address: &'a Address, roots: Roots<'_>) -> Option<Vec<&'a OsStr>> {
    let path = Path::new(&address.0);
    let is_tidy = path.components().collect::<PathBuf>().as_os_str() == address.0;
    let (_, way) = roots.of(address).ok().filter(|_| is_tidy)?;
    let name = |part| if let Component::Normal(name) = part { Some(name) } else { None };
    way.components().map(name).collect()
}

/// What is no longer as it was when the plan was made.
pub(super) fn difference(
    change: &PlannedChange,
    roots: Roots<'_>,
    vacated: bool,
) -> Result<Option<String>, SandboxError> {
    let place = change.place();
    let told = |words: &str| Ok(Some(words.to_owned()));
    if let Some((from, then)) = &change.from {
        let now = match change.change {
            Deed::Restored => roots.kept(from)?.map(|place| place.metadata()).transpose()?.map(|it| State::of(&it)),
            _ => roots.state(from)?,
        };
        match now {
            None => return Ok(Some(format!("`{}` is no longer there", from.shown()))),
            Some(now) if !then.is_still(&now) => return Ok(Some(format!("`{}` was changed since", from.shown()))),
            Some(_) => {}
        }
    }
    match (&change.was, if change.in_new { None } else { roots.state(place)? }) {
        (None, None) => Ok(None),
        (None, Some(_)) if vacated => Ok(None),
        (None, Some(_)) => told("there is something new"),
        (Some(_), None) => told("it is no longer there"),
        (Some(then), Some(now)) if !then.is_still(&now) => told("it was changed since"),
        (Some(_), Some(_)) => match &change.tree {
            Some(tree) => {
                let folder = roots.place(place)?.open_folder()?;
                let digest = tree_digest(folder).map_err(|error| SandboxError::io(place.shown(), &error))?;
                if digest == *tree { Ok(None) } else { told("something in it was changed since") }
            }
            None => Ok(None),
        },
    }
}
