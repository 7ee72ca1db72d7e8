//! Running scripts, each in a worker, and the requests that follow them.
//!
//! Up to revision 2025-11-25 one request follows a script to its end. From 2026-07-28 on a question ends the request:
//! the script waits, and the request that carries the answer continues to follow it. A script is stopped, and rolled
//! back if it is atomic, when nobody answers for too long or too many others wait.

use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{CallToolResponse, ErrorData, InputRequiredResult};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value as Json, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinHandle;

use crate::engine;
use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::super::ask::{Asked, Asker, Later, Waiting};
use super::super::connection_state::{Reply, failure};
use super::super::logging::LogMessage;
use super::super::offer::Offered;
use super::super::stop::Stop;
use super::super::worker::WorkerReport;
use super::work::{TIME, result};
use super::{Called, CancelOnDrop, Server};

/// Maximum number of scripts that run at once.
const AT_ONCE: usize = 2;
/// Maximum number of scripts that wait for an answer; beyond it the oldest is stopped.
const WAITING: usize = 4;

/// A call that runs a script: either a text that it carries, or one that is offered as a tool.
#[derive(Clone, PartialEq)]
pub struct ScriptCall {
    /// The method or the offered script.
    pub offered: Offered,
    /// The arguments of the call.
    pub arguments: Map<String, Json>,
}

/// The running scripts of a server.
pub struct Scripts {
    turns: Arc<Semaphore>,
    /// Scripts that wait for an answer, by the state that the client sends back; the newest last.
    waiting: Mutex<VecDeque<(String, RunningScript)>>,
}

/// A running script.
struct RunningScript {
    working: JoinHandle<Result<WorkerReport, String>>,
    /// The latest progress.
    progress: watch::Receiver<(u64, String)>,
    asked: UnboundedReceiver<Asked>,
    answers: Sender<engine::Reply>,
    /// The unanswered question, if any, and the call that started the script.
    question: Option<Asked>,
    call: ScriptCall,
    stop: Stop,
    turn: Option<OwnedSemaphorePermit>,
}

/// The result of following a script during one request.
enum FollowOutcome {
    Ended(Result<WorkerReport, String>),
    Asks(InputRequiredResult),
}

impl Default for Scripts {
    fn default() -> Scripts {
        Scripts { turns: Arc::new(Semaphore::new(AT_ONCE)), waiting: Mutex::default() }
    }
}

impl Drop for RunningScript {
    fn drop(&mut self) {
        // Nobody follows the script any more. If it has ended, this has no effect.
        self.stop.raise();
    }
}

impl Scripts {
    async fn turn(&self) -> Result<OwnedSemaphorePermit, ErrorData> {
        self.turns.clone().acquire_owned().await.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Returns the number of scripts that run or wait for an answer.
    #[cfg(feature = "http")]
    pub fn count(&self) -> usize {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = waiting.iter().filter(|(_, script)| !script.working.is_finished()).count();
        AT_ONCE - self.turns.available_permits() + waiting
    }

    /// Stores a script until its question is answered, and returns the result that ends the request.
    fn wait(&self, mut script: RunningScript) -> Result<InputRequiredResult, ErrorData> {
        let mut bytes = [0; 16];
        // The state must be unguessable: a client that knows it can answer for another client.
        getrandom::fill(&mut bytes).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let state = crate::text::hex(&bytes);
        let required = script.question.as_ref().and_then(|asked| asked.required(state.clone()));
        let required = required.ok_or_else(|| ErrorData::internal_error("there is no question", None))?;
        script.turn = None;
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|(_, other)| !other.working.is_finished());
        waiting.push_back((state, script));
        if waiting.len() > WAITING {
            waiting.pop_front();
        }
        Ok(required)
    }

    /// Removes and returns the script that waits for the answer with this state.
    fn of(&self, state: &str, call: &ScriptCall) -> Option<RunningScript> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let at = waiting.iter().position(|(known, script)| known == state && script.call == *call)?;
        waiting.remove(at).map(|(_, script)| script).filter(|script| !script.working.is_finished())
    }
}

impl Server {
    /// Starts a script, or continues to follow the one with this state, whose question is answered.
    pub(super) async fn run_script(
        &self,
        call: ScriptCall,
        state: Option<String>,
        given: Option<engine::Reply>,
        context: &RequestContext<RoleServer>,
    ) -> Called {
        let scripts = &self.parts.scripts;
        let script = match state.map(|state| scripts.of(&state, &call)) {
            None => match self.begin(call, context).await? {
                Ok(script) => script,
                Err(reply) => return Ok(CallToolResponse::Complete(result(reply))),
            },
            Some(None) => return Ok(CallToolResponse::Complete(result(failure(&forgotten())))),
            Some(Some(mut script)) => match given {
                None => return Ok(CallToolResponse::InputRequired(scripts.wait(script)?)),
                Some(reply) => {
                    script.question = None;
                    let reply = match self.unless_given_up(context, scripts.turn()).await {
                        Ok(turn) => {
                            script.turn = Some(turn?);
                            reply
                        }
                        Err(_) => {
                            script.stop.raise();
                            engine::Reply::Nobody
                        }
                    };
                    // Fails only if the script was stopped meanwhile and has ended.
                    let _ = script.answers.send(reply);
                    script
                }
            },
        };
        match self.follow(script, context).await? {
            FollowOutcome::Asks(required) => Ok(CallToolResponse::InputRequired(required)),
            FollowOutcome::Ended(worked) => {
                let mut reply = self.ended(worked).await?;
                self.log(context, std::mem::take(&mut reply.log)).await;
                Ok(CallToolResponse::Complete(result(reply)))
            }
        }
    }

    async fn begin(
        &self,
        call: ScriptCall,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<RunningScript, Reply>, ErrorData> {
        let turn = self.unless_given_up(context, self.parts.scripts.turn()).await??;
        let (ScriptCall { offered, arguments }, offer) = (call.clone(), self.parts.offer.clone());
        let (job, order) = self.parts.engine.give(move |state| match offered {
            Offered::Script(number) => state.order_of_script(offer.script(number), arguments),
            _ => state.order(arguments),
        });
        let mut stopping = CancelOnDrop(&self.parts.engine, Some(job));
        let order = self.unless_given_up(context, order).await?.map_err(|_| over())?;
        stopping.1 = None;
        let mut order = match order {
            Ok(order) => order,
            Err(reply) => return Ok(Err(reply)),
        };
        order.within = self.roots.within();
        let stop = Stop::default();
        let (asks, asked) = unbounded_channel();
        let (answers, answered) = channel();
        let asker = match self.asker(context, None) {
            Asker::Later(Later { standing, .. }) => {
                Asker::Waiting(Waiting { asks, answers: Arc::new(Mutex::new(answered)), stop: stop.clone(), standing })
            }
            other => other,
        };
        let (workers, stopped) = (self.parts.workers.clone(), stop.clone());
        let (report, progress) = watch::channel((0, String::new()));
        let working = tokio::task::spawn_blocking(move || {
            workers.run(&order, &asker, &stopped, |done, message| {
                let _ = report.send((done, message));
            })
        });
        Ok(Ok(RunningScript { working, progress, asked, answers, question: None, call, stop, turn: Some(turn) }))
    }

    /// Follows a script until it ends, asks a question, or is no longer wanted.
    async fn follow(
        &self,
        mut script: RunningScript,
        context: &RequestContext<RoleServer>,
    ) -> Result<FollowOutcome, ErrorData> {
        let token = context.meta.get_progress_token();
        let worked = loop {
            tokio::select! {
                worked = &mut script.working => break worked,
                Some(asked) = script.asked.recv() => {
                    script.question = Some(asked);
                    return self.parts.scripts.wait(script).map(FollowOutcome::Asks);
                }
                () = self.given_up(context) => {
                    script.stop.raise();
                    // Wait until the changes of the script are recorded before the next call begins.
                    break (&mut script.working).await;
                }
                Ok(()) = script.progress.changed(), if token.is_some() => {
                    let (done, message) = script.progress.borrow_and_update().clone();
                    self.notify(context, token.clone(), done as f64, message).await;
                }
            }
        };
        worked.map(FollowOutcome::Ended).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn ended(&self, worked: Result<WorkerReport, String>) -> Result<Reply, ErrorData> {
        match worked {
            Ok(worked) => {
                let time = worked.time_ms;
                let (_, reply) = self.parts.engine.give(move |state| state.reported(worked));
                let mut reply = reply.await.map_err(|_| over())?;
                reply.meta.insert(TIME.to_owned(), json!(time));
                Ok(reply)
            }
            Err(why) => {
                // A worker that crashed may have left an unfinished run.
                let (_, recovered) = self.parts.engine.give(|state| state.sandboxes.recover());
                recovered.await.map_err(|_| over())?;
                let mut reply = failure(&broken(&why));
                reply.log.push(LogMessage::death(&why));
                Ok(reply)
            }
        }
    }
}

fn over() -> ErrorData {
    ErrorData::internal_error("the server ends", None)
}

/// The error for a worker that sent no report.
fn broken(why: &str) -> ToolError {
    ToolError::new(ToolCode::IoError, format!("the worker of the script broke off: {why}"))
        .hint("look at `history` for its changes; let the script do less at once")
}

/// The error for an answer that no script waits for.
fn forgotten() -> ToolError {
    ToolError::new(ToolCode::NotFound, "no script waits for this answer: it has ended, or was another one")
        .hint("look at `history` for its changes, and run it again without `requestState`")
}
