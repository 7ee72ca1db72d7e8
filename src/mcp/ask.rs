//! Asking the person behind a client before a tool runs.
//!
//! Up to 2025-11-25 the server asks while the call waits (`elicitation/create`). From 2026-07-28 on a server
//! asks nothing: the call ends with what is to be asked, and comes again with the answer. A tool is called anew
//! then, since it has done nothing; a script, which has, waits meanwhile. Where a client can do neither, nobody
//! is asked, and the gate refuses.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest,
    InputRequiredResult, ServerRequest,
};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::engine::{Approver, LimitHit, Meter, Question, Reply};

use super::worker::Stop;

/// How long a person may think.
const PATIENCE: Duration = Duration::from_secs(600);
/// The name of the question in a call that ends with it, and of the field of its answer.
const QUESTION: &str = "approval";
const ANSWER: &str = "answer";
/// The words of the answer.
const WORDS: [(&str, Reply); 3] = [("once", Reply::Once), ("session", Reply::Run), ("never", Reply::Never)];

/// Answers that hold as long as the client stays, by tools; scripts in workers ask here too.
#[derive(Clone, Debug, Default)]
pub struct Standing(Arc<Mutex<HashMap<String, bool>>>);

impl Standing {
    fn of(&self, tool: &str) -> Option<Reply> {
        let standing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        standing.get(tool).map(|allowed| if *allowed { Reply::Run } else { Reply::Never })
    }

    fn note(&self, tool: &str, reply: Reply) {
        let allowed = match reply {
            Reply::Run | Reply::Always => true,
            Reply::Never => false,
            Reply::Once | Reply::Nobody => return,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(tool.to_owned(), allowed);
    }
}

/// How the person behind the client of a call is asked.
#[derive(Clone)]
pub enum Asker {
    /// Not at all.
    Nobody,
    /// While the call waits.
    Live(Live),
    /// By ending the call with the question.
    Later(Later),
    /// The same for a script, which waits for the answer.
    Waiting(Waiting),
}

/// A client that can be asked while a call waits.
#[derive(Clone)]
pub struct Live {
    /// Where the connection lives.
    pub runtime: Handle,
    /// The client.
    pub peer: Peer<RoleServer>,
    /// The call is no longer wanted.
    pub cancelled: CancellationToken,
    /// Answers that hold.
    pub standing: Standing,
}

/// A client that calls again with the answer.
#[derive(Clone)]
pub struct Later {
    /// What was answered, and the question that it answers.
    pub given: Option<(String, Reply)>,
    /// What is to be asked.
    pub pending: Arc<Mutex<Option<Asked>>>,
    /// Answers that hold.
    pub standing: Standing,
}

/// A script whose question ends the call that began it, or that followed it.
#[derive(Clone)]
pub struct Waiting {
    /// Where its questions go.
    pub asks: UnboundedSender<Asked>,
    /// Where their answers come from.
    pub answers: Arc<Mutex<Receiver<Reply>>>,
    /// What ends a script whose question nobody answers.
    pub stop: Stop,
    /// Answers that hold.
    pub standing: Standing,
}

/// A question in words.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The tool that wants to run.
    pub tool: String,
    /// What it asks, with the plan of the call.
    pub message: String,
}

impl Asked {
    /// The question of a gate.
    pub fn of(question: &Question) -> Asked {
        let mut message = format!("`{}` asks to run: {}", question.tool, question.reason);
        question.plan.iter().for_each(|line| message.push_str(&format!("\n  {line}")));
        Asked { tool: question.tool.to_owned(), message }
    }

    /// What tells this question from every other: the plan is part of it, so an answer holds for no other.
    pub fn mark(&self) -> String {
        crate::text::hex(&Sha256::digest(&self.message)[..16])
    }

    fn request(&self) -> Option<ElicitRequest> {
        let schema = json!({
            "type": "object",
            "properties": { ANSWER: {
                "type": "string",
                "title": "Answer",
                "description": "once: this time; session: whenever this tool asks in this session; never: no",
                "enum": WORDS.map(|(word, _)| word),
            } },
            "required": [ANSWER],
        });
        let params = json!({ "mode": "form", "message": self.message, "requestedSchema": schema });
        let params: ElicitRequestParams = serde_json::from_value(params).ok()?;
        Some(ElicitRequest::new(params))
    }

    /// The end of a call that is to come again with the answer, and with `state` as it is.
    pub fn required(&self, state: String) -> Option<InputRequiredResult> {
        let requests = [(QUESTION.to_owned(), InputRequest::Elicitation(self.request()?))];
        Some(InputRequiredResult::new(Some(requests.into()), Some(state)))
    }
}

/// What a call that comes again has as its answer.
pub fn answer_in(answers: Option<&Json>) -> Option<Reply> {
    let result: ElicitResult = serde_json::from_value(answers?.get(QUESTION)?.clone()).ok()?;
    Some(reply(&result))
}

fn reply(result: &ElicitResult) -> Reply {
    let word = result.content.as_ref().and_then(|content| content.get(ANSWER)?.as_str());
    match result.action {
        ElicitationAction::Accept => {
            WORDS.iter().find(|(known, _)| Some(*known) == word).map_or(Reply::Never, |(_, reply)| *reply)
        }
        ElicitationAction::Decline => Reply::Never,
        // Whoever closes the question says nothing of the next time.
        _ => Reply::Nobody,
    }
}

impl Asker {
    /// Asks, or notes what is to be asked.
    pub fn ask(&self, asked: &Asked) -> Reply {
        let standing = match self {
            Asker::Nobody => return Reply::Nobody,
            Asker::Live(Live { standing, .. })
            | Asker::Later(Later { standing, .. })
            | Asker::Waiting(Waiting { standing, .. }) => standing,
        };
        if let Some(reply) = standing.of(&asked.tool) {
            return reply;
        }
        let reply = match self {
            Asker::Nobody => Reply::Nobody,
            Asker::Live(live) => live.ask(asked),
            Asker::Later(later) => later.ask(asked),
            Asker::Waiting(waiting) => waiting.ask(asked),
        };
        standing.note(&asked.tool, reply);
        reply
    }
}

impl Live {
    fn ask(&self, asked: &Asked) -> Reply {
        let Some(request) = asked.request() else { return Reply::Nobody };
        let answered = async {
            tokio::select! {
                result = self.peer.send_request(ServerRequest::ElicitRequest(request)) => result.ok(),
                () = self.cancelled.cancelled() => None,
                () = tokio::time::sleep(PATIENCE) => None,
            }
        };
        match self.runtime.block_on(answered) {
            Some(ClientResult::ElicitResult(result)) => reply(&result),
            _ => Reply::Nobody,
        }
    }
}

impl Later {
    fn ask(&self, asked: &Asked) -> Reply {
        match &self.given {
            Some((mark, reply)) if *mark == asked.mark() => *reply,
            _ => {
                *self.pending.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked.clone());
                Reply::Nobody
            }
        }
    }
}

impl Waiting {
    fn ask(&self, asked: &Asked) -> Reply {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answered = self.asks.send(asked.clone()).ok().and_then(|()| answers.recv_timeout(PATIENCE).ok());
        answered.unwrap_or_else(|| {
            // A script that nobody follows any more does nothing more.
            self.stop.raise();
            Reply::Nobody
        })
    }
}

/// Who the engine asks: whoever can be asked for the call that goes on.
pub struct Front(RefCell<Asker>);

impl Front {
    /// Nobody, so far.
    pub fn new() -> Front {
        Front(RefCell::new(Asker::Nobody))
    }

    /// Says who is asked from here on.
    pub fn set(&self, asker: Asker) {
        *self.0.borrow_mut() = asker;
    }
}

impl Approver for Front {
    fn ask(&self, question: &Question, meter: &Meter) -> Result<Reply, LimitHit> {
        let asker = self.0.borrow().clone();
        let began = Instant::now();
        let reply = asker.ask(&Asked::of(question));
        meter.watch().excuse(began.elapsed());
        meter.poll()?;
        Ok(reply)
    }
}
