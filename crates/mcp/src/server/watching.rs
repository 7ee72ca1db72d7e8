//! The handlers of subscriptions, and the notifications about changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};

use crate::engine::WatchPoint;
use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::super::connection_state::ConnectionState;
use super::super::engine_thread::EngineHandle;
use super::super::resources::{self, NamedPlace, ResourceError};
use super::super::subscriptions::{
    Confirmed, Deliveries, MOST, MOST_LISTED, Receiver, Subscriptions, Suspected, SuspectedEntry, Wanted, WatchFault,
};
use super::super::wire::ConnectionHandle;
use super::Server;

/// Time for several changes of one write to arrive.
const SETTLE: Duration = Duration::from_millis(30);
/// Minimum time between two notifications about one resource.
const PERIOD: Duration = Duration::from_millis(250);

/// Accuracy of the times of files.
const CLOCK: Duration = Duration::from_millis(50);

/// The numbers of streams.
static STREAMS: AtomicU64 = AtomicU64::new(0);

impl Server {
    /// Subscribes the client of a session to a resource.
    pub(super) async fn follow_resource(
        &self,
        uri: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.need(self.extras.has_resources, "resources")?;
        if self.subscriptions.room() == 0 {
            return Err(ErrorData::invalid_params(WatchFault::TooMany.to_string(), None));
        }
        let wanted = self.look(context, move |state| watched(state, &uri)).await?;
        let receiver = Receiver::Session(context.peer.clone());
        self.subscribe_to(wanted, receiver).await.map_err(|fault| match fault {
            WatchFault::TooMany => ErrorData::invalid_params(fault.to_string(), None),
            WatchFault::System(_) => ErrorData::internal_error(fault.to_string(), None),
        })
    }

    /// Ends the subscription of a session to a resource, if there is one.
    pub(super) async fn leave_resource(&self, uri: String) -> Result<(), ErrorData> {
        self.need(self.extras.has_resources, "resources")?;
        self.on_watches(move |subscriptions| subscriptions.remove(&uri)).await;
        Ok(())
    }

    /// Returns the part of a filter that is followed. Whether a path may be watched is decided when it is followed: a
    /// resource that the gate refuses never changes.
    pub(super) fn accepted(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        let most = self.subscriptions.room().min(MOST);
        accepted.resource_subscriptions =
            requested.resource_subscriptions.as_ref().map(|uris| uris.iter().take(most).cloned().collect());
        accepted
    }

    /// Follows everything that a stream asks for until it ends.
    pub(super) async fn follow_stream(&self, stream: &SubscriptionContext) {
        let number = STREAMS.fetch_add(1, Ordering::Relaxed);
        let receiver = Receiver::Stream(number, stream.sink().clone());
        let context = stream.request_context();
        // The stream is acknowledged, so what changes before it is watched counts too.
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(CLOCK);
        for uri in stream.accepted().resource_subscriptions.iter().flatten() {
            self.follow_early(uri, began, context, receiver.clone()).await;
        }
        if stream.accepted().resources_list_changed == Some(true) {
            let listed = self.look(context, |state| resources::list(state, None)).await;
            let directories = listed.map(|listed| listed.directories).unwrap_or_default();
            self.follow_directories(directories, receiver).await;
        }
        self.given_up(context).await;
        self.on_watches(move |subscriptions| subscriptions.remove_stream(number)).await;
    }

    /// Follows a resource for a stream, and reports a change since a time. Ignores a resource that cannot be watched.
    async fn follow_early(&self, uri: &str, since: Duration, context: &RequestContext<RoleServer>, receiver: Receiver) {
        let (named, again) = (uri.to_owned(), uri.to_owned());
        let Ok(wanted) = self.look(context, move |state| watched(state, &named)).await else { return };
        if self.subscribe_to(wanted, receiver).await.is_err() {
            return;
        }
        // From now on events arrive, so only what happened before has to be found out.
        let found = self.look(context, move |state| watched(state, &again)).await;
        let changed = found.map(|found| found.point.changed_ms.unwrap_or(0));
        if changed.map_or(true, |changed| i128::from(changed) >= since.as_millis() as i128) {
            self.subscriptions.suspect(uri);
        }
    }

    /// Follows the directories of a page of the list, for the client of a session.
    pub(super) async fn follow_list(&self, directories: Vec<NamedPlace>, context: &RequestContext<RoleServer>) {
        // From 2026-07-28 on only streams carry such notifications.
        let is_session = context.peer.peer_info().is_some();
        if is_session {
            self.follow_directories(directories, Receiver::Session(context.peer.clone())).await;
        }
    }

    async fn follow_directories(&self, directories: Vec<NamedPlace>, receiver: Receiver) {
        let (_, found) = self.parts.engine.give(move |state| {
            let root = |sandbox| NamedPlace { sandbox, path: ".".to_owned() };
            let places = (0..state.sandboxes.count()).map(root).chain(directories).take(MOST_LISTED);
            places.filter_map(|place| Some((place.clone(), point_of(state, &place).ok()?))).collect()
        });
        let Ok(found) = found.await else { return };
        self.on_watches(move |subscriptions| subscriptions.follow_list(found, receiver)).await;
        self.begin_to_tell();
    }

    async fn subscribe_to(&self, wanted: Wanted, receiver: Receiver) -> Result<(), WatchFault> {
        let added = self.on_watches(move |subscriptions| subscriptions.add(wanted, receiver)).await;
        self.begin_to_tell();
        added.unwrap_or(Ok(()))
    }

    /// Works with the watches on a thread of its own, because the system may take its time. Returns `None` at the end.
    async fn on_watches<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Subscriptions) -> T + Send + 'static,
    ) -> Option<T> {
        let subscriptions = self.subscriptions.clone();
        tokio::task::spawn_blocking(move || work(&subscriptions)).await.ok()
    }

    fn begin_to_tell(&self) {
        if self.subscriptions.begin() {
            let (engine, closing) = (self.parts.engine.clone(), self.parts.closing.clone());
            tokio::spawn(tell_changes(self.subscriptions.clone(), engine, closing));
        }
    }
}

/// Returns where a resource can be watched. It must exist.
fn watched(state: &ConnectionState, uri: &str) -> Result<Wanted, Box<ResourceError>> {
    let place = resources::path_named(state, uri)?;
    let path = &place.path;
    let point = point_of(state, &place).and_then(|point| {
        let missing = || ToolError::new(ToolCode::NotFound, format!("`{path}` does not exist")).path(path.as_str());
        if point.exists { Ok(point) } else { Err(missing()) }
    });
    let point = point.map_err(|error| ResourceError::new(state, uri, error))?;
    Ok(Wanted { uri: uri.into(), place, point })
}

/// Returns where a path can be watched, if the tool that reads it may be called.
fn point_of(state: &ConnectionState, place: &NamedPlace) -> Result<WatchPoint, ToolError> {
    let gate = state.sandboxes.engine(place.sandbox).gate();
    let tool = gate.registry().find("FS.ReadFile").map(|id| gate.registry().get(id));
    tool.map_or(Ok(()), |tool| gate.policy().admit(&tool.spec).map(drop))?;
    gate.watch_point(&place.path)
}

/// Sends notifications about changes until the subscriptions end.
async fn tell_changes(subscriptions: Subscriptions, engine: EngineHandle, closing: Option<ConnectionHandle>) {
    while subscriptions.changed().await {
        tokio::time::sleep(SETTLE).await;
        let next = Instant::now() + PERIOD;
        // Changes wait, and become one, while the client does not read.
        if !closing.as_ref().is_some_and(ConnectionHandle::is_busy) {
            let Some(deliveries) = confirmed(&subscriptions, &engine).await else { return };
            send(deliveries).await;
        }
        tokio::time::sleep_until(next.into()).await;
    }
}

/// Takes the changes and lets the gate decide about them. Returns `None` at the end.
async fn confirmed(subscriptions: &Subscriptions, engine: &EngineHandle) -> Option<Deliveries> {
    let (one, other) = (subscriptions.clone(), subscriptions.clone());
    let suspected = tokio::task::spawn_blocking(move || one.take()).await.ok()?;
    let (_, confirmed) = engine.give(move |state| confirm(state, suspected));
    let confirmed = confirmed.await.ok()?;
    tokio::task::spawn_blocking(move || other.confirm(confirmed)).await.ok()
}

/// Decides which changes a client may hear of.
fn confirm(state: &ConnectionState, suspected: Suspected) -> Confirmed {
    let gate = |place: &NamedPlace| state.sandboxes.engine(place.sandbox).gate();
    let mut confirmed = Confirmed { is_list: suspected.is_lost, ..Confirmed::default() };
    for (uri, place) in suspected.resources {
        let point = point_of(state, &place).or_else(|_| gate(&place).watch_point_of_entry(&place.path));
        confirmed.resources.push((uri, point.ok()));
    }
    for SuspectedEntry { directory, name, uri } in suspected.entries {
        let is_known = match &uri {
            Some(uri) => confirmed.directories.contains(uri),
            None => confirmed.is_list,
        };
        let path = if matches!(&*directory.path, "" | ".") { name } else { format!("{}/{name}", directory.path) };
        if is_known || gate(&directory).watch_point_of_entry(&path).is_err() {
            continue;
        }
        match uri {
            Some(uri) => drop(confirmed.directories.insert(uri)),
            None => confirmed.is_list = true,
        }
    }
    confirmed
}

async fn send(deliveries: Deliveries) {
    for (uri, receiver) in deliveries.updates {
        let uri = Arc::<str>::as_ref(&uri);
        // A receiver that has gone needs nothing.
        match receiver {
            Receiver::Session(peer) => {
                let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
            }
            Receiver::Stream(_, sink) => drop(sink.notify_resource_updated(uri).await),
        }
    }
    for receiver in deliveries.list {
        match receiver {
            Receiver::Session(peer) => drop(peer.notify_resource_list_changed().await),
            Receiver::Stream(_, sink) => drop(sink.notify_resource_list_changed().await),
        }
    }
}
