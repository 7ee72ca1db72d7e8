//! The reference of the tools as pages of the book: `docs/tools.md`, and a page for each group below `docs/tools/`.

use crate::toolkit::groups;

use super::tool_entry::ToolEntry;
use super::tool_page::description;

/// Formats the page that lists the groups with their tools, each with a link.
pub fn index_page(entries: &[ToolEntry<'_>]) -> String {
    let mut text = "# Tools\n\n\
        `ns tools --format markdown` makes this page, and `ns tools GROUP --format markdown` makes the page of a group, \
        from the declarations of the tools. A test fails when one is stale. At a terminal, `ns doc NAME` shows the page of \
        a tool.\n\n\
        - Names are found without regard to case. `TOOL.X` and `tool.fs.X` find `FS.X`.\n\
        - A tool that takes a file takes it first and calls it `path`; where there are two, `source` and `destination`. \
        Other names that an argument has had are listed with it (\"also\") and are accepted everywhere: in scripts, in \
        JSON, by servers and in documents.\n\
        - As names of arguments the letters of the guide are known too: `t` for `text` or `time`, `l` for `list`, `m` for \
        `map`, `k` for `key`, `n` for `count`, `p` for `path`, `v` for `value`.\n\
        - Every call can also fail with `bad_args`, `policy_denied`, `limit_exceeded` or `cancelled`.\n\n\
        | group | for | tools |\n|---|---|---|\n"
        .to_owned();
    for members in entries.chunk_by(|entry, next| entry.group() == next.group()) {
        let group = members[0].group();
        let page = format!("tools/{}.md", group.to_ascii_lowercase());
        let names = members.iter().map(|entry| {
            let name = entry.spec.name;
            let short = name.split_once('.').map_or(name, |(_, short)| short);
            format!("[{short}]({page}#{})", anchor(name))
        });
        let names: Vec<String> = names.collect();
        text.push_str(&format!("| [`{group}`]({page}) | {} | {} |\n", groups::title(group), names.join(" ")));
    }
    text
}

/// Formats the page of a group: a table of its tools, and a section for each.
pub fn group_page(group: &str, members: &[ToolEntry<'_>]) -> String {
    let mut text = format!("# {group}: {}\n\n| tool | effect | what it does |\n|---|---|---|\n", groups::title(group));
    for entry in members {
        let spec = entry.spec;
        let effect = spec.effect.word();
        text.push_str(&format!("| [`{}`](#{}) | {effect} | {} |\n", spec.name, anchor(spec.name), spec.summary));
    }
    for entry in members {
        text.push_str(&format!("\n## {}\n\n```signature\n{}\n```\n\n", entry.spec.name, entry.wrapped_signature()));
        text.push_str(&description(*entry));
    }
    text
}

/// Returns the anchor that a book gives to the heading of a tool.
fn anchor(name: &str) -> String {
    name.chars().filter(|c| *c != '.').collect::<String>().to_ascii_lowercase()
}
