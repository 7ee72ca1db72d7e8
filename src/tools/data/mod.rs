//! `CSV`, `TOML` and `YAML`: data as other programs write it.

mod csv_read;
mod csv_record;
mod csv_write;
mod toml;
mod yaml;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![csv_read::tool(), csv_write::tool()];
    tools.extend(toml::tools());
    tools.extend(yaml::tools());
    tools
}
