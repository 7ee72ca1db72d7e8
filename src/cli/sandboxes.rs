//! The sandboxes of `ns mcp`, as its command line names them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::mcp::NamedSandbox;

/// The name of a single sandbox that has no other.
const ONLY: &str = "sandbox";

/// Maximum number of sandboxes of a server.
const MOST: usize = 32;

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 64;

/// Names the sandboxes of a command line, each given as `DIR` or `NAME=DIR`. Without a name, the last part of its
/// path is one. No sandbox stands for the current directory.
///
/// # Errors
/// Returns a sentence about the sandbox that has no name, or that of another.
pub fn named(given: &[PathBuf]) -> Result<Vec<NamedSandbox>, String> {
    if given.is_empty() {
        return Ok(vec![NamedSandbox { name: ONLY.to_owned(), path: None }]);
    }
    if let [only] = given {
        // No call names it, so it needs no name.
        return Ok(vec![
            parsed(only)?.unwrap_or_else(|| NamedSandbox { name: ONLY.to_owned(), path: Some(only.clone()) }),
        ]);
    }
    if given.len() > MOST {
        return Err(format!("a server has at most {MOST} sandboxes, and {} are given", given.len()));
    }
    let mut all: Vec<NamedSandbox> = Vec::new();
    for given in given {
        let Some(sandbox) = parsed(given)? else {
            return Err(format!("`{}` yields no name; name it: `--sandbox NAME=DIR`", given.display()));
        };
        if let Some(other) = all.iter().find(|other| other.name.eq_ignore_ascii_case(&sandbox.name)) {
            let name = &other.name;
            return Err(format!("two sandboxes are called `{name}`; name one of them: `--sandbox NAME=DIR`"));
        }
        all.push(sandbox);
    }
    Ok(all)
}

/// Reads one sandbox. Returns `None` if neither it nor its directory has a name.
fn parsed(given: &Path) -> Result<Option<NamedSandbox>, String> {
    let parts = given.to_str().and_then(|text| text.split_once('=')).filter(|(name, _)| is_name(name));
    if let Some((name, directory)) = parts {
        let path = PathBuf::from(directory);
        match (given.is_dir(), path.is_dir()) {
            (true, true) => {
                return Err(format!(
                    "`{name}={directory}` is a directory, and so is `{directory}`; write `./{name}={directory}` for the first, or the absolute path of the second"
                ));
            }
            (true, false) => {}
            (false, _) => return Ok(Some(NamedSandbox { name: name.to_owned(), path: Some(path) })),
        }
    }
    // `.` and `..` have no name of their own.
    let whole = given.canonicalize();
    let name = given.file_name().or_else(|| whole.as_ref().ok()?.file_name()).and_then(OsStr::to_str);
    let name = name.map(name_of).filter(|name| is_name(name));
    Ok(name.map(|name| NamedSandbox { name, path: Some(given.to_owned()) }))
}

/// Returns the name that a directory yields: other characters than letters, digits, `.`, `-` and `_` become `-`.
fn name_of(directory: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    directory.chars().map(plain).take(MAX_NAME).collect()
}

fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME && text.chars().any(|c| c.is_ascii_alphanumeric()) && name_of(text) == text
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::named as named_sandboxes;

    fn named(given: &[&str]) -> Result<Vec<(String, Option<PathBuf>)>, String> {
        let given: Vec<PathBuf> = given.iter().map(PathBuf::from).collect();
        Ok(named_sandboxes(&given)?.into_iter().map(|sandbox| (sandbox.name, sandbox.path)).collect())
    }

    #[test]
    fn a_sandbox_has_a_name_of_its_own_or_that_of_its_directory() {
        let one = |name: &str, path: &str| vec![(name.to_owned(), Some(PathBuf::from(path)))];
        assert_eq!(named(&[]), Ok(vec![("sandbox".to_owned(), None)]));
        assert_eq!(named(&["/a/b c/"]), Ok(one("b-c", "/a/b c/")));
        assert_eq!(named(&["docs=/a/b"]), Ok(one("docs", "/a/b")));
        assert_eq!(named(&["docs=a=b"]), Ok(one("docs", "a=b")));
        // A path before the sign is no name.
        assert_eq!(named(&["/a=b"]), Ok(one("a-b", "/a=b")));
        assert_eq!(named(&["./a=b"]), Ok(one("a-b", "./a=b")));
        assert!(named(&["."]).is_ok_and(|all| !all[0].0.is_empty()));
        // A single one needs no name.
        assert_eq!(named(&["/"]), Ok(one("sandbox", "/")));
        assert!(named(&["/", "/a"]).is_err());
        assert!(named(&["/a", "/ü"]).is_err());
    }

    #[test]
    fn no_two_sandboxes_have_one_name() {
        assert!(named(&["/a/src", "/b/src"]).is_err_and(|message| message.contains("`src`")));
        assert!(named(&["/a/src", "SRC=/b"]).is_err());
        assert!(named(&["/a/src", "other=/b/src"]).is_ok());
        let many: Vec<String> = (0..33).map(|number| format!("/a/{number}")).collect();
        assert!(named(&many.iter().map(String::as_str).collect::<Vec<_>>()).is_err());
    }
}
