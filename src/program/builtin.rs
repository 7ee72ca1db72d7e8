//! The built-in functions: their names and how many arguments they take. What they do is in `eval`.

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `LEN(x)`: characters, elements or keys.
    Len,
    /// `TYPEOF(x)`: the name of the type.
    TypeOf,
    /// `STR(x)`: the text that EMIT prints.
    Str,
    /// `INT(x)`: a whole number from a number (cut off) or a text.
    Int,
    /// `FLOAT(x)`: a float from a number or a text.
    Float,
    /// `ABS(x)`
    Abs,
    /// `MIN(a, b, …)` or `MIN(list)`
    Min,
    /// `MAX(a, b, …)` or `MAX(list)`
    Max,
    /// `ROUND(x)` to a whole number, `ROUND(x, digits)` to a float; halves away from zero.
    Round,
    /// `FLOOR(x)`: a whole number.
    Floor,
    /// `CEIL(x)`: a whole number.
    Ceil,
    /// `SQRT(x)`
    Sqrt,
    /// `LN(x)`: the natural logarithm.
    Ln,
    /// `LOG(x)`: the logarithm to base 10.
    Log,
    /// `SIN(x)`, in radians.
    Sin,
    /// `COS(x)`, in radians.
    Cos,
    /// `TAN(x)`, in radians.
    Tan,
    /// `ASIN(x)`
    Asin,
    /// `ACOS(x)`
    Acos,
    /// `ATAN(x)`
    Atan,
    /// `RANGE(end)`, `RANGE(start, end)`, `RANGE(start, end, step)`: whole numbers before `end`.
    Range,
    /// `EVAL(text)`: the text with `{{name}}` expanded once.
    Eval,
}

/// Name, function, least and most arguments, and the parameters as help shows them.
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
    /// The function of a name, all upper or all lower case. Those on numbers are found as `MATH.Sqrt` and so on
    /// too, where the case does not count, as it does not for tools.
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

    /// Its name, upper case.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The least and the most arguments.
    pub fn arity(self) -> (usize, usize) {
        (self.row().2, self.row().3)
    }

    /// How help writes a call.
    pub fn signature(self) -> String {
        format!("{}({})", self.name(), self.row().4)
    }

    /// All names, upper case.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|(name, ..)| *name)
    }
}
