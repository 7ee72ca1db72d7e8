//! The names of what is kept: when it was taken away and a random number, `20261122T050102.123456Z-1a2b3c4d`.
//!
//! They sort by time. A part of a path that looks like one gets a `~` at its end below `.ns`, so that
//! the path of what is kept says without doubt where it was.

use std::ffi::{OsStr, OsString};
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::super::draft::{is_draft_name, random_number};

/// How a name looks: `0` stands for a decimal digit, `x` for a hexadecimal one.
const SHAPE: &[u8] = b"00000000T000000.000000Z-xxxxxxxx";
/// What tells a part of a path from a name of ours.
const MARK: &str = "~";

/// This moment, as text that sorts by time.
pub fn now() -> String {
    moment(SystemTime::now())
}

/// A moment, as text that sorts by time.
pub fn moment(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).format("%Y%m%dT%H%M%S%.6fZ").to_string()
}

/// This moment, or the next after another where the clock has not come to that yet.
pub fn after(other: &str) -> String {
    let now = now();
    if now.as_str() > other {
        return now;
    }
    let read = chrono::NaiveDateTime::parse_from_str(other, "%Y%m%dT%H%M%S%.6fZ");
    match read.ok().and_then(|time| time.checked_add_signed(chrono::TimeDelta::microseconds(1))) {
        Some(next) => moment(next.and_utc().into()),
        None => now,
    }
}

/// A new name for something that was taken away at a moment.
pub fn name_at(moment: &str) -> String {
    format!("{moment}-{:08x}", random_number() as u32)
}

/// Whether a name is one of something kept.
pub fn is_stamp(name: &OsStr) -> bool {
    let fits = |(&byte, &shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        b'x' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        _ => byte == shape,
    };
    let bytes = name.as_encoded_bytes();
    bytes.len() == SHAPE.len() && bytes.iter().zip(SHAPE).all(fits)
}

/// The moment in a name.
pub fn moment_of(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    name.rsplit_once('-').map_or(String::new(), |(moment, _)| moment.to_owned())
}

/// The name of the folder that stands for a part of a path.
pub fn folder_of(part: &OsStr) -> OsString {
    let mut name = part.to_owned();
    if is_marked(part) {
        name.push(MARK);
    }
    name
}

/// The part of a path that a folder stands for.
pub fn part_of(folder: &str) -> &str {
    match folder.strip_suffix(MARK) {
        Some(part) if is_marked(part.as_ref()) => part,
        _ => folder,
    }
}

/// Whether a part of a path would be taken for a name of ours, were it not marked.
fn is_marked(part: &OsStr) -> bool {
    match part.to_str() {
        Some(text) => {
            let text = OsStr::new(text.trim_end_matches(MARK));
            is_stamp(text) || is_draft_name(text)
        }
        None => is_draft_name(part),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{after, folder_of, is_stamp, name_at, now, part_of};

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
        for part in ["a", "~", "a~", ".ns-tmp-1", ".ns-tmp-1~", &name, &format!("{name}~"), &format!("{name}~~")] {
            let folder = folder_of(OsStr::new(part));
            assert!(!is_stamp(&folder), "{part}");
            assert_eq!(part_of(folder.to_str().expect("it is text")), part);
        }
    }
}
