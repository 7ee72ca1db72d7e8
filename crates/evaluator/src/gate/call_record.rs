//! The audit record of one call.
//!
//! It never contains content: for a parameter that takes content, the log gets the size and hash. Nothing is hashed
//! or written for a call that changes nothing and is not refused.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};

use compact_str::CompactString;
use indexmap::IndexSet;

use crate::audit::{Argument, Entry, HashExtent, Items, Outcome, json_bytes};
use crate::memory::Session as SessionMemory;
use crate::text::ToolCode;
use crate::toolkit::{BoundRef, Declaration, Effect, FailureMode, Kind, Param, ToolError};
use crate::value::Value;

/// Maximum number of bytes of resolved paths in one line.
const MAX_PATHS: usize = 32 << 10;
/// A generous estimate of the bytes of a line besides its arguments and paths.
const FRAME: u64 = 8 << 10;

/// The record of one call for the audit log.
#[derive(Debug)]
pub struct CallRecord<'a> {
    tool: &'static str,
    /// The tool and its arguments, borrowed from the call. `None` for records of front ends, and of tools that work
    /// on values alone.
    given: Option<(&'a Declaration, &'a [Option<Value>])>,
    session: &'a SessionMemory,
    has_begun: Cell<bool>,
    has_changed: Cell<bool>,
    /// The first path that the call concerns, while there are no details.
    first_place: OnceCell<CompactString>,
    /// Data that most calls do not have.
    details: RefCell<Option<Box<Details>>>,
}

#[derive(Debug, Default)]
struct Details {
    /// The arguments, if `given` is `None`.
    arguments: Vec<LoggedArgument>,
    places: Places,
    items: Option<Items>,
    granted: Vec<&'static str>,
}

/// An argument, and how the log shows it.
#[derive(Debug)]
pub struct LoggedArgument {
    name: &'static str,
    value: Value,
    shown: LoggedForm,
}

/// How the log shows an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedForm {
    /// Verbatim, unless it is long.
    Plain,
    /// Verbatim, as a path or a list of paths.
    Path,
    /// By size and hash.
    Hashed,
}

/// The paths that a call concerns.
#[derive(Debug, Default)]
struct Places {
    paths: IndexSet<String>,
    refused: Vec<String>,
    bytes: usize,
    /// Number of paths that did not fit.
    more: u64,
}

impl LoggedArgument {
    /// Creates an argument with its name.
    pub fn new(name: &'static str, value: Value, shown: LoggedForm) -> LoggedArgument {
        LoggedArgument { name, value, shown }
    }

    fn argument(&self, extent: HashExtent) -> Argument {
        match self.shown {
            LoggedForm::Plain => Argument::plain(&self.value, extent),
            LoggedForm::Path => Argument::path(&self.value, extent),
            LoggedForm::Hashed => Argument::content(&self.value, extent),
        }
    }
}

impl<'a> CallRecord<'a> {
    /// Creates the record of a call whose arguments are known.
    pub fn new(tool: &'static str, arguments: Vec<LoggedArgument>, session: &'a SessionMemory) -> CallRecord<'a> {
        let record = CallRecord::without_arguments(tool, session);
        record.detail(|details| details.arguments = arguments);
        record
    }

    /// Creates the record of a call without its arguments. A tool that works on values alone may change one in place,
    /// so the record must not share ownership of them; see [`CallRecord::add_arguments`].
    #[inline]
    pub fn without_arguments(tool: &'static str, session: &'a SessionMemory) -> CallRecord<'a> {
        let (has_begun, has_changed) = (Cell::new(false), Cell::new(false));
        let (first_place, details) = (OnceCell::new(), RefCell::new(None));
        CallRecord { tool, given: None, session, has_begun, has_changed, first_place, details }
    }

    /// Creates the record of a tool call with these arguments, in the declared order.
    pub fn of_call(tool: &'a Declaration, args: &'a [Option<Value>], session: &'a SessionMemory) -> CallRecord<'a> {
        CallRecord { given: Some((tool, args)), ..CallRecord::without_arguments(tool.spec.name, session) }
    }

    /// Records the bound arguments, unless the arguments are already known.
    pub fn add_arguments<'v>(&self, tool: &Declaration, args: impl Iterator<Item = BoundRef<'v>>) {
        if self.given.is_none() {
            let args = args.map(|arg| if let BoundRef::Value(value) = arg { Some(value) } else { None });
            self.detail(|details| details.arguments = logged_arguments(tool, args).collect());
        }
    }

    fn detail<T>(&self, change: impl FnOnce(&mut Details) -> T) -> T {
        change(self.details.borrow_mut().get_or_insert_with(|| Box::new(Details::new(self.first_place.get()))))
    }

    /// Reads a detail; returns the default if there are no details.
    fn look<T: Default>(&self, at: impl FnOnce(&Details) -> T) -> T {
        self.details.borrow().as_deref().map(at).unwrap_or_default()
    }

    /// Records that the call concerns a path, given its resolved form.
    pub fn concerns(&self, resolved: &str) {
        let shown = if resolved.is_empty() { "." } else { resolved };
        if self.details.borrow().is_none() && self.first_place.get_or_init(|| shown.into()) == shown {
            return;
        }
        self.detail(|details| details.places.add(shown));
    }

    /// Records that one path of a list was refused.
    pub fn refuses(&self, given: &str) {
        self.detail(|Details { places, .. }| {
            if places.has_room(given) {
                places.refused.push(given.to_owned());
            }
        });
    }

    /// Marks that the call is about to change something in the sandbox. Returns whether it was already marked.
    pub fn begins(&self) -> bool {
        self.has_begun.replace(true)
    }

    /// Whether the call may have changed something in the sandbox, so that it needs an audit line.
    pub fn has_begun(&self) -> bool {
        self.has_begun.get()
    }

    /// Marks that the call changes a file or memory from here on.
    pub fn changes(&self) {
        self.has_changed.set(true);
    }

    /// Whether the call may have changed a file or memory.
    pub fn has_changed(&self) -> bool {
        self.has_changed.get()
    }

    /// Records how many items a call on several items has processed.
    pub fn count_items(&self, items: Items) {
        self.detail(|details| details.items = Some(items));
    }

    /// Returns the tool's name.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Whether [`CallRecord::gets_leave`] was recorded for another tool.
    pub fn has_leave(&self, tool: &'static str) -> bool {
        self.look(|details| details.granted.contains(&tool))
    }

    /// Records that the policy allows the call to do what another tool does.
    pub fn gets_leave(&self, tool: &'static str) {
        self.detail(|details| details.granted.push(tool));
    }

    /// Whether a path of a list was refused.
    pub fn has_refused(&self) -> bool {
        self.look(|details| !details.places.refused.is_empty())
    }

    /// Returns the paths of a list that were refused.
    pub fn refused_paths(&self) -> Vec<String> {
        self.look(|details| details.places.refused.clone())
    }

    /// Returns the session of the caller.
    pub fn session(&self) -> &'a SessionMemory {
        self.session
    }

    /// Returns the bytes to reserve for the line, an overestimate for most calls.
    pub fn bytes(&self) -> u64 {
        let of = |argument: &LoggedArgument| match (&argument.value, argument.shown) {
            (_, LoggedForm::Hashed) => 0,
            (value, _) => json_bytes(value),
        };
        let arguments: usize = self.given().iter().map(of).sum::<usize>()
            + self.look(|details| details.arguments.iter().map(of).sum::<usize>());
        FRAME + (arguments + MAX_PATHS) as u64
    }

    /// Returns the arguments that are borrowed from the call.
    fn given(&self) -> Vec<LoggedArgument> {
        let of = |(tool, args): (&Declaration, &[Option<Value>])| {
            logged_arguments(tool, args.iter().map(Option::as_ref)).collect()
        };
        self.given.map(of).unwrap_or_default()
    }

    /// Passes the log entry of a call, and of its failure if it failed, to `take`. The command of a planned call says so.
    pub fn with_entry<R>(
        &self,
        failure: Option<&ToolError>,
        is_planned: bool,
        take: impl FnOnce(&Entry<'_>) -> R,
    ) -> R {
        let command = self.session.command();
        let command = if is_planned { Cow::from(format!("{command} (planned)")) } else { Cow::from(command) };
        let (given, code) = (self.given(), failure.map(|error| error.code));
        let is_partly = failure.is_some_and(|error| error.manner == FailureMode::Partly);
        let outcome = match code {
            None => Outcome::Done,
            Some(_) if is_partly => Outcome::Partly,
            Some(code) if is_refusal(code) => Outcome::Refused,
            Some(_) => Outcome::Failed,
        };
        let extent = match outcome {
            Outcome::Done | Outcome::Partly => HashExtent::Whole,
            Outcome::Refused | Outcome::Failed => HashExtent::Bounded,
        };
        self.detail(|Details { arguments, places, items, .. }| {
            take(&Entry {
                run: self.session.run(),
                command: &command,
                tool: self.tool,
                arguments: given
                    .iter()
                    .chain(&*arguments)
                    .map(|argument| (argument.name, argument.argument(extent)))
                    .collect(),
                paths: &places.paths,
                more_paths: places.more,
                refused: &places.refused,
                items: *items,
                outcome,
                code: code.map(ToolCode::id),
            })
        })
    }
}

impl Details {
    fn new(first_place: Option<&CompactString>) -> Details {
        let mut details = Details::default();
        first_place.into_iter().for_each(|place| details.places.add(place));
        details
    }
}

impl Places {
    fn add(&mut self, path: &str) {
        if !self.paths.contains(path) && self.has_room(path) {
            self.paths.insert(path.to_owned());
        }
    }

    fn has_room(&mut self, path: &str) -> bool {
        self.bytes += path.len();
        let fits = self.bytes <= MAX_PATHS;
        self.more += u64::from(!fits);
        fits
    }
}

/// Returns the arguments that are present, in the declared order.
fn logged_arguments<'v>(
    tool: &Declaration,
    args: impl Iterator<Item = Option<&'v Value>>,
) -> impl Iterator<Item = LoggedArgument> {
    let logged = |(param, arg): (&Param, Option<&Value>)| {
        Some(LoggedArgument::new(param.name, arg?.clone(), logged_form(param.kind, tool.spec.effect)))
    };
    tool.params.iter().zip(args).filter_map(logged)
}

/// Whether a failure is a refusal by the policy or the sandbox.
pub fn is_refusal(code: ToolCode) -> bool {
    matches!(code, ToolCode::PolicyDenied | ToolCode::SandboxViolation)
}

/// Returns how the log shows arguments of a parameter. Texts given to pure tools are content.
fn logged_form(kind: Kind, effect: Effect) -> LoggedForm {
    match kind {
        Kind::Text | Kind::Form(_) if effect == Effect::Pure => LoggedForm::Hashed,
        Kind::Bool
        | Kind::Int { .. }
        | Kind::IntOrNil { .. }
        | Kind::Number
        | Kind::Size
        | Kind::Word(_)
        | Kind::Text
        | Kind::Form(_)
        | Kind::TextOrNil => LoggedForm::Plain,
        Kind::Path(..) | Kind::Paths(..) | Kind::Kept => LoggedForm::Path,
        Kind::Content
        | Kind::List
        | Kind::Texts
        | Kind::Scalars
        | Kind::TextOrTexts
        | Kind::BoolOrTexts
        | Kind::Patterns
        | Kind::Map
        | Kind::Maps(_)
        | Kind::Any => LoggedForm::Hashed,
    }
}
