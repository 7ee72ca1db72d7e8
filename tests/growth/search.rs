//! Looks for texts of which a parser takes most for each byte, by small changes to those that are worst so far.

use crate::dice::Dice;
use crate::subject::Subject;
use crate::text::Text;
use crate::{Bench, long};

/// Bytes of the shorter text that is tried; the longer one has four times as many.
const LENGTH: usize = 8 << 10;
/// Texts that are kept.
const KEPT: usize = 8;
/// Texts that are compared with each other; the rest is given up.
const POPULATION: usize = 24;

/// The worst texts that are found from those that are kept, and how many bytes each takes for one of its own.
pub fn worst(wide: &Bench, subject: &Subject, kept: &[Text]) -> Vec<(Text, usize)> {
    let rounds = if long() { 100 * subject.rounds } else { subject.rounds };
    let seed = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let mut dice = Dice::new(seed);
    let mut population: Vec<(Text, usize)> = Vec::new();
    let simple = subject.pieces.iter().map(|piece| Text::new("", piece, ""));
    for text in kept.iter().cloned().chain(simple) {
        add(&mut population, wide, subject, text);
    }
    for _ in 0..rounds {
        let parent = &population[dice.below(population.len())].0;
        let text = match dice.one_in(4) {
            true => crossed(parent, &population[dice.below(population.len())].0, &mut dice),
            false => parent.mutated(&mut dice, subject.pieces),
        };
        add(&mut population, wide, subject, text);
    }
    population.truncate(KEPT.max(kept.len()));
    population
}

/// The parts of one text with the unit of another.
fn crossed(parent: &Text, other: &Text, dice: &mut Dice) -> Text {
    match dice.one_in(2) {
        true => Text { unit: other.unit.clone(), ..parent.clone() },
        false => Text { unit: parent.unit.clone() + &other.unit, ..parent.clone() },
    }
}

fn add(population: &mut Vec<(Text, usize)>, wide: &Bench, subject: &Subject, text: Text) {
    if text.unit.is_empty() || population.iter().any(|(known, _)| *known == text) {
        return;
    }
    let growth = growth(wide, subject, &text);
    // Of texts that take the same the short one stays, so that what is found can be read.
    let rank = |text: &Text, growth: usize| (std::cmp::Reverse(growth), text.line().len());
    let at = population.partition_point(|(other, other_growth)| rank(other, *other_growth) <= rank(&text, growth));
    population.insert(at, (text, growth));
    population.truncate(POPULATION);
}

/// Bytes that a parser takes for each further byte of a text: what it takes whatever the text is does not count.
fn growth(wide: &Bench, subject: &Subject, text: &Text) -> usize {
    let (short, long) = (text.of_length(LENGTH), text.of_length(4 * LENGTH));
    let more = wide.peak(subject, &long).0.saturating_sub(wide.peak(subject, &short).0);
    more / (long.len() - short.len()).max(1)
}
