//! The place of a change in a value: resolves its path and computes the changed value.

use std::rc::Rc;

use crate::gate::Context;
use crate::limits::{LimitHit, space, work};
use crate::toolkit::ToolError;
use crate::value::operators::position;
use crate::value::{List, Map, Str, Value, ValueError, equality, print};

use super::path::{Step, many_places, parse};

/// One part of a resolved path, with a non-negative index.
#[derive(Clone, Debug)]
pub enum Part {
    /// The value of a key.
    Name(Str),
    /// An element of a list.
    Index(usize),
}

/// A change at a place.
#[derive(Clone, Debug)]
pub enum Change {
    /// Sets the value.
    Set(Value),
    /// Removes the value.
    Remove,
}

/// The place of a change.
pub struct Target {
    /// The whole path.
    pub parts: Vec<Part>,
    /// Number of leading parts that exist; the others are created.
    pub found: usize,
    /// The value at the place, if there is one.
    pub old: Option<Value>,
}

impl Target {
    /// Returns whether there is a value at the place.
    pub fn is_there(&self) -> bool {
        self.found == self.parts.len()
    }
}

/// Resolves a path in a value, and returns the place and the change to make there. A nil on the path becomes
/// the map that the rest of the path needs. Errors: the path cannot be followed.
pub fn resolve(
    context: &mut Context<'_>,
    root: &Value,
    path: &str,
    change: Change,
) -> Result<(Target, Change), ToolError> {
    let steps = parse(path)?;
    let steps = steps.as_slice();
    context.spend(steps.len())?;
    let may_make = matches!(change, Change::Set(_));
    if may_make {
        space::check_depth(steps.len())?;
    }
    if steps.is_empty() && !may_make {
        let error = ToolError::bad_argument("path", "an empty path is the whole text, which cannot be removed");
        return Err(error.hint("name a key or an index, such as `a.b[0]`"));
    }
    space::check(steps.len().saturating_mul(size_of::<Part>()))?;
    let mut target = Target { parts: Vec::with_capacity(steps.len()), found: 0, old: Some(root.clone()) };
    for (number, step) in steps.iter().enumerate() {
        work::charge(1)?;
        let is_nil = matches!(target.old, Some(Value::Nil));
        if let (Change::Set(value), true, Step::Name(_)) = (&change, is_nil, step) {
            let rest = names(&target, &steps[number..])?;
            return Ok((target, Change::Set(nested(value.clone(), &rest)?)));
        }
        if is_nil && !may_make {
            // A nil contains nothing that could be removed.
            target.old = None;
        }
        let appends = may_make && number + 1 == steps.len();
        enter(&mut target, step, appends)?;
    }
    Ok((target, change))
}

/// Returns the keys of the rest of a path, none of which exist.
fn names(before: &Target, steps: &[Step]) -> Result<Vec<Part>, ToolError> {
    let mut rest = Target { parts: before.parts.clone(), found: 0, old: None };
    steps.iter().try_for_each(|step| enter(&mut rest, step, false))?;
    Ok(rest.parts.split_off(before.parts.len()))
}

/// Follows one step of the path.
fn enter(target: &mut Target, step: &Step, may_append: bool) -> Result<(), ToolError> {
    let was_there = target.is_there();
    let (part, next) = match (target.old.take(), step) {
        (_, Step::All) => return Err(many_places()),
        (None, Step::Name(name)) => (Part::Name(name.clone()), None),
        (None, Step::Index(index)) => return Err(no_list(&target.parts, *index)),
        (Some(Value::Map(map)), Step::Name(name)) => (Part::Name(name.clone()), map.get(name)),
        (Some(Value::List(list)), Step::Index(index)) => match position(*index, list.len()) {
            Some(at) => (Part::Index(at), list.get(at)),
            None if may_append && *index == list.len() as i64 => (Part::Index(list.len()), None),
            None => return Err(beyond(&target.parts, *index, list.len(), may_append)),
        },
        (Some(other), step) => {
            let error = no_container(&target.parts, &other, step);
            let is_element = may_append && matches!(step, Step::Index(_));
            return Err(if is_element { error.hint("set the list as a whole, such as `[old, new]`") } else { error });
        }
    };
    target.parts.push(part);
    target.found += usize::from(was_there && next.is_some());
    target.old = next;
    Ok(())
}

fn no_list(before: &[Part], index: i64) -> ToolError {
    let message = format!("nothing lies at {}, so it has no element [{index}]", display(before));
    ToolError::bad_argument("path", message).hint("set the list as a whole, such as `[value]`")
}

fn beyond(before: &[Part], index: i64, length: usize, may_append: bool) -> ToolError {
    let message = format!("the list at {} has the length {length}, and no element [{index}]", display(before));
    let hint =
        if may_append { format!("[{length}] appends to it") } else { "negative indexes count from the end".to_owned() };
    ToolError::bad_argument("path", message).hint(hint)
}

fn no_container(before: &[Part], found: &Value, step: &Step) -> ToolError {
    let (wanted, needed) = match step {
        Step::Name(name) => (format!("key `{}`", print::shortened(&name.as_text(), 40)), "map"),
        Step::Index(index) => (format!("element [{index}]"), "list"),
        Step::All => ("elements".to_owned(), "list or map"),
    };
    let found = match found {
        Value::Nil | Value::Unset => "nil".to_owned(),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
        other => format!("the {} {}", other.type_name(), print::preview(other)),
    };
    let message = format!("{wanted} needs a {needed}, and at {} lies {found}", display(before));
    ToolError::bad_argument("path", message)
}

/// Formats a path for messages.
pub fn display(parts: &[Part]) -> String {
    if parts.is_empty() {
        return "the top of the text".to_owned();
    }
    let mut path = String::new();
    for part in parts.iter().take(40) {
        match part {
            Part::Index(index) => path.push_str(&format!("[{index}]")),
            Part::Name(name) => {
                let name = print::shortened(&name.as_text(), 40);
                if name.contains(['.', '[', ']', '*', '$']) || name.is_empty() {
                    path.push_str(&format!("[\"{name}\"]"))
                } else {
                    path.push_str(&format!("{}{name}", if path.is_empty() { "" } else { "." }))
                }
            }
        }
    }
    format!("`{}`", print::shortened(&path, 80))
}

/// Wraps a value in maps for the keys that lead to it.
pub fn nested(value: Value, missing: &[Part]) -> Result<Value, ToolError> {
    missing.iter().rev().try_fold(value, |value, part| match part {
        Part::Name(name) => {
            let mut map = Map::with_capacity(1);
            map.put(name.clone(), value)?;
            Ok(map.into())
        }
        Part::Index(_) => Ok(Value::list(vec![value])?),
    })
}

/// Returns the whole value after the change.
pub fn changed(root: &Value, target: &Target, change: &Change) -> Result<Value, ToolError> {
    let mut whole = root.clone();
    match (change, target.parts.split_last()) {
        (Change::Set(value), _) => put(&mut whole, &target.parts, value.clone())?,
        (Change::Remove, None) => {}
        (Change::Remove, Some((last, before))) => {
            let rest = without(&at(root, before)?, last)?;
            put(&mut whole, before, rest)?;
        }
    }
    Ok(whole)
}

fn put(whole: &mut Value, parts: &[Part], value: Value) -> Result<(), ToolError> {
    if parts.is_empty() {
        *whole = value;
        return Ok(());
    }
    let steps: Vec<Value> = parts
        .iter()
        .map(|part| match part {
            Part::Name(name) => name.clone().into(),
            Part::Index(index) => Value::Int(*index as i64),
        })
        .collect();
    whole.set_place(&steps, value).map_err(|error| match *error {
        ValueError::Limit(hit) => hit.into(),
        error => ToolError::bad_argument("path", error.to_string()),
    })
}

fn at(root: &Value, parts: &[Part]) -> Result<Value, ToolError> {
    let mut value = root.clone();
    for part in parts {
        work::charge(1)?;
        let next = match (&value, part) {
            (Value::Map(map), Part::Name(name)) => map.get(name),
            (Value::List(list), Part::Index(index)) => list.get(*index),
            _ => None,
        };
        value = next.unwrap_or(Value::Nil);
    }
    Ok(value)
}

fn without(whole: &Value, part: &Part) -> Result<Value, ToolError> {
    match (whole, part) {
        (Value::Map(map), Part::Name(name)) => map_without(map, name),
        (Value::List(list), Part::Index(index)) => list_without(list, *index),
        _ => Ok(whole.clone()),
    }
}

fn map_without(map: &Rc<Map>, name: &Str) -> Result<Value, ToolError> {
    let mut rest = Map::with_capacity(map.len());
    map.try_each(|key, value| {
        work::charge(1)?;
        if key == name { Ok(()) } else { rest.put(key.clone(), value.clone()) }
    })?;
    Ok(rest.into())
}

fn list_without(list: &Rc<List>, index: usize) -> Result<Value, ToolError> {
    space::check(list.len().saturating_mul(size_of::<Value>()))?;
    let mut rest = Vec::with_capacity(list.len());
    let mut number = 0;
    list.try_each(|value| {
        work::charge(1)?;
        if number != index {
            rest.push(value.clone());
        }
        number += 1;
        Ok::<(), LimitHit>(())
    })?;
    Ok(Value::list(rest)?)
}

/// Returns whether two values are identical in type and bits, except that the keys of maps may be in a
/// different order. Recursion is bounded by the nesting of the shallower value.
pub fn same(left: &Value, right: &Value) -> Result<bool, LimitHit> {
    work::charge(1)?;
    match (left, right) {
        (Value::List(a), Value::List(b)) => {
            if Rc::ptr_eq(a, b) {
                return Ok(true);
            }
            let mut is_same = a.len() == b.len();
            for (a, b) in a.iter().zip(b.iter()) {
                is_same = is_same && same(&a, &b)?;
                if !is_same {
                    break;
                }
            }
            Ok(is_same)
        }
        (Value::Map(a), Value::Map(b)) => same_maps(a, b),
        (Value::Float(a), Value::Float(b)) => {
            Ok(a.get().to_bits() == b.get().to_bits() || a.get().is_nan() && b.get().is_nan())
        }
        (Value::Nil | Value::Unset, Value::Nil | Value::Unset) => Ok(true),
        (a, b) => {
            work::charge_bytes(a.as_text().map_or(0, |text| text.len()))?;
            Ok(a.type_name() == b.type_name() && equality::equal(a, b)?)
        }
    }
}

fn same_maps(a: &Rc<Map>, b: &Rc<Map>) -> Result<bool, LimitHit> {
    if Rc::ptr_eq(a, b) {
        return Ok(true);
    }
    if a.len() != b.len() {
        return Ok(false);
    }
    for (place, (key, value)) in a.iter().enumerate() {
        let found = b.with_value(&key, place, |other| same(&value, other));
        match found {
            Some(found) if found? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
