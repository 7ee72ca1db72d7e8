//! Truncated answers that the server stores, so that a client can read on where one was cut.

use std::collections::VecDeque;

use sha2::{Digest, Sha256};

use crate::text::hex;
use crate::toolkit::Body;
use crate::value::{TextBudget, json};

/// Maximum size in bytes of a whole answer, which a client receives in parts.
pub const WHOLE: u64 = 16 << 20;
/// Number of truncated answers that are stored.
const KEPT: usize = 4;

/// Stored answers of which the client can read further parts, the newest last.
#[derive(Default)]
pub struct RecentAnswers(VecDeque<(String, Body)>);

impl RecentAnswers {
    /// Returns the list or text stored under a handle.
    pub fn find(&self, handle: &str) -> Option<Body> {
        self.0.iter().find(|(kept, _)| kept == handle).map(|(_, body)| body.clone())
    }

    /// Stores a list or text. The handle is a hash of the content, so equal answers have equal handles.
    pub fn keep(&mut self, body: Body) -> String {
        let json = json::to_text(&body.value, TextBudget::of_text()).expect("outside a run no limit applies");
        let handle = hex(&Sha256::digest(json)[..6]);
        self.0.retain(|(kept, _)| *kept != handle);
        self.0.push_back((handle.clone(), body));
        while self.0.len() > KEPT {
            self.0.pop_front();
        }
        handle
    }
}
