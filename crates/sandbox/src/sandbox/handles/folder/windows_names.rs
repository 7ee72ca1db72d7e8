//! Names on Windows: each entry has one, and no other name of it is accepted.
//!
//! Windows finds an entry under further names: its short name (`SECRET~1.TXT`), a stream (`a.txt::$DATA`), and for calls
//! by path with dots and spaces behind it. Rules about paths compare names, so a further name would evade them. No entry
//! that Windows itself made has a name with these characters, and a name that looks short must be listed.

use std::ffi::OsStr;
use std::io;

use cap_std::fs::Dir;

/// Characters that no name of an entry holds.
const NEVER: [char; 9] = ['<', '>', ':', '"', '/', '\\', '|', '?', '*'];

/// Checks that a name is the one under which a directory lists an entry, as far as the name alone can be another one.
///
/// Errors: of kind `NotFound`, because no entry is listed under it; from the operating system.
pub fn check_listed(folder: &Dir, name: &OsStr) -> io::Result<()> {
    if !is_storable(name) {
        return Err(io::ErrorKind::NotFound.into());
    }
    if !may_be_short(name) {
        return Ok(());
    }
    for entry in folder.entries()? {
        if entry?.file_name().eq_ignore_ascii_case(name) {
            return Ok(());
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Checks that a name is free for a new entry that is then listed under it.
///
/// Errors: of kind `AlreadyExists` if it is the short name of an entry; of kind `InvalidFilename` if it names no entry.
pub fn check_new(folder: &Dir, name: &OsStr) -> io::Result<()> {
    if !is_storable(name) {
        return Err(io::Error::new(io::ErrorKind::InvalidFilename, "no entry can have this name on Windows"));
    }
    if may_be_short(name) && check_listed(folder, name).is_err() && folder.symlink_metadata(name).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    Ok(())
}

/// Whether Windows stores entries under this very name. `.` is the directory itself.
fn is_storable(name: &OsStr) -> bool {
    if name == "." {
        return true;
    }
    let Some(text) = name.to_str() else { return false };
    !text.is_empty() && !text.ends_with(['.', ' ']) && !text.contains(|c: char| c < ' ' || NEVER.contains(&c))
}

/// Whether a name has the form of a short one: at most eight characters with a `~` before a digit, and at most three
/// behind the dot.
fn may_be_short(name: &OsStr) -> bool {
    let Some(text) = name.to_str() else { return false };
    let (stem, extension) = text.split_once('.').unwrap_or((text, ""));
    let has_number = stem.split('~').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    has_number && stem.chars().count() <= 8 && extension.chars().count() <= 3
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::io::ErrorKind;

    use super::{check_listed, check_new, is_storable, may_be_short};

    #[test]
    fn further_names_are_no_names() {
        for name in ["a:b", "C:", "C:x", "a.txt::$DATA", "a.", "a ", "..", "a\\b", "a/b", "a?", "\u{1}", ""] {
            assert!(!is_storable(OsStr::new(name)), "{name:?}");
        }
        for name in ["a", ".", ".env", "a b", "~", "ä"] {
            assert!(is_storable(OsStr::new(name)), "{name:?}");
        }
    }

    #[test]
    fn a_name_of_the_short_form_must_be_listed() {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join("real~1.txt"), "").expect("a file");
        let folder = cap_std::fs::Dir::open_ambient_dir(place.path(), cap_std::ambient_authority()).expect("a handle");
        let listed = |name: &str| check_listed(&folder, OsStr::new(name)).map_err(|error| error.kind());
        let new = |name: &str| check_new(&folder, OsStr::new(name)).map_err(|error| error.kind());
        assert_eq!(listed("REAL~1.TXT"), Ok(()));
        assert_eq!(listed("SECRET~1.TXT"), Err(ErrorKind::NotFound));
        assert_eq!(listed("a.txt::$DATA"), Err(ErrorKind::NotFound));
        assert_eq!((new("other~1.txt"), new("real~1.txt")), (Ok(()), Ok(())));
        assert_eq!(new("a."), Err(ErrorKind::InvalidFilename));
    }

    #[test]
    fn short_names_are_known_by_their_form() {
        for name in ["SECRET~1.TXT", "secret~1", "A1B2~1.X", "ns~12"] {
            assert!(may_be_short(OsStr::new(name)), "{name:?}");
        }
        for name in ["secret.txt", "secret~1.text", "backup~", "verylong~1.txt", "a~b.txt"] {
            assert!(!may_be_short(OsStr::new(name)), "{name:?}");
        }
    }
}
