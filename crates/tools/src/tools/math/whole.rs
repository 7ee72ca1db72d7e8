//! `MATH.Truncate`, `MATH.Sign`, `MATH.Clamp`, `MATH.FloorMod`, `MATH.Gcd`, `MATH.Lcm`.

use std::cmp::Ordering;

use crate::gate::Tool;
use crate::toolkit::{Example, Number, Spec, ToolError, arguments};
use crate::value::operators::compare;
use crate::value::{Value, number, print};

use super::float;

const TRUNCATE: Spec = Spec::pure(
    "MATH.Truncate",
    "math_truncate",
    "Returns the whole part of a number",
    "The same as `INT` of a number; `ROUND`, `FLOOR` and `CEIL` round.",
    Example { script: "EMIT MATH.Truncate(-2.7)", output: "-2\n" },
)
.keywords(&["trunc", "truncate", "cut off"]);
const SIGN: Spec = Spec::pure(
    "MATH.Sign",
    "math_sign",
    "Returns -1, 0 or 1 as a number is less than, equal to or greater than zero",
    "A float that is not a number is an error.",
    Example { script: "EMIT MATH.Sign(-2.5), MATH.Sign(0), MATH.Sign(7)", output: "-101\n" },
)
.keywords(&["sign", "sgn", "signum"]);
const CLAMP: Spec = Spec::pure(
    "MATH.Clamp",
    "math_clamp",
    "Limits a number to a range",
    "`low` may not be greater than `high`.",
    Example { script: "EMIT MATH.Clamp(12, 0, 10), \" \", MATH.Clamp(5, 0, 10)", output: "10 5\n" },
)
.keywords(&["clamp", "limit number", "bound"]);
const FLOOR_MOD: Spec = Spec::pure(
    "MATH.FloorMod",
    "math_floor_mod",
    "Returns the remainder of a division of whole numbers, with the sign of the divisor",
    "`-7 % 3` is -1, this is 2.",
    Example { script: "EMIT MATH.FloorMod(-7, 3)", output: "2\n" },
)
.keywords(&["floormod", "modulo", "rem_euclid", "floor division"]);
const GCD: Spec = Spec::pure(
    "MATH.Gcd",
    "math_gcd",
    "Returns the greatest common divisor of two whole numbers",
    "Of 0 and a number, it is the number without its sign.",
    Example { script: "EMIT MATH.Gcd(12, -18)", output: "6\n" },
)
.keywords(&["gcd", "greatest common divisor"]);
const LCM: Spec = Spec::pure(
    "MATH.Lcm",
    "math_lcm",
    "Returns the least common multiple of two whole numbers",
    "With 0 it is 0. A result beyond 64 bits is an error.",
    Example { script: "EMIT MATH.Lcm(4, 6)", output: "12\n" },
)
.keywords(&["lcm", "least common multiple"]);

arguments! {
    struct One {
        number: Value = Required, Kind::Number, "number to work on";
    }
}

arguments! {
    struct Clamped {
        number: Value = Required, Kind::Number, "number to keep within the bounds";
        low: Value = Required, Kind::Number, "least result";
        high: Value = Required, Kind::Number, "greatest result";
    }
}

arguments! {
    struct Ints {
        a: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "whole number";
        b: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "whole number";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(TRUNCATE, |_, args: One| truncate(&args.number)),
        Tool::new(SIGN, |_, args: One| sign(&args.number)),
        Tool::new(CLAMP, |_, args: Clamped| clamp(args)),
        Tool::new(FLOOR_MOD, |_, args: Ints| floor_mod(args.a, args.b)),
        Tool::new(GCD, |_, args: Ints| fitting(gcd(args.a.unsigned_abs(), args.b.unsigned_abs()).into())),
        Tool::new(LCM, |_, args: Ints| {
            let (a, b) = (args.a.unsigned_abs(), args.b.unsigned_abs());
            let common = gcd(a, b).max(1);
            fitting(u128::from(a / common) * u128::from(b))
        }),
    ]
}

fn truncate(number: &Value) -> Result<Number, ToolError> {
    let whole = match number {
        Value::Int(whole) => Some(*whole),
        other => number::exact_int(float(other).trunc()),
    };
    let refuse =
        || ToolError::bad_argument("number", format!("{} does not fit into a 64-bit int", print::preview(number)));
    whole.map(|whole| Number(whole.into())).ok_or_else(refuse)
}

fn sign(number: &Value) -> Result<i64, ToolError> {
    let order = compare("<", number, &Value::Int(0)).ok().flatten();
    order.map(|order| order as i64).ok_or_else(|| ToolError::bad_argument("number", "`nan` has no sign"))
}

fn clamp(args: Clamped) -> Result<Number, ToolError> {
    let order = |a: &Value, b: &Value| compare("<", a, b).ok().flatten();
    match order(&args.low, &args.high) {
        Some(Ordering::Less | Ordering::Equal) => {}
        _ => {
            let message = format!("`low` ({}) is not below `high` ({})", args.low, args.high);
            return Err(ToolError::bad_argument("low", message));
        }
    }
    Ok(Number(match (order(&args.number, &args.low), order(&args.number, &args.high)) {
        (Some(Ordering::Less), _) => args.low,
        (_, Some(Ordering::Greater)) => args.high,
        _ => args.number,
    }))
}

fn floor_mod(a: i64, b: i64) -> Result<i64, ToolError> {
    match a.checked_rem(b) {
        None if b == 0 => {
            Err(ToolError::bad_argument("b", "`b` is 0, which divides nothing").hint("test the divisor first"))
        }
        // Only `MIN % -1` overflows, although its remainder is 0.
        None => Ok(0),
        Some(rest) if rest != 0 && (rest < 0) != (b < 0) => Ok(rest + b),
        Some(rest) => Ok(rest),
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn fitting(number: u128) -> Result<i64, ToolError> {
    i64::try_from(number).map_err(|_| ToolError::bad_argument("a", format!("{number} does not fit into a 64-bit int")))
}
