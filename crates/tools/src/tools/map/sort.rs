//! `MAP.SortValues`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::{space, work};
use crate::toolkit::{AnyMap, Example, Spec, ToolError, arguments};
use crate::value::order::{self, Direction, Unsorted};
use crate::value::{Map, Str, Value, print};

const SPEC: Spec = Spec::pure(
    "MAP.SortValues",
    "map_sort_values",
    "Returns the map in order of its values",
    "Values are all numbers or all texts, ordered as `LIST.Sort` orders them; equal ones keep their order.",
    Example {
        script: "EMIT MAP.SortValues({\"a\": 2, \"b\": 1})\n\
            FOR EACH word, times IN MAP.SortValues(LIST.CountBy([\"x\", \"y\", \"y\"]), descending: true) DO\n  EMIT times, \" \", word\nEND",
        output: "{\"b\": 1, \"a\": 2}\n2 y\n1 x\n",
    },
)
.keywords(&["sort values", "asort", "most common", "most_common", "sort map"]);

arguments! {
    struct Args {
        map: Rc<Map> = Required, Kind::Map, "map to sort";
        descending: bool = Is(Literal::Bool(false)), Kind::Bool, "whether the greatest comes first";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyMap, ToolError> {
    let length = args.map.len();
    context.spend(length)?;
    space::check(length * (size_of::<usize>() + 3 * size_of::<Value>()))?;
    let (keys, values): (Vec<Str>, Vec<Value>) = args.map.iter().unzip();
    let sorted = order::sorted(&values, Direction::of(args.descending)).map_err(|unsorted| match unsorted {
        Unsorted::Limit(hit) => ToolError::from(hit),
        Unsorted::Odd(odd) => {
            let (key, shown) = (print::shortened(&keys[odd.index].as_text(), 40), odd.display(&values));
            let message = format!("the value of `{key}` cannot be ordered with the others: {shown}");
            ToolError::bad_argument("map", message).hint("sort numbers or texts, not both")
        }
    })?;
    let mut map = Map::with_capacity(length);
    for index in sorted {
        work::charge(1)?;
        map.put(keys[index].clone(), values[index].clone())?;
    }
    Ok(AnyMap(map.into()))
}
