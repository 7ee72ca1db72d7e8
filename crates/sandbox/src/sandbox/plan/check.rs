//! Checks before a plan is applied: paths that it must not name, and paths that have changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::super::changing::backups::BackupKind;
use super::super::changing::journal::Roots;
use super::super::handles::address::{Address, holder};
use super::super::handles::error::SandboxError;
use super::super::handles::metadata::Kind;
use super::super::handles::reserved::{STATE_DIR, is_reserved};
use super::super::handles::stamp;
use super::super::handles::state::State;
use super::super::runs::Admit;
use super::{PlanAction, PlannedChange, tree_digest};

/// Returns why a change must not be applied, or `None` if it may. `is_sealed` tells whether the plan is as this user
/// made it; `restored` are the backups that it restores.
pub(super) fn refused(
    change: &PlannedChange,
    is_sealed: bool,
    restored: &BTreeSet<Address>,
    roots: Roots<'_>,
    admit: &Admit<'_>,
) -> Option<String> {
    let is_folder = change.now.as_ref().or(change.was.as_ref()).is_some_and(|state| state.kind == Kind::Folder);
    let from = change.from.as_ref().map(|(from, _)| from);
    let kept = from.filter(|_| change.change == PlanAction::Restored);
    // An entry of a tree that the plan restores is looked up in the backup; the change is made to the copy.
    let inside = change.origin.as_ref().filter(|origin| holder(restored, &origin.parent()).is_some());
    let origin = change.origin.as_ref().filter(|_| inside.is_none());
    let named = [Some(&change.path), origin, from.filter(|_| kept.is_none())];
    let is_bad = |address: &&Address| !is_clean(address, roots);
    if let Some(bad) = named.into_iter().flatten().find(is_bad) {
        return Some(format!("no plan may name `{}`", bad.display()));
    }
    let mut origins = Vec::new();
    for kept in [kept, inside].into_iter().flatten() {
        let Some(origin) = kept_origin(kept, roots) else {
            return Some(format!("nothing is kept at `{}`", kept.display()));
        };
        origins.push(origin);
        // Otherwise the author of a plan could have any backup restored.
        if !is_sealed {
            return Some(
                "it would come from what is kept, and your key did not seal this plan: plan it again here".to_owned(),
            );
        }
    }
    named.into_iter().flatten().chain(&origins).find_map(|address| admit(address, is_folder).err())
}

/// Returns the state of an entry before the plan.
fn state_at(address: &Address, roots: Roots<'_>) -> Result<Option<State>, SandboxError> {
    if !roots.is_kept(address) {
        return roots.state(address);
    }
    let metadata = roots.kept(address)?.map(|entry| entry.metadata()).transpose()?;
    Ok(metadata.map(|metadata| State::of(&metadata)))
}

/// Whether a path is normalized, is not the root, and contains neither `..` nor a reserved name.
fn is_clean(address: &Address, roots: Roots<'_>) -> bool {
    plain_way(address, roots).is_some_and(|way| !way.is_empty() && !way.iter().any(|name| is_reserved(name)))
}

/// Returns the original path of a backup, or `None` if `address` is not the path of a backup.
fn kept_origin(address: &Address, roots: Roots<'_>) -> Option<Address> {
    let way = plain_way(address, roots)?;
    let [own, kind, below @ ..] = &way[..] else { return None };
    let at = below.iter().position(|part| stamp::is_kept_shape(part)).filter(|&at| at > 0)?;
    if *own != STATE_DIR || BackupKind::named(kind).is_none() {
        return None;
    }
    let (root, _) = roots.of(address).ok()?;
    let parts = below[..at]
        .iter()
        .map(|part| stamp::part_of(part))
        .chain(below[at + 1..].iter().map(|part| (*part).to_owned()));
    Some(parts.fold(Address::from(&*root.address_of("")), |address, part| address.join(&part)))
}

/// Returns the parts of a path below its root, or `None` if it is not normalized or contains `..`.
fn plain_way<'a>(address: &'a Address, roots: Roots<'_>) -> Option<Vec<&'a OsStr>> {
    let path = Path::new(&address.0);
    let is_tidy = path.components().collect::<PathBuf>().as_os_str() == address.0;
    let (_, way) = roots.of(address).ok().filter(|_| is_tidy)?;
    let name = |part| if let Component::Normal(name) = part { Some(name) } else { None };
    way.components().map(name).collect()
}

/// Returns why a change no longer applies, or `None` if the paths are as they were when the plan was made.
pub(super) fn difference(
    change: &PlannedChange,
    roots: Roots<'_>,
    vacated: bool,
) -> Result<Option<String>, SandboxError> {
    let place = change.place();
    let conflict = |words: &str| Ok(Some(words.to_owned()));
    if let Some((from, then)) = &change.from {
        match state_at(from, roots)? {
            None => return Ok(Some(format!("`{}` is no longer there", from.display()))),
            Some(now) if !then.is_still(&now) => return Ok(Some(format!("`{}` was changed since", from.display()))),
            Some(_) => {}
        }
    }
    match (&change.was, if change.in_new { None } else { state_at(place, roots)? }) {
        (None, None) => Ok(None),
        (None, Some(_)) if vacated => Ok(None),
        (None, Some(_)) => conflict("there is something new"),
        (Some(_), None) => conflict("it is no longer there"),
        (Some(then), Some(now)) if !then.is_still(&now) => conflict("it was changed since"),
        (Some(_), Some(_)) => match &change.tree {
            Some(tree) => {
                let gone = || SandboxError::NotFound(place.display().into_owned());
                let folder = roots.entry(place)?.ok_or_else(gone)?.open_folder()?;
                let digest = tree_digest(folder).map_err(|error| SandboxError::io(place.display(), &error))?;
                if digest == *tree { Ok(None) } else { conflict("something in it was changed since") }
            }
            None => Ok(None),
        },
    }
}
