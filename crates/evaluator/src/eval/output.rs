//! The destination of EMIT and warnings, and why it cannot print.

use std::sync::Arc;

use crate::gate::Barrier;
use crate::limits::{Limit, LimitHit, Meter};
use crate::text::{Code, Diagnostic, Sources, ToolCode};
use crate::toolkit::ToolError;
use crate::value::json::Unwritable;
use crate::value::{TextBudget, Value, print};

use super::fault::Fault;

/// The destination of EMIT and warnings.
pub trait Output {
    /// Prints values and a line feed.
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError>;

    /// Displays one warning.
    fn warn(&mut self, text: &str);

    /// Displays a warning about the script, before it runs. Only a front end that shows the script's findings does.
    fn warn_of_script(&mut self, _finding: Diagnostic, _sources: &Sources) {}

    /// Sets the barrier that everything written passes before it leaves the process. An output that keeps what it gets
    /// until the run has ended needs none.
    fn wait_for(&mut self, _barrier: &Arc<Barrier>) {}

    /// Called after a warning about a path outside the sandbox.
    fn refuse_path(&mut self) {}
}

/// Returns the line that EMIT prints for values, within the output limit of the run.
pub fn emitted(values: &[Value], meter: &mut Meter) -> Result<String, LimitHit> {
    let (mut line, (left, hit)) = (String::new(), meter.output_left());
    print::write_line(values, &mut line, TextBudget::of_text().at_most(left, hit))?;
    meter.print(line.len() as u64)?;
    Ok(line)
}

/// Why EMIT could not print.
#[derive(Debug)]
pub enum EmitError {
    /// A limit of the run.
    Limit(LimitHit),
    /// The reader of the output is gone; the run ends as if it were complete.
    Closed,
    /// The operating system refused the write.
    Io(std::io::Error),
    /// The output is JSON, which does not have a float of the value.
    Unwritable(Unwritable),
}

impl From<LimitHit> for EmitError {
    fn from(hit: LimitHit) -> EmitError {
        EmitError::Limit(hit)
    }
}

impl From<EmitError> for Fault {
    fn from(error: EmitError) -> Fault {
        match error {
            EmitError::Limit(hit) => hit.into(),
            EmitError::Closed => Fault {
                unread: true,
                limit: Some(Limit::Interrupt),
                ..Fault::new(Code::Interrupted, "nobody reads the output any more")
            },
            EmitError::Io(error) => Fault::new(ToolCode::IoError, format!("the output cannot be written: {error}")),
            EmitError::Unwritable(found) => {
                ToolError::new(ToolCode::BadArgs, found.to_string()).hint(Unwritable::HELP).into()
            }
        }
    }
}
