//! The list of resources: pages of the files of the sandbox.

use rmcp::model::{ErrorData, ListResourcesResult, Resource, ResourceTemplate};

use super::super::connection_state::ConnectionState;
use super::place::{NamedPlace, ResourceError, uri_named};

/// Text before the number of the sandbox and the path in a cursor.
const CURSOR: &str = "after:";
/// The variable of the template.
pub const VARIABLE: &str = "path";

/// A page, and the directories whose files are on it.
#[derive(Debug)]
pub struct ListedPage {
    /// The page.
    pub result: ListResourcesResult,
    /// The directories, which subscriptions follow; only Linux has them.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are no subscriptions"))]
    pub directories: Vec<NamedPlace>,
}

/// Returns a page of the list.
pub fn list(state: &ConnectionState, cursor: Option<&str>) -> Result<ListedPage, Box<ResourceError>> {
    let (sandbox, after) = match cursor {
        None => (0, None),
        Some(cursor) => position(state, cursor).ok_or_else(|| unknown(state, cursor))?,
    };
    let page = state.sandboxes.engine(sandbox).files_after(after, &state.session);
    let page = page.map_err(|error| ResourceError::new(state, &uri_named(state, sandbox, ""), error))?;
    let resources = page.files.iter().map(|file| {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let resource =
            Resource::new(uri_named(state, sandbox, &file.path), name).with_title(&*file.path).with_size(file.size);
        match mime_guess::from_path(&file.path).first_raw() {
            Some(mime_type) => resource.with_mime_type(mime_type),
            None => resource,
        }
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    // The files of the next sandbox follow those of this one.
    let others = (sandbox + 1 < state.sandboxes.count()).then(|| format!("{CURSOR}{}:", sandbox + 1));
    result.next_cursor = page.next.map(|path| format!("{CURSOR}{sandbox}:{path}")).or(others);
    let directories = page.directories.into_iter().map(|path| NamedPlace { sandbox, path }).collect();
    Ok(ListedPage { result, directories })
}

/// Returns the sandbox of a cursor, and the path after which its page begins.
fn position<'c>(state: &ConnectionState, cursor: &'c str) -> Option<(usize, Option<&'c str>)> {
    let (sandbox, path) = cursor.strip_prefix(CURSOR)?.split_once(':')?;
    let sandbox = sandbox.parse().ok().filter(|sandbox| *sandbox < state.sandboxes.count())?;
    Some((sandbox, Some(path).filter(|path| !path.is_empty())))
}

fn unknown(state: &ConnectionState, cursor: &str) -> Box<ResourceError> {
    let message = "there is no page with this `cursor`: give the `nextCursor` of a page as it is";
    let error = crate::toolkit::ToolError::new(crate::text::ToolCode::BadArgs, message);
    let mut error = ResourceError::new(state, cursor, error);
    error.error = ErrorData::invalid_params(message, None);
    error
}

/// Returns the templates of all resources, one for each sandbox.
pub fn templates(state: &ConnectionState) -> Vec<ResourceTemplate> {
    let template = |(number, (name, _))| {
        let name = if state.sandboxes.are_several() { name } else { "file" };
        let root = uri_named(state, number, "");
        ResourceTemplate::new(format!("{root}{{+{VARIABLE}}}"), name)
            .with_title("File of the sandbox")
            .with_description("A file or directory, by its path from the root of the sandbox")
    };
    state.sandboxes.iter().enumerate().map(template).collect()
}
