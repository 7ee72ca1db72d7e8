//! `CSV`, `TOML` and `YAML`: data as other programs write it.

mod csv_read;
mod csv_record;
mod csv_write;
mod toml;
mod yaml_read;
mod yaml_scalar;
mod yaml_write;

use crate::toolkit::Tool;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![csv_read::tool(), csv_write::tool()];
    tools.extend(toml::tools());
    tools.extend([yaml_read::tool(), yaml_write::tool()]);
    tools
}
