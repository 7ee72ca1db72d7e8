//! `TIME`: moments as RFC 3339 texts in UTC, such as `2024-05-01T12:00:00Z`, which is also what the tools on
//! files give. Such texts are ordered as the moments are.

mod calendar;
pub(in crate::tools) mod moment;
mod now;
mod shift;
mod show;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = now::tools();
    tools.extend(show::tools());
    tools.extend(shift::tools());
    tools.extend(calendar::tools());
    tools
}
