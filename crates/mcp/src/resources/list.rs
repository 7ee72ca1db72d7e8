//! The list of resources: pages of the files of the sandbox.

use rmcp::model::{ErrorData, ListResourcesResult, Resource, ResourceTemplate};

use super::super::connection_state::ConnectionState;
use super::place::{ResourceError, uri_named};

/// Text before the path in a cursor.
const CURSOR: &str = "after:";
/// The variable of the template.
pub const VARIABLE: &str = "path";

/// A page, and the directories whose files are on it.
#[derive(Debug)]
pub struct ListedPage {
    /// The page.
    pub result: ListResourcesResult,
    /// The directories, from the root.
    pub directories: Vec<String>,
}

/// Returns a page of the list.
pub fn list(state: &ConnectionState, cursor: Option<&str>) -> Result<ListedPage, Box<ResourceError>> {
    let after = cursor.map(|cursor| cursor.strip_prefix(CURSOR).ok_or_else(|| unknown(state, cursor))).transpose()?;
    let page = state.engine.files_after(after, &state.session);
    let page = page.map_err(|error| ResourceError::new(state, &uri_named(state, ""), error))?;
    let resources = page.files.iter().map(|file| {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let resource = Resource::new(uri_named(state, &file.path), name).with_title(&*file.path).with_size(file.size);
        match mime_guess::from_path(&file.path).first_raw() {
            Some(mime_type) => resource.with_mime_type(mime_type),
            None => resource,
        }
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    result.next_cursor = page.next.map(|path| format!("{CURSOR}{path}"));
    Ok(ListedPage { result, directories: page.directories })
}

fn unknown(state: &ConnectionState, cursor: &str) -> Box<ResourceError> {
    let message = "there is no page with this `cursor`: give the `nextCursor` of a page as it is";
    let error = crate::toolkit::ToolError::new(crate::text::ToolCode::BadArgs, message);
    let mut error = ResourceError::new(state, cursor, error);
    error.error = ErrorData::invalid_params(message, None);
    error
}

/// Returns the template of all resources.
pub fn template(state: &ConnectionState) -> ResourceTemplate {
    let root = uri_named(state, "");
    ResourceTemplate::new(format!("{root}{{+{VARIABLE}}}"), "file")
        .with_title("File of the sandbox")
        .with_description("A file or directory, by its path from the root of the sandbox")
}
