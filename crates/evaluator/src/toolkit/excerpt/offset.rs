//! Where the rest of an answer begins.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// The prefix of offsets in the JSON of the whole answer.
const JSON: &str = "json:";

/// An offset in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// In units of its list or text, written as a number.
    Unit(usize),
    /// In bytes of the JSON of the whole answer, written as `json:` and a number.
    Json(usize),
}

impl Offset {
    /// Returns the number of units.
    pub fn number(self) -> usize {
        let (Offset::Unit(number) | Offset::Json(number)) = self;
        number
    }
}

impl Display for Offset {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Offset::Unit(number) => write!(to, "{number}"),
            Offset::Json(number) => write!(to, "{JSON}{number}"),
        }
    }
}

impl FromStr for Offset {
    type Err = String;

    fn from_str(text: &str) -> Result<Offset, String> {
        let parsed = match text.strip_prefix(JSON) {
            Some(number) => number.parse().map(Offset::Json),
            None => text.parse().map(Offset::Unit),
        };
        parsed.map_err(|_| format!("expected a number, or `{JSON}` and a number, as `next_offset` gives it"))
    }
}

impl Serialize for Offset {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Offset::Unit(number) => to.serialize_u64(*number as u64),
            Offset::Json(_) => to.collect_str(self),
        }
    }
}
