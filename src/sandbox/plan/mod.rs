//! A plan: everything that a run would change, to be looked at, kept, and done later, exactly.
//!
//! It knows what stood at each place when it was made, so that it is done only while that still holds.
//! What would be written lies in a scratch folder; as JSON it carries that with it.

mod apply;
mod arrange;
mod check;
mod form;
mod tree;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::SandboxError;
use super::journal::{Address, Content, Holds, Moment, State, moment, read_content};
use super::metadata::Kind;
use super::overlay::{Delta, Lies, Overlay, Scratch};
use super::root::{Root, SandboxPath};
use super::seal::RootSeal;
pub use apply::{Applied, ApplyError};
pub use form::FormError;
use form::SealClaim;
use tree::{amount_in, tree_digest};

/// The form of plans that this program writes.
const VERSION: u32 = 1;

/// Everything that a run would change.
#[derive(Debug)]
pub struct Plan {
    /// What it is a plan of.
    pub about: PlanAbout,
    /// The changes, by the addresses of their places.
    pub changes: Vec<PlannedChange>,
    /// Where what would be written lies.
    store: Store,
    /// The seals of the root that it was made for, where it was made here.
    seal: Option<RootSeal>,
    /// The seal that it had, where it was read.
    claim: Option<SealClaim>,
}

/// What a plan is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanAbout {
    /// The form of the plan.
    pub plan: u32,
    /// What the user had begun.
    pub command: String,
    /// Whether the run would have ended with an error.
    pub failed: bool,
    /// The inode of the root.
    pub root: u64,
}

/// A change that would be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedChange {
    /// The place.
    pub path: Address,
    /// What would be done, in a word, for readers.
    pub change: Deed,
    /// Its address as long as nothing is done, where a folder above it would be moved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<Address>,
    /// Whether it lies in a folder that would be made.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub in_new: bool,
    /// What is there, and would not be there any more.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub was: Option<State>,
    /// The SHA-256 of what is known of everything in that, for a folder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<String>,
    /// How much is in a folder that goes, but for what is moved out of it, or that comes from what is kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub holds: Option<Holds>,
    /// What would be there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub now: Option<State>,
    /// Where that would be moved from, or copied from when it is kept below `.ns`; and what it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<(Address, State)>,
    /// The time that it is given, if it is given one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub modified: Option<Moment>,
    /// The name in the scratch folder under which what would be written lies.
    #[serde(skip)]
    pub content: Option<OsString>,
}

impl PlannedChange {
    /// Its place as long as nothing is done.
    pub fn place(&self) -> &Address {
        self.origin.as_ref().unwrap_or(&self.path)
    }
}

/// What would be done to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// Nothing is there.
    Created,
    /// Something else is there.
    Changed,
    /// It would get other permission bits.
    Mode,
    /// It would come from elsewhere.
    Moved,
    /// What is kept of it would come back.
    Restored,
    /// Nothing would be there any more.
    Deleted,
}

/// What holds the contents.
#[derive(Debug)]
enum Store {
    /// The overlay of the run.
    Overlay(Arc<Overlay>),
    /// What was read from a file.
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
    /// The plan of a run that is over.
    ///
    /// # Errors
    /// The system's, for a tree that others change meanwhile.
    pub fn of(overlay: &Arc<Overlay>, main: &Root, command: &str, failed: bool) -> io::Result<Plan> {
        let deltas = overlay.deltas()?;
        let moved: BTreeSet<Address> = deltas.iter().filter_map(|delta| from(&delta.lies).cloned()).collect();
        let mut changes = Vec::with_capacity(deltas.len());
        for mut delta in deltas {
            if moved.contains(delta.origin.as_ref().unwrap_or(&delta.path)) {
                // It is told where it comes to.
                delta.was = None;
            }
            changes.extend(planned(overlay, delta, &moved)?);
        }
        let root = overlay.tree(&Address::from(""))?.own_metadata()?.identity.inode;
        let about = PlanAbout { plan: VERSION, command: command.to_owned(), failed, root };
        let (store, seal) = (Store::Overlay(overlay.clone()), Some(main.seal.clone()));
        Ok(Plan { about, changes, store, seal, claim: None })
    }

    /// Whether this user made it for this root, and nobody has changed it since.
    pub fn is_of(&self, root: &Root) -> bool {
        matches!(self.store, Store::Overlay(_)) || self.claim.as_ref().is_some_and(|claim| claim.is_of(&root.seal))
    }

    /// The contents on both sides of a change, at most so many bytes each.
    pub fn contents(&self, change: &PlannedChange, limit: u64) -> (Content, Content) {
        let has_content = |state: &State| state.kind != Kind::Folder;
        if matches!(change.change, Deed::Mode | Deed::Moved) {
            return (Content::Nothing, Content::Nothing);
        }
        let on_disk = |address: &Address, state: &State| match &self.store {
            Store::Overlay(overlay) => {
                let place = overlay.place_on_disk(address);
                let path = change.path.shown();
                read_content(place.map_err(|error| SandboxError::io(path, &error)), state.kind, limit)
            }
            Store::Read(_) => Content::Unknown("a plan that was read does not hold it".to_owned()),
        };
        let was = change.was.as_ref().filter(|was| has_content(was));
        let old = was.map_or(Content::Nothing, |was| on_disk(change.place(), was));
        if change.change == Deed::Restored {
            let kept = change.from.as_ref().filter(|(_, state)| has_content(state));
            return (old, kept.map_or(Content::Nothing, |(kept, state)| on_disk(kept, state)));
        }
        let new = change.now.as_ref().zip(self.content(change));
        let new = new.map_or(Content::Nothing, |(now, place)| read_content(Ok(place), now.kind, limit));
        (old, new)
    }

    /// The place in the scratch folder of what would be written, to be read.
    pub fn content(&self, change: &PlannedChange) -> Option<SandboxPath> {
        let name = change.content.as_ref()?;
        let folder = self.store.scratch().folder().duplicate().ok()?;
        Some(SandboxPath::own(folder, name, change.path.shown().into_owned()))
    }
}

fn from(lies: &Lies) -> Option<&Address> {
    if let Lies::At(from) = lies { Some(from) } else { None }
}

fn planned(overlay: &Overlay, delta: Delta, moved: &BTreeSet<Address>) -> io::Result<Option<PlannedChange>> {
    let Delta { path, origin, in_new, was, now, lies, modified } = delta;
    let is_tree = |state: &State| state.kind == Kind::Folder;
    let change = match (&was, &now, &lies) {
        (None, None, _) => return Ok(None),
        (_, Some(_), Lies::At(_)) => Deed::Moved,
        (_, Some(_), Lies::Kept(_)) => Deed::Restored,
        (Some(_), None, _) => Deed::Deleted,
        (_, Some(_), Lies::Nowhere) => Deed::Mode,
        (None, Some(_), Lies::Scratch(_)) => Deed::Created,
        (Some(_), Some(_), Lies::Scratch(_)) => Deed::Changed,
    };
    let goes = change != Deed::Mode && was.as_ref().is_some_and(is_tree);
    let place = origin.as_ref().unwrap_or(&path);
    let tree = if goes { Some(tree_digest(overlay.tree(place)?)?) } else { None };
    let holds = match (&lies, &now) {
        _ if goes => Some(amount_in(overlay.tree(place)?, place, moved)?),
        (Lies::Kept(kept), Some(now)) if is_tree(now) => Some(amount_in(overlay.tree(kept)?, kept, moved)?),
        _ => None,
    };
    let (content, from) = match lies {
        Lies::Scratch(name) => (Some(name), None),
        Lies::At(from) | Lies::Kept(from) => {
            let state = State::of(&overlay.on_disk(&from)?);
            (None, Some((from, state)))
        }
        Lies::Nowhere => (None, None),
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
        content,
    }))
}
