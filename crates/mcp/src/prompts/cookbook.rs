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

/// A recipe as far as it has been read.
#[derive(Default)]
struct Recipe<'p> {
    title: &'p str,
    description: Vec<&'p str>,
    /// The lines of the script.
    script: Option<Vec<&'p str>>,
    /// Whether its first block has begun, with which its description ends.
    has_blocks: bool,
}

/// Returns the recipes of all pages.
pub fn chores() -> impl Iterator<Item = Chore> {
    PAGES.iter().flat_map(|page| recipes(page)).filter_map(chore)
}

/// Reads a page. A `##` inside of a block is no heading.
fn recipes(page: &str) -> Vec<Recipe<'_>> {
    let mut recipes = vec![Recipe::default()];
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let recipe = recipes.last_mut().expect("there is one");
        let fence = &line[..line.len() - line.trim_start_matches(['`', '~']).len()];
        if fence.len() >= 3 {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
            recipe.has_blocks = true;
            if &line[fence.len()..] == "neuroscript" {
                recipe.script.get_or_insert(block);
            }
        } else if let Some(title) = line.strip_prefix("## ") {
            recipes.push(Recipe { title, ..Recipe::default() });
        } else if !recipe.has_blocks {
            recipe.description.extend(line.split_whitespace());
        }
    }
    recipes
}

fn chore(Recipe { title, description, script, .. }: Recipe<'_>) -> Option<Chore> {
    let script = script?;
    Some(Chore {
        name: name_of(title),
        title: title.to_owned(),
        description: description.join(" "),
        arguments: vec![ChoreArgument {
            name: "request".to_owned(),
            description: "the files, and what to do differently".to_owned(),
            is_required: false,
            values: Values::Text,
        }],
        script: script.join("\n") + "\n",
        form: Form::Example,
    })
}
