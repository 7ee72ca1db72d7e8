//! Reserved names: `.ns` and the policy file. No tool lists or opens them, in any directory.
//!
//! A directory below the root can later become a root itself, so anything that would then be state or policy is out of
//! reach now. Names are compared as the most lenient file system would compare them. Walks check every entry, so the
//! first bytes decide for almost every name.
//!
//! All code that handles names asks [`is_reserved`]: paths, links, listings, walks, copies, plans and modules. A
//! directory that contains a reserved entry may be moved or deleted, since one rename changes nothing in it. A copy
//! leaves the entry out ([`super::CopyScope`]), and so does an archive.

use std::ffi::OsStr;

use crate::text::{fold, safe};

/// The name of the state directory.
pub(in crate::sandbox) const STATE_DIR: &str = ".ns";
const POLICY_FILE: &str = "neuroscript.toml";
/// The reserved names, case-folded.
const RESERVED: [&str; 2] = [STATE_DIR, POLICY_FILE];

/// Whether a name is reserved: `.ns` or the policy file, in any spelling that a file system accepts for it.
///
/// Ignores letter case (ext4 with casefold, APFS, NTFS, vfat), Unicode normalization, and characters that some file
/// systems ignore in names (ext4 with casefold, HFS+). Also ignores trailing dots and spaces, and everything from a `:`
/// on (NTFS). The short names of NTFS and vfat (`NS~1`, `NEUROS~1.TOM`) refer to the same files.
pub fn is_reserved(name: &OsStr) -> bool {
    may_be_reserved(name.as_encoded_bytes()) && name.to_str().is_some_and(is_reserved_text)
}

/// Whether the first bytes can begin a reserved name. Bytes above ASCII may begin an ignored character.
fn may_be_reserved(name: &[u8]) -> bool {
    match name {
        [b'.', second, ..] => matches!(second, b'n' | b'N' | 0x80..),
        [b'n' | b'N', second, ..] => matches!(second, b'e' | b'E' | b's' | b'S' | 0x80..),
        [first, ..] => *first >= 0x80,
        [] => false,
    }
}

fn is_reserved_text(text: &str) -> bool {
    let text = text.split(':').next().unwrap_or(text);
    if text.is_ascii() {
        let text = text.trim_end_matches(['.', ' ']);
        return RESERVED.iter().any(|reserved| text.eq_ignore_ascii_case(reserved)) || is_short_name(text);
    }
    let mut visible = text.chars().filter(|&c| !is_ignorable(c));
    // No other character folds to one that begins a reserved name.
    let Some(first @ ('.' | 'n' | 'N')) = visible.next() else { return false };
    let folded = fold(&[first].into_iter().chain(visible).collect::<String>());
    RESERVED.contains(&folded.trim_end_matches(['.', ' ']))
}

/// Whether an ASCII name can be the short name that vfat or NTFS generates for a reserved name: up to six letters of
/// it, or two letters and four hexadecimal digits, then `~`, a number, and three letters of the extension.
fn is_short_name(text: &str) -> bool {
    let Some((start, rest)) = text.split_once('~') else { return false };
    let (number, extension) = rest.split_once('.').unwrap_or((rest, ""));
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        && match extension {
            "" => is_short_start(start, "ns", "ns"),
            extension => extension.eq_ignore_ascii_case("tom") && is_short_start(start, "neuros", "ne"),
        }
}

/// Whether a text can begin a short name: `whole`, a prefix of it (a long number leaves less room), or `prefix`
/// followed by four hexadecimal digits.
fn is_short_start(text: &str, whole: &str, prefix: &str) -> bool {
    let is_beginning = text.len() >= 2 && whole.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
    let digits = text.get(prefix.len()..).filter(|digits| digits.len() == 4);
    let is_hashed = digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_beginning || is_hashed && text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Whether a character is in Unicode's Default_Ignorable_Code_Point or is another format character.
pub fn is_ignorable(c: char) -> bool {
    safe::is_format(c)
        || matches!(c,
            '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2065}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{is_ignorable, is_reserved};
    use crate::text::fold;

    #[test]
    fn every_spelling_is_reserved() {
        for name in [
            ".ns",
            ".NS",
            ".Ns",
            ".n\u{17f}",
            ".ns.",
            ".ns ",
            ".ns. .",
            ".n\u{200c}s",
            "\u{feff}.ns",
            ".n\u{ad}s",
            ".ns\u{fe0f}",
            ".n\u{34f}s",
            ".ns:stream",
            ".ns::$INDEX_ALLOCATION",
            "neuroscript.toml",
            "NeuroScript.TOML",
            "neuro\u{17f}cript.toml",
            "neuroscr\u{131}pt.toml",
            "neuroscript.toml.",
            "neuroscript\u{2060}.toml",
            "n\u{2060}euroscript.toml",
            "ns~1",
            "NS~12",
            "NS4F2A~1",
            "NEUROS~1.TOM",
            "neuro~10.tom",
            "ne09af~2.tom",
        ] {
            assert!(is_reserved(name.as_ref()), "{name:?}");
        }
        for name in [
            "ns",
            ".nsx",
            ".n",
            ".n\u{fc}s",
            "x.ns",
            "neuroscript.tom",
            "neuroscript",
            "",
            ".",
            "..",
            "a:.ns",
            "n",
            "ns~",
            "ns~x",
            "ns~1.txt",
            "neuros~1",
            "neural~1.tom",
            "notes~1.tom",
            ".ns-tmp-1",
            "\u{3c0}",
        ] {
            assert!(!is_reserved(name.as_ref()), "{name:?}");
        }
    }

    /// The first characters that `is_reserved_text` accepts are all that can begin a spelling.
    #[test]
    fn no_other_character_folds_to_a_beginning() {
        let begins = |c: &char| !is_ignorable(*c) && fold(&c.to_string()).starts_with(['.', 'n']);
        let found: String = ('\0'..=char::MAX).filter(begins).collect();
        assert_eq!(found, ".Nn");
        // The same for the second character of names whose first one is ASCII.
        let seconds = |c: &char| c.is_ascii() && fold(&c.to_string()).starts_with(['n', 'e', 's']);
        assert_eq!(('\0'..=char::MAX).filter(seconds).collect::<String>(), "ENSens");
    }
}
