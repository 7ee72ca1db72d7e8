//! Floats that JSON does not have: infinite ones, and those that are no number.

use std::fmt;

use crate::limits::LimitHit;

use super::super::parts::{Part, find_scalar};
use super::super::{Value, number, print};

/// A float that JSON does not have, and its place in a value.
#[derive(Debug)]
pub struct Unwritable {
    float: f64,
    /// The place, such as `items[3].x`; empty for the value itself.
    place: String,
}

impl Unwritable {
    /// The remedy.
    pub const HELP: &'static str = "put nil or a text in its place, or write YAML or TOML, which have such floats; `STR(x)` is `inf`, `-inf` or `nan`";

    /// Returns the first such float in a value.
    pub fn find_in(value: &Value) -> Result<Option<Unwritable>, LimitHit> {
        // Tables have no floats.
        if matches!(value, Value::List(list) if list.rows().is_some()) {
            return Ok(None);
        }
        let found = find_scalar(value, &|scalar| scalar.as_float().is_some_and(|float| !float.is_finite()))?;
        Ok(found.map(|found| Unwritable {
            float: found.scalar.as_float().unwrap_or_default(),
            place: place_of(&found.parts),
        }))
    }
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON has no number `")?;
        number::write_float(self.float, f)?;
        match &*self.place {
            "" => f.write_str("`"),
            place => write!(f, "`, which is at `{place}`"),
        }
    }
}

/// Maximum number of characters of a place in a message.
const MAX_PLACE: usize = 120;

/// Formats a place as `JSON.Query` takes it.
fn place_of(parts: &[Part]) -> String {
    let mut place = String::new();
    for part in parts {
        match part {
            Part::Index(index) => place.push_str(&format!("[{index}]")),
            Part::Key(key) => {
                let key = key.as_text();
                let is_name = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
                match (is_name, place.is_empty()) {
                    (true, true) => place.push_str(&key),
                    (true, false) => place.push_str(&format!(".{key}")),
                    (false, _) => place.push_str(&format!("[{:?}]", &*key)),
                }
            }
        }
    }
    print::shortened(&place, MAX_PLACE).to_string()
}
