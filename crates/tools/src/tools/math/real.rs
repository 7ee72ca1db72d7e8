//! `MATH.Exp`, `MATH.Log`, `MATH.Hypot`, `MATH.Atan2`, `MATH.Pi`, `MATH.E`. Other functions are built-ins.

use crate::gate::Tool;
use crate::toolkit::{Example, Number, Spec, ToolError, arguments};
use crate::value::{Value, print};

use super::float;

const EXP: Spec = Spec::pure(
    "MATH.Exp",
    "math_exp",
    "Returns e to the power of a number",
    "`LN` is the counterpart. `SQRT`, `SIN`, `ROUND` and their like are built-in functions.",
    Example { script: "EMIT ROUND(MATH.Exp(1), 6)", output: "2.718282\n" },
)
.keywords(&["exp", "exponential"]);
const LOG: Spec = Spec::pure(
    "MATH.Log",
    "math_log",
    "Returns the logarithm of a number to a base",
    "The number is above zero; the base is too and is not 1. Powers of 2 and 10 are exact.",
    Example { script: "EMIT MATH.Log(1024, 2)", output: "10.0\n" },
)
.keywords(&["log", "logarithm"]);
const HYPOT: Spec = Spec::pure(
    "MATH.Hypot",
    "math_hypot",
    "Returns the length of the line from the origin to a point",
    "The root of `x ** 2 + y ** 2`, without overflow in between.",
    Example { script: "EMIT MATH.Hypot(3, 4)", output: "5.0\n" },
)
.keywords(&["hypot", "hypotenuse", "distance"]);
const ATAN2: Spec = Spec::pure(
    "MATH.Atan2",
    "math_atan2",
    "Returns the angle of the line from the origin to a point, in radians",
    "From -pi to pi; `y` comes first, as everywhere.",
    Example { script: "EMIT ROUND(MATH.Atan2(1, 1) * 4, 6)", output: "3.141593\n" },
)
.keywords(&["atan2"]);
const PI: Spec = Spec::pure(
    "MATH.Pi",
    "math_pi",
    "Returns the number pi",
    "As near as a float is.",
    Example { script: "EMIT MATH.Pi()", output: "3.141592653589793\n" },
)
.keywords(&["pi"]);
const E: Spec = Spec::pure(
    "MATH.E",
    "math_e",
    "Returns the base of the natural logarithm",
    "As near as a float is.",
    Example { script: "EMIT MATH.E()", output: "2.718281828459045\n" },
)
.keywords(&["euler"]);

arguments! {
    struct One {
        number: Value = Required, Kind::Number, "number to work on";
    }
}

arguments! {
    struct Based {
        number: Value = Required, Kind::Number, "number above zero";
        base: Value = Required, Kind::Number, "base of the logarithm";
    }
}

arguments! {
    struct Point {
        x: Value = Required, Kind::Number, "distance to the right";
        y: Value = Required, Kind::Number, "distance upwards";
    }
}

arguments! {
    struct Angle {
        y: Value = Required, Kind::Number, "distance upwards";
        x: Value = Required, Kind::Number, "distance to the right";
    }
}

arguments! {
    struct Nothing {}
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(EXP, |_, args: One| finite("number", &args.number, float(&args.number).exp())),
        Tool::new(LOG, |_, args: Based| log(&args)),
        Tool::new(HYPOT, |_, args: Point| finite("x", &args.x, float(&args.x).hypot(float(&args.y)))),
        Tool::new(ATAN2, |_, args: Angle| Ok(Number(float(&args.y).atan2(float(&args.x)).into()))),
        Tool::new(PI, |_, _: Nothing| Ok(std::f64::consts::PI)),
        Tool::new(E, |_, _: Nothing| Ok(std::f64::consts::E)),
    ]
}

fn log(args: &Based) -> Result<Number, ToolError> {
    let (number, base) = (float(&args.number), float(&args.base));
    if number <= 0.0 || number.is_nan() {
        return Err(ToolError::bad_argument("number", format!("{} has no logarithm", print::preview(&args.number))));
    }
    if base <= 0.0 || base == 1.0 || base.is_nan() {
        return Err(ToolError::bad_argument(
            "base",
            format!("there is no logarithm to the base {}", print::preview(&args.base)),
        ));
    }
    Ok(Number(match base {
        2.0 => number.log2().into(),
        10.0 => number.log10().into(),
        base => (number.ln() / base.ln()).into(),
    }))
}

fn finite(argument: &'static str, given: &Value, result: f64) -> Result<Number, ToolError> {
    if result.is_finite() || !float(given).is_finite() {
        Ok(Number(result.into()))
    } else {
        Err(ToolError::bad_argument(argument, format!("the result for {} is no finite number", print::preview(given))))
    }
}
