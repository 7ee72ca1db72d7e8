//! The id of a line of `ns call --jsonl` that is no call, so that the caller can tell which one failed.
//!
//! The line may be any text. An id is found if it is a key of the object and stands before the place where the text
//! stops being JSON; the first one counts. Nothing is guessed: behind that place, a key may belong to anything.

use std::fmt::{self, Formatter};

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::{Deserializer, Value as Json};

/// Returns the id of a malformed line, or null if there is none to be read.
pub fn id_of(line: &[u8]) -> Json {
    let mut id = None;
    // The error is known: it is why the line is read again.
    let _ = Deserializer::from_slice(line).deserialize_map(FirstId(&mut id));
    // A number at the end of the line may be the beginning of a longer one.
    let is_open = |id: &Json| id.is_number() && line.trim_ascii_end().ends_with(id.to_string().as_bytes());
    id.filter(|id| !is_open(id)).unwrap_or_default()
}

/// Stores the value of the first key `id`.
struct FirstId<'a>(&'a mut Option<Json>);

impl<'de> Visitor<'de> for FirstId<'_> {
    type Value = ();

    fn expecting(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "id" && self.0.is_none() {
                *self.0 = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
