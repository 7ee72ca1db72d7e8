//! `MATH`: functions on numbers, by the rules of the operators: integers never wrap, and a missing result is an
//! error.

mod arithmetic;
mod bases;
mod real;
mod statistics;
mod whole;

use crate::gate::Tool;
use crate::toolkit::ToolError;
use crate::value::{Value, ValueError};

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = arithmetic::tools();
    tools.extend(whole::tools());
    tools.extend(real::tools());
    tools.extend(statistics::tools());
    tools.extend(bases::tools());
    tools
}

/// Converts the error of an operator to the error of a tool.
fn refused(argument: &'static str, error: &ValueError) -> ToolError {
    let refusal = match error {
        ValueError::Limit(hit) => return (*hit).into(),
        error => ToolError::bad_argument(argument, error.to_string()),
    };
    match error.help() {
        Some(help) => refusal.hint(help),
        None => refusal,
    }
}

/// Returns a number as a float.
fn float(number: &Value) -> f64 {
    number.as_float().expect("the binder lets only numbers through")
}
