//! The scripts of `scripts/`, whose command lines declare the arguments.

use crate::engine::{Kind, Parameter, Script, describe_script};

use super::{Chore, ChoreArgument, Form, Values};

const FILES: [(&str, &str); 5] = [
    ("find_duplicates", include_str!("../../chores/find_duplicates.ns")),
    ("inventory", include_str!("../../chores/inventory.ns")),
    ("project_report", include_str!("../../chores/project_report.ns")),
    ("rename_photos", include_str!("../../chores/rename_photos.ns")),
    ("tidy_downloads", include_str!("../../chores/tidy_downloads.ns")),
];

/// Returns the scripts.
pub fn chores() -> impl Iterator<Item = Chore> {
    FILES.iter().filter_map(|(name, text)| chore(name, text))
}

fn chore(name: &str, text: &str) -> Option<Chore> {
    let interface = describe_script(&Script::new(format!("{name}.ns"), text), None).interface?;
    let words = name.replace('_', " ");
    Some(Chore {
        name: name.replace('_', "-"),
        title: words[..1].to_uppercase() + &words[1..],
        description: interface.description?,
        arguments: interface.parameters.iter().map(argument).collect(),
        script: text.to_owned(),
        form: Form::CommandLine,
    })
}

fn argument(parameter: &Parameter) -> ChoreArgument {
    let description = parameter.documentation.clone().unwrap_or_default();
    // A declaration has no kind for paths, but its description names the file or folder first.
    let is_path = ["the folder ", "the file "].iter().any(|begin| description.starts_with(begin));
    let values = match parameter.kind {
        Kind::Flag => Values::Truth,
        _ if is_path && parameter.can_be_file() => Values::Path,
        _ => Values::Text,
    };
    ChoreArgument { name: parameter.name.to_string(), description, is_required: parameter.is_required(), values }
}
