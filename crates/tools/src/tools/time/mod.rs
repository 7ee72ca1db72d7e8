//! `TIME`: times as RFC 3339 texts in UTC, such as `2024-05-01T12:00:00Z`, which the file tools also return.
//! Such texts sort in chronological order.

mod calendar;
pub(in crate::tools) mod moment;
mod now;
mod shift;
mod show;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = now::tools();
    tools.extend(show::tools());
    tools.extend(shift::tools());
    tools.extend(calendar::tools());
    tools
}
