//! Subscriptions of a connection: resources whose changes a client wants to know, and the list of resources.
//!
//! The gate decides about every subscription, and again about every change before anybody hears of it. Nothing is read:
//! a notification says only that something has changed. A path is watched in the directory that it leads through, which
//! is found by handle. If something on the way to this directory is replaced, the next change in it is the first that
//! the server notices; it then follows the path anew.
//!
//! Everything is bounded: the subscriptions, the directories, and the changes that wait to be told.

mod index;
mod watcher;

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use tokio::sync::Notify;

use crate::engine::WatchPoint;

use super::resources::NamedPlace;

use index::{Changes, Index, Interest};
use watcher::{Watcher, identity};

/// Maximum number of subscriptions of a connection.
pub const MOST: usize = 64;
/// Maximum number of directories whose entries are watched for the list of resources.
pub const MOST_LISTED: usize = 64;

/// The receiver of notifications.
#[derive(Clone, Debug)]
pub enum Receiver {
    /// The client of a session, up to 2025-11-25.
    Session(Peer<RoleServer>),
    /// A stream of notifications, from 2026-07-28 on, with a number of its own.
    Stream(u64, SubscriptionSink),
}

/// The number of a receiver.
type ReceiverNumber = Option<u64>;

impl Receiver {
    fn number(&self) -> ReceiverNumber {
        match self {
            Receiver::Session(_) => None,
            Receiver::Stream(number, _) => Some(*number),
        }
    }
}

/// The reason why a path cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchFault {
    /// There are too many subscriptions.
    #[error("this connection has {MOST} subscriptions, the most that it may have; end one of them first")]
    TooMany,
    /// The system watches no more, or not at all.
    #[error("the system cannot watch it: {0}")]
    System(#[from] notify::Error),
}

/// A subscription.
#[derive(Debug)]
struct Subscription {
    uri: Arc<str>,
    place: NamedPlace,
    receiver: Receiver,
    /// The directory, and the name in it; `None` while nothing is watched.
    at: Option<((u64, u64), Option<OsString>)>,
    exists: bool,
}

/// A directory that is watched for the list of resources.
#[derive(Debug)]
struct ListedDirectory {
    place: NamedPlace,
    at: (u64, u64),
}

/// The subscriptions of a connection.
#[derive(Clone, Default)]
pub struct Subscriptions(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Locked by the thread of the watcher, so it must not be held while the watcher is asked for something.
    index: Arc<Mutex<Index>>,
    changed: Arc<Notify>,
    has_begun: AtomicBool,
    is_over: AtomicBool,
}

#[derive(Default)]
struct State {
    watcher: Option<Watcher>,
    subscriptions: Vec<Subscription>,
    listed: Vec<ListedDirectory>,
    list_receivers: Vec<Receiver>,
}

/// Changes that the gate has to decide about before a client hears of them.
#[derive(Debug, Default)]
pub struct Suspected {
    /// Resources, each with its path.
    pub resources: Vec<(Arc<str>, NamedPlace)>,
    /// Changed entries of directories.
    pub entries: Vec<SuspectedEntry>,
    /// Whether events were lost, so that the list may have changed.
    pub is_lost: bool,
}

/// A changed entry of a directory.
#[derive(Debug)]
pub struct SuspectedEntry {
    /// The directory.
    pub directory: NamedPlace,
    /// The name.
    pub name: String,
    /// The resource that the directory is; `None` for the list of resources.
    pub uri: Option<Arc<str>>,
}

/// Changes that the gate allows to be reported.
#[derive(Debug, Default)]
pub struct Confirmed {
    /// Resources, each with where it is now to be watched.
    pub resources: Vec<(Arc<str>, Option<WatchPoint>)>,
    /// Resources that are directories with other entries than before.
    pub directories: HashSet<Arc<str>>,
    /// Whether the list has changed.
    pub is_list: bool,
}

/// The notifications to send.
#[derive(Debug, Default)]
pub struct Deliveries {
    /// Resources that have changed.
    pub updates: Vec<(Arc<str>, Receiver)>,
    /// Receivers of a change of the list.
    pub list: Vec<Receiver>,
}

/// A path to watch.
#[derive(Debug)]
pub struct Wanted {
    /// The URI, as the client gave it.
    pub uri: Arc<str>,
    /// The path that it names.
    pub place: NamedPlace,
    /// Where it is watched.
    pub point: WatchPoint,
}

impl Subscriptions {
    /// Whether this is the first call, so that somebody has to begin to tell changes.
    pub fn begin(&self) -> bool {
        !self.0.has_begun.swap(true, Ordering::Relaxed)
    }

    /// Ends everything.
    pub fn end(&self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        self.0.changed.notify_one();
    }

    /// Waits for a change. Returns false at the end.
    pub async fn changed(&self) -> bool {
        loop {
            if self.0.is_over.load(Ordering::Relaxed) {
                return false;
            }
            if !self.index().changes.is_empty() {
                return true;
            }
            self.0.changed.notified().await;
        }
    }

    /// Returns how many more subscriptions there may be.
    pub fn room(&self) -> usize {
        MOST.saturating_sub(self.state().subscriptions.len())
    }

    /// Adds a subscription. One that exists stays as it is.
    pub fn add(&self, wanted: Wanted, receiver: Receiver) -> Result<(), WatchFault> {
        let mut state = self.state();
        let Wanted { uri, place, point } = wanted;
        let is_same = |other: &Subscription| other.uri == uri && other.receiver.number() == receiver.number();
        if state.subscriptions.iter().any(is_same) {
            return Ok(());
        }
        if state.subscriptions.len() >= MOST {
            return Err(WatchFault::TooMany);
        }
        self.watch(&mut state, &point)?;
        let (at, exists) = (Some((identity(&point), point.name.clone())), point.exists);
        state.subscriptions.push(Subscription { uri, place, receiver, at, exists });
        self.rebuild(&mut state);
        Ok(())
    }

    /// Ends the subscription of a session to a resource.
    pub fn remove(&self, uri: &str) {
        let mut state = self.state();
        state.subscriptions.retain(|other| *other.uri != *uri || other.receiver.number().is_some());
        self.rebuild(&mut state);
    }

    /// Ends everything of a stream.
    pub fn remove_stream(&self, number: u64) {
        let mut state = self.state();
        state.subscriptions.retain(|other| other.receiver.number() != Some(number));
        state.list_receivers.retain(|other| other.number() != Some(number));
        self.rebuild(&mut state);
    }

    /// Watches directories for the list of resources, as far as there may be more of them.
    pub fn follow_list(&self, directories: Vec<(NamedPlace, WatchPoint)>, receiver: Receiver) {
        let mut state = self.state();
        if state.list_receivers.iter().all(|other| other.number() != receiver.number()) {
            state.list_receivers.push(receiver);
        }
        for (place, point) in directories {
            let is_known = state.listed.iter().any(|listed| listed.at == identity(&point));
            if is_known || state.listed.len() >= MOST_LISTED {
                continue;
            }
            // A client that lists resources did not ask for a watch, so a failure concerns nobody.
            if self.watch(&mut state, &point).is_ok() {
                state.listed.push(ListedDirectory { place, at: identity(&point) });
            }
        }
        self.rebuild(&mut state);
    }

    /// Records that a resource may have changed.
    pub fn suspect(&self, uri: &str) {
        self.index().changes.uris.insert(uri.into());
        self.0.changed.notify_one();
    }

    /// Takes the changes so far.
    pub fn take(&self) -> Suspected {
        let mut state = self.state();
        let Changes { uris, entries, gone, is_lost } = std::mem::take(&mut self.index().changes);
        let mut suspected = Suspected { is_lost, ..Suspected::default() };
        let is_meant = |subscription: &&Subscription| is_lost || uris.contains(&subscription.uri);
        let meant = state.subscriptions.iter().filter(is_meant);
        suspected.resources = meant.map(|one| (one.uri.clone(), one.place.clone())).collect();
        suspected.resources.dedup();
        suspected.entries = entries.into_iter().flat_map(|(at, name)| state.entries(&at, &name)).collect();
        if let Some(watcher) = &mut state.watcher {
            gone.iter().for_each(|path| watcher.forget(path));
        }
        let State { watcher, listed, .. } = &mut *state;
        listed.retain(|listed| watcher.as_ref().is_some_and(|watcher| watcher.path_of(listed.at).is_some()));
        suspected
    }

    /// Follows the paths of changed resources anew, and returns the notifications to send.
    pub fn confirm(&self, confirmed: Confirmed) -> Deliveries {
        let mut state = self.state();
        let mut deliveries = Deliveries::default();
        for (uri, point) in confirmed.resources {
            let is_watched = point.as_ref().is_some_and(|point| self.watch(&mut state, point).is_ok());
            let exists = point.as_ref().is_some_and(|point| point.exists);
            for one in state.subscriptions.iter_mut().filter(|one| one.uri == uri) {
                one.at = point.as_ref().filter(|_| is_watched).map(|point| (identity(point), point.name.clone()));
                if (exists || one.exists) && point.is_some() {
                    deliveries.updates.push((uri.clone(), one.receiver.clone()));
                }
                one.exists = exists;
            }
        }
        let done: HashSet<Arc<str>> = deliveries.updates.iter().map(|(uri, _)| uri.clone()).collect();
        let is_meant = |one: &&Subscription| confirmed.directories.contains(&one.uri) && !done.contains(&one.uri);
        let meant = state.subscriptions.iter().filter(is_meant);
        deliveries.updates.extend(meant.map(|one| (one.uri.clone(), one.receiver.clone())));
        if confirmed.is_list {
            deliveries.list.clone_from(&state.list_receivers);
        }
        self.rebuild(&mut state);
        deliveries
    }

    /// Watches a directory.
    fn watch(&self, state: &mut State, point: &WatchPoint) -> notify::Result<()> {
        let watcher = match &mut state.watcher {
            Some(watcher) => watcher,
            none => none.insert(Watcher::new(self.0.index.clone(), self.0.changed.clone())?),
        };
        watcher.watch(point)
    }

    /// Ends watches that nobody needs, and makes the index of the others.
    fn rebuild(&self, state: &mut State) {
        let State { watcher: Some(watcher), subscriptions, listed, list_receivers } = state else { return };
        if list_receivers.is_empty() {
            listed.clear();
        }
        let at = subscriptions.iter().filter_map(|one| one.at.as_ref().map(|(at, _)| *at));
        watcher.retain(&at.chain(listed.iter().map(|listed| listed.at)).collect());
        let mut directories = HashMap::<PathBuf, Interest>::new();
        for one in &*subscriptions {
            let Some((at, name)) = &one.at else { continue };
            let Some(path) = watcher.path_of(*at) else { continue };
            let interest = directories.entry(path).or_default();
            match name {
                Some(name) => interest.names.entry(name.clone()).or_default().push(one.uri.clone()),
                None => {
                    interest.has_entries = true;
                    interest.whole.push(one.uri.clone());
                }
            }
        }
        for path in listed.iter().filter_map(|listed| watcher.path_of(listed.at)) {
            directories.entry(path).or_default().has_entries = true;
        }
        self.index().directories = directories;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.0.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns what a changed entry of a watched directory may concern.
    fn entries(&self, at: &Path, name: &OsStr) -> Vec<SuspectedEntry> {
        let (Some(watcher), Some(name)) = (&self.watcher, name.to_str()) else { return Vec::new() };
        let is_here = |identity: (u64, u64)| watcher.path_of(identity).is_some_and(|path| path == at);
        let entry = |directory: &NamedPlace, uri: Option<Arc<str>>| SuspectedEntry {
            directory: directory.clone(),
            name: name.to_owned(),
            uri,
        };
        let whole = self.subscriptions.iter().filter(|one| matches!(one.at, Some((at, None)) if is_here(at)));
        let whole = whole.map(|one| entry(&one.place, Some(one.uri.clone())));
        // Hidden names are not listed.
        let listed = self.listed.iter().filter(|listed| is_here(listed.at) && !name.starts_with('.'));
        whole.chain(listed.map(|listed| entry(&listed.place, None))).collect()
    }
}
