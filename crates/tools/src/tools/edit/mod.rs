//! Changes one place of a structured text and preserves every other byte.
//!
//! A format parses the text and plans which ranges change ([`Format::plan`]). The result is parsed again and
//! returned only if it equals the old value with exactly this change, so an error in a plan never produces a
//! wrong text.

pub mod flow;
pub mod lines;
pub mod path;
pub mod splice;
mod target;

use crate::gate::Context;
use crate::toolkit::ToolError;
use crate::value::{Str, Value};

pub use splice::Splices;
pub use target::{Change, Part, display, nested};

use target::{Target, changed, resolve, same};

/// A text format in which single places can be changed.
pub trait Format {
    /// The name of the format.
    const NAME: &'static str;

    /// Parses a text. Numbers that are out of range become texts.
    fn read(&self, context: &mut Context<'_>, text: &str) -> Result<Value, ToolError>;

    /// Refuses a value that the format cannot represent.
    fn admit(&self, value: &Value) -> Result<(), ToolError>;

    /// Plans which ranges of the text to replace.
    fn plan(&self, context: &mut Context<'_>, job: &Edit<'_>) -> Result<Splices, ToolError>;

    /// Returns a changed value as the format reads it back.
    fn read_back(&self, value: Value) -> Result<Value, ToolError> {
        Ok(value)
    }
}

/// A change to a text.
pub struct Edit<'a> {
    /// The text.
    pub text: &'a str,
    /// The path to the place.
    pub parts: &'a [Part],
    /// Number of leading parts of the path that exist.
    pub found: usize,
    /// The change to make.
    pub change: &'a Change,
}

impl Edit<'_> {
    /// Returns whether there is a value at the place.
    pub fn is_there(&self) -> bool {
        self.found == self.parts.len()
    }

    /// Returns the error for a place that cannot be changed on its own.
    pub fn refused(&self, reason: &str) -> ToolError {
        let message = format!("{} cannot be changed on its own: {reason}", display(self.parts));
        ToolError::bad_argument("path", message)
    }
}

/// Sets the value at a path.
pub fn set(
    context: &mut Context<'_>,
    format: &impl Format,
    text: &Str,
    path: &Str,
    value: Value,
) -> Result<Str, ToolError> {
    format.admit(&value)?;
    edit(context, format, text, path, Change::Set(value))
}

/// Removes the value at a path.
pub fn remove(context: &mut Context<'_>, format: &impl Format, text: &Str, path: &Str) -> Result<Str, ToolError> {
    edit(context, format, text, path, Change::Remove)
}

fn edit<F: Format>(
    context: &mut Context<'_>,
    format: &F,
    text: &Str,
    path: &Str,
    change: Change,
) -> Result<Str, ToolError> {
    let given = text;
    let text = &*given.as_text();
    context.spend_text(text.len())?;
    let value = format.read(context, text)?;
    let (target, change) = resolve(context, &value, &path.as_text(), change)?;
    if is_done(&target, &change)? {
        return Ok(given.clone());
    }
    let Target { parts, found, .. } = &target;
    let job = Edit { text, parts, found: *found, change: &change };
    let made = format.plan(context, &job)?.apply(context, text)?;
    let wanted = format.read_back(changed(&value, &target, &change)?)?;
    let is_right = match format.read(context, &made.as_text()) {
        Ok(read) => same(&read, &wanted)?,
        Err(error) if error.limit.is_some() => return Err(error),
        Err(_) => false,
    };
    if is_right { Ok(made) } else { Err(unproved::<F>(&job)) }
}

/// Returns whether the text already has the requested value.
fn is_done(target: &Target, change: &Change) -> Result<bool, ToolError> {
    Ok(match (change, &target.old) {
        (Change::Set(value), Some(old)) => same(old, value)?,
        (Change::Set(_), None) => false,
        (Change::Remove, _) => !target.is_there(),
    })
}

/// Returns the direct children of a node in a tree stored in preorder. `after` returns the index after a node
/// and its descendants.
pub fn children(number: usize, after: impl Fn(usize) -> usize) -> impl Iterator<Item = usize> {
    let end = after(number);
    let mut next = number + 1;
    std::iter::from_fn(move || {
        let child = (next < end).then_some(next)?;
        next = after(child);
        Some(child)
    })
}

fn unproved<F: Format>(job: &Edit<'_>) -> ToolError {
    let name = F::NAME;
    job.refused("in this layout something else would change with it, so the text was left as it is").hint(format!(
        "change the line with `FS.EditFile`, or write the changed value of `{name}.Parse` with `{name}.Text`, which \
         loses comments"
    ))
}
