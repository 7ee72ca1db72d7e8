//! Values as keys of hash tables: values that are equal by `==` have the same hash.
//!
//! A list or map is hashed through the digests of its elements; the digest of a shared element is computed once.
//! Neither hashing nor comparing keys can return an error: code that fills a table must call
//! [`crate::limits::work::check`] before it relies on the contents.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::RandomState;

use crate::limits::{LimitHit, work};

use super::equality::equal;
use super::memo::{Memo, shared_storage};
use super::{Value, number};

/// A value as a hash key. NaN equals nothing, not even itself.
#[derive(Clone, Debug)]
pub struct Hashed(pub Value);

/// A hash table with values as keys. Its seed is random, so that input data cannot provoke collisions.
pub type ValueMap<T> = indexmap::IndexMap<Hashed, T, RandomState>;

thread_local! {
    /// The seed of the digests of lists and maps; also random.
    static SEED: RandomState = RandomState::default();
}

impl PartialEq for Hashed {
    #[inline]
    fn eq(&self, other: &Hashed) -> bool {
        equal(&self.0, &other.0).unwrap_or(false)
    }
}

impl Eq for Hashed {}

impl Hash for Hashed {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            value @ (Value::List(_) | Value::Map(_)) => {
                let digest = SEED.with(|seed| Digests { seed, known: Memo::default() }.of(value));
                state.write_u64(digest.unwrap_or_default());
            }
            scalar => hash_scalar(scalar, state),
        }
    }
}

/// The digests of the parts of a value.
struct Digests<'a> {
    seed: &'a RandomState,
    known: Memo<u64>,
}

impl Digests<'_> {
    /// Returns the digest of a list or map. Recursion is bounded by the nesting limit.
    fn of(&mut self, value: &Value) -> Result<u64, LimitHit> {
        let shared = shared_storage(value);
        if let Some(digest) = shared.and_then(|part| self.known.get(part)) {
            return Ok(digest);
        }
        work::charge(1)?;
        let mut hasher = self.seed.build_hasher();
        match value {
            Value::List(list) => {
                hasher.write_usize(list.len());
                match list.values() {
                    Some(values) => values.iter().try_for_each(|item| self.add(item, &mut hasher))?,
                    None => list.iter().try_for_each(|item| self.add(&item, &mut hasher))?,
                }
            }
            // Equal maps may order their keys differently, so the digests of the entries are summed.
            Value::Map(map) => {
                let mut sum = 0_u64;
                map.try_each(|key, value| {
                    let mut entry = self.seed.build_hasher();
                    key.hash(&mut entry);
                    self.add(value, &mut entry)?;
                    sum = sum.wrapping_add(entry.finish());
                    Ok(())
                })?;
                hasher.write_u64(sum);
                hasher.write_usize(map.len());
            }
            scalar => hash_scalar(scalar, &mut hasher),
        }
        let digest = hasher.finish();
        shared.into_iter().for_each(|part| self.known.put(part, digest));
        Ok(digest)
    }

    #[inline]
    fn add<H: Hasher>(&mut self, value: &Value, hasher: &mut H) -> Result<(), LimitHit> {
        match value {
            Value::List(_) | Value::Map(_) => hasher.write_u64(self.of(value)?),
            scalar => {
                work::charge(1)?;
                hash_scalar(scalar, hasher);
            }
        }
        Ok(())
    }
}

#[inline]
fn hash_scalar<H: Hasher>(value: &Value, state: &mut H) {
    match value {
        Value::Int(number) => state.write_i64(*number),
        // A float equals the int of the same value; `-0.0` equals `0`. Inside lists and maps all NaNs are equal.
        Value::Float(float) => match number::exact_int(float.get()) {
            Some(number) => state.write_i64(number),
            None if float.get().is_nan() => state.write_u64(f64::NAN.to_bits()),
            None => state.write_u64(float.get().to_bits()),
        },
        Value::Small(_) | Value::Text(_) => {
            let text = value.as_text().expect("it is a text");
            let _ = work::charge_bytes(text.len());
            text.hash(state);
        }
        Value::Bool(_) => state.write_u8(1 + u8::from(value.is_true())),
        Value::Unset | Value::Nil | Value::List(_) | Value::Map(_) => state.write_u8(0),
    }
}
