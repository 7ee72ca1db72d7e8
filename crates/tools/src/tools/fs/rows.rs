//! The result rows of an operation on several items.

use schemars::JsonSchema;
use serde::Serialize;

use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::print;

/// Result of one item of several.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The item, as it was given or found.
    path: String,
    /// Its new path, by a tool that moves; nil when it was not moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    destination: Option<String>,
    /// Whether it was done.
    success: bool,
    /// Why not: a sentence; nil when it was.
    error: Option<String>,
    /// The code of the error; nil when it was.
    code: Option<&'static str>,
    /// Bytes written, where bytes were.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// Path for `FS.RestoreBackup` to restore the previous content, if any was replaced or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
    /// Number of replacements in it, by a tool that replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    replacements: Option<usize>,
    /// The change as a unified diff, in a dry run of a tool that replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// The result of a completed item.
#[derive(Debug, Default)]
pub struct Done {
    /// Bytes written, if any.
    pub size_bytes: Option<u64>,
    /// The path of the backup, if something was replaced or deleted.
    pub backup_path: Option<String>,
    /// The new path, if it was moved.
    pub destination: Option<String>,
    /// The number of replacements, if texts were replaced.
    pub replacements: Option<usize>,
    /// The change, if it was only examined.
    pub diff: Option<String>,
}

impl Row {
    /// Returns the row of a completed item.
    pub fn done(path: String, done: Done) -> Row {
        let Done { size_bytes, backup_path, destination, replacements, diff } = done;
        Row { path, destination, success: true, error: None, code: None, size_bytes, backup_path, replacements, diff }
    }

    /// Returns the row of a failed item.
    pub fn failed(path: &str, error: &ToolError) -> Row {
        Row::not_done(print::shortened(path, 200), error.message.clone(), error.code)
    }

    /// Returns the row of a completed item that was rolled back because of an error with this code.
    pub fn taken_back(self, code: ToolCode) -> Row {
        Row::not_done(self.path, "it was taken back".to_owned(), code)
    }

    fn not_done(path: String, error: String, code: ToolCode) -> Row {
        let (error, code) = (Some(error), Some(code.id()));
        Row {
            path,
            destination: None,
            success: false,
            error,
            code,
            size_bytes: None,
            backup_path: None,
            replacements: None,
            diff: None,
        }
    }

    /// Returns how often a text was replaced in the item.
    pub fn replacements(&self) -> usize {
        self.replacements.unwrap_or_default()
    }

    /// Returns whether the item was completed.
    pub fn is_done(&self) -> bool {
        self.success
    }
}
