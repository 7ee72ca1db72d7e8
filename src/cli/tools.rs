//! `ns tools [NAME]`

use serde_json::{Map, Value as Json};

use crate::engine::{HigherOrder, built_in_tools};
use crate::manual::{ToolEntry, entries, listing, tool_markdown, tool_page};
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};
use crate::toolkit::{Registry, groups, schema};

use super::args::{ToolFormat, ToolsArgs};
use super::definitions;

pub fn tools(args: &ToolsArgs) -> Exit {
    let registry = built_in_tools();
    let one = match &args.name {
        None => None,
        // The name of a group may also find a tool: `LIST` is `FS.List` without its group.
        Some(name) => match registry.find(name).filter(|_| groups::title(&name.to_ascii_uppercase()).is_empty()) {
            Some(id) => Some(registry.get(id)),
            None => return group(&registry, name, args.format),
        },
    };
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
            None => reference(&entries(&registry)),
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
        return unknown(registry, name);
    }
    let tools = members.iter().filter_map(|entry| entry.tool);
    let schemas = tools.clone().map(|tool| (tool.spec.wire.to_owned(), schema::input_schema(tool)));
    let text = match format {
        ToolFormat::Table => listing(&members),
        ToolFormat::Json => pretty(&tools.map(schema::declaration).collect()),
        ToolFormat::JsonSchema => pretty(&Json::Object(schemas.collect())),
        ToolFormat::Markdown => members.iter().map(|entry| tool_markdown(*entry)).collect::<Vec<_>>().join("\n"),
        framework => pretty(&definitions::several(framework, tools).unwrap_or_default()),
    };
    print(&format!("{}\n", text.trim_end()))
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

/// Returns the reference documentation, `docs/tools.md`.
fn reference(entries: &[ToolEntry<'_>]) -> String {
    let mut text =
        "# Tools\n\nMade by `ns tools --format markdown` from the declarations; a test fails when it is stale.\n\
        Names are found without regard to case; `TOOL.X` and `tool.fs.X` find `FS.X`.\n\
        As names of arguments the letters of the guide are known too: `t` for `text` or `time`, `l` for `list`, `m` for \
        `map`, `k` for `key`, `n` for `count`, `p` for `path`, `v` for `value`.\n\
        Every call can also fail with `bad_args`, `policy_denied`, `limit_exceeded` or `cancelled`.\n\n"
            .to_owned();
    let mut names: Vec<&str> = entries.iter().map(ToolEntry::group).collect();
    names.dedup();
    for group in &names {
        text.push_str(&format!("- [`{group}`](#{}): {}\n", group.to_ascii_lowercase(), groups::title(group)));
    }
    for group in names {
        text.push_str(&format!("\n## {group}\n"));
        for entry in entries.iter().filter(|entry| entry.group() == group) {
            text.push('\n');
            text.push_str(&tool_markdown(*entry));
        }
    }
    text.push_str(&old_names(entries));
    text
}

/// Lists the earlier and alternative names of parameters, each with its current name.
fn old_names(entries: &[ToolEntry<'_>]) -> String {
    let mut text = "\n## Old names of arguments\n\n\
        A tool that takes a file takes it first and calls it `path`; where there are two, `source` and `destination`.\n\
        The names of the documents and of earlier versions are accepted everywhere: in scripts, in JSON, by servers and \
        in documents.\n\n\
        | tool | old name | name |\n|---|---|---|\n"
        .to_owned();
    for entry in entries {
        for (param, alias) in
            entry.params.iter().flat_map(|param| param.aliases.iter().map(move |alias| (param, alias)))
        {
            text.push_str(&format!("| `{}` | `{alias}` | `{}` |\n", entry.spec.name, param.name));
        }
    }
    text
}
