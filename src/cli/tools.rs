//! `ns tools [NAME]`: a tool, a group, or the tools for a purpose.

use serde_json::{Map, Value as Json};

use crate::engine::{HigherOrder, built_in_tools};
use crate::manual::{ToolEntry, entries, group_page, index_page, listing, serving, tool_markdown, tool_page};
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};
use crate::text::safe;
use crate::toolkit::{Registry, groups, schema};

use super::args::{ToolFormat, ToolsArgs};
use super::definitions;

pub fn tools(args: &ToolsArgs) -> Exit {
    let registry = built_in_tools();
    let name = args.name.join(" ");
    // The name of a group may also find a tool: `LIST` is `FS.List` without its group.
    let is_group = !groups::title(&name.to_ascii_uppercase()).is_empty();
    let one = registry.find(&name).filter(|_| !is_group && !name.is_empty()).map(|id| registry.get(id));
    if one.is_none() && !name.is_empty() {
        return group(&registry, &name, args.format);
    }
    let text = match args.format {
        ToolFormat::Table => match one {
            Some(tool) => tool_page(ToolEntry::of_tool(tool)),
            None => listing(&entries(&registry)),
        },
        ToolFormat::Json => pretty(&match one {
            Some(tool) => schema::declaration(tool),
            None => registry.iter().map(schema::declaration).collect(),
        }),
        ToolFormat::JsonSchema => pretty(&match one {
            Some(tool) => schema::input_schema(tool),
            None => {
                let schemas = registry.iter().map(|tool| (tool.spec.wire.to_owned(), schema::input_schema(tool)));
                Json::Object(schemas.collect::<Map<_, _>>())
            }
        }),
        ToolFormat::Markdown => match one {
            Some(tool) => tool_markdown(ToolEntry::of_tool(tool)),
            None => index_page(&entries(&registry)),
        },
        framework => pretty(&match one {
            Some(tool) => definitions::definition_of(framework, tool).unwrap_or_default(),
            None => definitions::several(framework, registry.iter()).unwrap_or_default(),
        }),
    };
    print(&format!("{}\n", text.trim_end()))
}

/// Prints a group, or a function that takes a procedure. Reports an unknown name.
fn group(registry: &Registry, name: &str, format: ToolFormat) -> Exit {
    if let (Some(over), ToolFormat::Table | ToolFormat::Markdown) = (HigherOrder::find(name), format) {
        let function = ToolEntry::of_function(over);
        let text = if format == ToolFormat::Table { tool_page(function) } else { tool_markdown(function) };
        return print(&format!("{}\n", text.trim_end()));
    }
    let mut members = entries(registry);
    members.retain(|entry| entry.group().eq_ignore_ascii_case(name));
    if members.is_empty() {
        return by_purpose(registry, name, format);
    }
    let tools = members.iter().filter_map(|entry| entry.tool);
    let schemas = tools.clone().map(|tool| (tool.spec.wire.to_owned(), schema::input_schema(tool)));
    let text = match format {
        ToolFormat::Table => listing(&members),
        ToolFormat::Json => pretty(&tools.map(schema::declaration).collect()),
        ToolFormat::JsonSchema => pretty(&Json::Object(schemas.collect())),
        ToolFormat::Markdown => group_page(members[0].group(), &members),
        framework => pretty(&definitions::several(framework, tools).unwrap_or_default()),
    };
    print(&format!("{}\n", text.trim_end()))
}

/// Prints the tools for a purpose, as `ns doc` finds them. Without any, the name is unknown.
fn by_purpose(registry: &Registry, name: &str, format: ToolFormat) -> Exit {
    let found = serving(registry, name);
    if found.is_empty() || format != ToolFormat::Table {
        return unknown(registry, name);
    }
    let head = format!("no tool is called `{}`; these are about it:", safe::name(name));
    print(&format!("{head}\n{}\n", listing(&found).trim_end()))
}

fn unknown(registry: &Registry, name: &str) -> Exit {
    let help = match registry.nearest(name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`ns tools` lists them".to_owned(),
    };
    report_error(&format!("there is no tool `{name}`"), &help);
    Exit::Usage
}

fn pretty(json: &Json) -> String {
    serde_json::to_string_pretty(json).expect("JSON has a text")
}
