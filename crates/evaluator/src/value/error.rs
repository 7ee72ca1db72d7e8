//! Errors of operations on values. They carry no spans; the evaluator adds them.

use crate::limits::LimitHit;
use crate::text::{Code, is_length};

use super::number;

/// The help for an unexpected nil.
const NIL_HELP: &str = "test for nil first; a tool that failed gives nil (`LAST_ERROR` says why), and so does a key that \
     `MEMORY.Get` does not have";

/// Nil as it is displayed in messages; no other value is displayed so.
const NIL: &str = "nil";

/// A result with a boxed error, so that the success case fits into registers.
pub type Fallible<T> = Result<T, Box<ValueError>>;

/// An error of an operation on values.
#[derive(Debug, thiserror::Error)]
pub enum ValueError {
    /// A binary operator was applied to unsuitable types.
    #[error("`{op}` does not take {left} and {right}")]
    WrongTypes {
        /// The operator.
        op: &'static str,
        /// Type and value of the left operand.
        left: String,
        /// Type and value of the right operand.
        right: String,
    },
    /// A unary operator or a function was applied to an unsuitable type.
    #[error("`{op}` needs {expected}, not {found}")]
    WrongType {
        /// The operator or function.
        op: &'static str,
        /// The type that it accepts.
        expected: &'static str,
        /// Type and value of the operand.
        found: String,
    },
    /// The result does not fit into a 64-bit int.
    #[error("`{left} {op} {right}` does not fit into a 64-bit int")]
    Overflow {
        /// The operator.
        op: &'static str,
        /// The left operand.
        left: String,
        /// The right operand.
        right: String,
    },
    /// The smallest int has no positive counterpart.
    #[error("`-({value})` does not fit into a 64-bit int")]
    NegationOverflow {
        /// The smallest int.
        value: i64,
    },
    /// A division by zero.
    #[error("`{left} {op} {right}` divides by zero")]
    DivisionByZero {
        /// The operator.
        op: &'static str,
        /// The left operand.
        left: String,
        /// The right operand.
        right: String,
    },
    /// An index outside a list or text.
    #[error("index {index} is outside the {kind} of {length}")]
    IndexOutOfRange {
        /// The index as given.
        index: i64,
        /// `list` or `string`.
        kind: &'static str,
        /// The length, with its unit.
        length: String,
        /// Whether the element was to be set.
        is_target: bool,
    },
    /// A key that the map does not contain.
    #[error("no key `{key}`{}", .failed.as_ref().map(|text| format!(": the call failed: {text}")).unwrap_or_default())]
    MissingKey {
        /// The key.
        key: String,
        /// An existing key with a similar name.
        near: Option<String>,
        /// The existing keys, truncated.
        keys: String,
        /// The `error` of the map if it is the result of a failed tool.
        failed: Option<String>,
        /// Whether sandbox or policy refused that tool.
        refused: bool,
    },
    /// A value that has no elements, or none of the requested kind.
    #[error("{found} cannot be indexed by {index}")]
    NotIndexable {
        /// Type and value.
        found: String,
        /// Type and value of the index.
        index: String,
    },
    /// A text of which a part is set.
    #[error("{0} cannot be changed in place")]
    FixedText(String),
    /// A value that FOR EACH cannot iterate over.
    #[error("FOR EACH cannot go through {0}")]
    NotIterable(String),
    /// A text that is not a number.
    #[error("`{text}` is not {wanted}")]
    BadConversion {
        /// The text.
        text: String,
        /// The expected type.
        wanted: &'static str,
    },
    /// A number that a type does not hold.
    #[error("{number} does not fit into {holder}")]
    TooLarge {
        /// The number as it was written, or the call that gives it.
        number: String,
        /// The type, with an article.
        holder: &'static str,
        /// The code: of a text or of a function without a result.
        code: Code,
    },
    /// A number outside the domain of a function.
    #[error("`{function}` has no result for {found}")]
    OutOfDomain {
        /// The function.
        function: &'static str,
        /// The number.
        found: String,
    },
    /// A list whose length differs from the number of SET targets.
    #[error("expected a list of {expected}, found {found}")]
    CountMismatch {
        /// Number of targets.
        expected: usize,
        /// The value that was found.
        found: String,
    },
    /// A limit of the run.
    #[error(transparent)]
    Limit(#[from] LimitHit),
}

impl ValueError {
    /// Returns the error code.
    pub fn code(&self) -> Code {
        match self {
            ValueError::WrongTypes { .. } | ValueError::WrongType { .. } => Code::WrongType,
            ValueError::Overflow { .. } | ValueError::NegationOverflow { .. } => Code::Overflow,
            ValueError::TooLarge { code, .. } => *code,
            ValueError::DivisionByZero { .. } => Code::DivisionByZero,
            ValueError::IndexOutOfRange { .. } => Code::IndexOutOfRange,
            ValueError::MissingKey { .. } => Code::MissingKey,
            ValueError::NotIndexable { .. } | ValueError::FixedText(_) => Code::NotIndexable,
            ValueError::NotIterable(_) => Code::NotIterable,
            ValueError::BadConversion { .. } => Code::BadConversion,
            ValueError::OutOfDomain { .. } => Code::OutOfDomain,
            ValueError::CountMismatch { .. } => Code::CountMismatch,
            ValueError::Limit(hit) => hit.limit.code(),
        }
    }

    /// Returns whether an operand or an index is nil where the operation takes no nil.
    pub fn is_of_nil(&self) -> bool {
        let (one, other) = match self {
            ValueError::WrongTypes { left, right, .. } => (left, right),
            ValueError::WrongType { found, .. } => (found, found),
            ValueError::NotIndexable { found, index } => (found, index),
            _ => return false,
        };
        one == NIL || other == NIL
    }

    /// Returns what to do, in the imperative.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            ValueError::WrongTypes { .. } | ValueError::WrongType { .. } if self.is_of_nil() => NIL_HELP.to_owned(),
            ValueError::WrongTypes { op: "<" | "<=" | ">" | ">=" | "MIN" | "MAX", .. } => {
                "compare two numbers or two texts; convert with `INT`, `FLOAT` or `STR`".to_owned()
            }
            ValueError::WrongTypes { op: "+", .. } => {
                "`+` adds numbers, joins lists, and joins text when either side is a text".to_owned()
            }
            ValueError::WrongTypes { op: "&" | "|" | "^", left, right }
                if is_countable(left) && is_countable(right) =>
            {
                "`+` joins texts and lists; `AND` and `OR` join conditions".to_owned()
            }
            ValueError::WrongTypes { op: "*", left, right } if is_countable(left) || is_countable(right) => {
                let (whole, times) = if is_countable(left) { (left, right) } else { (right, left) };
                repeated(whole, times)
            }
            ValueError::WrongTypes { op: "-", left, right } if is_time(left) => shifted(left, right),
            ValueError::WrongTypes { .. } | ValueError::WrongType { .. } => {
                "convert with `INT`, `FLOAT` or `STR`".to_owned()
            }
            ValueError::Overflow { .. } | ValueError::NegationOverflow { .. } => {
                "compute with floats: `FLOAT(x)`".to_owned()
            }
            ValueError::DivisionByZero { .. } => "test the divisor first".to_owned(),
            ValueError::IndexOutOfRange { is_target: true, .. } => {
                "`SET list[LEN(list)] = x` appends one element; `LIST.Repeat(nil, n)` makes a list of n".to_owned()
            }
            ValueError::IndexOutOfRange { .. } => "compare with `LEN(…)` first".to_owned(),
            ValueError::MissingKey { failed: Some(_), .. } => {
                "test `error` first: `IF result.error != nil THEN`".to_owned()
            }
            ValueError::MissingKey { near: Some(near), .. } => format!("did you mean `{near}`?"),
            ValueError::MissingKey { key, keys, .. } if is_length(key) && !keys.is_empty() => {
                format!("there are: {keys}; `LEN(map)` counts them")
            }
            ValueError::MissingKey { key, .. } if is_length(key) => "`LEN(map)` counts the keys".to_owned(),
            ValueError::MissingKey { keys, .. } if keys.is_empty() => {
                "the map is empty; ask first with `IN`".to_owned()
            }
            ValueError::MissingKey { keys, .. } => format!("there are: {keys}; ask first with `IN`"),
            ValueError::NotIndexable { found, .. } if found == NIL => NIL_HELP.to_owned(),
            ValueError::NotIndexable { index, .. } if property(index).is_some_and(is_length) => {
                "write `LEN(value)`: lists and texts have no properties".to_owned()
            }
            ValueError::NotIndexable { index, .. } if property(index) == Some("first") => {
                "write `value[0]`: lists and texts have no properties".to_owned()
            }
            ValueError::NotIndexable { index, .. } if property(index) == Some("last") => {
                "write `value[-1]`: lists and texts have no properties".to_owned()
            }
            ValueError::NotIndexable { found, index } if found.starts_with("list [{") && property(index).is_some() => {
                let name = property(index).unwrap_or_default();
                format!("write `LIST.Column(list, \"{name}\")` for that field of all, `list[0].{name}` for the first")
            }
            ValueError::NotIndexable { .. } => "lists and texts are indexed by int, maps by text".to_owned(),
            ValueError::FixedText(_) => {
                "join a new text: `SET t = STR.Sub(t, 0, i) + \"x\" + STR.Sub(t, i + 1)`, or use `STR.Replace`"
                    .to_owned()
            }
            ValueError::NotIterable(_) => "go through a list, map or text; for counting use `RANGE(n)`".to_owned(),
            ValueError::BadConversion { .. } => "the text must hold a number and nothing else".to_owned(),
            ValueError::TooLarge { holder: number::INT, .. } => {
                "the largest is 9223372036854775807; use a float where the exact value does not matter".to_owned()
            }
            ValueError::TooLarge { .. } => "the largest is about 1.8e308".to_owned(),
            ValueError::OutOfDomain { .. } => return None,
            ValueError::CountMismatch { .. } => "write as many names as the list has elements".to_owned(),
            ValueError::Limit(hit) => return hit.limit.help().map(str::to_owned),
        })
    }
}

impl From<LimitHit> for Box<ValueError> {
    #[cold]
    fn from(hit: LimitHit) -> Box<ValueError> {
        Box::new(ValueError::Limit(hit))
    }
}

/// Returns the property name in an index as formatted for a message: `.length`.
fn property(index: &str) -> Option<&str> {
    index.strip_prefix("`.")?.strip_suffix('`')
}

/// Returns whether a formatted value is a text or list, which other languages repeat with `*`.
fn is_countable(display: &str) -> bool {
    display.starts_with("string ") || display.starts_with("list ")
}

/// Returns help on how to repeat a text or list.
fn repeated(whole: &str, times: &str) -> String {
    let times = times.strip_prefix("int ").unwrap_or("n");
    match whole.split_once(' ') {
        Some(("string", text)) => {
            let text = if text.contains('…') { "text" } else { text };
            format!("write `STR.Repeat({text}, {times})`; to count with the text, convert it with `INT` or `FLOAT`")
        }
        Some((_, list)) => {
            let item = list.trim_start_matches('[').trim_end_matches(']');
            let is_one = !item.is_empty() && !item.contains([',', '…', '[', '{']);
            if is_one {
                format!("write `LIST.Repeat({item}, {times})`")
            } else {
                format!("write `LIST.Flatten(LIST.Repeat(list, {times}))`, or go through the list with `LIST.Map`")
            }
        }
        None => "convert with `INT`, `FLOAT` or `STR`".to_owned(),
    }
}

/// Returns whether a formatted value is a text that begins with a date.
fn is_time(display: &str) -> bool {
    let Some(text) = display.strip_prefix("string \"") else { return false };
    let shape = text.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    shape.eq(*b"0000-00-00")
}

/// Returns help on how to shift a time, or compare it with another.
fn shifted(left: &str, right: &str) -> String {
    let time = left.strip_prefix("string ").unwrap_or(left);
    if is_time(right) {
        let other = right.strip_prefix("string ").unwrap_or(right);
        return format!("a time is a text; write `TIME.Difference({time}, {other}, \"days\")`");
    }
    let amount = right.split_once(' ').map_or("n", |(_, amount)| amount);
    let unit = if amount.parse::<f64>().is_ok_and(|amount| amount >= 60.0) { "seconds" } else { "days" };
    format!("a time is a text; write `TIME.Add({time}, {unit}: -{amount})`")
}
