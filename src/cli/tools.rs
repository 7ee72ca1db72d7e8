//! `ns tools [NAME]`

use serde_json::{Map, Value as Json};

use crate::engine::{HigherOrder, built_in_tools};
use crate::toolkit::{Declaration, Example, Kind, Literal, Param, Registry, Spec, WhenAbsent, groups, schema};

use super::args::{ToolFormat, ToolsArgs};
use super::definitions;
use super::exit::Exit;
use super::table::new_table;
use super::terminal::{print, report_error};

/// An entry of a listing: a tool, or a function that takes a procedure and is listed like a tool.
#[derive(Clone, Copy)]
pub struct Entry<'t> {
    /// Its declaration.
    pub spec: &'t Spec,
    params: &'t [Param],
    /// `None` for a function that takes a procedure, which only scripts can call.
    pub tool: Option<&'t Declaration>,
}

impl<'t> Entry<'t> {
    /// Returns the entry of a tool.
    pub fn of_tool(tool: &'t Declaration) -> Entry<'t> {
        Entry { spec: &tool.spec, params: tool.params, tool: Some(tool) }
    }

    fn of_function(over: HigherOrder) -> Entry<'t> {
        Entry { spec: over.spec(), params: over.params(), tool: None }
    }

    /// Returns its parameters: the name of each, and its form in a signature.
    pub fn parameters(&self) -> impl Iterator<Item = (&'t str, String)> + use<'t> {
        self.params.iter().map(|param| {
            let shown = match param.absent {
                WhenAbsent::Required => param.name.to_owned(),
                WhenAbsent::Absent => format!("{}?", param.name),
                WhenAbsent::Is(literal) | WhenAbsent::Configured(literal) => {
                    format!("{}: {}", param.name, display(literal))
                }
            };
            (param.name, shown)
        })
    }

    /// Returns its group.
    pub fn group(&self) -> &'t str {
        groups::group_of(self.spec.name)
    }
}

/// Returns all entries, by group.
pub fn entries(registry: &Registry) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = registry.iter().map(Entry::of_tool).collect();
    for over in HigherOrder::ALL {
        let function = Entry::of_function(over);
        let last = entries.iter().rposition(|entry| entry.group() == function.group());
        entries.insert(last.map_or(entries.len(), |last| last + 1), function);
    }
    entries
}

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
            Some(tool) => page(Entry::of_tool(tool)),
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
            Some(tool) => section(Entry::of_tool(tool)),
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
        let function = Entry::of_function(over);
        let text = if format == ToolFormat::Table { page(function) } else { section(function) };
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
        ToolFormat::Markdown => members.iter().map(|entry| section(*entry)).collect::<Vec<_>>().join("\n"),
        framework => pretty(&definitions::several(framework, tools).unwrap_or_default()),
    };
    print(&format!("{}\n", text.trim_end()))
}

/// Returns the entries whose names contain a text, or match a pattern with `*`.
pub(crate) fn tools_matching<'t>(registry: &'t Registry, pattern: &str) -> Vec<Entry<'t>> {
    let pattern = pattern.to_ascii_lowercase();
    let mut found = entries(registry);
    found.retain(|entry| matches(&pattern, &entry.spec.name.to_ascii_lowercase()));
    found
}

/// Returns the tool, or the function that takes a procedure, with a name.
pub(crate) fn entry_of<'t>(registry: &'t Registry, name: &str) -> Option<Entry<'t>> {
    let tool = registry.find(name).map(|id| Entry::of_tool(registry.get(id)));
    tool.or_else(|| HigherOrder::find(name).map(Entry::of_function))
}

fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return name.contains(pattern) };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        match parts.peek() {
            None => return part.is_empty() || name.ends_with(part),
            Some(_) => match name.find(part) {
                Some(at) => name = &name[at + part.len()..],
                None => return false,
            },
        }
    }
    true
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

/// Formats entries as a table, with a heading for each group.
pub fn listing(entries: &[Entry<'_>]) -> String {
    let mut table = new_table();
    table.set_header(["name", "wire name", "effect", "what it does"]);
    let mut last = "";
    for entry in entries {
        let (spec, group) = (entry.spec, entry.group());
        if group != last {
            table.add_row([""]);
            table.add_row([group, "", "", groups::title(group)]);
            last = group;
        }
        let wire = if entry.tool.is_some() { spec.wire } else { "" };
        table.add_row([&format!("  {}", spec.name), wire, spec.effect.word(), spec.summary]);
    }
    table.to_string()
}

/// Formats one entry for a terminal.
pub fn page(entry: Entry<'_>) -> String {
    let spec = entry.spec;
    let mut text = format!("{}\n  {}\n\n{}\n", signature(entry), spec.summary, wrapped(spec.details));
    if !entry.params.is_empty() {
        let mut table = new_table();
        for param in entry.params {
            table.add_row([
                format!("  {}", [&[param.name], param.aliases].concat().join(", ")),
                param.kind.word().to_owned(),
                absent(param),
                format!("{}{}", param.doc, allowed(param.kind)),
            ]);
        }
        text.push_str(&format!("\nArguments\n{table}\n"));
    }
    let Some(tool) = entry.tool else {
        let Example { script, output } = spec.example;
        let (script, output) = (indented(script), indented(output.trim_end_matches('\n')));
        return text + &format!("\nScripts alone can call it.\n\nExample\n{script}\nprints\n{output}");
    };
    let names: Vec<&str> = [spec.wire].into_iter().chain(spec.aliases.iter().copied()).collect();
    text.push_str(&format!(
        "\nOther names  {}\nEffect       {}, risk {}\nFailure      {}\nErrors       {}\n\nExample\n{}\nprints\n{}",
        names.join(", "),
        spec.effect.word(),
        spec.risk.word(),
        spec.failure.sentence(),
        schema::errors(tool).join(", "),
        indented(spec.example.script),
        indented(spec.example.output.trim_end_matches('\n')),
    ));
    text
}

/// Wraps a text into lines of at most 96 bytes.
pub fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.len() + 1 + word.len() > 96 {
            lines.push(word.to_owned());
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.join("\n")
}

/// Indents each line of a text by two spaces.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Formats a signature, such as `FS.ReadFile(file_path, max_lines: 0)`.
pub fn signature(entry: Entry<'_>) -> String {
    let params: Vec<String> = entry.parameters().map(|(_, shown)| shown).collect();
    format!("{}({})", entry.spec.name, params.join(", "))
}

fn display(literal: Literal) -> String {
    match literal {
        Literal::Bool(truth) => truth.to_string(),
        Literal::Int(number) => number.to_string(),
        Literal::Text(text) => format!("\"{text}\""),
    }
}

/// Returns the values that a parameter accepts, if it accepts only certain words.
fn allowed(kind: Kind) -> String {
    match kind {
        Kind::Word(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!(": {}", words.join(", "))
        }
        _ => String::new(),
    }
}

fn absent(param: &Param) -> String {
    match param.absent {
        WhenAbsent::Required => "required".to_owned(),
        WhenAbsent::Absent => "optional".to_owned(),
        WhenAbsent::Is(literal) | WhenAbsent::Configured(literal) => display(literal),
    }
}

/// Returns the reference documentation, `docs/tools.md`.
fn reference(entries: &[Entry<'_>]) -> String {
    let mut text =
        "# Tools\n\nMade by `ns tools --format markdown` from the declarations; a test fails when it is stale.\n\
        Names are found without regard to case; `TOOL.X` and `tool.fs.X` find `FS.X`.\n\
        As names of arguments the letters of the guide are known too: `t` for `text` or `time`, `l` for `list`, `m` for \
        `map`, `k` for `key`, `n` for `count`, `p` for `path`, `v` for `value`.\n\
        Every call can also fail with `bad_args`, `policy_denied`, `limit_exceeded` or `cancelled`.\n\n"
            .to_owned();
    let mut names: Vec<&str> = entries.iter().map(Entry::group).collect();
    names.dedup();
    for group in &names {
        text.push_str(&format!("- [`{group}`](#{}): {}\n", group.to_ascii_lowercase(), groups::title(group)));
    }
    for group in names {
        text.push_str(&format!("\n## {group}\n"));
        for entry in entries.iter().filter(|entry| entry.group() == group) {
            text.push('\n');
            text.push_str(&section(*entry));
        }
    }
    text.push_str(&old_names(entries));
    text
}

/// Lists the earlier and alternative names of parameters, each with its current name.
fn old_names(entries: &[Entry<'_>]) -> String {
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

fn section(entry: Entry<'_>) -> String {
    let spec = entry.spec;
    let mut text = format!("### `{}`\n\n{}.\n\n{}\n\n", signature(entry), spec.summary, spec.details);
    let aliases = spec.aliases.iter().map(|alias| format!(", `{alias}`")).collect::<String>();
    text.push_str(&match entry.tool {
        Some(_) => format!("- Other names: `{}`{aliases}\n", spec.wire),
        None => "- Scripts alone can call it\n".to_owned(),
    });
    text.push_str(&format!(
        "- Effect: {}, risk {}\n- Failure: {}\n",
        spec.effect.word(),
        spec.risk.word(),
        spec.failure.sentence()
    ));
    if !spec.errors.is_empty() {
        let codes: Vec<String> = spec.errors.iter().map(|code| format!("`{}`", code.id())).collect();
        text.push_str(&format!("- Errors: {}\n", codes.join(", ")));
    }
    if !entry.params.is_empty() {
        text.push_str("\n| argument | type | when left out | meaning |\n|---|---|---|---|\n");
        for param in entry.params {
            let others = param.aliases.iter().map(|alias| format!(", also `{alias}`")).collect::<String>();
            text.push_str(&format!(
                "| `{}`{others} | {} | {} | {}{} |\n",
                param.name,
                param.kind.word(),
                absent(param),
                param.doc,
                range(param)
            ));
        }
    }
    text.push_str(&format!(
        "\n```neuroscript\n{}\n```\n\n```text\n{}\n```\n",
        spec.example.script,
        spec.example.output.trim_end_matches('\n')
    ));
    text
}

/// Returns the values that a parameter accepts, for the documentation.
fn range(param: &Param) -> String {
    match param.kind {
        Kind::Int { min: i64::MIN, .. } | Kind::IntOrNil { min: i64::MIN, .. } => String::new(),
        Kind::Int { min, max: i64::MAX } | Kind::IntOrNil { min, max: i64::MAX } => format!("; at least {min}"),
        Kind::Int { min, max } | Kind::IntOrNil { min, max } => format!("; {min} to {max}"),
        Kind::Word(words) => format!("; one of {}", words.join(", ")),
        _ => String::new(),
    }
}
