//! What a script means: names resolved, calls bound, constants known.
//!
//! It takes the tree of `syntax` and the declarations of `toolkit`, and gives the tree that `eval`
//! compiles. Nothing runs here.

mod builtin;
pub mod cut;
pub mod lint;
mod lower;
mod over;
pub mod pages;
mod scope;
mod spare;
pub mod tree;
mod unit;

pub use crate::syntax::{Part, Template};
pub use builtin::Builtin;
pub use lower::{Surroundings, lower};
pub use over::Over;
pub use spare::spared;
pub use unit::{Module, ModuleId, Unit, Uses};
