//! `MATH.Median`, `MATH.Percentile`, `MATH.Deviation`. `LIST.Sum` and `LIST.Average` are in the `LIST` group.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space, work};
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{List, Value, order, print};

use super::float;

const MEDIAN: Spec = Spec::pure(
    "MATH.Median",
    "math_median",
    "Returns the median of a list as a float, nil for an empty list",
    "Of an even number of elements, the mean of the two in the middle.",
    Example { script: "EMIT MATH.Median([5, 1, 3]), \" \", MATH.Median([1, 2])", output: "3.0 1.5\n" },
)
.keywords(&["median", "statistics.median"]);
const PERCENTILE: Spec = Spec::pure(
    "MATH.Percentile",
    "math_percentile",
    "Returns a percentile of a list as a float, nil for an empty list",
    "Between two elements it is interpolated; 50 is the median.",
    Example { script: "EMIT MATH.Percentile([1, 2, 3, 4, 5], 75)", output: "4.0\n" },
)
.keywords(&["percentile", "quantile"]);
const DEVIATION: Spec = Spec::pure(
    "MATH.Deviation",
    "math_deviation",
    "Returns the standard deviation of a list of numbers, nil if it has none",
    "The numbers are a whole population; with `sample` they are a sample, which needs at least two.",
    Example { script: "EMIT MATH.Deviation([2, 4, 4, 4, 5, 5, 7, 9])", output: "2.0\n" },
)
.keywords(&["stdev", "stddev", "standard deviation", "variance", "statistics.stdev"]);

arguments! {
    struct Numbers {
        list: Rc<List> = Required, Kind::List, "numbers to look at";
    }
}

arguments! {
    struct Ranked {
        list: Rc<List> = Required, Kind::List, "numbers to look at";
        percent: Value = Required, Kind::Number, "from 0 to 100";
    }
}

arguments! {
    struct Spread {
        list: Rc<List> = Required, Kind::List, "numbers to look at";
        sample: bool = Is(Literal::Bool(false)), Kind::Bool, "whether the numbers are a sample of more";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(MEDIAN, |context, args: Numbers| Ok(at_rank(sorted(context, &args.list)?, 0.5))),
        Tool::new(PERCENTILE, |context, args: Ranked| {
            let percent = float(&args.percent);
            if !(0.0..=100.0).contains(&percent) {
                let message = format!("`percent` is {}, not from 0 to 100", print::preview(&args.percent));
                return Err(ToolError::bad_argument("percent", message));
            }
            Ok(at_rank(sorted(context, &args.list)?, percent / 100.0))
        }),
        Tool::new(DEVIATION, deviation),
    ]
}

fn floats(context: &mut Context<'_>, list: &List) -> Result<Vec<f64>, ToolError> {
    context.spend(list.len())?;
    space::check(list.len().saturating_mul(size_of::<f64>()))?;
    let number = |(index, element): (usize, Value)| {
        work::charge(1)?;
        let number = element.as_float().filter(|number| !number.is_nan());
        number.ok_or_else(|| {
            let message = format!("element {index} is no number: {}", print::preview(&element));
            ToolError::bad_argument("list", message)
        })
    };
    list.iter().enumerate().map(number).collect()
}

fn sorted(context: &mut Context<'_>, list: &List) -> Result<Vec<f64>, ToolError> {
    let mut numbers = floats(context, list)?;
    order::sort_numbers(&mut numbers, f64::total_cmp)?;
    Ok(numbers)
}

fn at_rank(sorted: Vec<f64>, part: f64) -> AnyValue {
    let Some(last) = sorted.len().checked_sub(1) else { return AnyValue(Value::Nil) };
    let rank = part * last as f64;
    let (below, above) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
    AnyValue((below + (above - below) * rank.fract()).into())
}

fn deviation(context: &mut Context<'_>, args: Spread) -> Result<AnyValue, ToolError> {
    let numbers = floats(context, &args.list)?;
    let divisor = numbers.len().saturating_sub(usize::from(args.sample));
    if divisor == 0 {
        return Ok(AnyValue(Value::Nil));
    }
    let mean = sum(&numbers, |number| number)? / numbers.len() as f64;
    let squares = sum(&numbers, |number| (number - mean).powi(2))?;
    Ok(AnyValue((squares / divisor as f64).sqrt().into()))
}

fn sum(numbers: &[f64], of: impl Fn(f64) -> f64) -> Result<f64, LimitHit> {
    numbers.chunks(STRETCH).try_fold(0.0, |sum, stretch| {
        work::charge(stretch.len())?;
        Ok(stretch.iter().fold(sum, |sum, number| sum + of(*number)))
    })
}

/// Numbers that are added between two charges.
const STRETCH: usize = 4_096;
