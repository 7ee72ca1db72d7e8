//! `LIST`: functions on lists. They never change their arguments.

mod element;
mod extreme;
mod group;
mod key;
mod member;
mod reshape;
mod slice;
mod sort;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
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
