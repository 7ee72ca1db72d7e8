//! The recipes of the cookbook: a heading, a description, and a script for example files.

use super::{Chore, ChoreArgument, Form, Values, name_of};

/// The pages, in the order of the book.
const PAGES: [&str; 6] = [
    include_str!("../../chores/cookbook/finding.md"),
    include_str!("../../chores/cookbook/tidying.md"),
    include_str!("../../chores/cookbook/texts.md"),
    include_str!("../../chores/cookbook/data.md"),
    include_str!("../../chores/cookbook/logs.md"),
    include_str!("../../chores/cookbook/keeping.md"),
];

/// The line that begins a recipe, and the fences of its script.
const HEADING: &str = "\n## ";
const SCRIPT: &str = "\n```neuroscript\n";
const FENCE: &str = "\n```";

/// Returns the recipes of all pages.
pub fn chores() -> impl Iterator<Item = Chore> {
    PAGES.iter().flat_map(|page| page.split(HEADING).skip(1)).filter_map(chore)
}

fn chore(section: &str) -> Option<Chore> {
    let (title, rest) = section.split_once('\n')?;
    let description = rest.split(FENCE).next()?.trim();
    let (_, script) = rest.split_once(SCRIPT)?;
    let script = script.split_once(FENCE)?.0;
    Some(Chore {
        name: name_of(title),
        title: title.to_owned(),
        description: description.split_whitespace().collect::<Vec<_>>().join(" "),
        arguments: vec![ChoreArgument {
            name: "request".to_owned(),
            description: "the files, and what to do differently".to_owned(),
            is_required: false,
            values: Values::Text,
        }],
        script: format!("{script}\n"),
        form: Form::Example,
    })
}
