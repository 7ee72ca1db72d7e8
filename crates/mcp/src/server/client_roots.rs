//! The roots of a client: requested after the handshake and after every change, and applied to the engine.
//!
//! At most one request is under way. If the roots change meanwhile, its answer may be out of date: it is dropped, and
//! the server asks again. Calls wait until the newest roots apply.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{ClientResult, ServerRequest};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::watch;

use crate::engine::Options;
use crate::text::uri;

use super::Parts;

/// Maximum time for a client to send its roots; calls wait until then.
const PATIENCE: Duration = Duration::from_secs(10);

/// The roots of a client.
#[derive(Default)]
pub struct ClientRoots {
    /// Directories outside of which calls may do nothing.
    within: Mutex<Option<Vec<PathBuf>>>,
    state: watch::Sender<State>,
}

/// How much the server knows of the roots.
#[derive(Clone, Copy, Default)]
struct State {
    /// Whether the client has roots that restrict its calls.
    is_followed: bool,
    /// Number of handshakes and changes so far, and how many of them the roots in force take into account.
    newest: u64,
    known: u64,
    /// Whether a request is under way.
    is_asking: bool,
}

impl State {
    fn is_known(&self) -> bool {
        !self.is_followed || self.known == self.newest
    }
}

impl ClientRoots {
    /// Records a handshake, and whether the client has roots that restrict its calls.
    pub fn shake_hands(&self, is_followed: bool) {
        self.state.send_modify(|state| {
            state.is_followed = is_followed;
            state.newest += 1;
        });
    }

    /// Records that the roots have changed.
    pub fn change(&self) {
        self.state.send_modify(|state| state.newest += 1);
    }

    /// Returns the directories outside of which calls may do nothing.
    pub fn within(&self) -> Option<Vec<PathBuf>> {
        self.within.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until the roots are known. If the client does not send them, those known before apply, or only the policy.
    pub async fn wait(&self) {
        if !self.state.borrow().is_known() {
            let mut state = self.state.subscribe();
            let _ = tokio::time::timeout(PATIENCE, state.wait_for(State::is_known)).await;
        }
    }

    /// Requests the roots and opens the sandbox within them, until they are up to date.
    pub async fn follow(&self, peer: &Peer<RoleServer>, parts: &Parts) {
        while let Some(newest) = self.begin() {
            let listed = ask(peer).await;
            if let Some(within) = listed.filter(|_| self.state.borrow().newest == newest) {
                self.apply(within, parts).await;
            }
            self.state.send_modify(|state| {
                state.is_asking = false;
                state.known = newest;
            });
        }
    }

    /// Begins a request if one is needed and none is under way. Returns the number of the newest change.
    fn begin(&self) -> Option<u64> {
        let mut begun = None;
        self.state.send_modify(|state| {
            if !state.is_known() && !state.is_asking {
                state.is_asking = true;
                begun = Some(state.newest);
            }
        });
        begun
    }

    /// Opens the sandboxes again within these directories; `None` stands for no bounds.
    async fn apply(&self, within: Option<Vec<PathBuf>>, parts: &Parts) {
        let options = Options { within: within.clone(), ..parts.options.clone() };
        let watched = parts.watched.clone();
        let (_, reopened) = parts
            .engine
            .give(move |state| state.reopen(&options).map(|()| watched.watch_all(&state.sandboxes)).is_ok());
        *self.within.lock().unwrap_or_else(PoisonError::into_inner) = within;
        if !reopened.await.unwrap_or(false) {
            // Never continue with wider bounds than the client wants.
            eprintln!("error: the sandbox cannot be opened within the roots of the client");
            if let Some(closing) = &parts.closing {
                closing.close();
            }
        }
    }
}

/// Requests the roots. Returns their directories, of which there are none if the client names no roots; `None` if the
/// client does not answer.
#[expect(deprecated, reason = "clients of older revisions have roots")]
async fn ask(peer: &Peer<RoleServer>) -> Option<Option<Vec<PathBuf>>> {
    let asked = peer.send_request(ServerRequest::ListRootsRequest(rmcp::model::ListRootsRequest::default()));
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(ClientResult::ListRootsResult(listed))) => {
            // A root that names no directory of this machine narrows like a directory that is not there.
            let within =
                listed.roots.iter().filter_map(|root| uri::path_of(&root.uri).ok().map(PathBuf::from)).collect();
            Some((!listed.roots.is_empty()).then_some(within))
        }
        _ => None,
    }
}
