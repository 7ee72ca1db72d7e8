//! `STR.Similarity`: takes time linear in both texts, unlike an edit distance.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::gate::{Context, Tool};
use crate::limits::{space, work};
use crate::toolkit::{Example, Number, Spec, ToolError, arguments};
use crate::value::Str;

const SPEC: Spec = Spec::pure(
    "STR.Similarity",
    "str_similarity",
    "Returns the similarity of two texts, 0.0 to 1.0",
    "Returns the Sørensen–Dice coefficient: twice the number of pairs of neighbouring characters that both \
        texts have, divided by the number of all pairs of both. Equal texts have 1.0, texts without a common pair 0.0. \
        Letter case counts.",
    Example {
        script: "EMIT ROUND(STR.Similarity(\"report-2024\", \"report_2024\"), 2), \" \", STR.Similarity(\"cat\", \"dog\")",
        output: "0.8 0.0\n",
    },
)
.keywords(&["similarity", "levenshtein", "fuzzy", "ratio", "edit distance", "alike"]);

arguments! {
    struct Two {
        text: Str = Required, Kind::Text, "text to compare";
        other: Str = Required, Kind::Text, "text to compare it with";
    }
}

/// Bytes of one entry in the table of pairs.
const PAIR_BYTES: usize = 2 * size_of::<((char, char), u32)>();

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Two) -> Result<Number, ToolError> {
    let (lengths, texts) =
        ((args.text.char_count(), args.other.char_count()), (args.text.as_text(), args.other.as_text()));
    if *texts.0 == *texts.1 {
        return Ok(Number(1.0.into()));
    }
    context.spend((lengths.0 + lengths.1) / 16)?;
    space::check(lengths.0.saturating_mul(PAIR_BYTES))?;
    let mut counts: HashMap<(char, char), u32, RandomState> = HashMap::default();
    for pair in pairs(&texts.0) {
        work::charge(4)?;
        *counts.entry(pair).or_default() += 1;
    }
    let mut common = 0_u64;
    for pair in pairs(&texts.1) {
        work::charge(4)?;
        if let Some(count) = counts.get_mut(&pair)
            && *count > 0
        {
            *count -= 1;
            common += 1;
        }
    }
    let all = lengths.0.saturating_sub(1) + lengths.1.saturating_sub(1);
    Ok(Number(if all == 0 { 0.0.into() } else { (2.0 * common as f64 / all as f64).into() }))
}

fn pairs(text: &str) -> impl Iterator<Item = (char, char)> + '_ {
    text.chars().zip(text.chars().skip(1))
}
