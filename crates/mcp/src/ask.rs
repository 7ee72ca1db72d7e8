//! Approval questions to the person behind an MCP client.
//!
//! Up to revision 2025-11-25 the server asks while the call is pending (`elicitation/create`). From 2026-07-28 on a
//! server sends no requests: the call ends with the question, and the client repeats the call with the answer. A tool
//! has done nothing by then, so it is simply called again; a script has already done work, so it is suspended until the
//! answer arrives. If the client supports neither, there is nobody to ask, and the gate refuses.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    InputRequest, InputRequiredResult, ServerRequest,
};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::engine::{Approver, LimitHit, Meter, Question, Reply};

use super::stop::Stop;

/// Maximum time to wait for a person's answer.
const PATIENCE: Duration = Duration::from_secs(600);
/// Key of the question in the result that carries it, and of the field in its answer.
const QUESTION: &str = "approval";
const ANSWER: &str = "answer";
/// The possible answers, as the client sends them.
const WORDS: [(&str, Reply); 3] = [("once", Reply::Once), ("session", Reply::Run), ("never", Reply::Never)];

/// Whether a client declares that it can show a form, which every question of the server is. A client that names no mode
/// can show forms.
pub fn can_ask_form(client: &ClientCapabilities) -> bool {
    client.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// Answers that remain valid for the whole connection, by sandbox and tool. Scripts that run in workers share them.
#[derive(Clone, Debug, Default)]
pub struct RememberedReplies(Arc<Mutex<HashMap<String, bool>>>);

impl RememberedReplies {
    fn of(&self, asked: &Asked) -> Option<Reply> {
        let standing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        standing.get(&asked.key()).map(|allowed| if *allowed { Reply::Run } else { Reply::Never })
    }

    fn note(&self, asked: &Asked, reply: Reply) {
        let allowed = match reply {
            Reply::Run | Reply::Always => true,
            Reply::Never => false,
            Reply::Once | Reply::Dismissed | Reply::Nobody => return,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(asked.key(), allowed);
    }
}

/// The way to ask the person behind the client of a call.
#[derive(Clone)]
pub enum Asker {
    /// No person can be asked.
    Nobody,
    /// Asks while the call is pending.
    Live(Live),
    /// Ends the call with the question.
    Later(Later),
    /// Ends the request with the question while the script waits for the answer.
    Waiting(Waiting),
}

/// A client that can be asked while a call is pending.
#[derive(Clone)]
pub struct Live {
    /// The runtime that serves the connection.
    pub runtime: Handle,
    /// The client.
    pub peer: Peer<RoleServer>,
    /// Cancelled when the client no longer wants the call.
    pub cancelled: CancellationToken,
    /// Answers that remain valid.
    pub standing: RememberedReplies,
}

/// A client that repeats the call with the answer.
#[derive(Clone)]
pub struct Later {
    /// The answer that the call carries, preceded by the mark of its question.
    pub given: Option<(String, Reply)>,
    /// The question that the call should end with.
    pub pending: Arc<Mutex<Option<Asked>>>,
    /// Answers that remain valid.
    pub standing: RememberedReplies,
}

/// A script whose question ends the request that is currently following it.
#[derive(Clone)]
pub struct Waiting {
    /// Channel for its questions.
    pub asks: UnboundedSender<Asked>,
    /// Channel for the answers.
    pub answers: Arc<Mutex<Receiver<Reply>>>,
    /// Stops the script if nobody answers.
    pub stop: Stop,
    /// Answers that remain valid.
    pub standing: RememberedReplies,
}

/// A question in words.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The sandbox of the call, if the server has several.
    pub sandbox: Option<String>,
    /// The tool that asks for approval.
    pub tool: String,
    /// The text of the question, including the plan of the call.
    pub message: String,
}

impl Asked {
    /// Builds the question of a gate.
    pub fn of(question: &Question) -> Asked {
        let mut message = format!("`{}` asks to run: {}", question.tool, question.reason);
        question.plan.iter().for_each(|line| message.push_str(&format!("\n  {line}")));
        Asked { sandbox: None, tool: question.tool.to_owned(), message }
    }

    /// Names the sandbox of the call in the question.
    pub fn within(self, sandbox: Option<&str>) -> Asked {
        match sandbox {
            None => self,
            Some(name) => {
                let message = format!("In the sandbox `{name}`, {}", self.message);
                Asked { sandbox: Some(name.to_owned()), message, ..self }
            }
        }
    }

    /// Returns the key under which an answer remains valid.
    fn key(&self) -> String {
        format!("{}:{}", self.sandbox.as_deref().unwrap_or_default(), self.tool)
    }

    /// Returns a hash that identifies this question. It covers the plan, so an answer is valid only for exactly this
    /// question.
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

    /// Returns the result that asks the client to repeat the call with the answer, and with `state` unchanged.
    pub fn required(&self, state: String) -> Option<InputRequiredResult> {
        let requests = [(QUESTION.to_owned(), InputRequest::Elicitation(self.request()?))];
        Some(InputRequiredResult::new(Some(requests.into()), Some(state)))
    }
}

/// Returns the answer that a repeated call carries.
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
        _ => Reply::Dismissed,
    }
}

impl Asker {
    /// Asks the question, or records it to end the call with it.
    pub fn ask(&self, asked: &Asked) -> Reply {
        let standing = match self {
            Asker::Nobody => return Reply::Nobody,
            Asker::Live(Live { standing, .. })
            | Asker::Later(Later { standing, .. })
            | Asker::Waiting(Waiting { standing, .. }) => standing,
        };
        if let Some(reply) = standing.of(asked) {
            return reply;
        }
        let reply = match self {
            Asker::Nobody => Reply::Nobody,
            Asker::Live(live) => live.ask(asked),
            Asker::Later(later) => later.ask(asked),
            Asker::Waiting(waiting) => waiting.ask(asked),
        };
        standing.note(asked, reply);
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
            // Nobody follows this script any more, so it is stopped.
            self.stop.raise();
            Reply::Nobody
        })
    }
}

/// The engine's approver: asks through the [`Asker`] of the current call.
pub struct McpApprover {
    asker: RefCell<Asker>,
    /// The sandbox of the current call, if the server has several.
    sandbox: RefCell<Option<String>>,
}

impl McpApprover {
    /// Creates an approver that asks nobody.
    pub fn new() -> McpApprover {
        McpApprover { asker: RefCell::new(Asker::Nobody), sandbox: RefCell::default() }
    }

    /// Sets the asker for subsequent questions.
    pub fn set(&self, asker: Asker) {
        *self.asker.borrow_mut() = asker;
    }

    /// Sets the sandbox that subsequent questions name.
    pub fn enter(&self, sandbox: Option<&str>) {
        *self.sandbox.borrow_mut() = sandbox.map(str::to_owned);
    }
}

impl Approver for McpApprover {
    fn ask(&self, question: &Question, meter: &Meter) -> Result<Reply, LimitHit> {
        let asker = self.asker.borrow().clone();
        let asked = Asked::of(question).within(self.sandbox.borrow().as_deref());
        let reply = meter.watch().excusing(|| asker.ask(&asked));
        meter.poll()?;
        Ok(reply)
    }
}
