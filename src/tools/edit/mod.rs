//! One place of a text that is data is changed, and every other byte stays.
//!
//! A format reads the text, and says which stretches change ([`Format::plan`]). What comes out is read again: it is
//! given back only if it is the old value with the change and nothing else, so no mistake of a plan becomes a wrong text.

pub mod flow;
pub mod lines;
pub mod path;
pub mod splice;
mod target;

use crate::toolkit::{Context, ToolError};
use crate::value::{Str, Value};

pub use splice::Splices;
pub use target::{Change, Part, nested, shown};

use target::{Target, changed, resolve, same};

/// A form of texts in which one place can be changed.
pub trait Format {
    /// Its name.
    const NAME: &'static str;

    /// The value of a text; numbers that no value holds are texts.
    fn read(context: &mut Context<'_>, text: &str) -> Result<Value, ToolError>;

    /// Refuses a value that the form cannot write.
    fn admit(value: &Value) -> Result<(), ToolError>;

    /// Which stretches of the text change.
    fn plan(context: &mut Context<'_>, job: &Job<'_>) -> Result<Splices, ToolError>;
}

/// What is changed in a text.
pub struct Job<'a> {
    /// The text.
    pub text: &'a str,
    /// The way to the place.
    pub parts: &'a [Part],
    /// How many parts of the way are there.
    pub found: usize,
    /// What is done.
    pub change: &'a Change,
}

impl Job<'_> {
    /// Whether something lies at the place.
    pub fn is_there(&self) -> bool {
        self.found == self.parts.len()
    }

    /// The error for a place that cannot be changed on its own.
    pub fn refused(&self, reason: &str) -> ToolError {
        let message = format!("{} cannot be changed on its own: {reason}", shown(self.parts));
        ToolError::bad_argument("path", message)
    }
}

/// Sets a place of a text.
pub fn set<F: Format>(context: &mut Context<'_>, text: &Str, path: &Str, value: Value) -> Result<Str, ToolError> {
    F::admit(&value)?;
    edit::<F>(context, text, path, Change::Set(value))
}

/// Removes a place from a text.
pub fn remove<F: Format>(context: &mut Context<'_>, text: &Str, path: &Str) -> Result<Str, ToolError> {
    edit::<F>(context, text, path, Change::Remove)
}

fn edit<F: Format>(context: &mut Context<'_>, text: &Str, path: &Str, change: Change) -> Result<Str, ToolError> {
    let given = text;
    let text = &*given.as_text();
    context.spend_text(text.len())?;
    let value = F::read(context, text)?;
    let (target, change) = resolve(context, &value, &path.as_text(), change)?;
    if is_done(&target, &change)? {
        return Ok(given.clone());
    }
    let Target { parts, found, .. } = &target;
    let job = Job { text, parts, found: *found, change: &change };
    let made = F::plan(context, &job)?.apply(context, text)?;
    let wanted = changed(&value, &target, &change)?;
    let is_right = match F::read(context, &made.as_text()) {
        Ok(read) => same(&read, &wanted)?,
        Err(error) if error.limit.is_some() => return Err(error),
        Err(_) => false,
    };
    if is_right { Ok(made) } else { Err(unproved::<F>(&job)) }
}

/// Whether the text is as it should be already.
fn is_done(target: &Target, change: &Change) -> Result<bool, ToolError> {
    Ok(match (change, &target.old) {
        (Change::Set(value), Some(old)) => same(old, value)?,
        (Change::Set(_), None) => false,
        (Change::Remove, _) => !target.is_there(),
    })
}

/// Iterates over the direct children of a node in a tree that is stored in preorder; `after` gives the number behind a
/// node and all that is in it.
pub fn children(number: usize, after: impl Fn(usize) -> usize) -> impl Iterator<Item = usize> {
    let end = after(number);
    let mut next = number + 1;
    std::iter::from_fn(move || {
        let child = (next < end).then_some(next)?;
        next = after(child);
        Some(child)
    })
}

fn unproved<F: Format>(job: &Job<'_>) -> ToolError {
    let name = F::NAME;
    job.refused("in this layout something else would change with it, so the text was left as it is").hint(format!(
        "change the line with `FS.EditFile`, or write the changed value of `{name}.Parse` with `{name}.Text`, which \
         loses comments"
    ))
}
