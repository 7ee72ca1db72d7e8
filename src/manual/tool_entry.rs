//! The tools and the functions that scripts call like tools, each with its declaration.

use crate::engine::HigherOrder;
use crate::toolkit::{Declaration, Literal, Param, Registry, Spec, WhenAbsent, groups};

/// An entry of a listing: a tool, or a function that takes a procedure and is listed like a tool.
#[derive(Clone, Copy)]
pub struct ToolEntry<'t> {
    /// Its declaration.
    pub spec: &'t Spec,
    /// Its parameters.
    pub params: &'t [Param],
    /// `None` for a function that takes a procedure, which only scripts can call.
    pub tool: Option<&'t Declaration>,
}

impl<'t> ToolEntry<'t> {
    /// Returns the entry of a tool.
    pub fn of_tool(tool: &'t Declaration) -> ToolEntry<'t> {
        ToolEntry { spec: &tool.spec, params: tool.params, tool: Some(tool) }
    }

    /// Returns the entry of a function that takes a procedure.
    pub fn of_function(over: HigherOrder) -> ToolEntry<'t> {
        ToolEntry { spec: over.spec(), params: over.params(), tool: None }
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

    /// Formats its signature, such as `FS.ReadFile(file_path, max_lines: 0)`.
    pub fn signature(&self) -> String {
        let params: Vec<String> = self.parameters().map(|(_, shown)| shown).collect();
        format!("{}({})", self.spec.name, params.join(", "))
    }

    /// Formats its signature in lines of at most 96 bytes, each broken between parameters.
    pub fn wrapped_signature(&self) -> String {
        let mut text = format!("{}(", self.spec.name);
        let mut width = text.len();
        let count = self.params.len();
        for (number, (_, shown)) in (1..).zip(self.parameters()) {
            let shown = if number == count { shown } else { shown + "," };
            if number > 1 && width + 1 + shown.len() > 95 {
                text.push_str("\n    ");
                width = 4;
            } else if number > 1 {
                text.push(' ');
                width += 1;
            }
            text.push_str(&shown);
            width += shown.len();
        }
        text + ")"
    }
}

/// Returns all entries, by group.
pub fn entries(registry: &Registry) -> Vec<ToolEntry<'_>> {
    let mut entries: Vec<ToolEntry<'_>> = registry.iter().map(ToolEntry::of_tool).collect();
    for over in HigherOrder::ALL {
        let function = ToolEntry::of_function(over);
        let last = entries.iter().rposition(|entry| entry.group() == function.group());
        entries.insert(last.map_or(entries.len(), |last| last + 1), function);
    }
    entries
}

/// Returns the entries whose names contain a text, or match a pattern with `*`.
pub fn tools_matching<'t>(registry: &'t Registry, pattern: &str) -> Vec<ToolEntry<'t>> {
    let pattern = pattern.to_ascii_lowercase();
    let mut found = entries(registry);
    found.retain(|entry| matches(&pattern, &entry.spec.name.to_ascii_lowercase()));
    found
}

/// Returns the tool, or the function that takes a procedure, with a name.
pub fn entry_of<'t>(registry: &'t Registry, name: &str) -> Option<ToolEntry<'t>> {
    let tool = registry.find(name).map(|id| ToolEntry::of_tool(registry.get(id)));
    tool.or_else(|| HigherOrder::find(name).map(ToolEntry::of_function))
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

/// Formats a literal as a script writes it.
pub fn display(literal: Literal) -> String {
    match literal {
        Literal::Bool(truth) => truth.to_string(),
        Literal::Int(number) => number.to_string(),
        Literal::Text(text) => format!("\"{text}\""),
    }
}
