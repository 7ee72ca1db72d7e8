//! Converts errors of SQLite into those of project memory.

use rusqlite::ErrorCode;

use crate::memory::MemoryError;

use super::lock::PATIENCE_S;

impl From<rusqlite::Error> for MemoryError {
    fn from(error: rusqlite::Error) -> MemoryError {
        let words = words(&error);
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => MemoryError::Damaged(words),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => MemoryError::Busy(PATIENCE_S),
            Some(ErrorCode::OperationInterrupted) => MemoryError::Stopped,
            Some(ErrorCode::DiskFull) => MemoryError::NoSpace,
            Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => MemoryError::Denied,
            // Our statements are constant, so if one cannot be prepared, the tables are not ours.
            Some(ErrorCode::Unknown | ErrorCode::SchemaChanged) => MemoryError::Damaged(words),
            None => MemoryError::Damaged(words),
            _ => MemoryError::Other(words),
        }
    }
}

/// Returns SQLite's message without the additions of rusqlite.
fn words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, None) => code.to_string(),
        rusqlite::Error::SqliteFailure(_, Some(words)) => words.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}
