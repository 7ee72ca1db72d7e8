//! What the tools of docs/specs/file_system_tool.md give back after a change.

use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;

use crate::sandbox::Timestamp;
use crate::value::time::rfc3339;

/// FileOperationResult.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Always true; a failure is reported by `error`.
    success: bool,
    /// What was done: `write`, `create_directory`, `copy`, `delete`, `restore`.
    operation: &'static str,
    /// The path as given, tidied.
    path: String,
    /// Bytes written, where bytes were.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// What `FS.RestoreBackup` takes to bring back what was replaced or deleted, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
    /// When, RFC 3339, UTC.
    timestamp: String,
}

impl Operation {
    /// An operation that was just done.
    pub fn done(operation: &'static str, path: &str, size_bytes: Option<u64>) -> Operation {
        Operation { success: true, operation, path: path.to_owned(), size_bytes, backup_path: None, timestamp: now() }
    }

    /// The same with where the old content is kept.
    pub fn with_backup(self, backup_path: Option<String>) -> Operation {
        Operation { backup_path, ..self }
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    rfc3339(since.as_secs() as i64).into()
}

/// A time as the results of the File System Tool show it.
pub fn time_text(time: Option<Timestamp>) -> Option<String> {
    time.map(|time| rfc3339(time.seconds).into())
}
