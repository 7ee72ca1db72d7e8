//! Client roots: directories outside of which the calls of a client may do nothing. They narrow what the policy allows
//! and never widen it.

use std::path::PathBuf;

/// Returns the directory of a `file:` URI, or `None` for any other.
pub fn directory(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes = decoded(path.split(['?', '#']).next()?)?;
    let path = String::from_utf8(bytes).ok()?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

/// Decodes percent-encoding such as `%20`. Returns `None` if it is malformed.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => byte,
        };
        bytes.push(byte);
    }
    Some(bytes)
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
