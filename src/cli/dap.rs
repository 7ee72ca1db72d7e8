//! `ns dap`: the debug adapter.

use crate::dap::{Ended, serve};
use crate::options::Global;
use crate::terminal::exit::Exit;

/// Serves an editor on standard input and output.
pub fn dap(global: &Global) -> Exit {
    match serve(&global.options()) {
        Ended::Properly => Exit::Done,
        Ended::Abruptly => Exit::Failed,
    }
}
