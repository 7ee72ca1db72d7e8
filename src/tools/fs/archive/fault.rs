//! Errors about archives.

use std::io::{Error, ErrorKind};

use crate::limits::LimitHit;
use crate::sandbox::SandboxError;
use crate::text::{ToolCode, safe};
use crate::toolkit::ToolError;

use super::budget::OverRatio;

/// Returns the error for an archive that is damaged, ambiguous or of an unsupported kind.
pub fn invalid(reason: impl Into<String>) -> ToolError {
    let reason = reason.into();
    ToolError::new(ToolCode::InvalidArchive, format!("the archive is refused: {}", safe::name(&reason)))
}

/// Returns the error for an archive that exceeds a limit of the call.
pub fn too_large(reason: impl Into<String>, parameter: &'static str) -> ToolError {
    ToolError::new(ToolCode::TooLarge, reason.into())
        .hint(format!("raise `{parameter}` if the archive is to be trusted"))
}

/// Converts an I/O error from reading an archive.
pub fn read_error(error: Error) -> ToolError {
    if let Some(hit) = error.get_ref().and_then(|inner| inner.downcast_ref::<LimitHit>()) {
        return (*hit).into();
    }
    if let Some(over) = error.get_ref().and_then(|inner| inner.downcast_ref::<OverRatio>()) {
        return over.clone().into();
    }
    match error.kind() {
        ErrorKind::UnexpectedEof => invalid("it ends too early"),
        ErrorKind::InvalidData | ErrorKind::InvalidInput => invalid("its compressed data is damaged"),
        _ => SandboxError::io("the archive", &error).into(),
    }
}
