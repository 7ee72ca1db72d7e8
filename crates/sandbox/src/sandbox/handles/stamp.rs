//! Names that sort by time. A *stamp* is a time and a random number, such as `20261122T050102.123456Z-1a2b3c4d`: the
//! name of a run. A backup is named by a stamp and a seal, such as
//! `20261122T050102.123456Z-1a2b3c4d-0123456789abcdef`. Only this user's key creates the seal for this directory of
//! this root ([`RootSeal::tag`]).
//!
//! Below `.ns`, a part of a path that looks like such a name gets a `~` appended, so that the path of a backup
//! determines its original path unambiguously. A part that has no room for the `~` is shortened and begins with `.ns:`.

use std::ffi::{OsStr, OsString};

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};

use super::address::Address;
use super::seal::RootSeal;
use super::staging::{TEMPORARY_PREFIX, is_draft_name, random_number};

/// The format of a stamp: `0` stands for a decimal digit, `x` for a hexadecimal one.
const SHAPE: &[u8] = b"00000000T000000.000000Z-xxxxxxxx";
/// The format of the seal that follows the stamp in the name of a backup.
const TAG_SHAPE: &[u8] = b"-xxxxxxxxxxxxxxxx";
/// The suffix of parts of a path that look like a stamp or a temporary name.
const MARK: &str = "~";
/// The maximum length of a name in bytes; a part that has it has no room for the mark.
const LONGEST: usize = 255;
/// The prefix of the short form of such a part. No part of a path begins so: with a `:` after it, `.ns` is reserved.
const SHORT: &str = ".ns:";

/// Returns the present time as text that sorts by time.
pub fn now() -> String {
    moment(Utc::now())
}

/// Formats a time as text that sorts by time.
pub fn moment(time: DateTime<Utc>) -> String {
    time.format("%Y%m%dT%H%M%S%.6fZ").to_string()
}

/// Parses such a text, or the time of a stamp.
pub fn time_of(text: &str) -> Option<DateTime<Utc>> {
    let moment = text.split_once('-').map_or(text, |(moment, _)| moment);
    NaiveDateTime::parse_from_str(moment, "%Y%m%dT%H%M%S%.6fZ").ok().map(|time| time.and_utc())
}

/// Returns the short name of a run: the random number of its stamp.
pub fn short(stamp: &str) -> &str {
    stamp.split_once('-').map_or(stamp, |(_, number)| number)
}

/// Returns the present time, or the microsecond after `other` if the clock has not passed that time.
pub fn after(other: &str) -> String {
    let now = now();
    if now.as_str() > other {
        return now;
    }
    match time_of(other).and_then(|time| time.checked_add_signed(TimeDelta::microseconds(1))) {
        Some(next) => moment(next),
        None => now,
    }
}

/// Creates a stamp with this time.
pub fn name_at(moment: &str) -> String {
    format!("{moment}-{:08x}", random_number() as u32)
}

/// Whether a name is a stamp.
pub fn is_stamp(name: &OsStr) -> bool {
    has_shape(name.as_encoded_bytes(), SHAPE)
}

/// Whether a name has the form of a backup's, without checking its seal. In format version 1 of `.ns`, backups had no
/// seal.
pub fn is_kept_shape(name: &OsStr) -> bool {
    let (stamp, tag) = name.as_encoded_bytes().split_at(SHAPE.len().min(name.len()));
    has_shape(stamp, SHAPE) && (tag.is_empty() || has_shape(tag, TAG_SHAPE))
}

/// Returns the name of a backup in the directory given by `folders`, the names from `.ns`.
pub fn kept_name<T: AsRef<OsStr>>(stamp: &str, folders: &[T], seal: &RootSeal) -> OsString {
    OsString::from(format!("{stamp}-{}", seal.tag(folders.iter().map(AsRef::as_ref), stamp)))
}

/// Whether a name is that of a backup, with a valid seal for its directory.
pub fn is_kept<T: AsRef<OsStr>>(name: &OsStr, folders: &[T], seal: &RootSeal) -> bool {
    name.len() > SHAPE.len() && is_kept_shape(name) && kept_name(stamp_of(name), folders, seal) == name
}

/// Returns the stamp in the name of a backup, or the whole name if it is another one.
pub fn stamp_of(name: &OsStr) -> &str {
    let text = name.to_str().unwrap_or_default();
    if is_kept_shape(name) { &text[..SHAPE.len()] } else { text }
}

/// Returns the stamp in the path of a backup.
pub fn stamp_in(address: &Address) -> String {
    let path = address.0.to_string_lossy();
    stamp_of(OsStr::new(path.rsplit('/').next().unwrap_or_default())).to_owned()
}

fn has_shape(bytes: &[u8], shape: &[u8]) -> bool {
    let fits = |(&byte, &shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        b'x' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        _ => byte == shape,
    };
    bytes.len() == shape.len() && bytes.iter().zip(shape).all(fits)
}

/// Returns the time in a name.
pub fn moment_of(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    name.rsplit_once('-').map_or(String::new(), |(moment, _)| moment.to_owned())
}

/// Returns the name of the directory that represents a part of a path. It is a valid name if the part is one.
pub fn folder_of(part: &OsStr) -> OsString {
    if let Some(short) = part.to_str().filter(|text| text.len() >= LONGEST).and_then(shortened) {
        return short.into();
    }
    let mut name = part.to_owned();
    if is_marked(part) {
        name.push(MARK);
    }
    name
}

/// Returns the short form of a part that has no room for the mark: without the beginning of a temporary name, or
/// without the marks at its end. `None` if the part needs no mark.
fn shortened(part: &str) -> Option<String> {
    let stem = part.trim_end_matches(MARK);
    let rest = part.strip_prefix(TEMPORARY_PREFIX).or_else(|| Some(stem).filter(|stem| is_kept_shape(stem.as_ref())));
    rest.map(|rest| format!("{SHORT}{rest}"))
}

/// Returns the part of a path that a short form represents.
fn lengthened(folder: &str) -> Option<String> {
    let rest = folder.strip_prefix(SHORT)?;
    if is_kept_shape(rest.as_ref()) {
        return Some(format!("{rest}{}", MARK.repeat(LONGEST - rest.len())));
    }
    Some(format!("{TEMPORARY_PREFIX}{rest}"))
}

/// Returns the part of a path that a directory represents.
pub fn part_of(folder: &OsStr) -> OsString {
    if let Some(part) = folder.to_str().and_then(lengthened) {
        return part.into();
    }
    let part = folder.to_str().and_then(|text| text.strip_suffix(MARK));
    part.filter(|part| is_marked(part.as_ref())).map_or_else(|| folder.to_owned(), OsString::from)
}

/// Whether a part of a path would look like a stamp, backup or temporary name without the mark.
fn is_marked(part: &OsStr) -> bool {
    match part.to_str() {
        Some(text) => {
            let text = OsStr::new(text.trim_end_matches(MARK));
            is_kept_shape(text) || is_draft_name(text)
        }
        None => is_draft_name(part),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::super::root::Root;
    use super::{after, folder_of, is_kept, is_kept_shape, is_stamp, kept_name, name_at, now, part_of, stamp_of};

    #[test]
    fn moments_go_on_when_the_clock_does_not() {
        assert_eq!(after("29990101T000000.999999Z"), "29990101T000001.000000Z");
        let before = now();
        let next = after("20200101T000000.000000Z");
        assert!(before <= next && next <= now(), "{next}");
    }

    #[test]
    fn names_are_told_from_parts() {
        let name = name_at(&now());
        assert!(is_stamp(name.as_ref()), "{name}");
        let sealed = format!("{name}-0123456789abcdef");
        let marked = [&name, &sealed].map(|name| [name.clone(), format!("{name}~"), format!("{name}~~")]);
        let plain = ["a", "~", "a~", ".ns-tmp-1", ".ns-tmp-1~"].map(str::to_owned);
        let filled = |start: &str, fill: &str| format!("{start}{}", fill.repeat(255 - start.len()));
        let long = [".ns-tmp-", &name, &sealed].map(|start| [filled(start, "~"), filled(start, "a")]);
        let almost = [format!(".ns-tmp-{}", "a".repeat(246)), filled("a", "~"), filled("", "~")];
        let parts = plain.into_iter().chain(marked.into_iter().flatten());
        for part in parts.chain(long.into_iter().flatten()).chain(almost) {
            let folder = folder_of(OsStr::new(&part));
            assert!(folder.len() <= 255, "{part}");
            assert!(!is_kept_shape(&folder), "{part}");
            assert_eq!(part_of(&folder), OsStr::new(&part));
        }
    }

    #[test]
    fn a_kept_name_holds_in_its_folder_alone() {
        let place = tempfile::tempdir().expect("a folder");
        let seal = Root::open(place.path()).expect("it opens").seal;
        let (stamp, folders) = (name_at(&now()), ["trash", "a"]);
        let name = kept_name(&stamp, &folders, &seal);
        assert!(is_kept(&name, &folders, &seal) && stamp_of(&name) == stamp);
        assert!(!is_kept(&name, &["trash", "b"], &seal) && !is_kept(&name, &["backups", "a"], &seal));
        assert!(!is_kept(stamp.as_ref(), &folders, &seal) && is_kept_shape(stamp.as_ref()));
        let forged = format!("{stamp}-0123456789abcdef");
        assert!(!is_kept(forged.as_ref(), &folders, &seal) && is_kept_shape(forged.as_ref()));
    }
}
