//! `INI`: sections with keys, as configuration files of many programs have them.
//!
//! No crate reads and writes them: the crates for INI lose the line of an error and the order of keys, or bring a hash of
//! their own. The form is that of Python's `configparser`, the most widespread one with a description.

mod edit;
mod layout;
mod read;
mod write;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![read::tool(), write::tool()];
    tools.extend(edit::tools());
    tools
}
