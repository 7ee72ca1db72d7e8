//! The registry of the declarations of tools, and the lookup of their names.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use foldhash::fast::FixedState;

use crate::text::{meant, nearest};

use super::declaration::Declaration;
use super::groups;
use super::spec::Spec;

/// Names of record fields.
pub type Fields = &'static [&'static str];

/// The index of a tool in its registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolId(u16);

impl ToolId {
    /// Returns the id of the tool with this index.
    pub fn new(index: usize) -> ToolId {
        ToolId(index as u16)
    }

    /// Returns the index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

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
    tools: Vec<Declaration>,
    /// Number of named tools.
    named: usize,
    projections: Vec<(ToolId, Projection)>,
    by_name: HashMap<Name<'static>, ToolId, FixedState>,
}

impl Registry {
    /// Creates a registry of these tools, in this order.
    ///
    /// # Panics
    /// Panics if two tools share a name; a test of the built-in tools rules that out.
    pub fn new(tools: Vec<Declaration>) -> Registry {
        // Built at every start, so names are not copied. They are our own, so nobody can choose them to collide, and
        // a fixed hash seed is safe.
        let mut by_name = HashMap::with_capacity_and_hasher(tools.len() * 4, FixedState::default());
        for (number, tool) in tools.iter().enumerate() {
            for name in names_of(&tool.spec) {
                let other = by_name.insert(name, ToolId::new(number));
                assert!(other.is_none_or(|other| other.index() == number), "two tools share a name of {tool:?}");
            }
        }
        Registry { named: tools.len(), tools, projections: Vec::new(), by_name }
    }

    /// Adds a cheaper variant of a tool, for scripts that read only these fields of its records. No name finds it.
    pub fn add_variant(&mut self, of: ToolId, reads: Fields, variant: Declaration) {
        self.projections.push((of, Projection { reads, tool: ToolId::new(self.tools.len()) }));
        self.tools.push(variant);
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
        let in_group = |tool: &Declaration, group: &str| {
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
    pub fn get(&self, id: ToolId) -> &Declaration {
        &self.tools[id.index()]
    }

    /// Returns the cheaper variant of a tool, if it has one.
    pub fn projection(&self, id: ToolId) -> Option<Projection> {
        self.projections.iter().find(|(of, _)| *of == id).map(|(_, projection)| *projection)
    }

    /// Returns all named tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Declaration> {
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
