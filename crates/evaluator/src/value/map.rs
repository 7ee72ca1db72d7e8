//! Maps from text to value, in insertion order.
//!
//! Up to eight entries are stored in a vector, more in an insertion-ordered hash table. A row of a packed table is also
//! a map; its values are created when they are read.

use std::rc::Rc;

use compact_str::CompactString;
use foldhash::quality::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;

use crate::limits::{LimitHit, space, work};

use super::Value;
use super::depth::depth_without;
use super::string::{Key, Str};
use super::table::{Row, Rows};

/// A map. Shared by reference and copied on write.
#[derive(Debug)]
pub struct Map {
    body: Body,
    /// Upper bound of the nesting depth of lists and maps, including this map.
    depth: u32,
}

#[derive(Debug)]
enum Body {
    Few(Vec<(Str, Value)>),
    Many(Box<Table>),
    Row(Row),
}

type Table = IndexMap<Str, Value, RandomState>;

/// Maximum number of entries that are searched linearly.
const FEW: usize = 8;
/// Size in bytes of a map without its entries.
const MAP_BYTES: usize = size_of::<Map>() + 2 * size_of::<usize>();
/// Size in bytes of one entry of a small map.
const FEW_ENTRY: usize = size_of::<(Str, Value)>();
/// Size in bytes of one entry of a large map: hash, key, value and its slots in a table of hashes that is half full.
const MANY_ENTRY: usize = FEW_ENTRY + 4 * size_of::<usize>();

impl Map {
    /// Creates an empty map with room for `entries` entries.
    pub fn with_capacity(entries: usize) -> Map {
        let body = Body::Few(Vec::with_capacity(entries.min(FEW)));
        space::note(MAP_BYTES + bytes_of(&body));
        Map { body, depth: 1 }
    }

    /// Creates the map of a table row.
    pub fn from_row(row: Row) -> Map {
        space::note(MAP_BYTES);
        Map { body: Body::Row(row), depth: 1 }
    }

    /// Changes a map that is an unshared table row to another row of the same table, and returns whether it did.
    pub fn move_to_row(map: &mut Rc<Map>, rows: &Rows, index: usize) -> bool {
        match Rc::get_mut(map) {
            Some(Map { body: Body::Row(row), .. }) => row.move_to(rows, index),
            _ => false,
        }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        match &self.body {
            Body::Few(entries) => entries.len(),
            Body::Many(table) => table.len(),
            Body::Row(row) => row.width(),
        }
    }

    /// Returns whether the map has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a key.
    #[inline]
    pub fn get(&self, key: &Str) -> Option<Value> {
        match &self.body {
            Body::Few(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()),
            Body::Many(table) => table.get(key).cloned(),
            Body::Row(row) => row.get(key),
        }
    }

    /// Returns the value of a key that is given as `&str`.
    pub fn get_str(&self, key: &str) -> Option<Value> {
        match &self.body {
            Body::Many(table) => table.get(&Key(key)).cloned(),
            _ => self.get(&Str::new(key)),
        }
    }

    /// Returns whether the map contains a key.
    pub fn contains(&self, key: &Str) -> bool {
        match &self.body {
            Body::Few(entries) => entries.iter().any(|(name, _)| name == key),
            Body::Many(table) => table.contains_key(key),
            Body::Row(row) => row.has(key),
        }
    }

    /// Returns the key and value at an index in insertion order.
    pub fn entry_at(&self, index: usize) -> Option<(Str, Value)> {
        match &self.body {
            Body::Few(entries) => entries.get(index).cloned(),
            Body::Many(table) => table.get_index(index).map(|(key, value)| (key.clone(), value.clone())),
            Body::Row(row) => row.entry_at(index),
        }
    }

    /// Returns an iterator over keys and values in insertion order.
    pub fn iter(&self) -> impl Iterator<Item = (Str, Value)> + '_ {
        (0..self.len()).map(|index| self.entry_at(index).expect("the index is below the length"))
    }

    /// Calls `take` with each key and value, in insertion order, until it fails. Copies nothing except the values of a
    /// packed row.
    #[inline]
    pub fn try_each<E>(&self, mut take: impl FnMut(&Str, &Value) -> Result<(), E>) -> Result<(), E> {
        match &self.body {
            Body::Few(entries) => entries.iter().try_for_each(|(key, value)| take(key, value)),
            Body::Many(table) => table.iter().try_for_each(|(key, value)| take(key, value)),
            Body::Row(_) => self.iter().try_for_each(|(key, value)| take(&key, &value)),
        }
    }

    /// Calls `look` with the value of a key; `place` is the probable index of the key. Copies nothing except the value
    /// of a packed row.
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

    /// Returns the nesting depth of lists and maps, including this map; an upper bound.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Sets a key: an existing one keeps its position, a new one is appended. In place if the map is not shared.
    pub fn insert(map: &mut Rc<Map>, key: Str, value: Value) -> Result<(), LimitHit> {
        let owned = Map::unshared(map)?;
        owned.admit_depth(value.depth())?;
        owned.put(key, value)
    }

    /// Removes a key if the map has it; the others keep their order. In place if the map is not shared. Returns how many
    /// entries moved.
    pub fn remove(map: &mut Rc<Map>, key: &Str) -> Result<usize, LimitHit> {
        if !map.contains(key) {
            return Ok(0);
        }
        let owned = Map::unshared(map)?;
        owned.unpack()?;
        let (index, removed) = match &mut owned.body {
            Body::Few(entries) => {
                let Some(index) = entries.iter().position(|(name, _)| name == key) else { return Ok(0) };
                (index, entries.remove(index).1)
            }
            Body::Many(table) => {
                let Some(index) = index_of(table, key) else { return Ok(0) };
                let Some((_, removed)) = table.shift_remove_index(index) else { return Ok(0) };
                release_room(table);
                (index, removed)
            }
            Body::Row(_) => unreachable!("rows were just unpacked"),
        };
        let depth_at = |index: usize| match &owned.body {
            Body::Few(entries) => entries[index].1.depth(),
            Body::Many(table) => table[index].depth(),
            Body::Row(_) => 0,
        };
        owned.depth = depth_without(removed.depth(), owned.depth, (0..owned.len()).map(depth_at));
        Ok(owned.len() - index)
    }

    /// Returns whether the map has other holders, so that a change copies it.
    pub fn is_shared(map: &Rc<Map>) -> bool {
        Rc::strong_count(map) > 1
    }

    /// Sets a key of a map under construction.
    pub fn put(&mut self, key: Str, value: Value) -> Result<(), LimitHit> {
        self.put_bounded(key, value, space::items_bound())
    }

    /// Sets a key if the map has at most `bound` entries afterwards.
    fn put_bounded(&mut self, key: Str, value: Value, bound: usize) -> Result<(), LimitHit> {
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
                self.put_bounded(key, value, bound)
            }
            Body::Many(table) => put_many(table, key, value, bound),
            Body::Row(_) => unreachable!("rows were just unpacked"),
        }
    }

    /// Sets a key, given as `&str`, of a map under construction.
    ///
    /// Intended for results of a known, small shape, which cannot hit any limit.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Map {
        self.put_bounded(Str::new(key), value.into(), usize::MAX).expect("a small map stays within every limit");
        self
    }

    /// Returns the value of a key, mutably; call [`Map::deepen`] afterwards.
    pub fn get_mut<'a>(map: &'a mut Rc<Map>, key: &Str) -> Result<Option<&'a mut Value>, LimitHit> {
        let owned = Map::unshared(map)?;
        owned.unpack()?;
        Ok(match &mut owned.body {
            Body::Few(entries) => entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value),
            Body::Many(table) => table.get_mut(key),
            Body::Row(_) => unreachable!("rows were just unpacked"),
        })
    }

    /// Returns the value of a key, mutably, if the map is neither shared nor a packed row.
    pub fn own_value_mut<'a>(map: &'a mut Rc<Map>, key: &Str) -> Option<&'a mut Value> {
        match &mut Rc::get_mut(map)?.body {
            Body::Few(entries) => entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value),
            Body::Many(table) => {
                let index = index_of(table, key)?;
                table.get_index_mut(index).map(|(_, value)| value)
            }
            Body::Row(_) => None,
        }
    }

    /// Records that a value was changed in place and now has the depth `nested`.
    pub fn deepen(map: &mut Rc<Map>, nested: u32) -> Result<(), LimitHit> {
        if nested < map.depth {
            return Ok(());
        }
        Map::unshared(map)?.admit_depth(nested)
    }

    /// Returns the keys, for messages.
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
        work::charge(self.len())?;
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

    /// Converts a table row to a map with its own entries.
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

    /// Converts the vector of entries to a hash table.
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

/// Frees room if the table uses less than a quarter of it.
fn release_room(table: &mut Table) {
    let before = table.capacity();
    if before >= 4 * table.len().max(2 * FEW) {
        table.shrink_to(2 * table.len());
        space::give_back((before - table.capacity()) * MANY_ENTRY);
    }
}

/// Returns the index of a key.
// Out of line, so that the lookups of frequent operations are compiled into them.
#[inline(never)]
fn index_of(table: &Table, key: &Str) -> Option<usize> {
    table.get_index_of(key)
}

/// Checks that one more entry is within the bound.
#[inline]
fn check_bound(entries: usize, bound: usize) -> Result<(), LimitHit> {
    if entries < bound { Ok(()) } else { space::check_items(entries + 1) }
}

/// Returns the size of a body's entries in bytes.
fn bytes_of(body: &Body) -> usize {
    match body {
        Body::Few(entries) => entries.capacity() * FEW_ENTRY,
        Body::Many(table) => table.capacity() * MANY_ENTRY,
        Body::Row(_) => 0,
    }
}

impl From<Row> for Map {
    fn from(row: Row) -> Map {
        Map::from_row(row)
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        space::give_back(MAP_BYTES + bytes_of(&self.body));
    }
}
