//! Addresses: the ways to the places that a journal names.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::keep::{Drawer, stamp};
use super::super::own::OWN;

/// The way to a place: from the root, or absolute below a further one. It has no links and no `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub OsString);

impl Address {
    /// The part before the last name; empty for what is directly below the root.
    pub fn parent(&self) -> Address {
        let bytes = self.0.as_encoded_bytes();
        let end = bytes.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        Address(from_bytes(&bytes[..end]))
    }

    /// The address of a name in the folder that this is.
    pub fn join(&self, name: &OsStr) -> Address {
        let mut path = self.0.clone();
        if !path.is_empty() {
            path.push("/");
        }
        path.push(name);
        Address(path)
    }

    /// Of something kept: its drawer, and its stamp.
    pub fn slot(&self) -> (Drawer, String) {
        let path = self.0.to_string_lossy();
        let is_trash = path.split('/').skip_while(|part| *part != OWN).nth(1) == Some(Drawer::Trash.name());
        let name = path.rsplit('/').next().unwrap_or_default();
        let drawer = if is_trash { Drawer::Trash } else { Drawer::Backups };
        (drawer, stamp::stamp_of(OsStr::new(name)).to_owned())
    }

    /// Whether it lies in the folder of another.
    pub fn is_below(&self, other: &Address) -> bool {
        let (own, other) = (self.0.as_encoded_bytes(), other.0.as_encoded_bytes());
        other.is_empty() || own.strip_prefix(other).is_some_and(|rest| rest.first() == Some(&b'/'))
    }

    /// What it is when the folder `from`, in which it lies, is called `to`.
    pub fn moved(&self, from: &Address, to: &Address) -> Address {
        let rest = &self.0.as_encoded_bytes()[from.0.len()..];
        let mut moved = to.0.clone();
        moved.push(from_bytes(rest));
        Address(moved)
    }

    /// As messages show it.
    pub fn shown(&self) -> std::borrow::Cow<'_, str> {
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

/// Names are bytes on Unix; elsewhere only text comes here.
fn from_bytes(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}

/// A text as it is; bytes that are none as hexadecimal digits behind a NUL, which no path holds.
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

/// The first of an address and those above it that a set holds.
pub fn holder<'a>(set: &'a BTreeSet<Address>, address: &Address) -> Option<&'a Address> {
    let above = |address: &Address| Some(address.parent()).filter(|parent| parent != address);
    std::iter::successors(Some(address.clone()), above).find_map(|address| set.get(&address))
}
