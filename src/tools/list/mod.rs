//! `LIST`: functions on lists.

mod slice;
mod sort;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    vec![sort::tool(), slice::tool(), slice::reverse_tool()]
}
