//! `STR` and `TEXT`: functions on texts. Positions and lengths are in characters.

mod change;
mod code;
mod color;
mod difference;
mod format;
mod pad;
mod parts;
mod search;
mod similarity;
mod template;
mod url;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = change::tools();
    tools.extend(parts::tools());
    tools.extend(search::tools());
    tools.extend(pad::tools());
    tools.extend([format::tool(), similarity::tool(), color::tool()]);
    tools.extend(code::tools());
    tools.extend(url::tools());
    tools.extend([template::tool(), difference::tool()]);
    tools
}
