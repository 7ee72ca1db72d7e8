//! Tools as they declare themselves: names, parameters, results and errors, and the binding of arguments.
//!
//! This room calls no tool: [`crate::gate`] does. A tool is a leaf: it gets a context and arguments, and returns a
//! value. It knows nothing about scripts and cannot reach the evaluator; functions that call a procedure are in
//! `program/higher_order`.
//!
//! A path is a kind of parameter with an [`Access`]: look, read, change or make. Errors have no source position: a tool
//! names the argument and the path, and the evaluator adds the span.

mod answer;
mod arguments;
mod bind;
mod bound;
mod declaration;
mod error;
mod excerpt;
mod form;
mod given;
pub mod groups;
mod guesses;
mod mistakes;
mod registry;
pub mod schema;
mod settings;
mod spec;

pub use crate::sandbox::BELOW_ROOT;
pub use answer::{Answer, AnyList, AnyMap, AnyValue, Number};
pub use arguments::Arguments;
pub use arguments::arguments;
pub use bind::{ArgError, Binder};
pub use bound::{Bound, BoundArg, BoundRef, ListedPath};
pub use declaration::{Check, Declaration};
pub use error::{BareError, FailureMode, ToolError};
pub use excerpt::{Body, Excerpt, LEAST, NextPart, Offset, excerpt, read_on, rest_as_json};
pub use form::Form;
pub use given::{Given, GivenArg};
pub use mistakes::{About, Mistake, StaticArg};
pub use registry::{Fields, Projection, Registry, ToolId};
pub use settings::{ListDirectorySettings, Settings};
pub use spec::{Access, Effect, Example, Failure, Kind, Literal, MediaFields, Param, Risk, Spec, WhenAbsent, name_of};
