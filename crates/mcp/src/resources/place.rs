//! Resource URIs and the paths that they stand for, and the errors of resources.
//!
//! [`path_named`] is the only place where a URI becomes a path, and [`uri_named`] its inverse.

use std::borrow::Cow;

use rmcp::model::ErrorData;
use serde_json::json;

use crate::engine::Engine;
use crate::text::{ToolCode, uri};
use crate::toolkit::ToolError;
use crate::value::print;

use super::super::connection_state::{ConnectionState, Reply};

/// Maximum number of characters of a URI in a message.
const MAX_URI: usize = 200;

/// A path in one of the sandboxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPlace {
    /// The number of the sandbox.
    pub sandbox: usize,
    /// The path in the form that tools take: relative to the root of the sandbox. A path that is in no sandbox is as the
    /// URI has it, so that the gate decides about it.
    pub path: String,
}

/// A resource that cannot be served, with the messages for the log.
#[derive(Debug)]
pub struct ResourceError {
    /// The error for the client.
    pub error: ErrorData,
    /// The failure as the answer of a call has it.
    pub reply: Reply,
}

/// Returns the path that a URI names.
pub fn path_named(state: &ConnectionState, uri: &str) -> Result<NamedPlace, Box<ResourceError>> {
    let path = uri::path_of(uri).map_err(|fault| {
        let message = format!("`{}` {}", print::shortened(uri, MAX_URI), fault.reason());
        let root = uri_named(state, 0, "");
        let error = ToolError::new(ToolCode::BadArgs, message);
        ResourceError::new(state, uri, error.hint(format!("give a URI below `{root}`, percent-encoded once")))
    })?;
    let in_sandbox = |(sandbox, engine)| Some(NamedPlace { sandbox, path: below(&path, &root(engine))?.to_owned() });
    let found = state.sandboxes.engines().enumerate().find_map(in_sandbox);
    Ok(found.unwrap_or_else(|| NamedPlace { sandbox: 0, path: path.clone() }))
}

/// Returns the URI of a path from the root of a sandbox.
pub fn uri_named(state: &ConnectionState, sandbox: usize, path: &str) -> String {
    uri::of_path(&format!("{}/{path}", root(state.sandboxes.engine(sandbox)).trim_end_matches('/')))
}

/// Returns the path of a root as URIs have it: absolute, with `/` between its names.
fn root(engine: &Engine) -> Cow<'_, str> {
    let path = engine.gate().root().path().to_string_lossy();
    if cfg!(windows) {
        // `\\?\C:\work`, as the system returns it, is `/C:/work`.
        Cow::Owned(format!("/{}", path.trim_start_matches(r"\\?\").replace('\\', "/")))
    } else {
        path
    }
}

fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(root.trim_end_matches('/'))?;
    match rest {
        "" | "/" => Some("."),
        rest => rest.strip_prefix('/'),
    }
}

impl ResourceError {
    /// Converts the failure of a tool, or of something that stands for one.
    pub fn new(state: &ConnectionState, uri: &str, failure: ToolError) -> Box<ResourceError> {
        let reply = state.failure(&failure);
        let told = &reply.structured["error"];
        let message = told["message"].as_str().unwrap_or_default().to_owned();
        let mut data = json!({ "uri": print::shortened(uri, MAX_URI), "code": told["code"] });
        if let Some(hint) = told["hint"].as_str() {
            data["hint"] = json!(hint);
        }
        let error = match failure.code {
            ToolCode::NotFound | ToolCode::NotADirectory => ErrorData::resource_not_found(message, Some(data)),
            ToolCode::IoError | ToolCode::PermissionDenied => ErrorData::internal_error(message, Some(data)),
            _ => ErrorData::invalid_params(message, Some(data)),
        };
        Box::new(ResourceError { error, reply })
    }
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn only_whole_names_are_below_a_root() {
        for (path, root, expected) in [
            ("/a/b/c", "/a/b", Some("c")),
            ("/a/b", "/a/b", Some(".")),
            ("/a/b/", "/a/b", Some(".")),
            ("/a/bc", "/a/b", None),
            ("/x", "/a/b", None),
            ("/x", "/", Some("x")),
        ] {
            assert_eq!(below(path, root), expected, "{path} {root}");
        }
    }
}
