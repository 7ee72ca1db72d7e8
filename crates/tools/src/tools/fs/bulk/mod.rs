//! Operations on several items, with a result row for each. A failure does not stop the rest, unless the call
//! asks for all or nothing; then the completed items are rolled back.
//!
//! All items are examined before the first is changed, so that predictable failures are found early.

mod perform;

use crate::gate::Context;
use crate::sandbox::{Details, PathRule, SandboxPath, SharedFolders};
use crate::toolkit::{Access, Given, ListedPath, ToolError};
use crate::value::Str;

use super::super::glob::Pattern;

pub use perform::{EndOfItem, Outcome, Planned, Work, examine, of_item, perform_each, run};

/// Several items, and the argument that names them.
#[derive(Debug)]
pub struct Items {
    /// `paths` or `glob`; `path` for what a search found.
    pub argument: &'static str,
    /// The items, in order.
    pub list: Vec<Item>,
}

/// An item that an argument names.
#[derive(Debug)]
pub struct Item {
    /// The path as given or found.
    pub name: String,
    /// The resolved path, or why it is refused.
    pub place: Result<SandboxPath, ToolError>,
    /// Where the item goes: a path below the destination of the call, or from the root if the call has none.
    pub target: String,
}

/// Checks that a call names either one item, or several in one way: `one`, `paths` or `glob`.
pub fn check(given: &Given<'_>, callee: &str, one: &'static str) -> Result<(), ToolError> {
    match [one, "paths", "glob"].iter().filter(|name| given.is_given(name)).count() {
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
    check_glob(given)?;
    if given.is_given(one) && given.truth("all_or_nothing") == Some(Some(true)) {
        let message = "`all_or_nothing` is for several items, and one is always whole or not at all";
        return Err(ToolError::bad_argument("all_or_nothing", message).hint("leave it out"));
    }
    Ok(())
}

/// Checks that a call names several items in one way: `paths` or `glob`.
pub fn check_several(given: &Given<'_>, callee: &str) -> Result<(), ToolError> {
    let message = match ["paths", "glob"].iter().filter(|name| given.is_given(name)).count() {
        1 => return check_glob(given),
        0 => format!("`{callee}` needs `paths` or `glob`"),
        _ => format!("`{callee}` takes either `paths` or `glob`"),
    };
    Err(ToolError::bad_argument("paths", message).hint("give one of them"))
}

fn check_glob(given: &Given<'_>) -> Result<(), ToolError> {
    match given.text("glob") {
        Some(Some(glob)) => Pattern::of_paths("glob", &glob).map(drop),
        _ => Ok(()),
    }
}

/// How a call names several items, one of the two.
pub struct ItemNames {
    /// Paths, each meant literally.
    pub paths: Option<Vec<ListedPath>>,
    /// A pattern of paths.
    pub glob: Option<Str>,
}

/// The entries that a pattern finds, and their use.
#[derive(Clone, Copy)]
pub struct GlobOptions {
    /// Whether directories are found.
    pub directories: bool,
    /// The rule for their paths.
    pub rule: PathRule,
    /// The access to them.
    pub access: Access,
}

impl ItemNames {
    /// Returns the items, in order.
    pub fn items(self, context: &mut Context<'_>, options: GlobOptions) -> Result<Items, ToolError> {
        match (self.paths, self.glob) {
            (Some(paths), _) => Ok(listed(paths)),
            (None, glob) => {
                let glob = glob.map(|glob| glob.as_text().to_string()).unwrap_or_default();
                found_by(context, &glob, options)
            }
        }
    }
}

/// Returns the items of a list of paths; each keeps its file name below the destination.
fn listed(paths: Vec<ListedPath>) -> Items {
    let item = |path: ListedPath| Item {
        target: path.place.as_ref().map(SandboxPath::file_name).unwrap_or_default(),
        name: path.given,
        place: path.place,
    };
    Items { argument: "paths", list: paths.into_iter().map(item).collect() }
}

/// Returns the items of paths that a search found below the argument `path`.
pub fn found(context: &mut Context<'_>, paths: Vec<String>, rule: PathRule, access: Access) -> Items {
    let mut folders = SharedFolders::default();
    let item = |name: String| {
        let mut place = context.place(&name, rule, access);
        place.iter_mut().for_each(|place| folders.share(place));
        Item { target: name.clone(), name, place }
    };
    Items { argument: "path", list: paths.into_iter().map(item).collect() }
}

/// Returns the items that match a pattern of paths from the root: files and links, and directories if those are
/// asked for. The contents of a matching directory are not searched. Names that start with a dot
/// match only if the pattern has one. Each item keeps its path below the directories that the pattern names
/// without wildcards.
fn found_by(context: &mut Context<'_>, glob: &str, options: GlobOptions) -> Result<Items, ToolError> {
    let GlobOptions { directories, rule, access } = options;
    let pattern = Pattern::of_paths("glob", glob)?;
    let start = context.place(".", PathRule::INSIDE, Access::Look)?;
    let tree = context.walk(&start, Details::KindAlone)?;
    context.spend(tree.len())?;
    let fixed = fixed_part(glob);
    let mut list: Vec<Item> = Vec::new();
    let mut inside: Option<String> = None;
    let mut folders = SharedFolders::default();
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
        let target = path.get(fixed..).unwrap_or(&path).to_owned();
        let place = tree.check_text_of(entry, ".").map_err(ToolError::from);
        let mut place = place.and_then(|()| context.place(&path, rule, access));
        place.iter_mut().for_each(|place| folders.share(place));
        list.push(Item { place, name: path, target });
    }
    Ok(Items { argument: "glob", list })
}

/// Adds to an error that the call can go on without the item.
pub fn hint_at_rest(error: ToolError, verb: &str) -> ToolError {
    if error.limit.is_some() {
        return error;
    }
    let rest = format!("give `on_error: \"record\"` to {verb} the rest");
    let hint = error.hint.as_ref().map_or_else(|| rest.clone(), |hint| format!("{hint}, or {rest}"));
    error.hint(hint)
}

/// Returns the length in bytes of the leading directories that a pattern names without wildcards.
fn fixed_part(glob: &str) -> usize {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    let plain = glob.find(['*', '?', '[', '{', '\\']).unwrap_or(glob.len());
    glob[..plain].rfind('/').map_or(0, |slash| slash + 1)
}

/// Returns whether a path has a name that starts with a dot while the pattern has none.
fn hides(glob: &str, path: &str) -> bool {
    let has_dot = |text: &str| text.split('/').any(|part| part.starts_with('.') && part != ".");
    has_dot(path) && !has_dot(glob)
}
