//! Paths into data, such as `users[0].name`: their syntax.

use crate::limits::{MeteredVec, work};
use crate::toolkit::{Form, ToolError};
use crate::value::{Str, print};

/// The form of paths that may name many places.
pub const PATH: Form = Form::new(|_, path| parse(path).map(drop));
/// The form of paths that name one place.
pub const PLACE: Form = Form::new(|_, path| {
    let names_many = parse(path)?.as_slice().iter().any(|step| matches!(step, Step::All));
    if names_many { Err(many_places()) } else { Ok(()) }
});

/// One step of a path.
pub enum Step {
    /// The value of a key.
    Name(Str),
    /// An element of a list; negative indices count from the end.
    Index(i64),
    /// All elements of a list or entries of a map.
    All,
}

/// Maximum number of characters of a path in messages.
const SHOWN: usize = 60;

/// Parses a path: names separated by dots, `[0]`, `["a.b"]`, `*`, and an optional `$` at the start.
pub fn parse(path: &str) -> Result<MeteredVec<Step>, ToolError> {
    let mut steps = MeteredVec::default();
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    while !rest.is_empty() {
        work::charge(1)?;
        let (step, after) = match rest.strip_prefix('[') {
            Some(inside) => bracket(inside).ok_or_else(|| {
                bad(path, rest, "brackets hold a whole number, a name in quotes or `*`").hint("write `list[0].name`")
            })?,
            None => name(path, rest, steps.is_empty())?,
        };
        steps.push(step)?;
        rest = after;
    }
    Ok(steps)
}

/// Returns the error for the part of the path that starts at `rest`.
fn bad(path: &str, rest: &str, reason: &str) -> ToolError {
    let character = path[..path.len() - rest.len()].chars().count() + 1;
    let shown = print::shortened(path, SHOWN);
    let at = path.len() - rest.len();
    ToolError::bad_argument("path", format!("{reason}, at character {character} of `{shown}`")).part(at..path.len())
}

/// Returns the error for a path with `*` where one place is meant.
pub fn many_places() -> ToolError {
    ToolError::bad_argument("path", "`*` names many places, and one is changed")
        .hint("name one key or index; for many, call once for each")
}

/// Parses a plain name. Returns the step and the rest of the path.
fn name<'p>(path: &str, rest: &'p str, is_first: bool) -> Result<(Step, &'p str), ToolError> {
    let name = match rest.strip_prefix('.') {
        Some(name) => name,
        None if is_first => rest,
        None => return Err(bad(path, rest, "expected `.` or `[`")),
    };
    let end = memchr::memchr2(b'.', b'[', name.as_bytes()).unwrap_or(name.len());
    work::charge_bytes(end)?;
    match &name[..end] {
        "" => Err(bad(path, name, "a name is missing").hint("write `list[0].name`")),
        "*" => Ok((Step::All, &name[end..])),
        plain => Ok((Step::Name(Str::new(plain)), &name[end..])),
    }
}

/// Parses the inside of brackets. Returns the step and the rest of the path, or `None` if the syntax is wrong.
fn bracket(inside: &str) -> Option<(Step, &str)> {
    if let Some(quote @ ('"' | '\'')) = inside.chars().next() {
        let name = &inside[1..];
        let end = name.find(quote)?;
        return Some((Step::Name(Str::new(&name[..end])), name[end + 1..].strip_prefix(']')?));
    }
    let (text, after) = inside.split_once(']')?;
    match text.trim() {
        "*" => Some((Step::All, after)),
        number => Some((Step::Index(number.parse().ok()?), after)),
    }
}
