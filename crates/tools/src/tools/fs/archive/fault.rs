//! Errors about archives.

use std::io::{Error, ErrorKind};

use crate::limits::LimitHit;
use crate::sandbox::SandboxError;
use crate::text::{ToolCode, safe};
use crate::toolkit::ToolError;
use crate::value::print;

use super::super::decompress::fault_of;

/// Returns the error for an archive that is damaged, ambiguous or of an unsupported kind.
pub fn invalid(reason: impl Into<String>) -> ToolError {
    refused(ToolCode::InvalidArchive, &reason.into())
}

/// Returns the error for an archive that is refused.
pub fn refused(code: ToolCode, reason: &str) -> ToolError {
    ToolError::new(code, format!("the archive is refused: {}", safe::name(reason)))
}

/// Returns the error for an archive that exceeds a limit of the call.
pub fn too_large(reason: impl Into<String>, parameter: &'static str) -> ToolError {
    ToolError::new(ToolCode::TooLarge, reason.into())
        .hint(format!("raise `{parameter}` if the archive is to be trusted"))
}

/// Returns the beginning of a text, for messages.
pub fn shortened(text: &str) -> String {
    print::shortened(text, 300)
}

/// Returns the beginning of a text, without characters that a terminal would act upon.
pub fn display(text: &str) -> String {
    safe::name(&shortened(text)).into_owned()
}

/// The error for an archive that unpacks to more than its size allows.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the archive of {archive_bytes} bytes comes to more than {max_ratio} times its size")]
pub struct OverRatio {
    /// Size of the archive in bytes.
    pub archive_bytes: u64,
    /// Maximum ratio of the unpacked size to the size of the archive.
    pub max_ratio: u64,
}

impl From<OverRatio> for ToolError {
    fn from(over: OverRatio) -> ToolError {
        too_large(over.to_string(), "max_ratio")
    }
}

/// Converts an I/O error from reading an archive.
pub fn read_error(error: Error) -> ToolError {
    if let Some(hit) = error.get_ref().and_then(|inner| inner.downcast_ref::<LimitHit>()) {
        return (*hit).into();
    }
    if let Some(over) = error.get_ref().and_then(|inner| inner.downcast_ref::<OverRatio>()) {
        return over.clone().into();
    }
    if let Some((fault, code)) = fault_of(&error) {
        return refused(code, &fault.to_string());
    }
    match error.kind() {
        ErrorKind::UnexpectedEof => invalid("it ends too early"),
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Unsupported => {
            invalid("its compressed data is damaged")
        }
        _ => SandboxError::io("the archive", &error).into(),
    }
}
