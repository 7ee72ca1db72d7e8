//! Values as keys of hash tables: equal values, as `==` sees them, hash alike.

use std::hash::{Hash, Hasher};

use foldhash::quality::RandomState;

use super::operators::equal;
use super::{Value, number};

/// A value that can be looked up. A float that is no number equals nothing, itself included.
#[derive(Clone, Debug)]
pub struct Hashed(pub Value);

/// A table of values; its seed is random, so that no data can choose where its values fall.
pub type ValueMap<T> = indexmap::IndexMap<Hashed, T, RandomState>;

impl PartialEq for Hashed {
    #[inline]
    fn eq(&self, other: &Hashed) -> bool {
        equal(&self.0, &other.0)
    }
}

impl Eq for Hashed {}

impl Hash for Hashed {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0, state);
    }
}

/// Calls itself as deep as the value nests, which is bounded.
fn hash<H: Hasher>(value: &Value, state: &mut H) {
    match value {
        Value::Unset | Value::Nil => state.write_u8(0),
        Value::Bool(_) => state.write_u8(1 + u8::from(value.is_true())),
        Value::Int(number) => state.write_i64(*number),
        // A float equals the int of its value; `-0.0` equals `0`.
        Value::Float(float) => match number::exact_int(float.get()) {
            Some(number) => state.write_i64(number),
            None => state.write_u64(float.get().to_bits()),
        },
        Value::Small(_) | Value::Text(_) => value.as_text().expect("it is a text").hash(state),
        Value::List(list) => {
            state.write_usize(list.len());
            match list.values() {
                Some(values) => values.iter().for_each(|item| hash(item, state)),
                None => list.iter().for_each(|item| hash(&item, state)),
            }
        }
        // Equal maps may have their keys in different orders, so their order must not count.
        Value::Map(map) => {
            let mut keys: Vec<_> = map.iter().map(|(key, _)| key).collect();
            keys.sort_unstable();
            state.write_usize(keys.len());
            for key in keys {
                key.hash(state);
                hash(&map.get(&key).expect("the key is the map's own"), state);
            }
        }
    }
}
