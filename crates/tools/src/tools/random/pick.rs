//! `RANDOM.Choice`, `RANDOM.Shuffle`, `RANDOM.Sample`.

use std::rc::Rc;

use crate::gate::{Context, RandomSource, Tool};
use crate::limits::{LimitHit, work};
use crate::toolkit::{AnyList, AnyValue, Effect, Example, Spec, ToolError, arguments};
use crate::value::{List, Value};

use super::super::build;

const CHOICE: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "RANDOM.Choice",
        "random_choice",
        "Picks an element at random",
        "Each is equally likely. The list must not be empty.",
        Example { script: "EMIT RANDOM.Choice([\"a\", \"b\"]) IN [\"a\", \"b\"]", output: "true\n" },
    )
    .keywords(&["choice", "random.choice", "pick", "random element", "array_rand"])
};
const SHUFFLE: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "RANDOM.Shuffle",
        "random_shuffle",
        "Shuffles the elements of a list",
        "Each order is as likely as the others.",
        Example { script: "EMIT LIST.Sort(RANDOM.Shuffle([3, 1, 2]))", output: "[1, 2, 3]\n" },
    )
    .keywords(&["shuffle", "random.shuffle", "mix", "random order"])
};
const SAMPLE: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "RANDOM.Sample",
        "random_sample",
        "Returns random elements of a list, none of them twice",
        "In any order. The list has at least that many elements.",
        Example { script: "EMIT LEN(RANDOM.Sample([1, 2, 3, 4], 2))", output: "2\n" },
    )
    .keywords(&["sample", "random.sample", "random elements", "choices"])
};

arguments! {
    struct Whole {
        list: Rc<List> = Required, Kind::List, "list to take from";
    }
}

arguments! {
    struct Sampled {
        list: Rc<List> = Required, Kind::List, "list to take from";
        count: i64 = Required, Kind::at_least(0), "how many elements";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(CHOICE, choice),
        Tool::new(SHUFFLE, |context, args: Whole| {
            let mut order = build::elements(context, &args.list)?;
            mix(context.random(), &mut order, args.list.len())?;
            Ok(AnyList(Value::list(order)?))
        }),
        Tool::new(SAMPLE, sample),
    ]
}

fn choice(context: &mut Context<'_>, args: Whole) -> Result<AnyValue, ToolError> {
    match args.list.len() as u64 {
        0 => Err(ToolError::bad_argument("list", "there is nothing to choose in an empty list")),
        length => Ok(AnyValue(args.list.get(context.random().below(length) as usize).unwrap_or_default())),
    }
}

fn sample(context: &mut Context<'_>, args: Sampled) -> Result<AnyList, ToolError> {
    let (length, count) = (args.list.len(), args.count as usize);
    if count > length {
        let message = format!("`count` is {count}, more than the elements of `list` ({length})");
        return Err(ToolError::bad_argument("count", message));
    }
    let mut order = build::elements(context, &args.list)?;
    mix(context.random(), &mut order, count)?;
    order.truncate(count);
    Ok(AnyList(Value::list(order)?))
}

/// Moves a random remaining element to each of the first `places` positions (Fisher–Yates).
fn mix(chance: &RandomSource, values: &mut [Value], places: usize) -> Result<(), LimitHit> {
    for place in 0..places {
        work::charge(4)?;
        let other = place + chance.below((values.len() - place) as u64) as usize;
        values.swap(place, other);
    }
    Ok(())
}
