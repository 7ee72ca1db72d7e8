//! Reasons that end an evaluation early.

use neuroscript::text::Span;

use super::value::Value;

/// An error of the script.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub code: &'static str,
    pub message: String,
    pub place: Span,
    /// The calls that it passed through, innermost first.
    pub calls: Vec<Span>,
    /// Whether the handler of the running procedure passed it on.
    pub passed: bool,
    pub is_limit: bool,
}

/// The reason why an evaluation stops.
#[derive(Clone, Debug)]
pub enum Stop {
    Fault(Box<Fault>),
    /// It takes more steps than allowed.
    Long,
    /// Values grow too large, or the program does something that is not modelled here.
    GivenUp,
}

pub type Run<T> = Result<T, Stop>;

/// An error between values, without a location.
#[derive(Debug)]
pub enum Wrong {
    Fault(&'static str, String),
    GivenUp,
}

pub type Fallible<T> = Result<T, Wrong>;

impl Wrong {
    pub fn at(self, place: Span) -> Stop {
        match self {
            Wrong::Fault(code, message) => Stop::fault(code, message, place),
            Wrong::GivenUp => Stop::GivenUp,
        }
    }
}

impl Stop {
    pub fn fault(code: &'static str, message: String, place: Span) -> Stop {
        Stop::Fault(Box::new(Fault { code, message, place, calls: Vec::new(), passed: false, is_limit: false }))
    }
}

pub fn wrong_types<T>(op: &str, left: &Value, right: &Value) -> Fallible<T> {
    Err(Wrong::Fault("NS0301", format!("`{op}` does not take {} and {}", left.shown(), right.shown())))
}

pub fn wrong_type<T>(op: &str, expected: &str, value: &Value) -> Fallible<T> {
    Err(Wrong::Fault("NS0301", format!("`{op}` needs {expected}, not {}", value.shown())))
}

pub fn overflow<T>(op: &str, left: &Value, right: &Value) -> Fallible<T> {
    let message = format!("`{} {op} {}` does not fit into a 64-bit int", left.preview(), right.preview());
    Err(Wrong::Fault("NS0302", message))
}

pub fn by_zero<T>(op: &str, left: &Value, right: &Value) -> Fallible<T> {
    Err(Wrong::Fault("NS0303", format!("`{} {op} {}` divides by zero", left.preview(), right.preview())))
}

pub fn out_of_range<T>(index: i64, kind: &str, length: usize, unit: &str) -> Fallible<T> {
    let unit = if length == 1 { unit.trim_end_matches('s') } else { unit };
    Err(Wrong::Fault("NS0304", format!("index {index} is outside the {kind} of {length} {unit}")))
}

pub fn missing_key<T>(key: &str) -> Fallible<T> {
    Err(Wrong::Fault("NS0305", format!("no key `{}`", shortened(key))))
}

pub fn not_indexable<T>(whole: &Value, index: &str) -> Fallible<T> {
    Err(Wrong::Fault("NS0306", format!("{} cannot be indexed by {index}", whole.shown())))
}

pub fn fixed_text<T>(text: &Value) -> Fallible<T> {
    Err(Wrong::Fault("NS0306", format!("{} cannot be changed in place", text.shown())))
}

pub fn out_of_domain<T>(function: &str, found: &str) -> Fallible<T> {
    Err(Wrong::Fault("NS0309", format!("`{function}` has no result for {found}")))
}

pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
