//! Reading a resource: a file as text or base64, a directory as its listing.

use rmcp::model::ResourceContents;
use serde_json::{Map, Value as Json, json};

use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::Value;

use super::super::connection_state::ConnectionState;
use super::place::{NamedPlace, ResourceError, path_named};

/// The MIME type of a directory (shared-mime-info).
const DIRECTORY: &str = "inode/directory";
const MIB: u64 = 1 << 20;
/// Maximum size in bytes of a file or a listing.
const MOST: u64 = 4 * MIB;

/// Reads the resource with this URI.
pub fn read(state: &ConnectionState, uri: &str) -> Result<ResourceContents, Box<ResourceError>> {
    let place = path_named(state, uri)?;
    let contents = match file(state, uri, &place, None) {
        Err(error) if error.code == ToolCode::NotText => file(state, uri, &place, Some("base64")),
        Err(error) if error.code == ToolCode::IsADirectory => directory(state, uri, &place),
        read => read,
    };
    contents.map_err(|error| ResourceError::new(state, uri, bounded(&place.path, error)))
}

/// Reads a file, as text or in an encoding.
fn file(
    state: &ConnectionState,
    uri: &str,
    NamedPlace { sandbox, path }: &NamedPlace,
    encoding: Option<&str>,
) -> Result<ResourceContents, ToolError> {
    let mut args = arguments(json!({ "path": path, "max_size_mb": MOST / MIB, "checksum": false }));
    args.extend(encoding.map(|encoding| ("encoding".to_owned(), json!(encoding))));
    let result = state.result_of(*sandbox, "FS.ReadFile", &args)?;
    let text = |key: &str| field(&result, key).and_then(|value| value.as_text().map(|text| text.to_string()));
    let content = text("content").unwrap_or_default();
    let contents = match encoding {
        None => ResourceContents::text(content, uri),
        Some(_) => ResourceContents::blob(content, uri),
    };
    Ok(contents.with_mime_type(text("mimeType").unwrap_or_else(|| "application/octet-stream".to_owned())))
}

fn directory(
    state: &ConnectionState,
    uri: &str,
    NamedPlace { sandbox, path }: &NamedPlace,
) -> Result<ResourceContents, ToolError> {
    let result = state.result_of(*sandbox, "FS.ListDir", &arguments(json!({ "path": path })))?;
    let listing = result.as_text().map(|text| text.to_string()).unwrap_or_default();
    if listing.len() as u64 > MOST {
        return Err(ToolError::new(ToolCode::TooLarge, String::new()));
    }
    Ok(ResourceContents::text(listing, uri).with_mime_type(DIRECTORY))
}

/// Returns an error whose cause may be the size in the words for resources.
fn bounded(path: &str, error: ToolError) -> ToolError {
    if error.code != ToolCode::TooLarge && error.limit.is_none() {
        return error;
    }
    let message = format!("`{path}` is too large for a resource, which has at most {MOST} bytes");
    let hint = "read a part of it with `read_file` and `max_lines`, or list it with `find` and `limit`";
    ToolError::new(ToolCode::TooLarge, message).hint(hint)
}

fn arguments(args: Json) -> Map<String, Json> {
    match args {
        Json::Object(args) => args,
        _ => Map::new(),
    }
}

fn field(result: &Value, key: &str) -> Option<Value> {
    if let Value::Map(map) = result { map.get_str(key) } else { None }
}
