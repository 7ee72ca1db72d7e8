//! The page of a tool, and the list of tools, for a terminal.

use crate::terminal::table::new_table;
use crate::toolkit::{Example, Kind, Param, WhenAbsent, groups, schema};

use super::layout::{indented, wrapped};
use super::tool_entry::{ToolEntry, display};

/// Formats entries as a table, with a heading for each group.
pub fn listing(entries: &[ToolEntry<'_>]) -> String {
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
pub fn tool_page(entry: ToolEntry<'_>) -> String {
    let spec = entry.spec;
    let mut text = format!("{}\n  {}\n\n{}\n", entry.signature(), spec.summary, wrapped(spec.details));
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

/// Formats one entry as Markdown, for editors.
pub fn tool_markdown(entry: ToolEntry<'_>) -> String {
    format!("### `{}`\n\n{}", entry.signature(), description(entry))
}

/// Describes one entry as Markdown, without its signature.
pub fn description(entry: ToolEntry<'_>) -> String {
    let spec = entry.spec;
    let mut text = format!("{}.\n\n{}\n\n", spec.summary, spec.details);
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

/// Returns the value that a parameter has when it is left out.
fn absent(param: &Param) -> String {
    match param.absent {
        WhenAbsent::Required => "required".to_owned(),
        WhenAbsent::Absent => "optional".to_owned(),
        WhenAbsent::Is(literal) | WhenAbsent::Configured(literal) => display(literal),
    }
}
