//! The texts of one program: a script and the modules that it uses.

use std::collections::HashMap;

use compact_str::CompactString;

use crate::syntax::ast::Tree;
use crate::text::Span;

/// A parsed text and its resolved module names.
#[derive(Debug, Default)]
pub struct Unit {
    /// The parsed text.
    pub tree: Tree,
    /// The modules that it uses.
    pub uses: Uses,
}

/// Modules by the names that USE gives them; `None` for a module that could not be read.
pub type Uses = HashMap<CompactString, Option<ModuleId>>;

/// The number of a module in a run or a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub u32);

/// A file whose procedures other texts can call.
#[derive(Debug)]
pub struct Module {
    /// The parsed module.
    pub unit: Unit,
    /// The span of its text.
    pub span: Span,
    /// The address of its file, which identifies it.
    pub address: String,
}
