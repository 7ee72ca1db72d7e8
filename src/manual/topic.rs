//! Topics of pages, and how they are found: by name, by purpose and by a name that is nearly right.

use crate::engine::{Builtin, Page, pages};
use crate::terminal::table::new_table;
use crate::text::{Code, Purpose, ToolCode, edits, meant, nearest, search};
use crate::toolkit::{Registry, groups};

use super::commands::{COMMANDS, CommandTopic};
use super::tool_entry::{ToolEntry, entries};

/// A topic that has a page.
pub enum Topic<'a> {
    /// A part of the language.
    Part(&'static Page),
    /// A tool.
    Tool(ToolEntry<'a>),
    /// A group of tools, with its tools.
    Group(&'a str, Vec<ToolEntry<'a>>),
    /// A command of `ns`.
    Command(&'static CommandTopic),
    /// A code: id, title and explanation.
    Code(&'static str, &'static str, &'static str),
}

impl<'a> Topic<'a> {
    /// Returns the names that find it, its own first.
    pub fn names(&self) -> Vec<&'a str> {
        match self {
            Topic::Part(page) => page.names.to_vec(),
            Topic::Command(topic) => topic.names.to_vec(),
            Topic::Tool(entry) => vec![entry.spec.name],
            Topic::Group(name, _) | Topic::Code(name, ..) => vec![name],
        }
    }

    /// Returns the word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Topic::Part(page) => page.kind.word(),
            Topic::Tool(_) => "tool",
            Topic::Command(_) => "command",
            Topic::Group(..) => "group",
            Topic::Code(..) => "code",
        }
    }

    /// Returns what it does, in a sentence.
    pub fn summary(&self) -> &'a str {
        match self {
            Topic::Part(page) => page.summary,
            Topic::Tool(entry) => entry.spec.summary,
            Topic::Command(topic) => topic.summary,
            Topic::Group(name, _) => groups::title(name),
            Topic::Code(_, title, _) => title,
        }
    }

    /// Returns the words that a search matches; `None` for groups and codes.
    pub fn purpose(&self) -> Option<Purpose<'a>> {
        match self {
            Topic::Part(page) => Some(page.purpose()),
            Topic::Tool(entry) => Some(entry.spec.purpose()),
            Topic::Command(topic) => Some(topic.purpose()),
            Topic::Group(..) | Topic::Code(..) => None,
        }
    }
}

/// Maximum number of topics listed for a purpose.
const MOST_SIMILAR: usize = 9;

/// Returns tools, built-ins and statements that serve a purpose, best first. For a name with a dot only certain matches
/// count, because anything else is a misspelling.
pub fn similar<'r>(registry: &'r Registry, name: &str) -> Vec<Topic<'r>> {
    let topics: Vec<Topic<'r>> = topics(registry).filter(|topic| topic.purpose().is_some()).collect();
    let purposes: Vec<Purpose<'_>> = topics.iter().filter_map(Topic::purpose).collect();
    let found: Vec<&str> = match name.rsplit_once('.') {
        Some((namespace, _)) => {
            meant(name, groups::meant_by(namespace), &purposes).iter().map(|found| found.name).collect()
        }
        None => search(name, purposes.iter().copied()).iter().map(|found| found.name).collect(),
    };
    let mut similar: Vec<Topic<'r>> = topics.into_iter().filter(|topic| found.contains(&topic.names()[0])).collect();
    similar.sort_by_key(|topic| found.iter().position(|name| *name == topic.names()[0]));
    similar.truncate(MOST_SIMILAR);
    similar
}

/// Returns the tools among the topics that serve a purpose, best first.
pub fn serving<'r>(registry: &'r Registry, name: &str) -> Vec<ToolEntry<'r>> {
    let tools = similar(registry, name).into_iter().filter_map(|topic| match topic {
        Topic::Tool(entry) => Some(entry),
        _ => None,
    });
    tools.collect()
}

/// Returns every topic that has a page.
pub fn topics(registry: &Registry) -> impl Iterator<Item = Topic<'_>> {
    pages()
        .map(Topic::Part)
        .chain(groups_of(registry))
        .chain(entries(registry).into_iter().map(Topic::Tool))
        .chain(codes())
        .chain(COMMANDS.iter().map(Topic::Command))
}

pub fn groups_of(registry: &Registry) -> impl Iterator<Item = Topic<'_>> {
    let entries = entries(registry);
    let mut names: Vec<&str> = entries.iter().map(ToolEntry::group).collect();
    names.dedup();
    names.into_iter().map(move |name| {
        let members = entries.iter().filter(|entry| entry.group() == name);
        Topic::Group(name, members.copied().collect())
    })
}

pub fn codes<'a>() -> impl Iterator<Item = Topic<'a>> {
    let script = Code::ALL.iter().map(|code| Topic::Code(code.id(), code.title(), code.explanation()));
    script.chain(ToolCode::ALL.iter().map(|code| Topic::Code(code.id(), code.title(), code.explanation())))
}

/// Returns all topics of a name: `STR` is a built-in and a group of tools.
pub fn find<'r>(registry: &'r Registry, name: &str) -> Vec<Topic<'r>> {
    // Any key of metadata: `:: author: somebody`.
    let name = if name.starts_with("::") { "::" } else { name };
    let mut found: Vec<Topic<'r>> = topics(registry)
        .filter(|topic| match topic {
            Topic::Tool(entry) if entry.tool.is_some() => false,
            topic => topic.names().iter().any(|known| known.eq_ignore_ascii_case(name)),
        })
        .collect();
    // `LIST` means the group, not `FS.List` without its group.
    if found.is_empty() || name.contains('.') {
        let tool = registry.find(name).map(|id| registry.get(id));
        found.extend(tool.map(|tool| Topic::Tool(ToolEntry::of_tool(tool))));
    }
    found
}

/// Returns the name of the built-in that a name like `MATH.Sqrt` denotes: built-ins for numbers are also found under a
/// group, as tools are.
pub fn numeric(name: &str) -> Option<String> {
    Builtin::find(name).filter(|_| name.contains('.')).map(|builtin| builtin.name().to_owned())
}

/// Returns a suggestion for an unknown name.
pub fn near(registry: &Registry, name: &str) -> Option<String> {
    let names: Vec<&str> = topics(registry).flat_map(|topic| topic.names()).collect();
    let upper = name.to_uppercase();
    if let Some((group, tail)) = name.split_once('.') {
        let in_group = names.iter().filter_map(|name| name.split_once('.'));
        let tails = in_group.filter(|(its, _)| its.eq_ignore_ascii_case(group)).map(|(_, tail)| tail);
        let near = nearest(tail, tails).map(|tail| format!("{}.{tail}", group.to_uppercase()));
        return registry.nearest(name).map(str::to_owned).or(near);
    }
    let near = nearest(name, names.iter().copied()).or_else(|| nearest(&upper, names.iter().copied()));
    let near = near.or_else(|| registry.nearest(name));
    // A word that is looked up by its purpose is often two letters away from a name of four.
    let is_near = |near: &str| edits(&upper, &near.to_uppercase()) <= 1 + name.len() / 6;
    near.filter(|near| is_near(near)).map(str::to_owned)
}

/// Formats one line for each topic.
pub fn summaries(topics: &[Topic<'_>]) -> String {
    let mut table = new_table();
    for topic in topics {
        table.add_row([&format!("  {}", topic.names()[0]), topic.summary()]);
    }
    table.to_string()
}
