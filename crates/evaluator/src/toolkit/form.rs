//! The forms of texts that a tool parses, such as regular expressions and formats of times.
//!
//! A parameter declares its form with [`super::spec::Kind::Form`], so a literal in a script is parsed before the run.
//! During a run only the tool parses the text.

use super::error::ToolError;

/// A form of texts: the check that the tool itself makes, without its work.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    check: Check,
}

/// Returns the error of the tool for a text, given the name of the parameter.
type Check = fn(&'static str, &str) -> Result<(), ToolError>;

impl Form {
    /// Declares a form by its check, which must refuse the texts that the tool refuses, and no others.
    pub const fn new(check: Check) -> Form {
        Form { check }
    }

    /// Returns the error of a text that is not in this form. Reaching a limit of the run is no such error.
    pub(super) fn check(self, param: &'static str, text: &str) -> Result<(), ToolError> {
        match (self.check)(param, text) {
            Err(error) if error.limit.is_none() => Err(error),
            _ => Ok(()),
        }
    }
}
