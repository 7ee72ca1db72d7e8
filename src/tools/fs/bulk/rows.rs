//! The row of each item in the answer of an operation on several.

use schemars::JsonSchema;
use serde::Serialize;

use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::print;

/// What was done to one item of several.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The item, as it was given or found.
    path: String,
    /// Whether it was done.
    success: bool,
    /// Why not: a sentence; nil when it was.
    error: Option<String>,
    /// The code of the error; nil when it was.
    code: Option<&'static str>,
    /// Bytes written, where bytes were.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// What `FS.RestoreBackup` takes to bring back what was replaced or deleted, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
}

/// What came of an item.
#[derive(Debug, Default)]
pub struct Done {
    /// Bytes written, where bytes were.
    pub size_bytes: Option<u64>,
    /// Where what was there is kept.
    pub backup_path: Option<String>,
}

impl Row {
    /// The row of an item that was done.
    pub fn done(path: String, done: &Done) -> Row {
        let Done { size_bytes, backup_path } = done;
        Row { path, success: true, error: None, code: None, size_bytes: *size_bytes, backup_path: backup_path.clone() }
    }

    /// The row of an item that failed.
    pub fn failed(path: &str, error: &ToolError) -> Row {
        Row::not_done(print::shortened(path, 200), error.message.clone(), error.code)
    }

    /// The same row of an item that was done and taken back, because of an error with this code.
    pub fn taken_back(self, code: ToolCode) -> Row {
        Row::not_done(self.path, "it was taken back".to_owned(), code)
    }

    fn not_done(path: String, error: String, code: ToolCode) -> Row {
        let (error, code) = (Some(error), Some(code.id()));
        Row { path, success: false, error, code, size_bytes: None, backup_path: None }
    }

    /// Whether it was done.
    pub fn is_done(&self) -> bool {
        self.success
    }
}
