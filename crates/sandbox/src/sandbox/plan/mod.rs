//! A plan: all changes that a run would make, to be inspected, saved and later applied exactly.
//!
//! A plan records the state of each path when it was made, and is applied only while that state still holds. The
//! contents to write are in a scratch directory; in JSON, the plan includes them.

mod apply;
mod arrange;
mod check;
mod covered;
mod form;
mod refusals;
mod tree;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::handles::address::Address;
use super::handles::error::SandboxError;
use super::handles::folder::{Delta, Overlay, Scratch, StagingPlace};
use super::handles::metadata::{Kind, Owner};
use super::handles::root::{Root, SandboxPath};
use super::handles::seal::RootSeal;
use super::handles::state::{Moment, State, moment};
use super::runs::{Content, Holds, read_content};
pub use apply::{Applied, ApplyError};
pub use form::FormError;
use form::SealClaim;
pub use refusals::PlanRefusals;
use tree::tree_digest;

/// The format version of plans that this program writes. It rises when an older program would misread a plan.
const VERSION: u32 = 1;

/// All changes that a run would make.
#[derive(Debug)]
pub struct Plan {
    /// The header of the plan.
    pub about: PlanAbout,
    /// The changes, sorted by path.
    pub changes: Vec<PlannedChange>,
    /// The contents to write.
    store: Store,
    /// The seals of the root that the plan was made for, if it was made by this process.
    seal: Option<RootSeal>,
    /// The seal that the plan claims to have, if it was read from JSON.
    claim: Option<SealClaim>,
}

/// The header of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAbout {
    /// The format version of the plan.
    pub plan: u32,
    /// The command that the user started.
    pub command: String,
    /// Whether the run would have failed.
    pub failed: bool,
    /// The inode of the root.
    pub root: u64,
    /// The calls that were refused while the plan was made.
    #[serde(skip_serializing_if = "PlanRefusals::is_empty", default)]
    pub refused: PlanRefusals,
}

impl PlanAbout {
    /// Creates the header of a plan of a command.
    pub fn new(command: &str, failed: bool) -> PlanAbout {
        PlanAbout { plan: VERSION, command: command.to_owned(), failed, root: 0, refused: PlanRefusals::default() }
    }
}

/// A planned change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedChange {
    /// The path after the change.
    pub path: Address,
    /// The kind of change, for readers.
    pub change: PlanAction,
    /// The path before the plan is applied, if a directory above it would be moved, or restored: then the path is in
    /// the backup.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<Address>,
    /// Whether its directory would be created by the plan.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub in_new: bool,
    /// The present entry, if it would be replaced, changed or removed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub was: Option<State>,
    /// The SHA-256 of the metadata of the whole tree, if that entry is a directory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<String>,
    /// The contents of a directory that would be deleted, except for entries that are moved out of it, or of a
    /// directory that would be restored from a backup.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub holds: Option<Holds>,
    /// The resulting entry.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub now: Option<State>,
    /// The path and state of the source: an entry to move, or a backup below `.ns` to copy.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<(Address, State)>,
    /// The modification time that the run sets, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub modified: Option<Moment>,
    /// The user id and group id of a new entry, if they are not those of this process.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub owner: Option<(u32, u32)>,
    /// The name of the content to write in the scratch directory.
    #[serde(skip)]
    pub content: Option<OsString>,
}

impl PlannedChange {
    /// Returns the path before the plan is applied.
    pub fn place(&self) -> &Address {
        self.origin.as_ref().unwrap_or(&self.path)
    }
}

/// The kind of a planned change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAction {
    /// The path does not exist yet.
    Created,
    /// Another entry or content is there.
    Changed,
    /// Only the permission bits or the modification time would change.
    Mode,
    /// The entry would be moved from another path.
    Moved,
    /// The entry would be restored from a backup.
    Restored,
    /// The entry would be removed.
    Deleted,
}

/// Storage of the contents to write.
#[derive(Debug)]
enum Store {
    /// The overlay of the run.
    Overlay(Arc<Overlay>),
    /// The contents read from JSON.
    Read(Scratch),
}

impl Store {
    fn scratch(&self) -> &Scratch {
        match self {
            Store::Overlay(overlay) => overlay.scratch(),
            Store::Read(scratch) => scratch,
        }
    }
}

impl Plan {
    /// Creates the plan of a finished run from its overlay.
    ///
    /// # Errors
    /// Returns errors of the operating system, for example if the tree changes meanwhile.
    pub fn of(overlay: &Arc<Overlay>, main: &Root, about: PlanAbout) -> io::Result<Plan> {
        let deltas = overlay.deltas()?;
        let moved: BTreeSet<Address> = deltas.iter().filter_map(|delta| from(&delta.lies).cloned()).collect();
        let mut changes = Vec::with_capacity(deltas.len());
        for mut delta in deltas {
            if moved.contains(delta.origin.as_ref().unwrap_or(&delta.path)) {
                // The move is listed at its new path.
                delta.was = None;
            }
            changes.extend(planned(overlay, delta, &moved)?);
        }
        let root = overlay.tree(&Address::from(""))?.own_metadata()?.identity.inode;
        let about = PlanAbout { root, ..about };
        let (store, seal) = (Store::Overlay(overlay.clone()), Some(main.seal.clone()));
        Ok(Plan { about, changes, store, seal, claim: None })
    }

    /// Whether this user made the plan for this root, unmodified since.
    pub fn is_of(&self, root: &Root) -> bool {
        matches!(self.store, Store::Overlay(_)) || self.claim.as_ref().is_some_and(|claim| claim.is_of(&root.seal))
    }

    /// Returns the contents on both sides of a change, each of at most `limit` bytes.
    pub fn contents(&self, change: &PlannedChange, limit: u64) -> (Content, Content) {
        let has_content = |state: &State| state.kind != Kind::Folder;
        if matches!(change.change, PlanAction::Mode | PlanAction::Moved) {
            return (Content::Nothing, Content::Nothing);
        }
        let on_disk = |address: &Address, state: &State| match &self.store {
            Store::Overlay(overlay) => {
                let place = overlay.place_on_disk(address);
                let path = change.path.display();
                read_content(place.map_err(|error| SandboxError::io(path, &error)), state.kind, limit)
            }
            Store::Read(_) => Content::Unknown("a plan that was read does not hold it".to_owned()),
        };
        let was = change.was.as_ref().filter(|was| has_content(was));
        let old = was.map_or(Content::Nothing, |was| on_disk(change.place(), was));
        if change.change == PlanAction::Restored {
            let kept = change.from.as_ref().filter(|(_, state)| has_content(state));
            return (old, kept.map_or(Content::Nothing, |(kept, state)| on_disk(kept, state)));
        }
        let new = change.now.as_ref().zip(self.content(change));
        let new = new.map_or(Content::Nothing, |(now, place)| read_content(Ok(place), now.kind, limit));
        (old, new)
    }

    /// Locates the content to write in the scratch directory, for reading.
    pub fn content(&self, change: &PlannedChange) -> Option<SandboxPath> {
        let name = change.content.as_ref()?;
        let folder = self.store.scratch().folder().duplicate().ok()?;
        Some(SandboxPath::own(folder, name, change.path.display().into_owned()))
    }
}

fn from(lies: &StagingPlace) -> Option<&Address> {
    if let StagingPlace::At(from) = lies { Some(from) } else { None }
}

fn planned(overlay: &Overlay, delta: Delta, moved: &BTreeSet<Address>) -> io::Result<Option<PlannedChange>> {
    let Delta { path, origin, in_new, was, now, lies, modified } = delta;
    let is_tree = |state: &State| state.kind == Kind::Folder;
    let change = match (&was, &now, &lies) {
        (None, None, _) => return Ok(None),
        (_, Some(_), StagingPlace::At(_)) => PlanAction::Moved,
        (_, Some(_), StagingPlace::Kept(_)) => PlanAction::Restored,
        (Some(_), None, _) => PlanAction::Deleted,
        (_, Some(_), StagingPlace::Nowhere) => PlanAction::Mode,
        (None, Some(_), StagingPlace::Scratch(_)) => PlanAction::Created,
        (Some(_), Some(_), StagingPlace::Scratch(_)) => PlanAction::Changed,
    };
    let goes = change != PlanAction::Mode && was.as_ref().is_some_and(is_tree);
    let place = origin.as_ref().unwrap_or(&path);
    let tree = if goes { Some(tree_digest(overlay.tree(place)?)?) } else { None };
    let holds = match (&lies, &now) {
        _ if goes => Some(Holds::below(overlay.tree(place)?, place, moved)?),
        (StagingPlace::Kept(kept), Some(now)) if is_tree(now) => Some(Holds::below(overlay.tree(kept)?, kept, moved)?),
        _ => None,
    };
    let owner = match &lies {
        StagingPlace::Scratch(name) => foreign_owner(overlay.scratch().folder().metadata(name)?.owner),
        _ => None,
    };
    let (content, from) = match lies {
        StagingPlace::Scratch(name) => (Some(name), None),
        StagingPlace::At(from) | StagingPlace::Kept(from) => {
            let state = State::of(&overlay.on_disk(&from)?);
            (None, Some((from, state)))
        }
        StagingPlace::Nowhere => (None, None),
    };
    let content = content.filter(|_| !now.as_ref().is_some_and(is_tree));
    Ok(Some(PlannedChange {
        path,
        change,
        origin,
        in_new,
        was,
        tree,
        holds,
        now,
        from,
        modified: modified.map(moment),
        owner,
        content,
    }))
}

/// Returns an owner that a new entry does not get by itself.
fn foreign_owner(owner: Owner) -> Option<(u32, u32)> {
    #[cfg(unix)]
    let own = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    #[cfg(not(unix))]
    let own = (0, 0);
    Some((owner.user, owner.group)).filter(|owner| *owner != own)
}
