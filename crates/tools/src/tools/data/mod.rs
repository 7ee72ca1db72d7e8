//! `CSV`, `TOML`, `YAML`, `INI` and `XML`: data formats of other programs.

mod csv_quotes;
mod csv_read;
mod csv_record;
mod csv_rows;
mod csv_write;
mod csv_writer;
mod ini;
mod toml;
mod xml;
mod yaml;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![csv_read::tool(), csv_rows::tool(), csv_write::tool()];
    tools.extend(toml::tools());
    tools.extend(yaml::tools());
    tools.extend(ini::tools());
    tools.push(xml::tool());
    tools
}
