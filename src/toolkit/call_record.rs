//! What the audit log is told of one call.
//!
//! Content never comes into it: of a parameter that takes content the log gets size and hash. Nothing
//! is hashed or written for a call that changes nothing and is not refused.

use std::cell::{Cell, RefCell};

use indexmap::IndexSet;

use crate::audit::{Argument, Entry, Items, Outcome};
use crate::text::ToolCode;
use crate::value::Value;

use super::bind::BoundArg;
use super::error::{Manner, ToolError};
use super::memory::SessionMemory;
use super::registry::Tool;
use super::spec::{Effect, Kind};

/// Bytes of resolved paths that one line names.
const MAX_PATHS: usize = 32 << 10;
/// Bytes of a line besides its arguments and paths, generously.
const FRAME: u64 = 8 << 10;

/// One call, as far as the audit log is concerned.
#[derive(Debug)]
pub struct CallRecord<'a> {
    tool: &'static str,
    arguments: RefCell<Vec<Told>>,
    session: &'a SessionMemory,
    places: RefCell<Places>,
    has_begun: Cell<bool>,
    has_changed: Cell<bool>,
    items: Cell<Option<Items>>,
    granted: RefCell<Vec<&'static str>>,
}

/// An argument, and how the log shows it.
#[derive(Debug)]
pub struct Told {
    name: &'static str,
    value: Value,
    shown: Shown,
}

/// How the log shows an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As it is, unless it is long.
    Plain,
    /// The same for a path or a list of paths.
    Path,
    /// By size and hash.
    Hashed,
}

/// The places that a call concerns.
#[derive(Debug, Default)]
struct Places {
    paths: IndexSet<String>,
    refused: Vec<String>,
    bytes: usize,
    /// Paths that found no room.
    more: u64,
}

impl Told {
    /// An argument by its name.
    pub fn new(name: &'static str, value: Value, shown: Shown) -> Told {
        Told { name, value, shown }
    }

    fn argument(&self) -> Argument {
        match self.shown {
            Shown::Plain => Argument::plain(&self.value),
            Shown::Path => Argument::path(&self.value),
            Shown::Hashed => Argument::content(&self.value),
        }
    }
}

impl<'a> CallRecord<'a> {
    /// The record of a call whose arguments are known already.
    pub fn new(tool: &'static str, arguments: Vec<Told>, session: &'a SessionMemory) -> CallRecord<'a> {
        CallRecord {
            tool,
            arguments: RefCell::new(arguments),
            session,
            places: RefCell::default(),
            has_begun: Cell::new(false),
            has_changed: Cell::new(false),
            items: Cell::new(None),
            granted: RefCell::default(),
        }
    }

    /// The record of a call of a tool. Of one that touches nothing no argument is held, since it may
    /// want to change a value in place; see [`CallRecord::tell_if_untold`].
    pub fn of_call(tool: &Tool, args: &[Option<Value>], session: &'a SessionMemory) -> CallRecord<'a> {
        let record = CallRecord::new(tool.spec.name, Vec::new(), session);
        if tool.spec.effect != Effect::Pure {
            record.tell(tool, args.iter().map(Option::as_ref));
        }
        record
    }

    /// Says what the arguments are, in the declared order.
    fn tell<'v>(&self, tool: &Tool, args: impl Iterator<Item = Option<&'v Value>>) {
        let told =
            tool.params.iter().zip(args).filter_map(|(param, arg)| {
                Some(Told::new(param.name, arg?.clone(), shown(param.kind, tool.spec.effect)))
            });
        *self.arguments.borrow_mut() = told.collect();
    }

    /// The same when nobody said it before, from arguments that were bound already.
    pub fn tell_if_untold<'v>(&self, tool: &Tool, args: impl Iterator<Item = &'v BoundArg>) {
        if self.arguments.borrow().is_empty() {
            self.tell(tool, args.map(|arg| if let BoundArg::Value(value) = arg { Some(value) } else { None }));
        }
    }

    /// Says that the call concerns a place, by its resolved path.
    pub fn concerns(&self, resolved: &str) {
        let mut places = self.places.borrow_mut();
        let shown = if resolved.is_empty() { "." } else { resolved };
        if !places.paths.contains(shown) && places.has_room(shown) {
            places.paths.insert(shown.to_owned());
        }
    }

    /// Says that one path of a list was refused.
    pub fn refuses(&self, given: &str) {
        let mut places = self.places.borrow_mut();
        if places.has_room(given) {
            places.refused.push(given.to_owned());
        }
    }

    /// Says that something is about to be changed; whether that was said before.
    pub fn begins(&self) -> bool {
        self.has_begun.replace(true)
    }

    /// Whether something may have been changed.
    pub fn has_begun(&self) -> bool {
        self.has_begun.get()
    }

    /// Says that something is changed from here on, in a file or in what scripts remember.
    pub fn changes(&self) {
        self.has_changed.set(true);
    }

    /// Whether something may have been changed, in a file or in what scripts remember.
    pub fn has_changed(&self) -> bool {
        self.has_changed.get()
    }

    /// Says how far a call on several items came.
    pub fn count_items(&self, items: Items) {
        self.items.set(Some(items));
    }

    /// The tool.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Whether the policy lets the call do what a further tool does, as was said before.
    pub fn has_leave(&self, tool: &'static str) -> bool {
        self.granted.borrow().contains(&tool)
    }

    /// Says that the policy lets the call do what a further tool does.
    pub fn gets_leave(&self, tool: &'static str) {
        self.granted.borrow_mut().push(tool);
    }

    /// Whether a path of a list was refused.
    pub fn has_refused(&self) -> bool {
        !self.places.borrow().refused.is_empty()
    }

    /// Whoever calls.
    pub fn session(&self) -> &'a SessionMemory {
        self.session
    }

    /// Bytes that its line may take, mostly: room for more is taken than a line of it needs.
    pub fn bytes(&self) -> u64 {
        let of = |told: &Told| match (&told.value, told.shown) {
            (_, Shown::Hashed) => 0,
            (Value::List(list), _) => list.iter().map(|item| item.as_text().map_or(0, |text| text.len())).sum(),
            (value, _) => value.as_text().map_or(0, |text| text.len()),
        };
        let arguments: usize = self.arguments.borrow().iter().map(of).sum();
        FRAME + (arguments + MAX_PATHS) as u64
    }

    /// Gives what the log is to be told of a result to `take`.
    pub fn with_entry<T, R>(&self, result: &Result<T, ToolError>, take: impl FnOnce(&Entry<'_>) -> R) -> R {
        let (arguments, places) = (self.arguments.borrow(), self.places.borrow());
        let code = result.as_ref().err().map(|error| error.code);
        let is_partly = result.as_ref().is_err_and(|error| error.manner == Manner::Partly);
        let entry = Entry {
            run: self.session.run(),
            command: self.session.command(),
            tool: self.tool,
            arguments: arguments.iter().map(|told| (told.name, told.argument())).collect(),
            paths: &places.paths,
            more_paths: places.more,
            refused: &places.refused,
            items: self.items.get(),
            outcome: match code {
                None => Outcome::Done,
                Some(_) if is_partly => Outcome::Partly,
                Some(code) if is_refusal(code) => Outcome::Refused,
                Some(_) => Outcome::Failed,
            },
            code: code.map(ToolCode::id),
        };
        take(&entry)
    }
}

impl Places {
    fn has_room(&mut self, path: &str) -> bool {
        self.bytes += path.len();
        let fits = self.bytes <= MAX_PATHS;
        self.more += u64::from(!fits);
        fits
    }
}

/// Whether a failure says that policy or sandbox did not allow it.
pub fn is_refusal(code: ToolCode) -> bool {
    matches!(code, ToolCode::PolicyDenied | ToolCode::SandboxViolation)
}

/// How the log shows what a parameter takes. Texts of tools that touch nothing are what they work on.
fn shown(kind: Kind, effect: Effect) -> Shown {
    match kind {
        Kind::Text if effect == Effect::Pure => Shown::Hashed,
        Kind::Bool | Kind::Int { .. } | Kind::IntOrNil { .. } | Kind::Number | Kind::Word(_) | Kind::Text => {
            Shown::Plain
        }
        Kind::Path(..) | Kind::Paths(..) | Kind::Kept => Shown::Path,
        Kind::Content | Kind::List | Kind::Texts | Kind::TextOrTexts | Kind::Map | Kind::Any => Shown::Hashed,
    }
}
