//! Texts that consist of a head, a repeated unit and a tail, which suffices to find the worst case of any parser.

use crate::dice::Dice;

/// Placeholder in a unit for a number that differs each time, so that keys and anchors are distinct.
pub const COUNTER: char = '\u{e000}';

/// A text by its parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text {
    pub head: String,
    pub unit: String,
    pub tail: String,
}

impl Text {
    pub fn new(head: &str, unit: &str, tail: &str) -> Text {
        Text { head: head.to_owned(), unit: unit.to_owned(), tail: tail.to_owned() }
    }

    /// Parses a line of a corpus: the three parts as a JSON list.
    pub fn of_line(line: &str) -> Text {
        let (head, unit, tail) = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        Text { head, unit, tail }
    }

    /// Returns the line of a corpus.
    pub fn line(&self) -> String {
        serde_json::to_string(&(&self.head, &self.unit, &self.tail)).expect("texts are JSON")
    }

    /// Returns the text with as many units as fit into a size in bytes.
    pub fn of_length(&self, bytes: usize) -> String {
        let mut text = self.head.clone();
        let mut count = 0;
        while text.len() + self.unit.len() + self.tail.len() <= bytes && !self.unit.is_empty() {
            count += 1;
            for character in self.unit.chars() {
                match character {
                    COUNTER => text.push_str(&base36(count)),
                    other => text.push(other),
                }
            }
        }
        text + &self.tail
    }

    /// Returns a slightly changed text.
    pub fn mutated(&self, dice: &mut Dice, pieces: &[&str]) -> Text {
        let mut text = self.clone();
        for _ in 0..=dice.below(2) {
            let part = match dice.below(6) {
                0 => &mut text.head,
                1 => &mut text.tail,
                _ => &mut text.unit,
            };
            mutate(part, dice, pieces);
        }
        text
    }
}

fn mutate(part: &mut String, dice: &mut Dice, pieces: &[&str]) {
    let places: Vec<usize> = part.char_indices().map(|(at, _)| at).chain([part.len()]).collect();
    let at = dice.pick(&places);
    let end = places.iter().copied().find(|end| *end > at && dice.one_in(2)).unwrap_or(at);
    match dice.below(5) {
        0 => part.replace_range(at..end, ""),
        1 => part.replace_range(at..end, dice.pick(pieces)),
        2 => part.insert(at, COUNTER),
        3 if part.len() < 64 => *part = [&part[..end], &part[at..]].concat(),
        _ if part.len() < 64 => part.insert_str(at, dice.pick(pieces)),
        _ => {}
    }
}

fn base36(mut number: usize) -> String {
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]);
        number /= 36;
    }
    // A letter first, so that it is a key in every format.
    digits.push(b'k');
    digits.iter().rev().map(|digit| char::from(*digit)).collect()
}
