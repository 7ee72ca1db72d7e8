//! Operations on several items: a row for each. One failure does not stop the rest, unless all or
//! nothing is asked for; then what was done is taken back.
//!
//! Every item is looked at before the first is changed, so that what can be known before is known then.

mod perform;
mod rows;

use crate::sandbox::{Details, PathRule, SandboxPath};
use crate::toolkit::{Access, Context, Given, ListedPath, ToolError};

use super::glob::Pattern;

pub use perform::{Planned, Work, run};
pub use rows::{Done, Row};

/// Several items, and the argument that names them.
#[derive(Debug)]
pub struct Items {
    /// `paths` or `glob`.
    pub argument: &'static str,
    /// The items, in order.
    pub list: Vec<Item>,
}

/// An item that an argument names.
#[derive(Debug)]
pub struct Item {
    /// As it was given or found.
    pub name: String,
    /// Its place, or why it is refused.
    pub place: Result<SandboxPath, ToolError>,
    /// The path of what is made of it, below the destination.
    pub below: String,
}

/// Checks that a call names one item, or several in one way: `one`, `paths` or `glob`.
pub fn check(given: &Given<'_>, callee: &str, one: &'static str) -> Result<(), ToolError> {
    let ways = [one, "paths", "glob"];
    match ways.iter().filter(|name| given.is_given(name)).count() {
        1 => {}
        0 => {
            let message = format!("`{callee}` needs a path for `{one}`, or `paths` or `glob`");
            return Err(ToolError::bad_argument(one, message).hint("give one of them"));
        }
        _ => {
            let message = format!("`{callee}` takes one of `{one}`, `paths` and `glob`");
            return Err(ToolError::bad_argument("paths", message).hint("give one of them"));
        }
    }
    if let Some(Some(glob)) = given.text("glob") {
        Pattern::of_paths("glob", &glob)?;
    }
    if given.is_given(one) && given.truth("all_or_nothing") == Some(Some(true)) {
        let message = "`all_or_nothing` is for several items, and one is always whole or not at all";
        return Err(ToolError::bad_argument("all_or_nothing", message).hint("leave it out"));
    }
    Ok(())
}

/// The items of a list of paths; each makes something of its own name.
pub fn listed(paths: Vec<ListedPath>) -> Items {
    let item = |path: ListedPath| Item {
        below: path.place.as_ref().map(SandboxPath::file_name).unwrap_or_default(),
        name: path.given,
        place: path.place,
    };
    Items { argument: "paths", list: paths.into_iter().map(item).collect() }
}

/// The items that a pattern of paths from the root finds: files and links, and directories too where
/// they are wanted; what is in a directory that was found is not looked at. Names that begin with a dot
/// are found where the pattern says a dot. Each makes something of its path below the directories that
/// the pattern names without wildcards.
pub fn found(
    context: &mut Context<'_>,
    glob: &str,
    directories: bool,
    rule: PathRule,
    access: Access,
) -> Result<Items, ToolError> {
    let pattern = Pattern::of_paths("glob", glob)?;
    let start = context.place(".", PathRule::INSIDE, Access::Look)?;
    let tree = context.walk(&start, Details::KindAlone)?;
    context.spend(tree.len())?;
    let fixed = fixed_part(glob);
    let mut list: Vec<Item> = Vec::new();
    let mut inside: Option<String> = None;
    for entry in 0..tree.len() {
        let path = tree.path(entry);
        if inside.as_ref().is_some_and(|directory| path.starts_with(directory.as_str())) {
            continue;
        }
        if tree.is_folder[entry] && !directories || hides(glob, &path) || !pattern.fits("", || path.as_str().into()) {
            continue;
        }
        if tree.is_folder[entry] {
            inside = Some(format!("{path}/"));
        }
        let below = path.get(fixed..).unwrap_or(&path).to_owned();
        list.push(Item { place: context.place(&path, rule, access), name: path, below });
    }
    Ok(Items { argument: "glob", list })
}

/// How many bytes of the paths that a pattern finds are directories which it names without wildcards.
fn fixed_part(glob: &str) -> usize {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    let plain = glob.find(['*', '?', '[', '{', '\\']).unwrap_or(glob.len());
    glob[..plain].rfind('/').map_or(0, |slash| slash + 1)
}

/// Whether a path has a name with a dot where the pattern says none anywhere.
fn hides(glob: &str, path: &str) -> bool {
    let has_dot = |text: &str| text.split('/').any(|part| part.starts_with('.') && part != ".");
    has_dot(path) && !has_dot(glob)
}
