//! `file:` URIs (RFC 8089) and the paths that they name.
//!
//! Decoding is strict: what could be read in two ways is refused, so that every reader of a URI finds the same path.
//! `?` and `#` are characters of names: a `file:` URI has no query, and clients write these characters as they are.

/// The reason why a URI names no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UriFault {
    /// The scheme is not `file:`.
    Scheme,
    /// The path is not absolute.
    Relative,
    /// The URI names another machine.
    Host,
    /// A `%` is not followed by two hexadecimal digits.
    Percent,
    /// An encoded `/` or NUL, or a control character.
    Character,
    /// The path is not UTF-8.
    Encoding,
    /// A part of the path is `.` or `..`.
    Dots,
}

impl UriFault {
    /// Returns the reason in words, after the URI.
    pub fn reason(self) -> &'static str {
        match self {
            UriFault::Scheme => "is no `file:` URI",
            UriFault::Relative => "has no absolute path",
            UriFault::Host => "names another machine",
            UriFault::Percent => "has a `%` without two hexadecimal digits",
            UriFault::Character => "has an encoded `/`, or a character that no path holds",
            UriFault::Encoding => "is not UTF-8",
            UriFault::Dots => "has a part `.` or `..`",
        }
    }
}

/// Returns the absolute path that a `file:` URI names.
///
/// # Errors
/// A URI of another scheme or machine, and one that names no path or could be read in two ways.
pub fn path_of(uri: &str) -> Result<String, UriFault> {
    const SCHEME: &str = "file:";
    let scheme = uri.get(..SCHEME.len()).ok_or(UriFault::Scheme)?;
    if !scheme.eq_ignore_ascii_case(SCHEME) {
        return Err(UriFault::Scheme);
    }
    let rest = &uri[SCHEME.len()..];
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
                return Err(UriFault::Host);
            }
            path
        }
    };
    if !path.starts_with('/') {
        return Err(UriFault::Relative);
    }
    let encoded_slash = |part: &[u8]| part[0] == b'%' && part[1] == b'2' && part[2].eq_ignore_ascii_case(&b'f');
    if path.as_bytes().windows(3).any(encoded_slash) {
        return Err(UriFault::Character);
    }
    let path = String::from_utf8(percent_decoded(path).ok_or(UriFault::Percent)?).map_err(|_| UriFault::Encoding)?;
    if path.contains(char::is_control) {
        return Err(UriFault::Character);
    }
    if path.split('/').any(|part| matches!(part, "." | "..")) {
        return Err(UriFault::Dots);
    }
    Ok(path)
}

/// Returns the `file:` URI of an absolute path.
pub fn of_path(path: &str) -> String {
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        // Unreserved characters (RFC 3986), the separator, and some that no client encodes.
        if byte.is_ascii_alphanumeric() || b"-._~/@+,=:!$&'()*;".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// Decodes percent-encoding such as `%20`. Returns `None` if it is malformed.
fn percent_decoded(text: &str) -> Option<Vec<u8>> {
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
    use super::{UriFault, of_path, path_of};

    #[test]
    fn every_path_has_a_uri_that_names_it() {
        for path in ["/", "/a/b c", "/ünï/{x}%41#?.md", "/a'b\"c\\d", "/~/-_.", "/日本/\u{1F980}"] {
            let uri = of_path(path);
            assert!(uri.is_ascii(), "{uri}");
            assert_eq!(path_of(&uri).as_deref(), Ok(path), "{uri}");
        }
    }

    #[test]
    fn only_one_reading_is_accepted() {
        for (uri, path) in [
            ("file:///a/b", "/a/b"),
            ("FILE:///a", "/a"),
            ("file:/a", "/a"),
            ("file://localhost/a", "/a"),
            ("file:///a%20b#c?d", "/a b#c?d"),
            ("file:///dir/", "/dir/"),
        ] {
            assert_eq!(path_of(uri).as_deref(), Ok(path), "{uri}");
        }
        for (uri, fault) in [
            ("", UriFault::Scheme),
            ("http://a/b", UriFault::Scheme),
            ("é", UriFault::Scheme),
            ("file:a", UriFault::Relative),
            ("file://", UriFault::Relative),
            ("file://host/a", UriFault::Host),
            ("file://host%2f/a", UriFault::Host),
            ("file:///%zz", UriFault::Percent),
            ("file:///a%4", UriFault::Percent),
            ("file:///a%", UriFault::Percent),
            ("file:///a%2Fb", UriFault::Character),
            ("file:///a%2fb", UriFault::Character),
            ("file:///a%00", UriFault::Character),
            ("file:///a\nb", UriFault::Character),
            ("file:///%ff", UriFault::Encoding),
            ("file:///a/../b", UriFault::Dots),
            ("file:///a/%2e%2E/b", UriFault::Dots),
            ("file:///%2e", UriFault::Dots),
        ] {
            assert_eq!(path_of(uri), Err(fault), "{uri}");
        }
    }
}
