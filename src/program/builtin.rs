//! Built-in functions: their names and arities. Their implementations are in `eval`.

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `LEN(x)`: the number of characters, elements or keys.
    Len,
    /// `TYPEOF(x)`: the name of the type.
    TypeOf,
    /// `STR(x)`: the text that EMIT would print.
    Str,
    /// `INT(x)`: a whole number from a number (truncated towards zero) or a text.
    Int,
    /// `FLOAT(x)`: a float from a number or a text.
    Float,
    /// `ABS(x)`: the absolute value.
    Abs,
    /// `MIN(a, b, …)` or `MIN(list)`: the smallest value.
    Min,
    /// `MAX(a, b, …)` or `MAX(list)`: the largest value.
    Max,
    /// `ROUND(x)` returns a whole number, `ROUND(x, digits)` a float; halves round away from zero.
    Round,
    /// `FLOOR(x)`: rounds down to a whole number.
    Floor,
    /// `CEIL(x)`: rounds up to a whole number.
    Ceil,
    /// `SQRT(x)`: the square root.
    Sqrt,
    /// `LN(x)`: the natural logarithm.
    Ln,
    /// `LOG(x)`: the logarithm to base 10.
    Log,
    /// `SIN(x)`, with `x` in radians.
    Sin,
    /// `COS(x)`, with `x` in radians.
    Cos,
    /// `TAN(x)`, with `x` in radians.
    Tan,
    /// `ASIN(x)`: the arcsine, in radians.
    Asin,
    /// `ACOS(x)`: the arccosine, in radians.
    Acos,
    /// `ATAN(x)`: the arctangent, in radians.
    Atan,
    /// `RANGE(end)`, `RANGE(start, end)`, `RANGE(start, end, step)`: the whole numbers up to but excluding `end`.
    Range,
    /// `EVAL(text)`: the text with `{{name}}` expanded once.
    Eval,
}

/// Name, function, minimum and maximum number of arguments, and the parameters as help displays them.
const TABLE: [(&str, Builtin, usize, usize, &str); 22] = [
    ("LEN", Builtin::Len, 1, 1, "value"),
    ("TYPEOF", Builtin::TypeOf, 1, 1, "value"),
    ("STR", Builtin::Str, 1, 1, "value"),
    ("INT", Builtin::Int, 1, 1, "value"),
    ("FLOAT", Builtin::Float, 1, 1, "value"),
    ("ABS", Builtin::Abs, 1, 1, "number"),
    ("MIN", Builtin::Min, 1, usize::MAX, "a, b, …"),
    ("MAX", Builtin::Max, 1, usize::MAX, "a, b, …"),
    ("ROUND", Builtin::Round, 1, 2, "number, digits"),
    ("FLOOR", Builtin::Floor, 1, 1, "number"),
    ("CEIL", Builtin::Ceil, 1, 1, "number"),
    ("SQRT", Builtin::Sqrt, 1, 1, "number"),
    ("LN", Builtin::Ln, 1, 1, "number"),
    ("LOG", Builtin::Log, 1, 1, "number"),
    ("SIN", Builtin::Sin, 1, 1, "number"),
    ("COS", Builtin::Cos, 1, 1, "number"),
    ("TAN", Builtin::Tan, 1, 1, "number"),
    ("ASIN", Builtin::Asin, 1, 1, "number"),
    ("ACOS", Builtin::Acos, 1, 1, "number"),
    ("ATAN", Builtin::Atan, 1, 1, "number"),
    ("RANGE", Builtin::Range, 1, 3, "start, end, step"),
    ("EVAL", Builtin::Eval, 1, 1, "text"),
];

impl Builtin {
    /// Finds a function by name, written entirely in upper or entirely in lower case. Numeric functions are also found
    /// as `MATH.Sqrt` and so on, where case is ignored, as it is for tools.
    pub fn find(name: &str) -> Option<Builtin> {
        let lower = name.to_ascii_lowercase();
        if let Some(tail) = lower.strip_prefix("tool.").unwrap_or(&lower).strip_prefix("math.") {
            return Builtin::find(tail).filter(|builtin| builtin.is_numeric());
        }
        let uniform =
            name.bytes().all(|byte| !byte.is_ascii_lowercase()) || name.bytes().all(|byte| !byte.is_ascii_uppercase());
        let row = TABLE.iter().find(|(known, ..)| uniform && known.eq_ignore_ascii_case(name));
        row.map(|(_, builtin, ..)| *builtin)
    }

    fn is_numeric(self) -> bool {
        use Builtin::{Abs, Acos, Asin, Atan, Ceil, Cos, Floor, Ln, Max, Min, Round, Sin, Sqrt, Tan};
        matches!(self, Abs | Acos | Asin | Atan | Ceil | Cos | Floor | Ln | Max | Min | Round | Sin | Sqrt | Tan)
    }

    fn row(self) -> &'static (&'static str, Builtin, usize, usize, &'static str) {
        TABLE.iter().find(|(_, builtin, ..)| *builtin == self).expect("every built-in has a row")
    }

    /// Returns the name, in upper case.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns the minimum and maximum number of arguments.
    pub fn arity(self) -> (usize, usize) {
        (self.row().2, self.row().3)
    }

    /// Returns the call signature as help displays it.
    pub fn signature(self) -> String {
        format!("{}({})", self.name(), self.row().4)
    }

    /// Returns all names, in upper case.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|(name, ..)| *name)
    }
}
