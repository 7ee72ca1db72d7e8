//! Why compressed data cannot be read, and the errors for it.

use std::io::{self, ErrorKind};

use crate::limits::LimitHit;
use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::Compression;

/// A reason that no kind of I/O error says.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// The stream claims more memory than is allowed, in bytes.
    #[error("it needs a window of {} MiB to be decompressed, more than the {} MiB allowed", needed.div_ceil(1 << 20), allowed >> 20)]
    Window { needed: u64, allowed: u64 },
    /// A block claims more memory than the first one of its stream.
    #[error("a part of its data needs more memory than the first part")]
    LaterWindow,
    /// The stream was compressed with a dictionary that is in another file.
    #[error("it was compressed with a dictionary, which is not in the file")]
    Dictionary,
}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> io::Error {
        io::Error::other(fault)
    }
}

impl Fault {
    fn code(&self) -> ToolCode {
        match self {
            Fault::Window { .. } => ToolCode::TooLarge,
            Fault::LaterWindow | Fault::Dictionary => ToolCode::InvalidArchive,
        }
    }

    fn hint(&self, format: Compression) -> String {
        let name = format.name();
        match self {
            Fault::Window { .. } | Fault::LaterWindow => {
                format!("compress the file again with a lower level of {name}, or decompress it outside")
            }
            Fault::Dictionary => format!("decompress it outside, with `{name}` and the dictionary"),
        }
    }
}

/// Whether an error is a fault or a limit of the run.
pub fn is_known(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Fault>() || inner.is::<LimitHit>())
}

/// Returns the fault in an error, and its code.
pub fn fault_of(error: &io::Error) -> Option<(&Fault, ToolCode)> {
    let fault = error.get_ref()?.downcast_ref::<Fault>()?;
    Some((fault, fault.code()))
}

/// Returns the error for a file whose compressed data cannot be read, or `None` if the error has another reason.
pub fn damage(format: Compression, shown: &str, error: &io::Error) -> Option<ToolError> {
    if let Some(hit) = error.get_ref().and_then(|inner| inner.downcast_ref::<LimitHit>()) {
        return Some((*hit).into());
    }
    if let Some((fault, code)) = fault_of(error) {
        let message = format!("`{shown}` cannot be decompressed: {fault}");
        return Some(ToolError::new(code, message).path(shown).hint(fault.hint(format)));
    }
    let name = format.name();
    let reason = match error.kind() {
        ErrorKind::UnexpectedEof => {
            format!("ends within its {name} data: it was cut off, or something else follows that data")
        }
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Unsupported => {
            format!("has damaged {name} data, or something else follows that data")
        }
        _ => return None,
    };
    Some(ToolError::new(ToolCode::InvalidArchive, format!("`{shown}` {reason}")).path(shown))
}
