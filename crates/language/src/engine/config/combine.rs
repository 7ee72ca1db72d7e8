//! Combines the values of several policy files, key by key.
//!
//! A key in one of the user's own files replaces the built-in value; if both files have it, the stricter value holds.
//! The file in the root can only narrow the result, built-in values included.

use std::mem;
use std::sync::Arc;

use crate::gate::{Layer, Patterns, Provenance, SourceLine, Unused};
use crate::sandbox::Durability;

use super::Config;
use super::keys::{Field, KEYS, Key, Rule};
use super::reader::Read;

/// The result of combining a value with the one in force.
enum Combined {
    /// The value holds now, perhaps together with the previous one.
    Holds,
    /// The value equals the one in force.
    Same,
    /// The value would widen the rules and is ignored.
    Widens,
}

/// Combines files in the order of their layers, starting from built-in values.
pub fn combine(mut config: Config, files: Vec<Read>) -> Config {
    let mut provenance = Provenance::default();
    for Read { config: mut from, stated } in files {
        for key in KEYS.iter().filter(|key| stated.contains_key(key.name)) {
            let stated = stated[key.name].clone();
            key.meet(&mut config, &mut from, stated, &mut provenance);
        }
        config.policy.tools.append(&mut from.policy.tools);
    }
    config.policy.provenance = Arc::new(provenance);
    config
}

impl Key {
    fn meet(&self, config: &mut Config, from: &mut Config, stated: SourceLine, provenance: &mut Provenance) {
        let name = self.name;
        let is_first = stated.layer.is_users() && !provenance.stated.contains_key(name);
        let asked = display(&(self.field)(from));
        let field = (self.field)(config);
        let outcome = if is_first {
            replace(field, (self.field)(from))
        } else {
            self.rule.narrow(field, (self.field)(from), stated.layer)
        };
        match outcome {
            Combined::Widens => provenance.unused.push(Unused { key: name, value: asked, stated }),
            Combined::Same if !stated.layer.is_users() => {}
            Combined::Same | Combined::Holds => {
                let places = provenance.stated.entry(name).or_default();
                if self.rule.has_one_source() {
                    places.clear();
                }
                places.push(stated);
            }
        }
    }
}

impl Rule {
    /// Whether a single file decides the value.
    fn has_one_source(self) -> bool {
        matches!(self, Rule::Smaller | Rule::Larger | Rule::TrueWins | Rule::EachWins | Rule::FalseWins)
    }

    /// Narrows the value in force by another one.
    fn narrow(self, into: Field<'_>, from: Field<'_>, layer: Layer) -> Combined {
        match self {
            Rule::Smaller => self.choose(into, from, |ours, other| other < ours),
            Rule::Larger => self.choose(into, from, |ours, other| other > ours),
            Rule::TrueWins | Rule::EachWins => self.choose(into, from, |ours, other| other > ours),
            Rule::FalseWins => self.choose(into, from, |ours, other| other < ours),
            Rule::Union | Rule::UnionOfPatterns | Rule::Intersection | Rule::OwnFile | Rule::Users => {
                join(into, from, layer)
            }
        }
    }

    fn choose(self, into: Field<'_>, from: Field<'_>, is_stricter: fn(u128, u128) -> bool) -> Combined {
        let (ours, other) = (amount(&into), amount(&from));
        if ours == other {
            Combined::Same
        } else if is_stricter(ours, other) {
            replace(into, from)
        } else {
            Combined::Widens
        }
    }
}

/// Converts a value to a number, for the rules that compare numbers.
fn amount(field: &Field<'_>) -> u128 {
    match field {
        Field::Bool(truth) => u128::from(**truth),
        Field::Durability(durability) => u128::from(**durability == Durability::Each),
        Field::Unlimited(0, _) => u128::MAX,
        Field::U64(number, _) | Field::Unlimited(number, _) => u128::from(**number),
        Field::Usize(number, _) | Field::Depth(number) => **number as u128,
        Field::OptionalU64(number) => number.map_or(u128::MAX, u128::from),
        Field::I64(number, _) => number.unsigned_abs().into(),
        Field::Seconds(duration) => duration.map_or(u128::MAX, |duration| duration.as_nanos()),
        Field::AllowedDirectories(_)
        | Field::BlockedDirectories(_)
        | Field::Extensions(_)
        | Field::Patterns(_)
        | Field::Tools(..)
        | Field::Variables(_) => 0,
    }
}

/// Formats a value the way `ns doctor` shows it.
fn display(field: &Field<'_>) -> String {
    match field {
        Field::Bool(truth) => truth.to_string(),
        Field::Durability(durability) => durability.word().to_owned(),
        Field::U64(number, _) | Field::Unlimited(number, _) => number.to_string(),
        Field::Usize(number, _) | Field::Depth(number) => number.to_string(),
        Field::OptionalU64(number) => number.map_or("none".to_owned(), |number| number.to_string()),
        Field::I64(number, _) => number.to_string(),
        Field::Seconds(duration) => duration.map_or("none".to_owned(), |duration| duration.as_secs_f64().to_string()),
        Field::Patterns(lists) => lists.first().map_or("[]".to_owned(), Patterns::display),
        Field::Variables(names) => format!("{names:?}"),
        Field::AllowedDirectories(_) | Field::BlockedDirectories(_) | Field::Extensions(_) | Field::Tools(..) => {
            "[]".to_owned()
        }
    }
}

/// Replaces a built-in value.
fn replace(into: Field<'_>, from: Field<'_>) -> Combined {
    match (into, from) {
        (Field::Bool(into), Field::Bool(from)) => *into = *from,
        (Field::Durability(into), Field::Durability(from)) => *into = *from,
        (Field::U64(into, _), Field::U64(from, _)) => *into = *from,
        (Field::Unlimited(into, _), Field::Unlimited(from, _)) => *into = *from,
        (Field::Usize(into, _), Field::Usize(from, _)) => *into = *from,
        (Field::Depth(into), Field::Depth(from)) => *into = *from,
        (Field::OptionalU64(into), Field::OptionalU64(from)) => *into = *from,
        (Field::I64(into, _), Field::I64(from, _)) => *into = *from,
        (Field::Seconds(into), Field::Seconds(from)) => *into = *from,
        (Field::AllowedDirectories(into), Field::AllowedDirectories(from)) => *into = mem::take(from),
        (Field::BlockedDirectories(into), Field::BlockedDirectories(from)) => *into = mem::take(from),
        (Field::Extensions(into), Field::Extensions(from)) => *into = mem::take(from),
        (Field::Patterns(into), Field::Patterns(from)) => *into = mem::take(from),
        (Field::Variables(into), Field::Variables(from)) => *into = mem::take(from),
        // Rules about tools stay separate, file by file.
        _ => {}
    }
    Combined::Holds
}

/// Adds a list to those in force.
fn join(into: Field<'_>, from: Field<'_>, layer: Layer) -> Combined {
    match (into, from) {
        (Field::AllowedDirectories(into), Field::AllowedDirectories(from)) => into.append(from),
        (Field::BlockedDirectories(into), Field::BlockedDirectories(from)) => into.append(from),
        (Field::Extensions(into), Field::Extensions(from)) => into.append(from),
        (Field::Patterns(into), Field::Patterns(from)) => {
            if from.is_empty() && !into.is_empty() {
                return Combined::Widens;
            }
            into.append(from);
        }
        (Field::Variables(into), Field::Variables(from)) => {
            if layer.is_users() {
                into.retain(|name| from.contains(name));
            } else {
                let is_wider = from.iter().any(|name| !into.contains(name));
                return if is_wider { Combined::Widens } else { Combined::Same };
            }
        }
        _ => {}
    }
    Combined::Holds
}
