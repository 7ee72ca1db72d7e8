//! The URIs of documents. `file:` URIs are read by the rules of [`crate::text::uri`].

use std::path::{Path, PathBuf};

use lsp_types::Uri;

use crate::text::uri;

pub use crate::text::uri::UriFault;

/// Returns the path of a `file:` URI of this machine.
///
/// # Errors
/// A URI that names no path.
pub fn path_of(uri: &Uri) -> Result<PathBuf, UriFault> {
    uri::path_of(uri.as_str()).map(PathBuf::from)
}

/// Returns the URI of an absolute path; `None` for a path that is not UTF-8.
pub fn uri_of(path: &Path) -> Option<Uri> {
    uri::of_path(path.to_str()?).parse().ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{UriFault, path_of, uri_of};

    #[test]
    fn a_path_comes_back_from_its_uri() {
        for path in ["/a/b.ns", "/", "/ä ö/#1?%41.ns", "/a[b]{c}^|`\"<>\\.ns", "/100%", "/c:/a@b+c,d=e!$&'();*"] {
            let uri = uri_of(Path::new(path)).expect(path);
            assert_eq!(path_of(&uri).as_deref(), Ok(Path::new(path)), "{}", uri.as_str());
        }
    }

    #[test]
    fn what_editors_send_is_read() {
        for (uri, path) in [
            ("file:///c%3A/Users/a.ns", "/c:/Users/a.ns"),
            ("file:///C:/Users/a.ns", "/C:/Users/a.ns"),
            ("file://localhost/a%20b", "/a b"),
        ] {
            assert_eq!(path_of(&uri.parse().expect(uri)).as_deref(), Ok(Path::new(path)), "{uri}");
        }
        for (uri, fault) in [
            ("untitled:Untitled-1", UriFault::Scheme),
            ("file://server/share/a.ns", UriFault::Host),
            ("file:a", UriFault::Relative),
            ("file:///a%00b", UriFault::Character),
        ] {
            assert_eq!(path_of(&uri.parse().expect(uri)), Err(fault), "{uri}");
        }
    }
}
