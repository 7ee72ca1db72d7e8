//! `STR`: functions on texts. Positions and lengths are in characters.

mod change;
mod pad;
mod parts;
mod search;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = change::tools();
    tools.extend(parts::tools());
    tools.extend(search::tools());
    tools.extend(pad::tools());
    tools
}
