//! Built-in functions: their names and arities. Their implementations are in `eval`.

use std::ops::RangeInclusive;

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

/// The declaration of a built-in.
struct Declaration {
    /// The name, in upper case.
    name: &'static str,
    builtin: Builtin,
    /// The permitted numbers of arguments.
    arity: RangeInclusive<usize>,
    /// The parameters as help displays them.
    params: &'static str,
}

impl Declaration {
    const fn new(
        name: &'static str,
        builtin: Builtin,
        arity: RangeInclusive<usize>,
        params: &'static str,
    ) -> Declaration {
        Declaration { name, builtin, arity, params }
    }
}

const TABLE: [Declaration; 22] = [
    Declaration::new("LEN", Builtin::Len, 1..=1, "value"),
    Declaration::new("TYPEOF", Builtin::TypeOf, 1..=1, "value"),
    Declaration::new("STR", Builtin::Str, 1..=1, "value"),
    Declaration::new("INT", Builtin::Int, 1..=1, "value"),
    Declaration::new("FLOAT", Builtin::Float, 1..=1, "value"),
    Declaration::new("ABS", Builtin::Abs, 1..=1, "number"),
    Declaration::new("MIN", Builtin::Min, 1..=usize::MAX, "a, b, …"),
    Declaration::new("MAX", Builtin::Max, 1..=usize::MAX, "a, b, …"),
    Declaration::new("ROUND", Builtin::Round, 1..=2, "number, digits"),
    Declaration::new("FLOOR", Builtin::Floor, 1..=1, "number"),
    Declaration::new("CEIL", Builtin::Ceil, 1..=1, "number"),
    Declaration::new("SQRT", Builtin::Sqrt, 1..=1, "number"),
    Declaration::new("LN", Builtin::Ln, 1..=1, "number"),
    Declaration::new("LOG", Builtin::Log, 1..=1, "number"),
    Declaration::new("SIN", Builtin::Sin, 1..=1, "number"),
    Declaration::new("COS", Builtin::Cos, 1..=1, "number"),
    Declaration::new("TAN", Builtin::Tan, 1..=1, "number"),
    Declaration::new("ASIN", Builtin::Asin, 1..=1, "number"),
    Declaration::new("ACOS", Builtin::Acos, 1..=1, "number"),
    Declaration::new("ATAN", Builtin::Atan, 1..=1, "number"),
    Declaration::new("RANGE", Builtin::Range, 1..=3, "start, end, step"),
    Declaration::new("EVAL", Builtin::Eval, 1..=1, "text"),
];

/// Returns the function with a name, whatever its case.
fn declared(name: &str) -> Option<Builtin> {
    TABLE.iter().find(|declared| declared.name.eq_ignore_ascii_case(name)).map(|declared| declared.builtin)
}

/// Returns a name without a prefix, whatever its case.
fn without_prefix<'n>(name: &'n str, prefix: &str) -> Option<&'n str> {
    let (start, rest) = name.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

impl Builtin {
    /// Finds a function by name, written entirely in upper or entirely in lower case. Numeric functions are also found
    /// as `MATH.Sqrt` and so on, where case is ignored, as it is for tools.
    pub fn find(name: &str) -> Option<Builtin> {
        let of_math = without_prefix(without_prefix(name, "tool.").unwrap_or(name), "math.");
        if let Some(name) = of_math {
            return declared(name).filter(|builtin| builtin.is_numeric());
        }
        let uniform =
            name.bytes().all(|byte| !byte.is_ascii_lowercase()) || name.bytes().all(|byte| !byte.is_ascii_uppercase());
        declared(name).filter(|_| uniform)
    }

    fn is_numeric(self) -> bool {
        use Builtin::{Abs, Acos, Asin, Atan, Ceil, Cos, Floor, Ln, Max, Min, Round, Sin, Sqrt, Tan};
        matches!(self, Abs | Acos | Asin | Atan | Ceil | Cos | Floor | Ln | Max | Min | Round | Sin | Sqrt | Tan)
    }

    fn declaration(self) -> &'static Declaration {
        TABLE.iter().find(|declared| declared.builtin == self).expect("every built-in is declared")
    }

    /// Returns the name, in upper case.
    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// Returns the permitted numbers of arguments.
    pub fn arity(self) -> RangeInclusive<usize> {
        self.declaration().arity.clone()
    }

    /// Returns the call signature as help displays it.
    pub fn signature(self) -> String {
        format!("{}({})", self.name(), self.declaration().params)
    }

    /// Returns all names, in upper case.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|declared| declared.name)
    }
}
