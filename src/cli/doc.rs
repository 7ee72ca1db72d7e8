//! `ns doc [NAME]`: the page of a tool, built-in, statement, value or code, each with an example, of a command or
//! option of `ns`, a key of the policy file, or a section of the book; for things that scripts cannot do, what to do
//! instead. For any other name, lists the topics that serve the purpose that it names, or the sections with these
//! words.
//!
//! The texts come from `manual`.

use clap::CommandFactory;
use serde_json::{Value as Json, json};

use crate::engine::built_in_tools;
use crate::manual::{
    Topic, book_page, find, lacking, lacking_in, near, numeric, overview, pages_text, passages, policy_key, section,
    section_about, similar, similar_text, summaries, topics,
};
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};
use crate::text::written_as;
use crate::toolkit::Registry;
use crate::value::print::shortened;

use super::args::{Cli, DocArgs, PageFormat};

/// Maximum number of characters of an unknown name in a message.
const MAX_NAME: usize = 100;
/// Maximum number of topics above a section.
const MOST_ALSO: usize = 2;

/// `ns doc`
pub fn doc(args: &DocArgs) -> Exit {
    let registry = built_in_tools();
    let name = args.name.join(" ");
    let name = numeric(&name).unwrap_or(name);
    let found = if name.is_empty() { topics(&registry).collect() } else { find(&registry, &name) };
    if found.is_empty() {
        return elsewhere(&registry, &name, args.format);
    }
    print_in(
        args.format,
        || match name.as_str() {
            "" => overview(&registry),
            name => with_book(name, pages_text(&registry, name, &found)),
        },
        || found.iter().map(|topic| if name.is_empty() { topic.heading() } else { topic.json() }).collect(),
    )
}

/// Prints what there is about a name that no page has.
fn elsewhere(registry: &Registry, name: &str, format: PageFormat) -> Exit {
    let similar = similar(registry, name);
    // A plain word such as `format`, and one for a command such as `dry-run`, is looked for by its purpose first.
    let is_of_command = similar.first().is_some_and(|topic| topic.kind() == "command");
    let is_identifier = name.contains('_') || name.starts_with("--") || name.contains('-') && !is_of_command;
    let settings = || settings_page(name).filter(|_| is_identifier || similar.is_empty());
    let page = book_page(name).map(|text| ("page", text.to_owned()));
    let page = page.or_else(|| lacking(name).map(|text| ("absent", with_book(name, text))));
    let page = page.or_else(|| settings().map(|text| ("setting", with_book(name, text))));
    let page = page.or_else(|| glossary_page(name, &similar).map(|text| ("section", text)));
    let page = page.or_else(|| section(name).map(|section| ("section", section.page_text())));
    let page = page.or_else(|| {
        let text = lacking_in(name)?;
        let others = if similar.is_empty() { String::new() } else { format!("\n\n{}", similar_text(name, &similar)) };
        Some(("absent", text + &others))
    });
    if let Some((kind, text)) = page {
        return print_in(format, || text.clone(), || json!([{"name": name, "kind": kind, "text": text}]));
    }
    let is_listed = !similar.is_empty() || written_as(&name.replace(' ', "")).is_some();
    let text = if is_listed { Some(similar_text(name, &similar)) } else { passages(name) };
    match text {
        Some(text) => print_in(format, || text.clone(), || similar.iter().map(|topic| topic.heading()).collect()),
        None => unknown(registry, name),
    }
}

/// Returns the beginning of the section about a word of the product, below the topics that concern it too.
fn glossary_page(name: &str, similar: &[Topic<'_>]) -> Option<String> {
    let section = section_about(name)?;
    let also = &similar[..similar.len().min(MOST_ALSO)];
    let also = if also.is_empty() { String::new() } else { format!("{}\n\n", summaries(also)) };
    Some(format!("{}\n{also}{}", section.heading(), section.excerpt()))
}

/// Adds the beginning of the section about a word to its page.
fn with_book(name: &str, page: String) -> String {
    match section_about(name) {
        Some(section) => format!("{}\n\nIn the book: {}\n{}", page.trim_end(), section.heading(), section.excerpt()),
        None => page,
    }
}

fn print_in(format: PageFormat, text: impl Fn() -> String, json: impl Fn() -> Json) -> Exit {
    let text = match format {
        PageFormat::Text => text(),
        PageFormat::Json => serde_json::to_string_pretty(&json()).expect("JSON has a text"),
    };
    print(&format!("{}\n", text.trim_end()))
}

fn unknown(registry: &Registry, name: &str) -> Exit {
    let help = match near(registry, name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => match name.split_once('.').filter(|(group, _)| !find(registry, group).is_empty()) {
            Some((group, _)) => format!("`ns doc {group}` lists what there is"),
            None => "`ns doc` lists what there is".to_owned(),
        },
    };
    report_error(&format!("there is no page about `{}`", shortened(name, MAX_NAME)), &help);
    Exit::Usage
}

/// Returns what an option of `ns` or a key of the policy file does: `--max-files`, `max_files_per_operation`.
fn settings_page(name: &str) -> Option<String> {
    let option = option_page(&format!("--{}", name.trim_start_matches('-').replace(['_', ' '], "-")));
    let key = policy_key(name).filter(|_| !name.starts_with('-'));
    let pages: Vec<String> = option.into_iter().chain(key).collect();
    (!pages.is_empty()).then(|| pages.join("\n\n\n"))
}

/// Returns what an option of `ns` does, by command: `--atomic`.
fn option_page(name: &str) -> Option<String> {
    let option = name.strip_prefix("--")?;
    let mut cli = Cli::command();
    cli.build();
    let mut shown: Vec<(String, Vec<&str>)> = Vec::new();
    for command in [&cli].into_iter().chain(cli.get_subcommands().filter(|command| !command.is_hide_set())) {
        let arguments = command.get_arguments().filter(|argument| argument.get_long() == Some(option));
        for help in arguments.filter_map(|argument| argument.get_help()) {
            match shown.iter_mut().find(|(text, _)| *text == help.to_string()) {
                Some((_, commands)) => commands.push(command.get_name()),
                None => shown.push((help.to_string(), vec![command.get_name()])),
            }
        }
    }
    let lines = shown.iter().map(|(help, commands)| {
        let of = match &commands[..] {
            [first, ..] if *first == cli.get_name() => "all commands".to_owned(),
            commands => commands.iter().map(|command| format!("ns {command}")).collect::<Vec<_>>().join(", "),
        };
        format!("{name} ({of})\n  {help}")
    });
    (!shown.is_empty()).then(|| lines.collect::<Vec<_>>().join("\n\n"))
}
