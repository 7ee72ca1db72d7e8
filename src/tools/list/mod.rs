//! `LIST`: functions on lists. The list itself always stays as it is.

mod element;
mod extreme;
mod group;
mod key;
mod member;
mod reshape;
mod slice;
mod sort;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = element::tools();
    tools.extend(slice::tools());
    tools.push(sort::tool());
    tools.extend(member::tools());
    tools.extend(group::tools());
    tools.extend(extreme::tools());
    tools.extend(reshape::tools());
    tools
}
