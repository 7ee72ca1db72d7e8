//! `REGEX`: regular expressions, as the crate `regex` has them: no backtracking, so no text makes one slow.

mod capture;
pub mod compile;
mod expression;
mod replace;
mod search;
mod stepper;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = search::tools();
    tools.extend(capture::tools());
    tools.extend(replace::tools());
    tools
}
