//! Prints the one value that a command gives, in the format of `--output`.

use crate::engine::Value;
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::printer::{Format, Printer};
use crate::toolkit::ToolError;

/// Prints a value in the format of `--output`: a table at a terminal, and where none is named.
pub fn print_value(global: &Global, value: Value) -> Result<Exit, ToolError> {
    print_as(Format::for_call(global.output).unwrap_or(Format::Table), value)
}

/// Prints a value in a format.
pub fn print_as(format: Format, value: Value) -> Result<Exit, ToolError> {
    let mut printer = Printer::new(format);
    let printed = printer.print(&[value]).and_then(|()| printer.flush());
    Ok(if printed.is_ok() { Exit::Done } else { Exit::Failed })
}
