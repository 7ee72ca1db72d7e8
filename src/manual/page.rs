//! Pages for a terminal, each with an example.

use crate::engine::{Page, PageKind, built_in_tools, code_example, pages};
use crate::terminal::table::new_table;
use crate::text::{safe, written_as};
use crate::toolkit::{Registry, groups};

use super::commands::COMMANDS;
use super::lacking::lacking;
use super::layout::{indented, wrapped};
use super::tool_page::{listing, tool_page};
use super::topic::{Topic, codes, find, groups_of, near, similar, summaries};

/// The documentation found for a name.
pub enum About {
    /// Its pages.
    Pages(String),
    /// No page has this name; a list of topics that serve this purpose.
    Similar(String),
    /// Nothing, with a suggestion for the name.
    Nothing(Option<String>),
}

/// Returns the pages for a name, or else the topics that serve the purpose that it names.
pub fn about(name: &str) -> About {
    let registry = built_in_tools();
    let mut found = find(&registry, name);
    // A session has commands of its own.
    found.retain(|topic| !matches!(topic, Topic::Command(_)));
    if !found.is_empty() {
        return About::Pages(pages_text(&registry, name, &found));
    }
    if let Some(page) = lacking(name) {
        return About::Pages(page);
    }
    let mut similar = similar(&registry, name);
    similar.retain(|topic| !matches!(topic, Topic::Command(_)));
    if similar.is_empty() {
        About::Nothing(near(&registry, name))
    } else {
        About::Similar(similar_text(name, &similar))
    }
}

/// Formats the pages of a name. For a group, adds other topics that serve the same purpose: `hash` concerns files too.
pub fn pages_text(registry: &Registry, name: &str, found: &[Topic<'_>]) -> String {
    let mut text = found.iter().map(Topic::text).collect::<Vec<_>>().join("\n\n\n");
    let groups = found.iter().filter_map(|topic| if let Topic::Group(group, _) = topic { Some(*group) } else { None });
    let groups: Vec<&str> = groups.collect();
    let is_elsewhere = |topic: &Topic<'_>| match topic {
        Topic::Tool(entry) => !groups.contains(&entry.group()),
        _ => !found.iter().any(|found| found.names() == topic.names()),
    };
    let others: Vec<Topic<'_>> =
        if groups.is_empty() { Vec::new() } else { similar(registry, name).into_iter().filter(is_elsewhere).collect() };
    if !others.is_empty() {
        text.push_str(&format!("\n\nElsewhere\n{}", summaries(&others)));
    }
    text
}

pub fn similar_text(name: &str, similar: &[Topic<'_>]) -> String {
    let listed = if similar.is_empty() { String::new() } else { format!("\n{}", summaries(similar)) };
    match written_as(&name.replace(' ', "")) {
        Some(help) => format!("{}{listed}", wrapped(&format!("no page is called `{}`: {help}", safe::name(name)))),
        None => format!("no page is called `{}`; these are about it:{listed}", safe::name(name)),
    }
}

impl Topic<'_> {
    /// Formats its page.
    pub fn text(&self) -> String {
        match self {
            Topic::Part(page) => part(page),
            Topic::Tool(entry) => tool_page(*entry),
            Topic::Command(topic) => topic.page(),
            Topic::Group(name, members) => {
                format!("{name}: {}\n\n{}", groups::title(name), listing(members))
            }
            Topic::Code(id, title, explanation) => {
                let shown = code_example(id).map_or_else(String::new, |example| {
                    let policy = Some(("the policy file", example.policy)).filter(|(_, text)| !text.is_empty());
                    let files = policy.into_iter().chain(example.files.iter().copied());
                    format!("\n\nExample\n{}{}", shown_files(files), indented(example.script))
                });
                format!("{}{shown}", code_page(id, title, explanation))
            }
        }
    }
}

/// Formats the explanation of a code.
pub fn code_page(id: &str, title: &str, explanation: &str) -> String {
    format!("{id}: {title}\n\n{explanation}")
}

/// Formats the page of a code as Markdown, for editors. Returns `None` if there is no such code.
pub fn code_markdown(id: &str) -> Option<String> {
    let Topic::Code(id, title, explanation) = codes().find(|topic| topic.names() == [id])? else { return None };
    let mut text = format!("# {id}: {title}\n\n{explanation}\n");
    if let Some(example) = code_example(id) {
        text.push_str("\n## Example\n");
        let policy = Some(("the policy file", example.policy)).filter(|(_, text)| !text.is_empty());
        for (name, content) in policy.into_iter().chain(example.files.iter().copied()) {
            text.push_str(&format!("\nwith {name}\n\n```text\n{}\n```\n", content.trim_end()));
        }
        text.push_str(&format!("\n```neuroscript\n{}\n```\n", example.script.trim_end()));
    }
    Some(text)
}

/// Formats the page of a part of the language.
fn part(page: &Page) -> String {
    let mut text = format!("{}\n  {}\n", page.form, page.summary);
    if !page.details.is_empty() {
        text.push_str(&format!("\n{}\n", wrapped(page.details)));
    }
    let files = shown_files(page.example.files.iter().copied());
    let (script, output) = (indented(page.example.script), indented(page.example.output.trim_end()));
    text.push_str(&format!("\nExample\n{files}{script}\nprints\n{output}"));
    text
}

/// Formats the page of a part of the language as Markdown, for editors.
pub fn part_markdown(page: &Page) -> String {
    let (script, output) = (page.example.script, page.example.output.trim_end());
    format!(
        "```neuroscript\n{}\n```\n\n{}.\n\n{}\n\n```neuroscript\n{script}\n```\n\n```text\n{output}\n```\n",
        page.form, page.summary, page.details
    )
}

/// Formats the files of an example, and the heading of the script that follows.
fn shown_files<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let shown: String = files.map(|(name, text)| format!("with {name}\n{}\n", indented(text))).collect();
    if shown.is_empty() { shown } else { shown + "the script\n" }
}

/// Formats the list of all topics.
pub fn overview(registry: &Registry) -> String {
    let mut text = "`ns doc NAME` shows a page with an example; a name is one of these.\n".to_owned();
    for (kind, title) in [
        (PageKind::Statement, "Statements"),
        (PageKind::Expression, "Expressions"),
        (PageKind::BuiltIn, "Built-in functions"),
    ] {
        let mut table = new_table();
        for page in pages().filter(|page| page.kind == kind) {
            table.add_row([&format!("  {}", page.name()), page.summary]);
        }
        text.push_str(&format!("\n{title}\n{table}\n"));
    }
    text.push_str("\nTools, by group; `ns doc GROUP` lists them\n");
    let mut table = new_table();
    for topic in groups_of(registry) {
        table.add_row([&format!("  {}", topic.names()[0]), topic.summary()]);
    }
    text.push_str(&format!("{table}\n\nCommands\n"));
    let mut table = new_table();
    for topic in &COMMANDS {
        table.add_row([&format!("  {}", topic.names[0]), topic.summary]);
    }
    text.push_str(&format!("{table}\n\nCodes\n"));
    let ids: Vec<&str> = codes().map(|code| code.names()[0]).collect();
    text.push_str(&indented(&wrapped(&ids.join(" "))));
    text
}
