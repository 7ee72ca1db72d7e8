//! `MATH.ToBase`, `MATH.FromBase`.

use crate::gate::Tool;
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Str, print};

const TO_BASE: Spec = Spec::pure(
    "MATH.ToBase",
    "math_to_base",
    "Formats a whole number in a base",
    "Digits above 9 are lower-case letters.",
    Example { script: "EMIT MATH.ToBase(255, 16), \" \", MATH.ToBase(-5, 2)", output: "ff -101\n" },
)
.keywords(&["hex", "bin", "oct", "toString 16", "hexadecimal", "binary", "base"]);
const FROM_BASE: Spec = Spec::pure(
    "MATH.FromBase",
    "math_from_base",
    "Parses a whole number in a base",
    "Letters of either case are digits; a sign may stand before them.",
    Example { script: "EMIT MATH.FromBase(\"FF\", 16), \" \", MATH.FromBase(\"755\", 8)", output: "255 493\n" },
)
.keywords(&["parse hex", "from hex", "binary to number", "base"]);

arguments! {
    struct Shown {
        number: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "whole number";
        base: i64 = Required, Kind::Int { min: 2, max: 36 }, "how many digits there are";
    }
}

arguments! {
    struct Read {
        text: Str = Required, Kind::Text, "digits";
        base: i64 = Required, Kind::Int { min: 2, max: 36 }, "how many digits there are";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(TO_BASE, |_, args: Shown| Ok(to_base(args.number, args.base as u64))),
        Tool::new(FROM_BASE, |_, args: Read| from_base(&args)),
    ]
}

fn to_base(number: i64, base: u64) -> Str {
    let mut digits = Vec::new();
    let mut rest = number.unsigned_abs();
    while rest > 0 || digits.is_empty() {
        digits.push(char::from_digit((rest % base) as u32, base as u32).expect("a remainder is below its base"));
        rest /= base;
    }
    if number < 0 {
        digits.push('-');
    }
    Str::new(&digits.iter().rev().collect::<String>())
}

fn from_base(args: &Read) -> Result<i64, ToolError> {
    let text = args.text.as_text();
    i64::from_str_radix(text.trim(), args.base as u32).map_err(|error| {
        let shown = print::shortened(&text, 40);
        ToolError::bad_argument("text", format!("`{shown}` is no number to the base {}: {error}", args.base))
    })
}
