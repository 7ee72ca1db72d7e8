//! Semantic analysis of scripts: resolves names, binds calls and evaluates constants.
//!
//! It takes the tree of `syntax` and the declarations of `toolkit`, and produces the tree that `eval` compiles. Nothing
//! runs here.

mod builtin;
pub mod cut;
mod entry;
mod interface;
pub mod lint;
mod literal;
mod lower;
mod over;
pub mod pages;
mod scope;
mod spare;
pub mod tree;
mod unit;

pub use crate::syntax::{Part, Template};
pub use builtin::Builtin;
pub use interface::{Bound, Element, Interface, Kind, OWN_OPTIONS, Parameter, Role, Words, is_option};
pub use literal::literal;
pub use lower::{Surroundings, lower, param_of};
pub use over::Over;
pub use spare::spared;
pub use unit::{Module, ModuleId, Unit, Uses};
