//! `LIST.Flatten`, `LIST.Zip`, `LIST.Chunk`, `LIST.Repeat`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::work;
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::{List, Value};

use super::super::build::{self, ListBuilder};

const FLATTEN: Spec = Spec::pure(
    "LIST.Flatten",
    "list_flatten",
    "Returns the elements with lists among them replaced by their elements",
    "One level, unless `depth` says more.",
    Example {
        script: "EMIT LIST.Flatten([1, [2, [3]]])\nEMIT LIST.Flatten([1, [2, [3]]], depth: 2)",
        output: "[1, 2, [3]]\n[1, 2, 3]\n",
    },
)
.keywords(&["flatten", "flat", "flatMap", "chain", "itertools.chain", "merge lists", "concat lists"]);
const ZIP: Spec = Spec::pure(
    "LIST.Zip",
    "list_zip",
    "Returns pairs of the elements that two lists have at the same index",
    "As many pairs as the shorter list has elements.",
    Example { script: "EMIT LIST.Zip([\"a\", \"b\"], [1, 2])", output: "[[\"a\", 1], [\"b\", 2]]\n" },
)
.keywords(&["zip", "pair", "pairs"]);
const CHUNK: Spec = Spec::pure(
    "LIST.Chunk",
    "list_chunk",
    "Splits a list into chunks of a size",
    "The last one has what is left.",
    Example { script: "EMIT LIST.Chunk([1, 2, 3, 4, 5], 2)", output: "[[1, 2], [3, 4], [5]]\n" },
)
.keywords(&["chunk", "batch", "batched", "array_chunk", "pages"]);
const REPEAT: Spec = Spec::pure(
    "LIST.Repeat",
    "list_repeat",
    "Returns a list that repeats a value",
    "`RANGE(n)` gives the whole numbers from 0 on.",
    Example { script: "EMIT LIST.Repeat(0, 3)", output: "[0, 0, 0]\n" },
)
.keywords(&["repeat", "fill", "array_fill", "replicate", "full", "zeros"]);

arguments! {
    struct Flattened {
        list: Rc<List> = Required, Kind::List, "list to flatten";
        depth: i64 = Is(Literal::Int(1)), Kind::at_least(0), "levels of lists that are replaced";
    }
}

arguments! {
    struct Zipped {
        list: Rc<List> = Required, Kind::List, "list of the first ones";
        other: Rc<List> = Required, Kind::List, "list of the second ones";
    }
}

arguments! {
    struct Chunked {
        list: Rc<List> = Required, Kind::List, "list to take apart";
        size: i64 = Required, Kind::at_least(1), "how many elements each list has";
    }
}

arguments! {
    struct Repeated {
        value: Value = Required, Kind::Any, "value of each element";
        times: i64 = Required, Kind::at_least(0), "how many elements";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(FLATTEN, flatten),
        Tool::new(ZIP, zip),
        Tool::new(CHUNK, chunk),
        Tool::new(REPEAT, |context, args: Repeated| {
            let times = args.times as usize;
            build::list(context, times, (0..times).map(|_| args.value.clone()))
        }),
    ]
}

fn flatten(context: &mut Context<'_>, args: Flattened) -> Result<AnyList, ToolError> {
    let mut flat = ListBuilder::default();
    // The lists being flattened, each with the next index.
    let mut open = vec![(args.list, 0)];
    while let Some((list, index)) = open.last_mut() {
        context.spend(1)?;
        let element = list.get(*index);
        *index += 1;
        match element {
            None => drop(open.pop()),
            Some(Value::List(inner)) if open.len() as i64 <= args.depth => open.push((inner, 0)),
            Some(element) => flat.push(context, element)?,
        }
    }
    flat.finish()
}

fn zip(context: &mut Context<'_>, args: Zipped) -> Result<AnyList, ToolError> {
    let length = args.list.len().min(args.other.len());
    let pairs = args.list.iter().zip(args.other.iter());
    build::try_list(context, length, pairs.map(|(one, other)| Ok(Value::list(vec![one, other])?)))
}

fn chunk(context: &mut Context<'_>, args: Chunked) -> Result<AnyList, ToolError> {
    let (length, size) = (args.list.len(), args.size as usize);
    context.spend(length)?;
    let starts = (0..length).step_by(size);
    let part = |start: usize| {
        let mut part = Vec::with_capacity(size.min(length - start));
        for index in start..length.min(start.saturating_add(size)) {
            work::charge(1)?;
            part.extend(args.list.get(index));
        }
        Ok(Value::list(part)?)
    };
    build::try_list(context, length.div_ceil(size), starts.map(part))
}
