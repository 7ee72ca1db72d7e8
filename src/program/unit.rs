//! The texts of one program: a script, and the modules that it uses.

use std::collections::HashMap;

use compact_str::CompactString;

use crate::syntax::ast::Tree;
use crate::text::Span;

/// A parsed text with what its names of modules stand for.
#[derive(Debug, Default)]
pub struct Unit {
    /// The text.
    pub tree: Tree,
    /// The modules that it uses.
    pub uses: Uses,
}

/// Modules by the names that USE gives them; none for one that could not be read.
pub type Uses = HashMap<CompactString, Option<ModuleId>>;

/// The number of a module among those of a run or a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub u32);

/// A file whose procedures others call.
#[derive(Debug)]
pub struct Module {
    /// What it holds.
    pub unit: Unit,
    /// The stretch of its text.
    pub span: Span,
}
