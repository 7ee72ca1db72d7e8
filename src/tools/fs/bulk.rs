//! Operations on several items: a row for each. One failure does not stop the rest, unless all or
//! nothing is asked for; then what was done is taken back.
//!
//! Every item is looked at before the first is changed, so that what can be known before is known then.

use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::{Interrupt, Limit, LimitHit, Limits, Meter};
use crate::sandbox::{Change, PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, Context, Given, ListedPath, ToolError};
use crate::value::print;

use super::glob::Pattern;
use super::operation::Operation;

/// What a row takes in an answer besides its names, in bytes of JSON.
const ROW_BYTES: u64 = 300;

/// What was done to one item of several.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The item, as it was given or found.
    path: String,
    /// Whether it was done.
    success: bool,
    /// Why not: a sentence; nil when it was.
    error: Option<String>,
    /// The code of the error; nil when it was.
    code: Option<&'static str>,
    /// Bytes written, where bytes were.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// What `FS.RestoreBackup` takes to bring back what was replaced or deleted, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
}

/// What came of an item.
#[derive(Debug, Default)]
pub struct Done {
    /// Bytes written, where bytes were.
    pub size_bytes: Option<u64>,
    /// Where what was there is kept.
    pub backup_path: Option<String>,
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

/// An item that was looked at: what is to be done, and how many files and directories that concerns.
#[derive(Debug)]
pub struct Planned<P> {
    /// What is to be done.
    pub plan: P,
    /// Files and directories.
    pub files: u64,
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
pub fn listed(paths: Vec<ListedPath>) -> Vec<Item> {
    let item = |path: ListedPath| Item {
        below: path.place.as_ref().map(SandboxPath::file_name).unwrap_or_default(),
        name: path.given,
        place: path.place,
    };
    paths.into_iter().map(item).collect()
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
) -> Result<Vec<Item>, ToolError> {
    let pattern = Pattern::of_paths("glob", glob)?;
    let start = context.place(".", PathRule::INSIDE, Access::Look)?;
    let tree = context.walk(&start)?;
    context.spend(tree.len())?;
    let fixed = fixed_part(glob);
    let mut items: Vec<Item> = Vec::new();
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
        items.push(Item { place: context.place(&path, rule, access), name: path, below });
    }
    Ok(items)
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

/// Something that is done to items, and taken back.
pub trait Work {
    /// What is to be done to an item.
    type Plan;
    /// The word for it in results.
    const OPERATION: &'static str;

    /// Looks at an item before anything is changed.
    fn plan(&mut self, context: &mut Context<'_>, item: Item) -> Result<Planned<Self::Plan>, ToolError>;
    /// Does it.
    fn perform(&self, context: &mut Context<'_>, plan: &Self::Plan, change: &Change) -> Result<Done, ToolError>;
    /// Takes it back.
    fn take_back(
        &self,
        context: &mut Context<'_>,
        plan: &Self::Plan,
        done: &Done,
        change: &Change,
    ) -> Result<(), ToolError>;
}

/// Does the work on all items, in order.
pub fn run<W: Work>(
    context: &mut Context<'_>,
    work: &mut W,
    items: Vec<Item>,
    all_or_nothing: bool,
) -> Result<Operation, ToolError> {
    context.admit_files(items.len() as u64)?;
    let mut planned = Vec::with_capacity(items.len());
    for item in items {
        context.spend(1)?;
        planned.push((item.name.clone(), work.plan(context, item)));
    }
    let first_failure = planned.iter().find_map(|(name, plan)| Some((name, plan.as_ref().err()?)));
    if let Some((name, error)) = first_failure.filter(|(_, error)| all_or_nothing || error.limit.is_some()) {
        return Err(nothing_done(name, error, W::OPERATION));
    }
    check_answer(context, planned.iter().map(|(name, _)| name))?;
    let files = planned.iter().filter_map(|(_, plan)| plan.as_ref().ok()).map(|plan| plan.files).sum();
    context.admit_files(files)?;
    let change = context.begin_change(files)?;
    let mut rows = Vec::with_capacity(planned.len());
    let mut done: Vec<(W::Plan, Done)> = Vec::new();
    for (name, plan) in planned {
        let result = plan.and_then(|plan| {
            let what = work.perform(context, &plan.plan, &change)?;
            Ok((plan.plan, what))
        });
        match result {
            Err(error) if all_or_nothing || error.limit.is_some() => {
                return Err(match all_or_nothing {
                    true => take_all_back(context, work, &done, &change, &name, &error),
                    false => error,
                });
            }
            Err(error) => rows.push(Row::failed(name, &error)),
            Ok((plan, what)) => {
                rows.push(Row::done(name, &what));
                done.push((plan, what));
            }
        }
    }
    Ok(Operation::of_rows(W::OPERATION, rows))
}

/// Refuses several items whose rows may not fit into the answer, before any is changed.
fn check_answer<'a>(context: &Context<'_>, names: impl Iterator<Item = &'a String>) -> Result<(), LimitHit> {
    let Some(allowed) = context.answer_bytes else { return Ok(()) };
    // A name stands in its row, in the path of its backup and perhaps in an error.
    let rows: u64 = names.map(|name| 3 * name.len() as u64 + ROW_BYTES).sum();
    if rows > allowed { Err(LimitHit { limit: Limit::Answer, allowed }) } else { Ok(()) }
}

/// The error of an operation of which nothing was done.
fn nothing_done(name: &str, error: &ToolError, operation: &str) -> ToolError {
    let message = format!("nothing was done ({operation}): {}", error.message);
    let path = error.path.clone().unwrap_or_else(|| name.to_owned());
    ToolError { message, path: Some(path), argument: None, ..error.clone() }
}

/// Takes back what was done, newest first, whatever the run may still spend.
fn take_all_back<W: Work>(
    context: &mut Context<'_>,
    work: &W,
    done: &[(W::Plan, Done)],
    change: &Change,
    name: &str,
    error: &ToolError,
) -> ToolError {
    let mut meter = Meter::new(&Limits::default(), Interrupt::default());
    let mut context = context.on_account(&mut meter);
    let failures = done.iter().rev().filter_map(|(plan, what)| work.take_back(&mut context, plan, what, change).err());
    let failures: Vec<String> = failures.map(|failure| failure.message).collect();
    let first = nothing_done(name, error, W::OPERATION);
    match failures.first() {
        None => first,
        Some(failure) => {
            let count = failures.len();
            let message =
                format!("{}; {count} of {} changes could not be taken back: {failure}", error.message, done.len());
            ToolError { message, code: ToolCode::Conflict, ..first }
        }
    }
}

impl Row {
    fn done(path: String, done: &Done) -> Row {
        let Done { size_bytes, backup_path } = done;
        Row { path, success: true, error: None, code: None, size_bytes: *size_bytes, backup_path: backup_path.clone() }
    }

    fn failed(path: String, error: &ToolError) -> Row {
        let path = print::shortened(&path, 200);
        let message = error.message.clone();
        Row {
            path,
            success: false,
            error: Some(message),
            code: Some(error.code.id()),
            size_bytes: None,
            backup_path: None,
        }
    }

    /// Whether it was done.
    pub fn is_done(&self) -> bool {
        self.success
    }

    /// Why it was not.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}
