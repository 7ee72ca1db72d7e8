//! The value by which an element is compared or grouped: itself, or the values under one or several keys if elements
//! are maps.

use crate::limits::{space, work};
use crate::toolkit::ToolError;
use crate::value::{Str, Value, print};

/// Returns the value by which an element is compared or grouped.
pub fn of(element: &Value, key: Option<&Str>, index: usize) -> Result<Value, ToolError> {
    match (key, element) {
        (None, _) => Ok(element.clone()),
        (Some(key), Value::Map(map)) => map.get(key).ok_or_else(|| {
            let message = format!("element {index} has no key `{}`", print::shortened(&key.as_text(), 40));
            ToolError::bad_argument("key", message)
        }),
        (Some(_), _) => {
            let message = format!("element {index} is no map, but {} {}", element.type_name(), print::preview(element));
            Err(ToolError::bad_argument("list", message).hint("leave `key` out for plain values"))
        }
    }
}

/// Returns the keys that an argument of one or several names; none if it was left out.
pub fn several(key: Option<&Value>) -> Result<Vec<Str>, ToolError> {
    let keys: Vec<Str> = match key {
        None => return Ok(Vec::new()),
        Some(Value::List(keys)) => {
            work::charge(keys.len())?;
            space::check(keys.len() * size_of::<Str>())?;
            keys.iter().filter_map(|key| key.as_str()).collect()
        }
        Some(key) => key.as_str().into_iter().collect(),
    };
    if keys.is_empty() {
        return Err(ToolError::bad_argument("key", "an empty list names no key").hint("name one, or leave `key` out"));
    }
    Ok(keys)
}
