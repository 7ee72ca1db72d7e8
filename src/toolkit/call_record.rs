//! What the audit log is told of one call.
//!
//! Content never comes into it: of a parameter that takes content the log gets size and hash. Nothing
//! is hashed or written for a call that changes nothing and is not refused.

use std::cell::{Cell, OnceCell, RefCell};

use compact_str::CompactString;
use indexmap::IndexSet;

use crate::audit::{Argument, Entry, Items, Outcome};
use crate::text::ToolCode;
use crate::value::Value;

use super::bound::BoundRef;
use super::error::{Manner, ToolError};
use super::memory::SessionMemory;
use super::registry::Tool;
use super::spec::{Effect, Kind, Param};

/// Bytes of resolved paths that one line names.
const MAX_PATHS: usize = 32 << 10;
/// Bytes of a line besides its arguments and paths, generously.
const FRAME: u64 = 8 << 10;

/// One call, as far as the audit log is concerned.
#[derive(Debug)]
pub struct CallRecord<'a> {
    tool: &'static str,
    /// The arguments of a tool that touches something.
    given: Option<(&'a Tool, &'a [Option<Value>])>,
    session: &'a SessionMemory,
    has_begun: Cell<bool>,
    has_changed: Cell<bool>,
    /// The first place that the call concerns, as long as there are no details.
    first_place: OnceCell<CompactString>,
    /// What most calls have nothing of.
    details: RefCell<Option<Box<Details>>>,
}

#[derive(Debug, Default)]
struct Details {
    /// The arguments, where they were not given.
    arguments: Vec<Told>,
    places: Places,
    items: Option<Items>,
    granted: Vec<&'static str>,
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
        let record = CallRecord::of_untold(tool, session);
        record.detail(|details| details.arguments = arguments);
        record
    }

    /// The record of a call of which no argument is held, since the tool touches nothing and may want to
    /// change a value in place; see [`CallRecord::tell_if_untold`].
    #[inline]
    pub fn of_untold(tool: &'static str, session: &'a SessionMemory) -> CallRecord<'a> {
        let (has_begun, has_changed) = (Cell::new(false), Cell::new(false));
        let (first_place, details) = (OnceCell::new(), RefCell::new(None));
        CallRecord { tool, given: None, session, has_begun, has_changed, first_place, details }
    }

    /// The record of a call of a tool with these arguments, in the declared order.
    pub fn of_call(tool: &'a Tool, args: &'a [Option<Value>], session: &'a SessionMemory) -> CallRecord<'a> {
        CallRecord { given: Some((tool, args)), ..CallRecord::of_untold(tool.spec.name, session) }
    }

    /// Says what the arguments are, from those that were bound already, unless they are known.
    pub fn tell_if_untold<'v>(&self, tool: &Tool, args: impl Iterator<Item = BoundRef<'v>>) {
        if self.given.is_none() {
            let args = args.map(|arg| if let BoundRef::Value(value) = arg { Some(value) } else { None });
            self.detail(|details| details.arguments = told(tool, args).collect());
        }
    }

    fn detail<T>(&self, change: impl FnOnce(&mut Details) -> T) -> T {
        change(self.details.borrow_mut().get_or_insert_with(|| Box::new(Details::new(self.first_place.get()))))
    }

    /// What a detail is; that of nothing where there are none.
    fn look<T: Default>(&self, at: impl FnOnce(&Details) -> T) -> T {
        self.details.borrow().as_deref().map(at).unwrap_or_default()
    }

    /// Says that the call concerns a place, by its resolved path.
    pub fn concerns(&self, resolved: &str) {
        let shown = if resolved.is_empty() { "." } else { resolved };
        if self.details.borrow().is_none() && self.first_place.get_or_init(|| shown.into()) == shown {
            return;
        }
        self.detail(|details| details.places.add(shown));
    }

    /// Says that one path of a list was refused.
    pub fn refuses(&self, given: &str) {
        self.detail(|Details { places, .. }| {
            if places.has_room(given) {
                places.refused.push(given.to_owned());
            }
        });
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
        self.detail(|details| details.items = Some(items));
    }

    /// The tool.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Whether the policy lets the call do what a further tool does, as was said before.
    pub fn has_leave(&self, tool: &'static str) -> bool {
        self.look(|details| details.granted.contains(&tool))
    }

    /// Says that the policy lets the call do what a further tool does.
    pub fn gets_leave(&self, tool: &'static str) {
        self.detail(|details| details.granted.push(tool));
    }

    /// Whether a path of a list was refused.
    pub fn has_refused(&self) -> bool {
        self.look(|details| !details.places.refused.is_empty())
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
        let arguments: usize = self.given().iter().map(of).sum::<usize>()
            + self.look(|details| details.arguments.iter().map(of).sum::<usize>());
        FRAME + (arguments + MAX_PATHS) as u64
    }

    /// The arguments that are held where the call has them.
    fn given(&self) -> Vec<Told> {
        let of = |(tool, args): (&Tool, &[Option<Value>])| told(tool, args.iter().map(Option::as_ref)).collect();
        self.given.map(of).unwrap_or_default()
    }

    /// Gives what the log is to be told of a call and its failure, if it failed, to `take`.
    pub fn with_entry<R>(&self, failure: Option<&ToolError>, take: impl FnOnce(&Entry<'_>) -> R) -> R {
        let (given, code) = (self.given(), failure.map(|error| error.code));
        let is_partly = failure.is_some_and(|error| error.manner == Manner::Partly);
        let outcome = match code {
            None => Outcome::Done,
            Some(_) if is_partly => Outcome::Partly,
            Some(code) if is_refusal(code) => Outcome::Refused,
            Some(_) => Outcome::Failed,
        };
        self.detail(|Details { arguments, places, items, .. }| {
            take(&Entry {
                run: self.session.run(),
                command: self.session.command(),
                tool: self.tool,
                arguments: given.iter().chain(&*arguments).map(|told| (told.name, told.argument())).collect(),
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

/// The arguments that are there, in the declared order.
fn told<'v>(tool: &Tool, args: impl Iterator<Item = Option<&'v Value>>) -> impl Iterator<Item = Told> {
    let told = |(param, arg): (&Param, Option<&Value>)| {
        Some(Told::new(param.name, arg?.clone(), shown(param.kind, tool.spec.effect)))
    };
    tool.params.iter().zip(args).filter_map(told)
}

/// Whether a failure says that policy or sandbox did not allow it.
pub fn is_refusal(code: ToolCode) -> bool {
    matches!(code, ToolCode::PolicyDenied | ToolCode::SandboxViolation)
}

/// How the log shows what a parameter takes. Texts of tools that touch nothing are what they work on.
fn shown(kind: Kind, effect: Effect) -> Shown {
    match kind {
        Kind::Text if effect == Effect::Pure => Shown::Hashed,
        Kind::Bool
        | Kind::Int { .. }
        | Kind::IntOrNil { .. }
        | Kind::Number
        | Kind::Size
        | Kind::Word(_)
        | Kind::Text
        | Kind::TextOrNil => Shown::Plain,
        Kind::Path(..) | Kind::Paths(..) | Kind::Kept => Shown::Path,
        Kind::Content | Kind::List | Kind::Texts | Kind::TextOrTexts | Kind::Patterns | Kind::Map | Kind::Any => {
            Shown::Hashed
        }
    }
}
