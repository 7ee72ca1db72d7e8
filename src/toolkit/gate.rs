//! The one gate: every call of every tool comes through [`Gate::call`].
//!
//! It binds and checks the arguments, finds the places that paths name, asks the policy, runs the
//! tool and bounds its answer, in that order. A tool never sees a raw path.

use std::cell::RefCell;
use std::io;
use std::path::Path;

use crate::limits::{Limit, LimitHit, Meter};
use crate::memory::Project;
use crate::sandbox::{KeptPath, KeptText, PathRule, Root, SandboxPath, TemporaryFolders};
use crate::text::ToolCode;
use crate::value::{Map, Value, json};

use super::approval::Approvals;
use super::bind::{Bound, BoundArg, ListedPath};
use super::context::Context;
use super::error::ToolError;
use super::given::{Given, GivenArg};
use super::memory::{Memory, SessionMemory};
use super::policy::{Approval, Policy};
use super::registry::{Registry, Tool, ToolId};
use super::settings::Settings;
use super::spec::{Access, Failure, Kind};

/// The tools of an engine and the world they work in.
#[derive(Debug)]
pub struct Gate {
    /// All tools.
    pub registry: Registry,
    /// The sandbox.
    pub root: Root,
    /// Further roots that the policy allows, reached by absolute paths.
    pub further: Vec<Root>,
    /// What the user allows.
    pub policy: Policy,
    /// What the policy file says for single tools.
    pub settings: Settings,
    /// What tools that succeeded have to say besides their answer, until it is shown.
    pub notes: RefCell<Vec<String>>,
    /// What scripts remember in the sandbox.
    pub project: Project,
    /// Whom to ask before some calls, and what was answered.
    pub approvals: Approvals,
    /// Directories that go when the run ends.
    pub temporary: TemporaryFolders,
}

impl Gate {
    /// Takes what the calls so far have to say besides their answers: warnings, a sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        let mut notes = std::mem::take(&mut *self.notes.borrow_mut());
        notes.append(&mut self.approvals.notes.borrow_mut());
        notes.extend([&self.root].into_iter().chain(&self.further).flat_map(Root::take_notes));
        notes
    }

    /// Removes the temporary directories; called when a run ends, however it ends. What cannot be
    /// removed becomes a note.
    pub fn remove_temporary(&self) {
        self.notes.borrow_mut().extend(self.temporary.remove_all(&self.root));
    }

    /// Calls a tool with arguments in the declared order, for whoever `session` belongs to.
    pub fn call(
        &self,
        id: ToolId,
        args: Vec<Option<Value>>,
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Value, ToolError> {
        let tool = self.registry.get(id);
        self.admit_and_run(tool, args, meter, session)
            .map_err(|error| ToolError { tool: Some(tool.spec.name), ..error })
    }

    /// Both memories, for whoever `session` belongs to.
    pub fn memory<'a>(&'a self, meter: &'a mut Meter, session: &'a SessionMemory) -> Memory<'a> {
        Memory { gate: self, meter, session }
    }

    fn admit_and_run(
        &self,
        tool: &Tool,
        args: Vec<Option<Value>>,
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Value, ToolError> {
        let args = tool.binder().complete(args)?;
        let given: Vec<GivenArg<'_>> =
            args.iter().map(|arg| arg.as_ref().map_or(GivenArg::Absent, GivenArg::Value)).collect();
        tool.check(&Given::new(tool.params, &given), &self.settings)?;
        let located = self.locate_paths(tool, args);
        if let Err(error) = &located
            && error.code == ToolCode::BadArgs
        {
            return located.map(|_| Value::Nil);
        }
        let approval = self.policy.admit(&tool.spec)?;
        let mut bound = located?;
        meter.poll()?;
        if let Approval::Needed { reason, instead } = approval {
            self.approvals.approve(tool, &bound, &reason, &instead, meter)?;
        }
        let answer_bytes = meter.answer_bytes();
        let mut context = Context { meter, answer_bytes, gate: self, session };
        let answer = tool.run(&mut context, &mut bound)?;
        let answer = match tool.spec.failure {
            Failure::ErrorMap | Failure::SuccessMap => without_error(&answer)?,
            Failure::Nil | Failure::Raise => answer,
        };
        check_size(&answer, answer_bytes)?;
        Ok(answer)
    }

    /// Turns the texts of path parameters into places. Of several refusals a malformed path comes first.
    fn locate_paths(&self, tool: &Tool, args: Vec<Option<Value>>) -> Result<Bound, ToolError> {
        let mut bound = Vec::with_capacity(args.len());
        let mut refusal: Option<ToolError> = None;
        for (param, arg) in tool.params.iter().zip(args) {
            match self.locate(param.name, param.kind, arg) {
                Ok(arg) => bound.push(arg),
                Err(error) if refusal.is_none() || error.code == ToolCode::BadArgs => refusal = Some(error),
                Err(_) => {}
            }
        }
        match refusal {
            None => Ok(Bound::new(bound)),
            Some(error) => Err(error),
        }
    }

    fn locate(&self, name: &'static str, kind: Kind, arg: Option<Value>) -> Result<BoundArg, ToolError> {
        match (kind, arg) {
            (_, None) => Ok(BoundArg::Absent),
            (Kind::Path(rule, access), Some(value)) => {
                let text = value.as_text().expect("the binder lets only texts through as paths");
                let place = self.place(&text, rule, access);
                place.map(BoundArg::Path).map_err(|error| error.argument(name))
            }
            (Kind::Kept, Some(value)) => {
                let text = value.as_text().expect("the binder lets only texts through as paths");
                let kept = self.kept(&text).map(BoundArg::Kept);
                kept.map_err(|error| ToolError { path: error.path.or(Some(shown(&text))), ..error }.argument(name))
            }
            (Kind::Paths(rule, access), Some(Value::List(list))) => {
                let listed = list.iter().map(|item| {
                    let given = item.as_text().expect("the binder lets only texts through as paths").to_string();
                    ListedPath { place: self.place(&given, rule, access), given }
                });
                Ok(BoundArg::Paths(listed.collect()))
            }
            (_, Some(value)) => Ok(BoundArg::Value(value)),
        }
    }

    /// The root below which a path text leads: a further one where it lies there and absolute paths are accepted.
    fn root_for(&self, path: &str, rule: PathRule) -> &Root {
        let path = Path::new(path);
        let is_further = rule.absolute && path.is_absolute() && self.root.part_below(path).is_none();
        let further = self.further.iter().find(|root| is_further && root.part_below(path).is_some());
        further.unwrap_or(&self.root)
    }

    /// The root below which a place lies.
    pub(super) fn root_of(&self, place: &SandboxPath) -> &Root {
        self.further.iter().find(|root| root.has(place)).unwrap_or(&self.root)
    }

    /// What is kept under a path, if the policy lets a tool change the place that it came from.
    fn kept(&self, path: &str) -> Result<KeptPath, ToolError> {
        let below = |root: &Root| Some(path.strip_prefix(&*root.address_of(""))?.strip_prefix('/')?.to_owned());
        let further = self.further.iter().find_map(|root| Some((root, below(root)?)));
        let (root, path) = further.unwrap_or((&self.root, path.to_owned()));
        let text = KeptText::parse(&path)?;
        let origin = self.place(&root.address_of(&text.origin()), PathRule::INSIDE.not_following(), Access::Change)?;
        Ok(root.locate_kept(&text, origin)?)
    }

    /// The place that a path names, if the policy lets a tool do this there.
    pub(super) fn place(&self, path: &str, rule: PathRule, access: Access) -> Result<SandboxPath, ToolError> {
        let refused = |error: ToolError| error.path(shown(path));
        let root = self.root_for(path, rule);
        let place = root.locate(path, rule).map_err(|error| refused(error.into()))?;
        self.policy.admit_place(&place, access).map_err(refused)?;
        Ok(place)
    }
}

/// The answer of a tool whose result says whether it failed: it did not.
fn without_error(answer: &Value) -> Result<Value, LimitHit> {
    let mut map = Map::with_capacity(4).with("error", Value::Nil);
    if let Value::Map(answer) = answer {
        for (key, value) in answer.iter() {
            map.put(key, value)?;
        }
    }
    Ok(map.into())
}

/// A path as an error repeats it: cut, so that a huge argument is not given back.
fn shown(path: &str) -> String {
    crate::value::print::shortened(path, 200)
}

/// Refuses an answer over the limit. Tools that can shorten their answer have done so.
fn check_size(answer: &Value, allowed: Option<u64>) -> Result<(), LimitHit> {
    let Some(allowed) = allowed else { return Ok(()) };
    let mut counter = Counter { bytes: 0, allowed };
    match json::write(answer, &mut counter) {
        Ok(()) => Ok(()),
        Err(_) => Err(LimitHit { limit: Limit::Answer, allowed }),
    }
}

/// Counts what is written to it and fails beyond a bound.
struct Counter {
    bytes: u64,
    allowed: u64,
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        match self.bytes > self.allowed {
            true => Err(io::Error::other("over the limit")),
            false => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
