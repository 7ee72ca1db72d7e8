//! Seals: authentication of NeuroScript's own files below a root.
//!
//! The user has one secret key, stored outside every root ([`super::user_state`]). Each root derives its own keys
//! from it, so a record of one root is worthless below another, and each purpose has a key of its own. A seal is
//! HMAC-SHA256, truncated to 128 bits. This module does not access the disk.
//!
//! Invariant: a journal or backup below `.ns` is acted upon only if this user's key sealed it for this root.
//! Everything else is *foreign*: it is reported, and neither used nor removed.
//!
//! Journals and audit logs are sealed line by line, backups in their names, and plans as a whole. A worker of a server
//! gets the key from it, so that both accept what the other sealed. Only `runs/foreign` changes foreign state, when
//! a person asks for it with `ns adopt` or `ns gc --foreign`. New kinds of state that a later process acts upon need a
//! seal too.

use std::ffi::OsStr;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Sha256;

use crate::text::hex;

use crate::limits::ablation;

use super::metadata::Metadata;

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// Bytes of a seal.
const SEAL_BYTES: usize = 16;
/// Hexadecimal digits of a seal.
pub const SEAL_DIGITS: usize = 2 * SEAL_BYTES;
/// Hexadecimal digits of the seal in the name of a backup.
pub const TAG_DIGITS: usize = 16;
/// Hexadecimal digits of the ID of a root.
const ID_DIGITS: usize = 16;

type Sha = Hmac<Sha256>;

/// The user's secret key.
#[derive(Clone)]
pub struct UserKey {
    bytes: [u8; KEY_BYTES],
    /// Why the key is not stored and is lost with this process, or `None` if it is stored.
    lost_because: Option<String>,
}

impl UserKey {
    /// Creates a key that is stored.
    pub fn kept(bytes: [u8; KEY_BYTES]) -> UserKey {
        UserKey { bytes, lost_because: None }
    }

    /// Creates a random key that is lost with this process; `reason` tells why there is no stored one.
    pub fn ephemeral(reason: impl Into<String>) -> UserKey {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).expect("the system has random numbers");
        UserKey { bytes, lost_because: Some(reason.into()) }
    }

    /// Returns why the key is lost with this process, or `None` if it is stored.
    pub fn lost_because(&self) -> Option<&str> {
        self.lost_because.as_deref()
    }
}

/// A key as passed to another process that acts for the same user.
#[derive(Serialize, Deserialize)]
struct HandedKey {
    secret: String,
    lost_because: Option<String>,
}

impl Serialize for UserKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let handed = HandedKey { secret: hex(&self.bytes), lost_because: self.lost_because.clone() };
        handed.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for UserKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UserKey, D::Error> {
        let HandedKey { secret, lost_because } = HandedKey::deserialize(deserializer)?;
        let bytes = read_key(secret.as_bytes()).ok_or_else(|| serde::de::Error::custom("it is no key"))?;
        Ok(UserKey { bytes, lost_because })
    }
}

impl fmt::Debug for UserKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("UserKey").field("lost_because", &self.lost_because).finish_non_exhaustive()
    }
}

/// The seals of one root.
#[derive(Clone, Debug)]
pub struct RootSeal {
    root: Sha,
    id: String,
}

impl RootSeal {
    /// Derives the seals of a root from the metadata of its directory.
    ///
    /// A root is identified by its inode and creation time. If the file system has no creation times, the device is
    /// used instead. A directory that was copied to another disk or created anew is therefore another root.
    pub fn of(key: &UserKey, folder: &Metadata) -> RootSeal {
        let born = match folder.created {
            Some(time) => format!("born {}.{:09}", time.seconds, time.nanos),
            None => format!("device {}", folder.identity.device),
        };
        let inode = folder.identity.inode.to_string();
        let root = derive(&keyed(&key.bytes), "root", &[inode.as_bytes(), born.as_bytes()]);
        let id = cut(derive(&root, "id", &[]), ID_DIGITS);
        RootSeal { root, id }
    }

    /// Returns the ID of the root, which reveals nothing about it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the chain of seals at the start of a run's journal.
    pub fn chain(&self, run: &str) -> Chain {
        Chain { key: derive(&self.root, "journal", &[run.as_bytes()]), last: [0; SEAL_BYTES] }
    }

    /// Returns the seal in the name of a backup. It covers the directories from `.ns` and the stamp.
    pub fn tag<'n>(&self, folders: impl Iterator<Item = &'n OsStr>, stamp: &str) -> String {
        if !ablation::SEALS {
            return "0".repeat(TAG_DIGITS);
        }
        let mut parts: Vec<&[u8]> = folders.map(OsStr::as_encoded_bytes).collect();
        parts.push(stamp.as_bytes());
        cut(derive(&self.root, "kept", &parts), TAG_DIGITS)
    }

    /// Returns the seal of a text for a purpose.
    pub fn of_text(&self, purpose: &str, text: &[u8]) -> String {
        let mut sha = derive(&self.root, purpose, &[]);
        sha.update(text);
        cut(sha, SEAL_DIGITS)
    }

    /// Whether `seal` is the seal of a text for a purpose. Takes constant time for seals of the same length.
    pub fn has_sealed(&self, purpose: &str, text: &[u8], seal: &str) -> bool {
        is_equal(self.of_text(purpose, text).as_bytes(), seal.as_bytes())
    }
}

/// A chain of seals over the lines of a text. Each seal covers its line and the seal before it.
#[derive(Clone, Debug)]
pub struct Chain {
    key: Sha,
    last: [u8; SEAL_BYTES],
}

impl Chain {
    /// Seals the next line.
    pub fn seal(&mut self, line: &[u8]) -> String {
        self.last = self.next(line);
        hex(&self.last)
    }

    /// Whether `seal` is the seal of the next line. If so, the chain advances.
    pub fn takes(&mut self, line: &[u8], seal: &[u8]) -> bool {
        let next = self.next(line);
        let is_next = is_equal(hex(&next).as_bytes(), seal);
        if is_next {
            self.last = next;
        }
        is_next
    }

    /// Continues after a line with this seal, without verifying the line. Returns `None` if `seal` is malformed.
    pub fn behind(mut self, seal: &[u8]) -> Option<Chain> {
        self.last = read_seal(seal)?;
        Some(self)
    }

    fn next(&self, line: &[u8]) -> [u8; SEAL_BYTES] {
        if !ablation::SEALS {
            return [0; SEAL_BYTES];
        }
        let mut mac = self.key.clone();
        mac.update(&self.last);
        mac.update(line);
        first_bytes(mac)
    }
}

fn keyed(key: &[u8]) -> Sha {
    Sha::new_from_slice(key).expect("HMAC takes keys of any length")
}

/// Derives a key for a purpose, which does not reveal other keys. Length prefixes keep the parts apart.
fn derive(key: &Sha, purpose: &str, parts: &[&[u8]]) -> Sha {
    let mut mac = key.clone();
    for part in [purpose.as_bytes()].iter().chain(parts) {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    keyed(&mac.finalize().into_bytes())
}

fn first_bytes(mac: Sha) -> [u8; SEAL_BYTES] {
    let whole = mac.finalize().into_bytes();
    std::array::from_fn(|at| whole[at])
}

fn cut(mac: Sha, digits: usize) -> String {
    let mut text = hex(&mac.finalize().into_bytes());
    text.truncate(digits);
    text
}

fn read_seal(text: &[u8]) -> Option<[u8; SEAL_BYTES]> {
    read_digits(text)
}

/// Parses a key of two hexadecimal digits per byte. Returns `None` if the text has another length or other
/// characters.
pub fn read_key(text: &[u8]) -> Option<[u8; KEY_BYTES]> {
    read_digits(text)
}

fn read_digits<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let is_whole = text.len() == 2 * N && text.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(text).ok().filter(|_| is_whole)?;
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::super::folder::Folder;
    use super::{RootSeal, SEAL_DIGITS, UserKey};

    fn seals(key: u8) -> RootSeal {
        let place = tempfile::tempdir().expect("a folder");
        let metadata = Folder::open_root(place.path()).and_then(|folder| folder.own_metadata()).expect("it is there");
        RootSeal::of(&UserKey::kept([key; 32]), &metadata)
    }

    #[test]
    fn a_chain_takes_its_own_lines_in_their_order_alone() {
        let seal = seals(1);
        let mut chain = seal.chain("run");
        let lines = [b"one".as_slice(), b"two", b"two"].map(|line| (line, chain.seal(line)));
        let mut reading = seal.chain("run");
        assert!(lines.iter().all(|(line, seal)| reading.takes(line, seal.as_bytes())));
        assert!(!seal.chain("run").takes(lines[1].0, lines[1].1.as_bytes()), "the second is not the first");
        assert!(!seal.chain("other").takes(lines[0].0, lines[0].1.as_bytes()), "another run");
        let mut behind = seal.chain("run").behind(lines[0].1.as_bytes()).expect("it is a seal");
        assert!(behind.takes(lines[1].0, lines[1].1.as_bytes()) && !behind.takes(b"one", lines[0].1.as_bytes()));
        assert!(seal.chain("run").behind(b"no seal").is_none());
    }

    #[test]
    fn roots_keys_purposes_and_names_have_seals_of_their_own() {
        let (one, other) = (seals(1), seals(1));
        assert_ne!(one.id(), other.id());
        let tag = |seal: &RootSeal, folders: &[&str]| seal.tag(folders.iter().map(OsStr::new), "x");
        let tags = [
            tag(&one, &["trash", "a"]),
            tag(&one, &["trasha"]),
            tag(&one, &["backups", "a"]),
            tag(&other, &["trash", "a"]),
        ];
        assert!(tags.iter().enumerate().all(|(at, tag)| !tags[at + 1..].contains(tag)), "{tags:?}");
        let plan = one.of_text("plan", b"text");
        assert_eq!(plan.len(), SEAL_DIGITS);
        assert!(plan != one.of_text("audit", b"text") && plan != other.of_text("plan", b"text"));
        assert!(one.has_sealed("plan", b"text", &plan) && !one.has_sealed("plan", b"text", &plan[1..]));
    }

    #[test]
    fn a_key_is_never_shown() {
        assert!(!format!("{:?}", UserKey::kept([0xab; 32])).contains("ab, ab"));
        assert!(!format!("{:?}", UserKey::kept([171; 32])).contains("171"));
    }
}
