//! `ns doc [NAME]`: the page of a tool, built-in, statement, value or code, each with an example, or of a command of
//! `ns`. For any other name, lists the topics that serve the purpose that it names.
//!
//! Nothing is written here: tools have their declarations, the language its pages, codes their explanations.

use serde_json::{Map, Value as Json, json};

use crate::engine::{Builtin, Page, PageKind, built_in_tools, code_example, pages};
use crate::text::{Code, Purpose, ToolCode, meant, nearest, safe, search};
use crate::toolkit::{Registry, groups, schema};

use super::args::{DocArgs, PageFormat};
use super::commands::{COMMANDS, CommandTopic};
use super::exit::Exit;
use super::table::new_table;
use super::terminal::{print, report_error};
use super::tools::Entry;
use super::{explain, tools};

/// A topic that has a page.
enum Topic<'a> {
    Part(&'static Page),
    Tool(Entry<'a>),
    Group(&'a str, Vec<Entry<'a>>),
    Command(&'static CommandTopic),
    /// Id, title and explanation.
    Code(&'static str, &'static str, &'static str),
}

pub fn doc(args: &DocArgs) -> Exit {
    let registry = built_in_tools();
    let name = args.name.join(" ");
    let name = numeric(&name).unwrap_or(name);
    let found = if name.is_empty() { topics(&registry).collect() } else { find(&registry, &name) };
    let similar = if found.is_empty() { similar(&registry, &name) } else { Vec::new() };
    if found.is_empty() && similar.is_empty() {
        let help = match near(&registry, &name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => match name.split_once('.').filter(|(group, _)| !find(&registry, group).is_empty()) {
                Some((group, _)) => format!("`ns doc {group}` lists what there is"),
                None => "`ns doc` lists what there is".to_owned(),
            },
        };
        report_error(&format!("there is no page about `{name}`"), &help);
        return Exit::Usage;
    }
    let text = match (args.format, name.is_empty()) {
        (PageFormat::Text, true) => overview(&registry),
        (PageFormat::Text, false) if found.is_empty() => similar_text(&name, &similar),
        (PageFormat::Text, false) => pages_text(&registry, &name, &found),
        (PageFormat::Json, is_all) => {
            let headings = is_all || found.is_empty();
            let shown = found.iter().chain(&similar);
            let json: Json = shown.map(|topic| if headings { topic.heading() } else { topic.json() }).collect();
            serde_json::to_string_pretty(&json).expect("JSON has a text")
        }
    };
    print(&format!("{}\n", text.trim_end()))
}

/// The documentation found for a name.
pub(crate) enum About {
    /// Its pages.
    Pages(String),
    /// No page has this name; a list of topics that serve this purpose.
    Similar(String),
    /// Nothing, with a suggestion for the name.
    Nothing(Option<String>),
}

/// Returns the pages for a name, or else the topics that serve the purpose that it names.
pub(crate) fn about(name: &str) -> About {
    let registry = built_in_tools();
    let mut found = find(&registry, name);
    // A session has its own commands.
    found.retain(|topic| !matches!(topic, Topic::Command(_)));
    if !found.is_empty() {
        return About::Pages(pages_text(&registry, name, &found));
    }
    let mut similar = similar(&registry, name);
    similar.retain(|topic| !matches!(topic, Topic::Command(_)));
    if similar.is_empty() {
        About::Nothing(near(&registry, name))
    } else {
        About::Similar(similar_text(name, &similar))
    }
}

/// Maximum number of topics listed for a purpose.
const MOST_SIMILAR: usize = 9;

/// Returns tools, built-ins and statements that serve a purpose, best first. For a name with a dot only certain matches
/// count, because anything else is a misspelling.
fn similar<'r>(registry: &'r Registry, name: &str) -> Vec<Topic<'r>> {
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

/// Formats the pages of a name. For a group, adds other topics that serve the same purpose: `hash` concerns files too.
fn pages_text(registry: &Registry, name: &str, found: &[Topic<'_>]) -> String {
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

/// Formats one line for each topic.
fn summaries(topics: &[Topic<'_>]) -> String {
    let mut table = new_table();
    for topic in topics {
        table.add_row([&format!("  {}", topic.names()[0]), topic.summary()]);
    }
    table.to_string()
}

fn similar_text(name: &str, similar: &[Topic<'_>]) -> String {
    format!("no page is called `{}`; these are about it:\n{}", safe::name(name), summaries(similar))
}

/// Returns every topic that has a page.
fn topics(registry: &Registry) -> impl Iterator<Item = Topic<'_>> {
    pages()
        .map(Topic::Part)
        .chain(groups_of(registry))
        .chain(tools::entries(registry).into_iter().map(Topic::Tool))
        .chain(codes())
        .chain(COMMANDS.iter().map(Topic::Command))
}

fn groups_of(registry: &Registry) -> impl Iterator<Item = Topic<'_>> {
    let entries = tools::entries(registry);
    let mut names: Vec<&str> = entries.iter().map(Entry::group).collect();
    names.dedup();
    names.into_iter().map(move |name| {
        let members = entries.iter().filter(|entry| entry.group() == name);
        Topic::Group(name, members.copied().collect())
    })
}

fn codes<'a>() -> impl Iterator<Item = Topic<'a>> {
    let script = Code::ALL.iter().map(|code| Topic::Code(code.id(), code.title(), code.explanation()));
    script.chain(ToolCode::ALL.iter().map(|code| Topic::Code(code.id(), code.title(), code.explanation())))
}

/// Returns all topics of a name: `STR` is a built-in and a group of tools.
fn find<'r>(registry: &'r Registry, name: &str) -> Vec<Topic<'r>> {
    let mut found: Vec<Topic<'r>> = topics(registry)
        .filter(|topic| match topic {
            Topic::Tool(entry) if entry.tool.is_some() => false,
            topic => topic.names().iter().any(|known| known.eq_ignore_ascii_case(name)),
        })
        .collect();
    // `LIST` means the group, not `FS.List` without its group.
    if found.is_empty() || name.contains('.') {
        let tool = registry.find(name).map(|id| registry.get(id));
        found.extend(tool.map(|tool| Topic::Tool(Entry::of_tool(tool))));
    }
    found
}

/// Returns the name of the built-in that a name like `MATH.Sqrt` denotes: built-ins for numbers are also found under a
/// group, as tools are.
fn numeric(name: &str) -> Option<String> {
    Builtin::find(name).filter(|_| name.contains('.')).map(|builtin| builtin.name().to_owned())
}

/// Returns a suggestion for an unknown name.
fn near(registry: &Registry, name: &str) -> Option<String> {
    let names: Vec<&str> = topics(registry).flat_map(|topic| topic.names()).collect();
    let upper = name.to_uppercase();
    if let Some((group, tail)) = name.split_once('.') {
        let in_group = names.iter().filter_map(|name| name.split_once('.'));
        let tails = in_group.filter(|(its, _)| its.eq_ignore_ascii_case(group)).map(|(_, tail)| tail);
        let near = nearest(tail, tails).map(|tail| format!("{}.{tail}", group.to_uppercase()));
        return registry.nearest(name).map(str::to_owned).or(near);
    }
    let near = nearest(name, names.iter().copied()).or_else(|| nearest(&upper, names.iter().copied()));
    near.or_else(|| registry.nearest(name)).map(str::to_owned)
}

impl<'a> Topic<'a> {
    fn names(&self) -> Vec<&'a str> {
        match self {
            Topic::Part(page) => page.names.to_vec(),
            Topic::Command(topic) => topic.names.to_vec(),
            Topic::Tool(entry) => vec![entry.spec.name],
            Topic::Group(name, _) | Topic::Code(name, ..) => vec![name],
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Topic::Part(page) => page.kind.word(),
            Topic::Tool(_) => "tool",
            Topic::Command(_) => "command",
            Topic::Group(..) => "group",
            Topic::Code(..) => "code",
        }
    }

    fn summary(&self) -> &'a str {
        match self {
            Topic::Part(page) => page.summary,
            Topic::Tool(entry) => entry.spec.summary,
            Topic::Command(topic) => topic.summary,
            Topic::Group(name, _) => groups::title(name),
            Topic::Code(_, title, _) => title,
        }
    }

    /// Returns the words that a search matches; `None` for groups and codes.
    fn purpose(&self) -> Option<Purpose<'a>> {
        match self {
            Topic::Part(page) => Some(page.purpose()),
            Topic::Tool(entry) => Some(entry.spec.purpose()),
            Topic::Command(topic) => Some(topic.purpose()),
            Topic::Group(..) | Topic::Code(..) => None,
        }
    }

    fn heading(&self) -> Json {
        json!({"name": self.names()[0], "kind": self.kind(), "summary": self.summary()})
    }

    fn text(&self) -> String {
        match self {
            Topic::Part(page) => part(page),
            Topic::Tool(entry) => tools::page(*entry),
            Topic::Command(topic) => topic.page(),
            Topic::Group(name, members) => {
                format!("{name}: {}\n\n{}", groups::title(name), tools::listing(members))
            }
            Topic::Code(id, title, explanation) => {
                let shown = code_example(id).map_or_else(String::new, |example| {
                    let policy = Some(("the policy file", example.policy)).filter(|(_, text)| !text.is_empty());
                    let files = policy.into_iter().chain(example.files.iter().copied());
                    format!("\n\nExample\n{}{}", shown_files(files), tools::indented(example.script))
                });
                format!("{}{shown}", explain::page(id, title, explanation))
            }
        }
    }

    fn json(&self) -> Json {
        let mut json = self.heading();
        let more = match self {
            Topic::Part(page) => json!({
                "names": page.names, "form": page.form, "details": page.details,
                "example": {"files": files_json(page.example.files), "script": page.example.script, "output": page.example.output},
            }),
            Topic::Tool(entry) => {
                let example = &entry.spec.example;
                json!({
                    "form": tools::signature(*entry), "details": entry.spec.details,
                    "example": {"files": {}, "script": example.script, "output": example.output},
                    "declaration": entry.tool.map(schema::declaration),
                })
            }
            Topic::Command(topic) => json!({"details": topic.page()}),
            Topic::Group(_, members) => {
                json!({"tools": members.iter().map(|entry| entry.spec.name).collect::<Vec<_>>()})
            }
            Topic::Code(id, _, explanation) => json!({
                "details": explanation,
                "example": code_example(id).map(|example| {
                    json!({"policy": example.policy, "files": files_json(example.files), "script": example.script})
                }),
            }),
        };
        if let (Json::Object(json), Json::Object(more)) = (&mut json, more) {
            json.extend(more);
        }
        json
    }
}

fn files_json(files: &[(&str, &str)]) -> Json {
    Json::Object(files.iter().map(|(path, text)| ((*path).to_owned(), Json::from(*text))).collect::<Map<_, _>>())
}

/// Formats the page of a part of the language.
fn part(page: &Page) -> String {
    let mut text = format!("{}\n  {}\n", page.form, page.summary);
    if !page.details.is_empty() {
        text.push_str(&format!("\n{}\n", tools::wrapped(page.details)));
    }
    let files = shown_files(page.example.files.iter().copied());
    let (script, output) = (tools::indented(page.example.script), tools::indented(page.example.output.trim_end()));
    text.push_str(&format!("\nExample\n{files}{script}\nprints\n{output}"));
    text
}

/// Formats the files of an example, and the heading of the script that follows.
fn shown_files<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let shown: String = files.map(|(name, text)| format!("with {name}\n{}\n", tools::indented(text))).collect();
    if shown.is_empty() { shown } else { shown + "the script\n" }
}

/// Formats the list of all topics.
fn overview(registry: &Registry) -> String {
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
    text.push_str(&tools::indented(&tools::wrapped(&ids.join(" "))));
    text
}
