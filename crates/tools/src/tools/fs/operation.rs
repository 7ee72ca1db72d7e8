//! The results of the tools in docs/specs/file_system_tool.md after a change.

use schemars::JsonSchema;
use serde::Serialize;

use crate::sandbox::Timestamp;
use crate::value::time::{rfc3339, rfc3339_exact};

use super::rows::Row;

/// FileOperationResult.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Whether all of it was done; a failure is reported by `error`.
    success: bool,
    /// Name of the operation: `write`, `create_directory`, `copy`, `delete`, `restore`.
    operation: &'static str,
    /// The path as given, tidied; of several items the rows have theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Bytes written, where bytes were.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// Path for `FS.RestoreBackup` to restore the previous content, if any was replaced or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_path: Option<String>,
    /// Other names (hard links) of the file that was replaced, which keep the old content; only if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_names: Option<u64>,
    /// When, RFC 3339, UTC.
    timestamp: String,
    /// Results of the items, in their order, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Row>>,
    /// Items that were done.
    #[serde(skip_serializing_if = "Option::is_none")]
    succeeded: Option<usize>,
    /// Items that were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<usize>,
    /// Items that were not reached, because a limit of the run or an interrupt came before.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_reached: Option<usize>,
    /// True when rows or texts are left out, since the answer would be larger than an answer may be. The
    /// gate says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

impl Operation {
    /// Returns the result of a completed operation.
    pub fn done(operation: &'static str, path: &str, size_bytes: Option<u64>) -> Operation {
        Operation {
            success: true,
            operation,
            path: Some(path.to_owned()),
            size_bytes,
            backup_path: None,
            other_names: None,
            timestamp: now(),
            items: None,
            succeeded: None,
            failed: None,
            not_reached: None,
            truncated: None,
        }
    }

    /// Returns the result of an operation on `all` items, of which those with a row were processed.
    pub fn of_rows(operation: &'static str, rows: Vec<Row>, all: usize) -> Operation {
        let failed = rows.iter().filter(|row| !row.is_done()).count();
        let not_reached = all - rows.len();
        Operation {
            success: failed == 0,
            path: None,
            not_reached: (not_reached > 0).then_some(not_reached),
            succeeded: Some(rows.len() - failed),
            failed: Some(failed),
            items: Some(rows),
            ..Operation::done(operation, "", None)
        }
    }

    /// Returns how often a text was replaced in all items.
    pub fn replacements(&self) -> usize {
        self.items.iter().flatten().map(Row::replacements).sum()
    }

    /// Adds the path of the backup.
    pub fn with_backup(self, backup_path: Option<String>) -> Operation {
        Operation { backup_path, ..self }
    }

    /// Adds the number of other names that the replaced file had.
    pub fn with_other_names(self, other_names: Option<u64>) -> Operation {
        Operation { other_names, ..self }
    }
}

fn now() -> String {
    rfc3339(Timestamp::now().seconds).into()
}

/// How exactly times are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Whole seconds.
    Seconds,
    /// Always nine decimals.
    Nanoseconds,
}

/// Formats a time for the results of the File System Tool.
pub fn time_text(time: Option<Timestamp>, precision: Precision) -> Option<String> {
    let text = |time: Timestamp| match precision {
        Precision::Seconds => rfc3339(time.seconds),
        Precision::Nanoseconds => rfc3339_exact(time.seconds, time.nanos),
    };
    time.map(|time| text(time).into())
}
