//! Approvals: asks a person before a tool runs and remembers the replies.
//!
//! The gate asks with the exact plan of the call. The front end decides how to ask: it provides an [`Approver`], for
//! example at a terminal. Without one, the call is refused, and the refusal names the key of the policy file that
//! would allow it.
//!
//! The gate decides that somebody is asked, and the front end decides how. The question comes after the policy and
//! before the tool runs, so a refused call has done nothing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::limits::{Jobs, Limit, LimitHit, Meter};
use crate::sandbox::{Barrier, Details, Kind as EntryKind, SandboxPath, Skip, WalkLimits, walk};
use crate::text::ToolCode;
use crate::toolkit::{Bound, BoundRef, Declaration, ToolError};
use crate::value::print;

use super::policy::Layer;

/// Maximum number of directory entries that are counted for a question.
const COUNTED: usize = 100_000;
/// Maximum number of paths of a list that a question shows.
const SHOWN_PATHS: usize = 10;
/// Maximum number of characters of a value that a question shows.
const SHOWN_CHARACTERS: usize = 60;

/// A question for a person: may this tool run?
#[derive(Clone, Debug)]
pub struct Question {
    /// The tool that is about to run.
    pub tool: &'static str,
    /// The reason for the question, as a clause.
    pub reason: String,
    /// The planned call: one argument per line.
    pub plan: Vec<String>,
    /// Whether the reply can be saved permanently, because one of the user's own files can lift the rule that asks.
    pub can_always: bool,
}

/// A person's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Allow this call.
    Once,
    /// Allow every call of this tool in the run.
    Run,
    /// Allow the tool permanently: the reply is written to the policy file.
    Always,
    /// Refuse, and do not ask again in this run.
    Never,
    /// Refuse this call: the person closed the question without an answer.
    Dismissed,
    /// No person is available.
    Nobody,
}

/// A front end that can ask a person.
pub trait Approver {
    /// Asks a question and waits for the reply.
    fn ask(&self, question: &Question, meter: &Meter) -> Result<Reply, LimitHit>;
}

/// Writes to one of the user's policy files that a tool is allowed.
pub type KeepAnswer = Box<dyn Fn(&'static str, Layer) -> Result<(), String>>;

/// The rule that requires approval, and how to lift it.
#[derive(Clone, Copy, Debug)]
pub struct Reason<'a> {
    /// The rule, as a clause.
    pub reason: &'a str,
    /// How to avoid the question.
    pub instead: &'a str,
    /// The file whose `allow` would lift the rule, if it is one of the user's own.
    pub lifted_by: Option<Layer>,
}

/// The approver and the replies so far.
#[derive(Default)]
pub struct Approvals {
    /// The front end that asks, if there is one.
    pub approver: RefCell<Option<Rc<dyn Approver>>>,
    /// Writes a reply to the policy file; `None` where it would have no effect.
    keep: Option<KeepAnswer>,
    /// Replies that hold for the rest of the run, by tool.
    standing: RefCell<HashMap<&'static str, bool>>,
    /// The barrier that a question waits for.
    barrier: Arc<Barrier>,
    /// Messages about replies that could not be saved.
    pub(super) notes: RefCell<Vec<String>>,
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").field("standing", &self.standing).finish_non_exhaustive()
    }
}

impl Approvals {
    /// Creates approvals without an approver. `keep` writes a reply to the policy file, where that has an effect.
    pub fn new(keep: Option<KeepAnswer>) -> Approvals {
        Approvals { keep, ..Approvals::default() }
    }

    /// Returns these approvals with the barrier that the changes so far pass before a question.
    pub(super) fn behind(self, barrier: Arc<Barrier>) -> Approvals {
        Approvals { barrier, ..self }
    }

    /// Asks whether a tool may run with these arguments. Errors: `policy_denied` if it may not.
    pub(super) fn approve(
        &self,
        tool: &Declaration,
        bound: &Bound<'_>,
        why: Reason<'_>,
        meter: &Meter,
    ) -> Result<(), ToolError> {
        let name = tool.spec.name;
        let reply = match self.standing.borrow().get(name) {
            Some(true) => return Ok(()),
            Some(false) => Reply::Never,
            None => {
                self.barrier.pass()?;
                self.ask(tool, bound, why, meter)?
            }
        };
        match reply {
            Reply::Once => return Ok(()),
            Reply::Always => self.keep(name, why.lifted_by),
            Reply::Run | Reply::Never | Reply::Dismissed | Reply::Nobody => {}
        }
        if matches!(reply, Reply::Run | Reply::Always) {
            self.standing.borrow_mut().insert(name, true);
            return Ok(());
        }
        let error = match reply {
            Reply::Nobody => {
                let message = format!("`{name}` needs a person's leave ({}), and nobody can be asked", why.reason);
                ToolError::new(ToolCode::PolicyDenied, message).hint(why.instead)
            }
            Reply::Dismissed => {
                let message = format!("`{name}` needs a person's leave ({}), who closed the question", why.reason);
                ToolError::new(ToolCode::PolicyDenied, message).hint("ask the person first, then make the call again")
            }
            _ => {
                self.standing.borrow_mut().insert(name, false);
                ToolError::new(ToolCode::PolicyDenied, format!("`{name}` was refused when a person was asked"))
            }
        };
        Err(error)
    }

    fn ask(&self, tool: &Declaration, bound: &Bound<'_>, why: Reason<'_>, meter: &Meter) -> Result<Reply, LimitHit> {
        let approver = self.approver.borrow().clone();
        let Some(approver) = approver else { return Ok(Reply::Nobody) };
        let question = Question {
            tool: tool.spec.name,
            reason: why.reason.to_owned(),
            plan: plan(tool, bound, meter),
            can_always: self.keep.is_some() && why.lifted_by.is_some(),
        };
        approver.ask(&question, meter)
    }

    fn keep(&self, tool: &'static str, lifted_by: Option<Layer>) {
        let (Some(keep), Some(layer)) = (&self.keep, lifted_by) else { return };
        if let Err(reason) = keep(tool, layer) {
            self.notes.borrow_mut().push(format!("the answer holds for this run only: {reason}"));
        }
    }
}

/// Describes a call: its arguments, and how much each directory contains.
fn plan(tool: &Declaration, bound: &Bound<'_>, meter: &Meter) -> Vec<String> {
    let mut lines = Vec::new();
    for (param, arg) in tool.params.iter().zip(bound.all()) {
        match arg {
            BoundRef::Absent => {}
            BoundRef::Value(value) => {
                lines.push(format!("{}: {}", param.name, print::shortened(&print::preview(value), SHOWN_CHARACTERS)));
            }
            BoundRef::Path(place) => lines.push(format!("{}: {}", param.name, described(place, meter))),
            BoundRef::Kept(kept) => lines.push(format!("{}: {}", param.name, described(&kept.origin, meter))),
            BoundRef::Paths(listed) => {
                lines.push(format!("{}: {}", param.name, counted(listed.len() as u64, "path", "paths")));
                let places = listed.iter().filter_map(|path| path.place.as_ref().ok()).take(SHOWN_PATHS);
                lines.extend(places.map(|place| format!("  {}", described(place, meter))));
                if listed.len() > SHOWN_PATHS {
                    lines.push(format!("  … {} more", listed.len() - SHOWN_PATHS));
                }
            }
        }
    }
    lines
}

/// Describes a path: its resolved name, and its size or number of entries.
fn described(place: &SandboxPath, meter: &Meter) -> String {
    let address = place.address();
    let name = if address.is_empty() { "." } else { &*address };
    match place.metadata() {
        Ok(metadata) if metadata.kind == EntryKind::Folder => format!("{name}/ ({})", content(place, meter)),
        Ok(metadata) => format!("{name} ({})", counted(metadata.size, "byte", "bytes")),
        Err(_) => format!("{name} (new)"),
    }
}

fn content(place: &SandboxPath, meter: &Meter) -> String {
    let hit = LimitHit { limit: Limit::Steps, allowed: COUNTED as u64 };
    let limits = WalkLimits {
        entries: COUNTED,
        hit,
        looks: usize::MAX,
        looks_hit: hit,
        watch: meter.watch(),
        jobs: Jobs::ONE,
        progress: None,
    };
    match walk(place, &limits, Skip { rule: None }, Details::All) {
        Ok(tree) => {
            let bytes: i64 = tree.sizes.iter().sum();
            format!("{}, {}", counted(tree.len() as u64, "entry", "entries"), counted(bytes as u64, "byte", "bytes"))
        }
        Err(_) => "its content cannot be counted, or is very large".to_owned(),
    }
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
