//! `file` URIs and paths.

use std::path::{Path, PathBuf};

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

/// The characters of a path that stand for other characters in a URI (RFC 3986, `pchar` and `/` excepted).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the path of a `file` URI of this machine.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let (host, path) = rest.split_at(rest.find('/')?);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    if bytes.contains(&0) { None } else { Some(path_from(bytes)) }
}

#[cfg(unix)]
fn path_from(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_from(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Returns the URI of an absolute path.
pub fn uri_of(path: &Path) -> Option<Uri> {
    format!("file://{}", percent_encode(path.as_os_str().as_encoded_bytes(), ESCAPED)).parse().ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{path_of, uri_of};

    #[test]
    fn a_path_comes_back_from_its_uri() {
        for path in ["/a/b.ns", "/", "/ä ö/#1?%41.ns", "/a[b]{c}^|`\"<>\\.ns", "/100%"] {
            let uri = uri_of(Path::new(path)).expect(path);
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{}", uri.as_str());
        }
    }

    #[test]
    fn other_uris_have_no_path() {
        for uri in ["untitled:Untitled-1", "file://other/a.ns", "file:a", "file:///a%00b", "https://a/b"] {
            assert_eq!(path_of(&uri.parse().expect(uri)), None, "{uri}");
        }
        let local = "file://localhost/a%20b".parse().expect("this is a URI");
        assert_eq!(path_of(&local).as_deref(), Some(Path::new("/a b")));
    }
}
