//! Client roots: directories outside of which the calls of a client may do nothing. They narrow what the policy allows
//! and never widen it.

use std::path::PathBuf;

use super::uri::percent_decoded;

/// Returns the directory of a `file:` URI, or `None` for any other.
pub fn directory(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes = percent_decoded(path.split(['?', '#']).next()?)?;
    let path = String::from_utf8(bytes).ok()?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::directory;

    #[test]
    fn only_file_uris_name_directories() {
        assert_eq!(directory("file:///a/b%20c"), Some("/a/b c".into()));
        assert_eq!(directory("file://localhost/a"), Some("/a".into()));
        assert_eq!(directory("file:///a?x#y"), Some("/a".into()));
        for other in ["https://a/b", "file://host/a", "file:///%zz", "file:///%f", "a"] {
            assert_eq!(directory(other), None, "{other}");
        }
    }
}
