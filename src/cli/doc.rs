//! `ns doc [NAME]`: the page of a tool, built-in, statement, value or code, each with an example, or of a command of
//! `ns`. For any other name, lists the topics that serve the purpose that it names.
//!
//! The texts come from `manual`.

use serde_json::Value as Json;

use crate::engine::built_in_tools;
use crate::manual::{find, near, numeric, overview, pages_text, similar, similar_text, topics};
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};

use super::args::{DocArgs, PageFormat};

/// `ns doc`
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
