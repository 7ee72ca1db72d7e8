//! Searches for texts that need most memory per byte, by small changes to the worst so far.

use crate::dice::Dice;
use crate::subject::Subject;
use crate::text::Text;
use crate::{Bench, long};

/// Size in bytes of the shorter text; the longer one has four times as many.
const LENGTH: usize = 8 << 10;
/// Number of saved texts.
const KEPT: usize = 8;
/// Number of texts that compete; the rest is dropped.
const POPULATION: usize = 24;

/// Returns the worst texts that are found from the saved ones, with their memory per byte.
pub fn worst(wide: &Bench, subject: &Subject, kept: &[Text]) -> Vec<(Text, usize)> {
    let rounds = if long() { 100 * subject.rounds } else { subject.rounds / 2 };
    let seed = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let mut dice = Dice::new(seed);
    let mut population: Vec<(Text, usize)> = Vec::new();
    let simple = subject.pieces.iter().map(|piece| Text::new("", piece, ""));
    for text in kept.iter().cloned().chain(simple) {
        add(&mut population, wide, subject, text);
    }
    for _ in 0..rounds {
        let parent = &population[dice.below(population.len())].0;
        let text = if dice.one_in(4) {
            crossed(parent, &population[dice.below(population.len())].0, &mut dice)
        } else {
            parent.mutated(&mut dice, subject.pieces)
        };
        add(&mut population, wide, subject, text);
    }
    population.truncate(KEPT.max(kept.len()));
    population
}

/// Combines the parts of one text with the unit of another.
fn crossed(parent: &Text, other: &Text, dice: &mut Dice) -> Text {
    if dice.one_in(2) {
        Text { unit: other.unit.clone(), ..parent.clone() }
    } else {
        Text { unit: parent.unit.clone() + &other.unit, ..parent.clone() }
    }
}

fn add(population: &mut Vec<(Text, usize)>, wide: &Bench, subject: &Subject, text: Text) {
    if text.unit.is_empty() || population.iter().any(|(known, _)| *known == text) {
        return;
    }
    let growth = growth(wide, subject, &text);
    // Of equally bad texts the shorter one stays, so that the results are readable.
    let rank = |text: &Text, growth: usize| (std::cmp::Reverse(growth), text.line().len());
    let at = population.partition_point(|(other, other_growth)| rank(other, *other_growth) <= rank(&text, growth));
    population.insert(at, (text, growth));
    population.truncate(POPULATION);
}

/// Returns the memory that a parser needs for each additional byte of a text; the constant part does not count.
fn growth(wide: &Bench, subject: &Subject, text: &Text) -> usize {
    let (short, long) = (text.of_length(LENGTH), text.of_length(4 * LENGTH));
    let more = wide.peak(subject, &long).0.saturating_sub(wide.peak(subject, &short).0);
    more / (long.len() - short.len()).max(1)
}
