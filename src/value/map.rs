//! Maps: texts to values, in the order of insertion.
//!
//! Up to eight entries are a plain vector, more an insertion-ordered hash table; an entry of a packed
//! table is a map too, whose values are made when they are read.

use std::rc::Rc;

use compact_str::CompactString;
use foldhash::quality::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;

use crate::limits::{LimitHit, space};

use super::Value;
use super::string::{Key, Str};
use super::table::{Row, Rows};

/// A map. Shared by reference, copied before it is changed while shared.
#[derive(Debug)]
pub struct Map {
    body: Body,
    /// An upper bound of how deep lists and maps are nested in it, itself included.
    depth: u32,
}

#[derive(Debug)]
enum Body {
    Few(Vec<(Str, Value)>),
    Many(Box<Table>),
    Row(Row),
}

type Table = IndexMap<Str, Value, RandomState>;

/// The most entries that are searched one after another.
const FEW: usize = 8;
/// Bytes that a map takes besides its entries.
const MAP_BYTES: usize = size_of::<Map>() + 2 * size_of::<usize>();
/// Bytes of one entry of a small map.
const FEW_ENTRY: usize = size_of::<(Str, Value)>();
/// Bytes of one entry of a large map: hash, key, value and its places in a table of hashes that is half full.
const MANY_ENTRY: usize = FEW_ENTRY + 4 * size_of::<usize>();

impl Map {
    /// An empty map with room for some entries.
    pub fn with_capacity(entries: usize) -> Map {
        let body = Body::Few(Vec::with_capacity(entries.min(FEW)));
        space::note(MAP_BYTES + bytes_of(&body));
        Map { body, depth: 1 }
    }

    /// The map of a table's row.
    pub fn from_row(row: Row) -> Map {
        space::note(MAP_BYTES);
        Map { body: Body::Row(row), depth: 1 }
    }

    /// Makes a map that is a table's row, and that nobody else holds, another row of the same table.
    pub fn move_to_row(map: &mut Rc<Map>, rows: &Rows, index: usize) -> bool {
        match Rc::get_mut(map) {
            Some(Map { body: Body::Row(row), .. }) => row.move_to(rows, index),
            _ => false,
        }
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        match &self.body {
            Body::Few(entries) => entries.len(),
            Body::Many(table) => table.len(),
            Body::Row(row) => row.width(),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: &Str) -> Option<Value> {
        match &self.body {
            Body::Few(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()),
            Body::Many(table) => table.get(key).cloned(),
            Body::Row(row) => row.get(key),
        }
    }

    /// The value of a key that is given as a plain text.
    pub fn get_str(&self, key: &str) -> Option<Value> {
        match &self.body {
            Body::Many(table) => table.get(&Key(key)).cloned(),
            _ => self.get(&Str::new(key)),
        }
    }

    /// Whether it has a key.
    pub fn contains(&self, key: &Str) -> bool {
        match &self.body {
            Body::Few(entries) => entries.iter().any(|(name, _)| name == key),
            Body::Many(table) => table.contains_key(key),
            Body::Row(row) => row.has(key),
        }
    }

    /// The key and value at a place in the order of insertion.
    pub fn entry_at(&self, index: usize) -> Option<(Str, Value)> {
        match &self.body {
            Body::Few(entries) => entries.get(index).cloned(),
            Body::Many(table) => table.get_index(index).map(|(key, value)| (key.clone(), value.clone())),
            Body::Row(row) => row.entry_at(index),
        }
    }

    /// Keys and values in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (Str, Value)> + '_ {
        (0..self.len()).map(|index| self.entry_at(index).expect("the index is below the length"))
    }

    /// Gives keys and values in the order of insertion to `take`, until one fails. Nothing is copied but the values of a
    /// packed row.
    #[inline]
    pub fn try_each<E>(&self, mut take: impl FnMut(&Str, &Value) -> Result<(), E>) -> Result<(), E> {
        match &self.body {
            Body::Few(entries) => entries.iter().try_for_each(|(key, value)| take(key, value)),
            Body::Many(table) => table.iter().try_for_each(|(key, value)| take(key, value)),
            Body::Row(_) => self.iter().try_for_each(|(key, value)| take(&key, &value)),
        }
    }

    /// Gives the value of a key to `look`; `place` is where the key probably is. Nothing is copied but the value of a
    /// packed row.
    #[inline]
    pub fn with_value<R>(&self, key: &Str, place: usize, look: impl FnOnce(&Value) -> R) -> Option<R> {
        match &self.body {
            Body::Few(entries) => {
                let probable = entries.get(place).filter(|(name, _)| name == key);
                let found = probable.or_else(|| entries.iter().find(|(name, _)| name == key));
                found.map(|(_, value)| look(value))
            }
            Body::Many(table) => {
                let probable = table.get_index(place).filter(|(name, _)| *name == key);
                probable.map(|(_, value)| value).or_else(|| table.get(key)).map(look)
            }
            Body::Row(row) => row.get(key).as_ref().map(look),
        }
    }

    /// How deep lists and maps are nested in it, itself included.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Sets a key: in its place if it is there, at the end if not; in place when nobody else holds the map.
    pub fn insert(map: &mut Rc<Map>, key: Str, value: Value) -> Result<(), LimitHit> {
        let owned = Map::unshared(map)?;
        owned.admit_depth(value.depth())?;
        owned.put(key, value)
    }

    /// Sets a key of a map that is still being made.
    pub fn put(&mut self, key: Str, value: Value) -> Result<(), LimitHit> {
        self.put_within(key, value, space::items_bound())
    }

    /// Sets a key where the map has at most so many afterwards.
    fn put_within(&mut self, key: Str, value: Value, bound: usize) -> Result<(), LimitHit> {
        self.admit_depth(value.depth())?;
        self.unpack()?;
        match &mut self.body {
            Body::Few(entries) => {
                if let Some(entry) = entries.iter_mut().find(|(name, _)| *name == key) {
                    entry.1 = value;
                    return Ok(());
                }
                if entries.len() < FEW {
                    return push_few(entries, key, value, bound);
                }
                self.spill()?;
                self.put_within(key, value, bound)
            }
            Body::Many(table) => put_many(table, key, value, bound),
            Body::Row(_) => unreachable!("rows were just unpacked"),
        }
    }

    /// Sets a key that is given as a plain text, while the map is still being made.
    ///
    /// For results of a known, small shape, which no limit can stop.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Map {
        let put = self.put_within(Str::new(key), value.into(), usize::MAX);
        debug_assert!(put.is_ok(), "a small map stays within every limit");
        self
    }

    /// The value of a key, to be changed in place; call [`Map::deepen`] afterwards.
    pub fn get_mut<'a>(map: &'a mut Rc<Map>, key: &Str) -> Result<Option<&'a mut Value>, LimitHit> {
        let owned = Map::unshared(map)?;
        owned.unpack()?;
        Ok(match &mut owned.body {
            Body::Few(entries) => entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value),
            Body::Many(table) => table.get_mut(key),
            Body::Row(_) => unreachable!("rows were just unpacked"),
        })
    }

    /// Notes that a value was changed in place and is now so deep.
    pub fn deepen(map: &mut Rc<Map>, nested: u32) -> Result<(), LimitHit> {
        if nested < map.depth {
            return Ok(());
        }
        Map::unshared(map)?.admit_depth(nested)
    }

    /// The keys, for messages.
    pub fn keys(&self) -> impl Iterator<Item = CompactString> + '_ {
        self.iter().map(|(key, _)| CompactString::new(&*key.as_text()))
    }

    #[inline]
    fn unshared(map: &mut Rc<Map>) -> Result<&mut Map, LimitHit> {
        if Rc::get_mut(map).is_none() {
            *map = Rc::new(map.copied()?);
        }
        Ok(Rc::get_mut(map).expect("nobody else holds a map that was just made"))
    }

    fn copied(&self) -> Result<Map, LimitHit> {
        let body = match &self.body {
            Body::Few(entries) => {
                space::check(MAP_BYTES + entries.len() * FEW_ENTRY)?;
                Body::Few(entries.clone())
            }
            Body::Many(table) => {
                space::check(MAP_BYTES + table.len() * MANY_ENTRY)?;
                Body::Many(table.clone())
            }
            Body::Row(row) => Body::Row(row.clone()),
        };
        space::note(MAP_BYTES + bytes_of(&body));
        Ok(Map { body, depth: self.depth })
    }

    /// Turns the row of a table into entries of its own.
    fn unpack(&mut self) -> Result<(), LimitHit> {
        let Body::Row(row) = &self.body else { return Ok(()) };
        let entries: Vec<_> = (0..row.width()).filter_map(|index| row.entry_at(index)).collect();
        let mut unpacked = Map::with_capacity(entries.len());
        for (key, value) in entries {
            unpacked.put(key, value)?;
        }
        std::mem::swap(self, &mut unpacked);
        Ok(())
    }

    /// Turns the vector of entries into a hash table.
    #[cold]
    fn spill(&mut self) -> Result<(), LimitHit> {
        let Body::Few(entries) = &mut self.body else { return Ok(()) };
        space::check(4 * FEW * MANY_ENTRY)?;
        let before = entries.capacity() * FEW_ENTRY;
        let mut table = Table::with_capacity_and_hasher(2 * FEW, RandomState::default());
        table.extend(std::mem::take(entries));
        self.body = Body::Many(Box::new(table));
        space::give_back(before);
        space::note(bytes_of(&self.body));
        Ok(())
    }

    #[inline]
    fn admit_depth(&mut self, nested: u32) -> Result<(), LimitHit> {
        if nested < self.depth {
            return Ok(());
        }
        space::check_depth(nested as usize + 1)?;
        self.depth = nested + 1;
        Ok(())
    }
}

fn push_few(entries: &mut Vec<(Str, Value)>, key: Str, value: Value, bound: usize) -> Result<(), LimitHit> {
    check_bound(entries.len(), bound)?;
    if entries.len() == entries.capacity() {
        let capacity = (entries.capacity() * 2).clamp(4, FEW);
        space::take((capacity - entries.capacity()) * FEW_ENTRY)?;
        entries.reserve_exact(capacity - entries.len());
    }
    entries.push((key, value));
    Ok(())
}

fn put_many(table: &mut Table, key: Str, value: Value, bound: usize) -> Result<(), LimitHit> {
    if table.len() == table.capacity() && !table.contains_key(&key) {
        let before = table.capacity();
        space::check(before * MANY_ENTRY)?;
        table.reserve(before);
        space::note((table.capacity() - before) * MANY_ENTRY);
    }
    match table.entry(key) {
        Entry::Occupied(mut entry) => drop(entry.insert(value)),
        Entry::Vacant(entry) => {
            check_bound(entry.index(), bound)?;
            entry.insert(value);
        }
    }
    Ok(())
}

/// Says whether one more entry is too many.
#[inline]
fn check_bound(entries: usize, bound: usize) -> Result<(), LimitHit> {
    if entries < bound { Ok(()) } else { space::check_items(entries + 1) }
}

/// Bytes of a body's entries.
fn bytes_of(body: &Body) -> usize {
    match body {
        Body::Few(entries) => entries.capacity() * FEW_ENTRY,
        Body::Many(table) => table.capacity() * MANY_ENTRY,
        Body::Row(_) => 0,
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        space::give_back(MAP_BYTES + bytes_of(&self.body));
    }
}
