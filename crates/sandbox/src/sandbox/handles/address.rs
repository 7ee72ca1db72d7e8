//! Addresses: the paths that a journal records.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path as journals record it: relative to the main root, or absolute below a further root. It contains no symbolic
/// links and no `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub OsString);

impl Address {
    /// Returns the path without its last name; empty for an entry directly below the root.
    pub fn parent(&self) -> Address {
        let bytes = self.0.as_encoded_bytes();
        let end = bytes.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        Address(from_bytes(&bytes[..end]))
    }

    /// Returns the path itself and the paths above it, the nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Address> {
        let above = |address: &Address| Some(address.parent()).filter(|parent| parent != address);
        std::iter::successors(Some(self.clone()), above)
    }

    /// Appends a name.
    pub fn join(&self, name: &OsStr) -> Address {
        let mut path = self.0.clone();
        if !path.is_empty() {
            path.push("/");
        }
        path.push(name);
        Address(path)
    }

    /// Whether this path is strictly below another.
    pub fn is_below(&self, other: &Address) -> bool {
        let (own, other) = (self.0.as_encoded_bytes(), other.0.as_encoded_bytes());
        other.is_empty() || own.strip_prefix(other).is_some_and(|rest| rest.first() == Some(&b'/'))
    }

    /// Returns this path, which is at or below `from`, after `from` was renamed to `to`.
    pub fn moved(&self, from: &Address, to: &Address) -> Address {
        let rest = &self.0.as_encoded_bytes()[from.0.len()..];
        let mut moved = to.0.clone();
        moved.push(from_bytes(rest));
        Address(moved)
    }

    /// Returns the path as text for messages.
    pub fn display(&self) -> std::borrow::Cow<'_, str> {
        self.0.to_string_lossy()
    }
}

impl From<&OsStr> for Address {
    fn from(path: &OsStr) -> Address {
        Address(path.to_owned())
    }
}

impl From<&str> for Address {
    fn from(path: &str) -> Address {
        Address(path.into())
    }
}

/// File names are bytes on Unix; on other systems only text reaches this function.
fn from_bytes(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}

/// UTF-8 paths are written as they are; others as a NUL, which no path contains, followed by hexadecimal digits.
impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => serializer.serialize_str(&format!("\0{}", crate::text::hex(self.0.as_encoded_bytes()))),
        }
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Address, D::Error> {
        let text = String::deserialize(deserializer)?;
        let Some(digits) = text.strip_prefix('\0') else { return Ok(Address(text.into())) };
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
        let bytes = bytes.ok_or_else(|| serde::de::Error::custom("a path that is no text is not in hexadecimal"))?;
        Ok(Address(from_bytes(&bytes)))
    }
}

/// Returns the nearest member of `set` that is `address` itself or one of its ancestors.
pub fn holder<'a>(set: &'a BTreeSet<Address>, address: &Address) -> Option<&'a Address> {
    address.ancestors().find_map(|address| set.get(&address))
}
