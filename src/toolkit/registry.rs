//! The registry of tools, and the lookup of their names.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use foldhash::fast::FixedState;

use crate::text::{meant, nearest};
use crate::value::Value;

use super::answer::Answer;
use super::bind::Binder;
use super::bound::{Arguments, Bound};
use super::context::Context;
use super::error::ToolError;
use super::given::{Given, GivenArg};
use super::groups;
use super::settings::Settings;
use super::spec::{Effect, Param, Spec};
use super::truncate::done_untold;

/// A tool: its declaration and its function.
pub struct Tool {
    /// The declaration.
    pub spec: Spec,
    /// The parameters.
    pub params: &'static [Param],
    /// Returns the JSON Schema of the result.
    pub schema: fn() -> serde_json::Value,
    check: Option<Check>,
    run: Box<ToolFn>,
    is_plain: bool,
    sparing: Option<Box<(Fields, Tool)>>,
}

/// Names of record fields.
type Fields = &'static [&'static str];

/// A check across several arguments, or against settings of the policy file.
pub type Check = fn(&Given<'_>, &Settings) -> Result<(), ToolError>;

type ToolFn = dyn Fn(&mut Context<'_>, &mut Bound<'_>) -> Result<Value, Box<ToolError>>;

impl Tool {
    /// Creates a tool from its declaration and its function.
    pub fn new<A, R>(spec: Spec, run: impl Fn(&mut Context<'_>, A) -> Result<R, ToolError> + 'static) -> Tool
    where
        A: Arguments + 'static,
        R: Answer + 'static,
    {
        let run = move |context: &mut Context<'_>, bound: &mut Bound<'_>| match run(context, A::take(bound)) {
            Ok(answer) => answer.into_value().map_err(|hit| Box::new(done_untold(hit, context.has_changed()))),
            Err(error) => Err(Box::new(error)),
        };
        let takes_paths = A::PARAMS.iter().any(|param| param.kind.is_place());
        let is_plain = spec.effect == Effect::Pure && !takes_paths;
        Tool { spec, params: A::PARAMS, schema: R::schema, check: None, run: Box::new(run), is_plain, sparing: None }
    }

    /// Returns the tool with a check of its arguments. The check runs before a script starts, with the arguments that
    /// are known then, and before each call, with all arguments.
    pub fn with_check(self, check: Check) -> Tool {
        Tool { check: Some(check), ..self }
    }

    /// Returns the tool with a cheaper variant, for scripts that read only these fields of its records. Both must be
    /// indistinguishable to such a script.
    pub fn with_projection<A, R>(
        self,
        reads: Fields,
        run: impl Fn(&mut Context<'_>, A) -> Result<R, ToolError> + 'static,
    ) -> Tool
    where
        A: Arguments + 'static,
        R: Answer + 'static,
    {
        let sparing = Tool { check: self.check, ..Tool::new(self.spec, run) };
        Tool { sparing: Some(Box::new((reads, sparing))), ..self }
    }

    /// Checks that arguments fit together; the binder has checked each of them.
    pub fn check(&self, given: &Given<'_>, settings: &Settings) -> Result<(), ToolError> {
        self.check.map_or(Ok(()), |check| check(given, settings))
    }

    /// Like [`Tool::check`], with all arguments of a call.
    #[inline]
    pub(super) fn check_all(&self, args: &[Option<Value>], settings: &Settings) -> Result<(), ToolError> {
        let Some(check) = self.check else { return Ok(()) };
        let given: Vec<GivenArg<'_>> =
            args.iter().map(|arg| arg.as_ref().map_or(GivenArg::Absent, GivenArg::Value)).collect();
        check(&Given::new(self.params, &given), settings)
    }

    /// Whether the tool works on values alone, so that it may take its arguments out of the caller's slots.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns the binder for the tool's parameters.
    pub fn binder(&self) -> Binder {
        Binder { callee: self.spec.name, params: self.params }
    }

    /// Runs the tool. Only the gate may call this.
    pub(super) fn run(&self, context: &mut Context<'_>, bound: &mut Bound<'_>) -> Result<Value, Box<ToolError>> {
        (self.run)(context, bound)
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec.name)
    }
}

/// The index of a tool in its registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolId(u16);

/// The cheaper variant of a tool for scripts that read only some fields of its records.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// The fields that the script may read.
    pub reads: Fields,
    /// The variant.
    pub tool: ToolId,
}

/// All tools of an engine.
#[derive(Debug)]
pub struct Registry {
    /// The named tools, followed by the variants.
    tools: Vec<Tool>,
    /// Number of named tools.
    named: usize,
    sparing: Vec<(ToolId, Projection)>,
    by_name: HashMap<Name<'static>, ToolId, FixedState>,
}

impl Registry {
    /// Creates a registry of these tools, in this order.
    ///
    /// # Panics
    /// Panics if two tools share a name; a test of the built-in tools rules that out.
    pub fn new(mut tools: Vec<Tool>) -> Registry {
        // Built at every start, so names are not copied. They are our own, so nobody can choose them to collide, and
        // a fixed hash seed is safe.
        let mut by_name = HashMap::with_capacity_and_hasher(tools.len() * 4, FixedState::default());
        for (number, tool) in tools.iter().enumerate() {
            for name in names_of(&tool.spec) {
                let other = by_name.insert(name, ToolId(number as u16));
                assert!(other.is_none_or(|other| other.0 == number as u16), "two tools share a name of {tool:?}");
            }
        }
        let named = tools.len();
        let mut sparing = Vec::new();
        for number in 0..named {
            if let Some(its) = tools[number].sparing.take() {
                let (reads, tool) = *its;
                sparing.push((ToolId(number as u16), Projection { reads, tool: ToolId(tools.len() as u16) }));
                tools.push(tool);
            }
        }
        Registry { tools, named, sparing, by_name }
    }

    /// Finds a tool by its script name, wire name or an alias, without regard to case; `TOOL.X` and `tool.fs.X` find
    /// `FS.X`.
    pub fn find(&self, name: &str) -> Option<ToolId> {
        let name = Name::new(name);
        let find = |name: Name<'_>| self.by_name.get(&name).copied();
        find(name).or_else(|| if name.0.contains('.') { None } else { find(Name(&format!("fs.{}", name.0))) })
    }

    /// Returns the script name that an unknown name probably means: by its purpose, else by its spelling. Returns
    /// `None` if a name with a foreign namespace merely resembles another by its letters.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        self.meant(name).or_else(|| self.misspelt(name))
    }

    /// Returns the tool with the purpose of a name from another language or library.
    pub fn meant(&self, name: &str) -> Option<&'static str> {
        let groups = name.rsplit_once('.').map_or(&[][..], |(namespace, _)| groups::meant_by(namespace));
        let purposes: Vec<_> = self.iter().map(|tool| tool.spec.purpose()).collect();
        meant(name, groups, &purposes).map(|found| found.name)
    }

    /// Returns the tool whose name is misspelled.
    fn misspelt(&self, name: &str) -> Option<&'static str> {
        match name.rsplit_once('.') {
            Some((namespace, tail)) => self.nearest_in_group(namespace, tail),
            None => self.nearest_tail(name),
        }
    }

    /// Returns the nearest tool by the part after the dot, which many tools may share for short names.
    fn nearest_tail(&self, name: &str) -> Option<&'static str> {
        let names = || self.iter().map(|tool| tool.spec.name);
        let tail = |name: &'static str| name.rsplit('.').next().unwrap_or(name);
        let near = nearest(name, names().map(tail))?;
        let allowed = if name.chars().count() < LONG_NAME { 1 } else { 2 };
        names().find(|name| tail(name) == near).filter(|_| edits(name, near) <= allowed)
    }

    /// Returns the nearest tool of the same group, by any of its names in that group.
    fn nearest_in_group(&self, namespace: &str, wanted: &str) -> Option<&'static str> {
        let group = namespace.to_ascii_lowercase();
        let group = group.strip_prefix("tool.").unwrap_or(&group);
        let in_group = |tool: &Tool, group: &str| {
            let names = [tool.spec.name].into_iter().chain(tool.spec.aliases.iter().copied());
            let parts = names.filter_map(|name| name.rsplit_once('.'));
            let tails =
                parts.filter(|(its, _)| its.eq_ignore_ascii_case(group)).map(|(_, tail)| (tail, tool.spec.name));
            tails.collect::<Vec<_>>()
        };
        let members = |group: &str| self.iter().flat_map(|tool| in_group(tool, group)).collect::<Vec<_>>();
        let mut found: Vec<(&str, &'static str)> = members(group);
        if found.is_empty()
            && let Some(near) = groups::misspelt(group)
        {
            found = members(near);
        }
        let near = nearest(wanted, found.iter().map(|(tail, _)| *tail))?;
        let allowed = wanted.chars().count().div_ceil(4);
        if edits(wanted, near) > allowed {
            return None;
        }
        found.into_iter().find(|(tail, _)| *tail == near).map(|(_, name)| name)
    }

    /// Returns the tool with this index.
    pub fn get(&self, id: ToolId) -> &Tool {
        &self.tools[id.0 as usize]
    }

    /// Returns the cheaper variant of a tool, if it has one.
    pub fn projection(&self, id: ToolId) -> Option<Projection> {
        self.sparing.iter().find(|(of, _)| *of == id).map(|(_, sparing)| *sparing)
    }

    /// Returns all named tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.tools[..self.named].iter()
    }
}

/// Returns the edit distance, without regard to case.
fn edits(wanted: &str, near: &str) -> usize {
    strsim::damerau_levenshtein(&wanted.to_lowercase(), &near.to_lowercase())
}

/// Minimum length in characters of a name that may differ by two edits.
const LONG_NAME: usize = 8;

/// A name of a tool, without `tool.`, compared without regard to case.
#[derive(Clone, Copy, Debug, Eq)]
struct Name<'a>(&'a str);

impl<'a> Name<'a> {
    fn new(name: &'a str) -> Name<'a> {
        match name.split_at_checked("tool.".len()) {
            Some((group, rest)) if group.eq_ignore_ascii_case("tool.") => Name(rest),
            _ => Name(name),
        }
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Name<'_>) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
}

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Eight bytes at a time. Setting one bit folds the case of letters; it may make other characters equal too,
        // which is harmless in a hash.
        for piece in self.0.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..piece.len()].copy_from_slice(piece);
            state.write_u64(u64::from_le_bytes(bytes) | 0x2020_2020_2020_2020);
        }
    }
}

/// Returns every name of a tool.
fn names_of(spec: &Spec) -> impl Iterator<Item = Name<'static>> {
    [spec.name, spec.wire].into_iter().chain(spec.aliases.iter().copied()).map(Name::new)
}
