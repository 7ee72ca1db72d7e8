//! Semantic analysis of scripts: resolves names, binds calls and evaluates constants.
//!
//! It takes the tree of `syntax` and the declarations of `toolkit`, and produces the tree that `eval` compiles. Nothing
//! runs here.
//!
//! There are two trees. `syntax::ast` is what was written, for lowering, the formatter, the editor and lints. [`tree`]
//! is what it means, for `eval` and analyses such as `projection`. Neither knows the users of the other, so a new
//! spelling changes only the first and an optimization only the second. The lowered tree is plain data, so that it can
//! be inspected without a run.

mod builtin;
mod discard;
mod entry;
mod higher_order;
mod interface;
pub mod known;
mod last_use;
pub mod lint;
mod literal;
mod lower;
pub mod pages;
mod parts;
mod projection;
mod pureness;
mod reads;
mod scope;
mod statements;
mod symbols;
pub mod tree;
pub mod truncation;
mod unit;

pub use crate::syntax::{Part, Template};
pub use builtin::Builtin;
pub use discard::{discard_unread, mark_unread};
pub use entry::Entry;
pub use higher_order::HigherOrder;
pub use interface::{Bound, Element, Interface, Kind, OWN_OPTIONS, Parameter, Role, Words, is_option, may_read_args};
pub use known::KnownProcedures;
pub use last_use::{Observed, mark_last_uses, mark_procedures};
pub use literal::literal;
pub use lower::{Environment, lower, param_of};
pub use projection::projectable_calls;
pub use pureness::impurity;
pub use symbols::{Occurrence, OccurrenceRole, Occurrences, Symbol, SymbolText, constant, occurrences};
pub use unit::{Module, ModuleId, Unit, Uses};
