//! The sandboxes of a server. Each has an engine of its own, with its policy and its undo history; all are in one thread
//! and under one lockdown. If there are several, the argument [`SANDBOX`] of a call names one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value as Json};

use crate::engine::{Engine, Interrupt, Network, Options, Process, SetupError, UserKey};
use crate::text::{Code, Diagnostic, ToolCode, nearest};
use crate::toolkit::{Effect, LEAST, Param, ToolError};

use super::order::OrderedSandbox;
use super::recent_answers::WHOLE;

/// The argument that names a sandbox.
pub const SANDBOX: &str = "sandbox";

/// Whether the tools with this effect work in a sandbox. Pure tools are the same in all.
pub fn takes_sandbox(effect: Effect) -> bool {
    effect != Effect::Pure
}

/// Maximum size in bytes of one part of an answer, unless a limit sets it.
const AT_ONCE: u64 = 64 << 10;

/// A sandbox as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSandbox {
    /// The name that calls use.
    pub name: String,
    /// The directory; the current one by default.
    pub path: Option<PathBuf>,
}

/// A sandbox and its engine.
struct OpenedSandbox {
    named: NamedSandbox,
    engine: Engine,
}

/// The open sandboxes of a server; at least one.
pub struct Sandboxes {
    opened: Vec<OpenedSandbox>,
    interrupt: Interrupt,
}

impl Sandboxes {
    /// Opens the sandboxes and locks the process down to them.
    ///
    /// # Errors
    /// Returns the sandbox or the policy that cannot be used.
    pub fn open(named: &[NamedSandbox], options: &Options, network: Network) -> Result<Sandboxes, SetupError> {
        let interrupt = Interrupt::default();
        let options = Options { interrupt: Some(interrupt.clone()), ..options.clone() };
        let open = |named: &NamedSandbox| {
            let engine = Engine::open(&Options { sandbox: named.path.clone(), ..options.clone() })?;
            Ok(OpenedSandbox { named: named.clone(), engine })
        };
        let sandboxes = Sandboxes { opened: named.iter().map(open).collect::<Result<_, _>>()?, interrupt };
        sandboxes.check_apart()?;
        Engine::seal_together(&sandboxes.engines().collect::<Vec<_>>(), Process::Server(network))?;
        Ok(sandboxes)
    }

    /// Refuses a sandbox in another one: neither would know of the changes of the other.
    fn check_apart(&self) -> Result<(), SetupError> {
        for (number, inner) in self.opened.iter().enumerate() {
            for outer in self.opened.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, outer)| outer) {
                if outer.engine.gate().root().part_below(inner.engine.gate().root().path()).is_some() {
                    let (inner, outer) = (&inner.named.name, &outer.named.name);
                    let message = format!("the sandbox `{inner}` is in the sandbox `{outer}`, or is the same");
                    let finding = Diagnostic::placeless(Code::BadRoot, message).help("leave out one of them");
                    return Err(SetupError { findings: vec![finding], sources: Default::default() });
                }
            }
        }
        Ok(())
    }

    /// Opens the sandboxes again with other bounds, under the same lockdown.
    ///
    /// # Errors
    /// Returns the sandbox or the policy that cannot be used.
    pub fn reopen(&mut self, options: &Options) -> Result<(), SetupError> {
        // The lockdown prevents reading the key again.
        let options = Options { key: Some(self.key()), interrupt: Some(self.interrupt.clone()), ..options.clone() };
        for opened in &mut self.opened {
            let engine = Engine::open(&Options { sandbox: opened.named.path.clone(), ..options.clone() })?;
            engine.share_lockdown(&opened.engine);
            opened.engine = engine;
        }
        Ok(())
    }

    /// Returns the engines.
    pub fn engines(&self) -> impl Iterator<Item = &Engine> {
        self.opened.iter().map(|opened| &opened.engine)
    }

    /// Returns the engines, to change them.
    pub fn engines_mut(&mut self) -> impl Iterator<Item = &mut Engine> {
        self.opened.iter_mut().map(|opened| &mut opened.engine)
    }

    /// Returns the engine of a sandbox.
    pub fn engine(&self, number: usize) -> &Engine {
        &self.opened[number].engine
    }

    /// Returns the name of a sandbox; `None` if there is no other.
    pub fn name_if_several(&self, number: usize) -> Option<&str> {
        self.are_several().then(|| self.opened[number].named.name.as_str())
    }

    /// Returns the sandbox of a script, for its worker.
    pub fn order(&self, number: usize) -> OrderedSandbox {
        let name = self.name_if_several(number).map(str::to_owned);
        OrderedSandbox { name, path: self.opened[number].named.path.clone() }
    }

    /// Returns the names that calls may give; none if there is a single sandbox.
    pub fn names(&self) -> Vec<String> {
        let names = self.iter().map(|(name, _)| name.to_owned());
        names.filter(|_| self.are_several()).collect()
    }

    /// Returns the sandboxes with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Engine)> {
        self.opened.iter().map(|opened| (opened.named.name.as_str(), &opened.engine))
    }

    /// Returns their number.
    pub fn count(&self) -> usize {
        self.opened.len()
    }

    /// Whether there are several, so that calls name their sandbox.
    pub fn are_several(&self) -> bool {
        self.opened.len() > 1
    }

    /// Returns the longest time that a run may take; `None` if a run has no limit.
    pub fn timeout(&self) -> Option<Duration> {
        let limits: Option<Vec<Duration>> = self.engines().map(|engine| engine.limits().timeout).collect();
        limits?.into_iter().max()
    }

    /// Takes back what runs left unfinished whose process has died.
    pub fn recover(&self) {
        self.engines().for_each(|engine| engine.gate().recover());
    }

    /// Returns the interrupt of all engines.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Returns the user's seal key, for an engine that can no longer read it.
    pub fn key(&self) -> UserKey {
        self.engine(0).gate().root().user().key.clone()
    }

    /// Removes the size limits of answers from the engines, and returns the lowest of them.
    pub fn take_answer_bound(&mut self) -> u64 {
        let bounds = self.engines_mut().map(|engine| engine.bound_answers(WHOLE).unwrap_or(AT_ONCE));
        bounds.min().unwrap_or(AT_ONCE).max(LEAST)
    }

    /// Takes the argument that names the sandbox of a call. A call that names none means the one that holds all its
    /// absolute paths. `params` are those of the called tool.
    ///
    /// # Errors
    /// If the name is missing or unknown.
    pub fn take(&self, args: &mut Map<String, Json>, params: &[Param]) -> Result<usize, ToolError> {
        if !self.are_several() {
            return Ok(0);
        }
        let bad = |message: String| Err(ToolError::new(ToolCode::BadArgs, message).argument(SANDBOX));
        let names = || self.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        match args.remove(SANDBOX) {
            None | Some(Json::Null) => match self.holding(args, params) {
                Some(number) => Ok(number),
                None => bad(format!("`{SANDBOX}` is missing: it is one of {}", names())),
            },
            Some(Json::String(name)) => match self.opened.iter().position(|opened| opened.named.name == name) {
                Some(number) => Ok(number),
                None => {
                    let shown = crate::value::print::shortened(&name, 60);
                    let near = nearest(&name, self.iter().map(|(name, _)| name));
                    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                    bad(format!("there is no sandbox `{shown}`: it is one of {}{near}", names()))
                }
            },
            Some(_) => bad(format!("`{SANDBOX}` needs a text: it is one of {}", names())),
        }
    }

    /// Returns the sandbox that holds all absolute paths among the arguments; `None` if there are none, or several.
    fn holding(&self, args: &Map<String, Json>, params: &[Param]) -> Option<usize> {
        let is_place = |key: &str| params.iter().any(|param| param.kind.is_place() && param.is_called(key));
        let places = args.iter().filter(|(key, _)| is_place(key)).flat_map(|(_, value)| match value {
            Json::Array(values) => values.iter().collect(),
            value => vec![value],
        });
        let mut paths = places.filter_map(Json::as_str).filter(|path| path.starts_with('/')).map(Path::new).peekable();
        paths.peek()?;
        let paths: Vec<&Path> = paths.collect();
        self.engines().position(|engine| {
            let root = engine.gate().root();
            paths.iter().all(|path| root.part_below(path).is_some())
        })
    }
}
