//! `RANDOM` and `UUID`: random values, which are unpredictable unless `--seed` or `RANDOM.Seed` fixes them.

mod pick;
mod uuid;

use crate::gate::{Context, Tool};
use crate::limits::work;
use crate::toolkit::{Effect, Example, Number, Spec, ToolError, arguments};
use crate::value::{Str, Value, print};

use super::build::TextBuilder;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![
        Tool::new(SEED, |context: &mut Context<'_>, args: Seeded| {
            context.random().reseed(args.number as u64);
            Ok(())
        }),
        Tool::new(INT, int),
        Tool::new(FLOAT, float),
        Tool::new(TEXT, text),
    ];
    tools.extend(pick::tools());
    tools.extend(uuid::tools());
    tools
}

const SEED: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "RANDOM.Seed",
        "random_seed",
        "Makes random numbers the same in every run from here on",
        "Applies until the run ends. Without it, and without `--seed`, random values cannot be guessed. The \
        result is nil.",
        Example {
            script: "CALL RANDOM.Seed(7)\nSET one = RANDOM.Int(1, 1000)\nCALL RANDOM.Seed(7)\nEMIT one == RANDOM.Int(1, 1000)",
            output: "true\n",
        },
    )
.keywords(&["seed", "random.seed", "repeatable chance", "srand"])
};
const INT: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "RANDOM.Int",
        "random_int",
        "Returns a whole number between two others, both included",
        "Each is as likely as the others.",
        Example { script: "SET die = RANDOM.Int(1, 6)\nEMIT die >= 1 AND die <= 6", output: "true\n" },
    )
    .keywords(&[
        "randint",
        "random.randint",
        "randrange",
        "random number",
        "rand",
        "rand.Intn",
        "dice",
        "mt_rand",
        "random.nextInt",
    ])
};
const FLOAT: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "RANDOM.Float",
        "random_float",
        "Returns a float from one number up to another, which is not included",
        "From 0.0 up to 1.0 when nothing is said.",
        Example { script: "SET x = RANDOM.Float()\nEMIT x >= 0 AND x < 1", output: "true\n" },
    )
    .keywords(&["random.random", "Math.random", "uniform", "random.uniform"])
};
const TEXT: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "RANDOM.Text",
        "random_text",
        "Returns a random text over an alphabet",
        "The default alphabet is the ASCII letters and digits. A character that occurs twice in the alphabet is \
        twice as likely. 22 characters of the default alphabet are as hard to guess as a UUID.",
        Example { script: "EMIT LEN(RANDOM.Text(22)), \" \", RANDOM.Text(3, \"a\")", output: "22 aaa\n" },
    )
    .keywords(&["random text", "password", "token", "secrets.token_hex", "random string", "token_urlsafe"])
};

arguments! {
    struct Seeded {
        number: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "number that the others follow from";
    }
}

arguments! {
    struct Ints {
        low: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "least number";
        high: i64 = Required, Kind::Int { min: i64::MIN, max: i64::MAX }, "greatest number";
    }
}

arguments! {
    struct Floats {
        low: Value = Is(Literal::Int(0)), Kind::Number, "least number";
        high: Value = Is(Literal::Int(1)), Kind::Number, "number that is not reached";
    }
}

arguments! {
    struct Lettered {
        length: i64 = Required, Kind::at_least(0), "characters";
        alphabet: Str = Is(Literal::Text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")), Kind::Text, "characters to take";
    }
}

fn int(context: &mut Context<'_>, args: Ints) -> Result<i64, ToolError> {
    if args.low > args.high {
        let message = format!("`low` ({}) is above `high` ({})", args.low, args.high);
        return Err(ToolError::bad_argument("low", message).hint("give the smaller one first"));
    }
    // The full 64-bit range has 2^64 numbers, which wraps to 0.
    let count = (args.high.wrapping_sub(args.low) as u64).wrapping_add(1);
    Ok(args.low.wrapping_add(context.random().below(count) as i64))
}

fn float(context: &mut Context<'_>, args: Floats) -> Result<Number, ToolError> {
    let (low, high) = (args.low.as_float().unwrap_or_default(), args.high.as_float().unwrap_or_default());
    let width = high - low;
    if !(width.is_finite() && width > 0.0) {
        let message =
            format!("`low` ({}) is not below `high` ({})", print::preview(&args.low), print::preview(&args.high));
        return Err(ToolError::bad_argument("low", message));
    }
    let number = low + context.random().float() * width;
    // Rounding may reach the upper bound, which is excluded.
    Ok(Number(if number < high { number } else { low }.into()))
}

fn text(context: &mut Context<'_>, args: Lettered) -> Result<Str, ToolError> {
    let alphabet: Vec<char> = args.alphabet.as_text().chars().take(1 << 16).collect();
    if alphabet.is_empty() {
        return Err(ToolError::bad_argument("alphabet", "`alphabet` is empty"));
    }
    let mut text = TextBuilder::with_room(args.length as usize)?;
    context.spend(args.length as usize)?;
    for _ in 0..args.length {
        work::charge(4)?;
        text.push_char(alphabet[context.random().below(alphabet.len() as u64) as usize])?;
    }
    text.finish(context)
}
