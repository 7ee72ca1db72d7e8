//! Expressions that were compiled for the variables of a body.

use std::collections::HashMap;
use std::rc::Rc;

use crate::eval::{BodyId, Compiled};
use crate::text::Sources;

/// Expressions that were compiled, by their body and text.
pub(super) type Watches = HashMap<WatchKey, Rc<Watch>>;

/// The body and text of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct WatchKey {
    pub body: Option<BodyId>,
    pub module: Option<usize>,
    pub text: String,
}

/// A compiled expression.
pub(super) struct Watch {
    pub sources: Rc<Sources>,
    pub compiled: Compiled,
    pub procedure: usize,
    /// The variables of the body that are its parameters.
    pub slots: Vec<usize>,
    /// The first tool that does more than compute, or `EMIT`.
    pub impurity: Option<&'static str>,
}
