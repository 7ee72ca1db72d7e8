//! `MATH.Add`, `MATH.Subtract`, `MATH.Multiply`, `MATH.Divide`, `MATH.Modulo`, `MATH.Power`.

use crate::gate::Tool;
use crate::toolkit::{Example, Number, Spec, ToolError, arguments};
use crate::value::operators::{add, divide, multiply, power, remainder, subtract};
use crate::value::{Fallible, Value};

use super::refused;

const ADD: Spec = Spec::pure(
    "MATH.Add",
    "math_add",
    "Returns the sum of two numbers",
    "The same as `a + b`.",
    Example { script: "EMIT MATH.Add(2, 3.5)", output: "5.5\n" },
)
.keywords(&["plus", "math.add"]);
const SUBTRACT: Spec = Spec::pure(
    "MATH.Subtract",
    "math_subtract",
    "Returns the difference of two numbers",
    "The same as `a - b`.",
    Example { script: "EMIT MATH.Subtract(2, 3)", output: "-1\n" },
)
.keywords(&["minus", "math.sub"]);
const MULTIPLY: Spec = Spec::pure(
    "MATH.Multiply",
    "math_multiply",
    "Returns the product of two numbers",
    "The same as `a * b`.",
    Example { script: "EMIT MATH.Multiply(2, 3)", output: "6\n" },
)
.keywords(&["times", "math.mul"]);
const DIVIDE: Spec = Spec::pure(
    "MATH.Divide",
    "math_divide",
    "Returns the quotient of two numbers",
    "The same as `a / b`: a whole number if both are and nothing remains, else a float. Division by zero is \
        an error.",
    Example { script: "EMIT MATH.Divide(6, 3), \" \", MATH.Divide(7, 2)", output: "2 3.5\n" },
)
.keywords(&["math.div"]);
const MODULO: Spec = Spec::pure(
    "MATH.Modulo",
    "math_modulo",
    "Returns the remainder of a division of whole numbers",
    "The same as `a % b`, with the sign of the left side; `MATH.FloorMod` has the sign of the right one.",
    Example { script: "EMIT MATH.Modulo(-7, 3)", output: "-1\n" },
)
.keywords(&["mod", "remainder", "math.mod"]);
const POWER: Spec = Spec::pure(
    "MATH.Power",
    "math_power",
    "Returns a number to the power of another",
    "The same as `a ** b`.",
    Example { script: "EMIT MATH.Power(2, 10), \" \", MATH.Power(2, -1)", output: "1024 0.5\n" },
)
.keywords(&["pow", "math.pow", "power", "exponent"]);

arguments! {
    struct Two {
        a: Value = Required, Kind::Number, "number on the left";
        b: Value = Required, Kind::Number, "number on the right";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(ADD, |_, args: Two| apply(&args, add)),
        Tool::new(SUBTRACT, |_, args: Two| apply(&args, subtract)),
        Tool::new(MULTIPLY, |_, args: Two| apply(&args, multiply)),
        Tool::new(DIVIDE, |_, args: Two| apply(&args, divide)),
        Tool::new(MODULO, |_, args: Two| apply(&args, remainder)),
        Tool::new(POWER, |_, args: Two| apply(&args, power)),
    ]
}

fn apply(args: &Two, operator: fn(&Value, &Value) -> Fallible<Value>) -> Result<Number, ToolError> {
    operator(&args.a, &args.b).map(Number).map_err(|error| refused("b", &error))
}
