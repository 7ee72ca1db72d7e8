//! The value by which an element is compared or grouped: itself, or the value under `key` if elements are maps.

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
