//! `REGEX`: regular expressions with the syntax of the `regex` crate: no backtracking, so searches take linear
//! time.

mod capture;
pub mod compile;
pub mod excess;
pub mod expression;
pub mod parse;
mod replace;
mod search;
mod simulation;
mod stepper;
pub mod stepwise;
pub mod template;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = search::tools();
    tools.extend(capture::tools());
    tools.extend(replace::tools());
    tools
}
