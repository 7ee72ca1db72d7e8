//! Lists: a vector of values, a queue that changes at its beginning, or the rows of a packed table.

mod items;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use crate::limits::{LimitHit, space, work};

use super::depth::depth_without;
use super::table::Rows;
use super::{Map, Value};

use items::Items;

/// A list. Shared by reference and copied on write.
#[derive(Debug)]
pub struct List {
    items: Items,
    /// Upper bound of the nesting depth of lists and maps, including this list.
    depth: u32,
    /// Whether no element owns heap memory, so that an element can be replaced without being inspected.
    flat: bool,
}

/// Size in bytes of a list without its elements.
const LIST_BYTES: usize = size_of::<List>() + 2 * size_of::<usize>();

impl List {
    /// Creates a list of values. Errors: the list would exceed a limit.
    pub fn new(mut values: Vec<Value>) -> Result<List, LimitHit> {
        space::check_items(values.len())?;
        // A list never has capacity for more elements than the limit, so elements need be counted only when it grows.
        values.shrink_to(space::items_bound());
        let depth = 1 + values.iter().map(Value::depth).max().unwrap_or(0);
        space::check_depth(depth as usize)?;
        space::take(LIST_BYTES + values.capacity() * size_of::<Value>())?;
        let flat = values.iter().all(Value::is_flat);
        Ok(List { items: Items::Values(values), depth, flat })
    }

    /// Creates an empty list.
    pub fn empty() -> List {
        space::note(LIST_BYTES);
        List { items: Items::Values(Vec::new()), depth: 1, flat: true }
    }

    /// Creates the list of a table's rows, each of which is a map.
    pub fn from_rows(rows: Rows) -> List {
        space::note(LIST_BYTES);
        List { items: Items::Rows(rows), depth: 2, flat: false }
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the list has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the element at an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Value> {
        match &self.items {
            Items::Values(values) => values.get(index).cloned(),
            Items::Queue(queue) => queue.get(index).cloned(),
            Items::Rows(rows) => rows.get(index).map(Map::from_row).map(Value::from),
        }
    }

    /// Borrows the element at an index, unless the list is packed.
    pub fn element(&self, index: usize) -> Option<&Value> {
        self.items.get(index)
    }

    /// Returns the elements if they are stored one after another: not as packed rows or as a queue.
    #[inline]
    pub fn values(&self) -> Option<&[Value]> {
        match &self.items {
            Items::Values(values) => Some(values),
            Items::Queue(_) | Items::Rows(_) => None,
        }
    }

    /// Returns the rows if the list is packed.
    pub fn rows(&self) -> Option<&Rows> {
        match &self.items {
            Items::Values(_) | Items::Queue(_) => None,
            Items::Rows(rows) => Some(rows),
        }
    }

    /// Returns an iterator over the elements.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        (0..self.len()).map(|index| self.get(index).expect("the index is below the length"))
    }

    /// Calls `take` with each element until it fails. Copies nothing except packed rows.
    #[inline]
    pub fn try_each<E>(&self, mut take: impl FnMut(&Value) -> Result<(), E>) -> Result<(), E> {
        match &self.items {
            Items::Values(values) => values.iter().try_for_each(take),
            Items::Queue(queue) => queue.iter().try_for_each(take),
            Items::Rows(_) => self.iter().try_for_each(|row| take(&row)),
        }
    }

    /// Returns the nesting depth of lists and maps, including this list; an upper bound.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Appends an element; in place if the list is not shared.
    #[inline]
    pub fn push(list: &mut Rc<List>, value: Value) -> Result<(), LimitHit> {
        match Rc::get_mut(list) {
            Some(List { items: Items::Values(values), depth, flat })
                if values.len() < values.capacity() && value.depth() < *depth =>
            {
                *flat &= value.is_flat();
                values.push(value);
                Ok(())
            }
            _ => List::push_and_grow(list, value),
        }
    }

    #[inline(never)]
    fn push_and_grow(list: &mut Rc<List>, value: Value) -> Result<(), LimitHit> {
        let owned = List::unshared(list)?;
        owned.admit_depth(value.depth())?;
        owned.flat &= value.is_flat();
        owned.reserve(1)?;
        match &mut owned.items {
            Items::Queue(queue) => queue.push_back(value),
            _ => owned.plain()?.push(value),
        }
        Ok(())
    }

    /// Appends the elements of another list; in place if the list is not shared.
    pub fn extend(list: &mut Rc<List>, other: &List) -> Result<(), LimitHit> {
        let owned = List::unshared(list)?;
        owned.admit_depth(other.depth - 1)?;
        owned.flat &= other.flat;
        owned.reserve(other.len())?;
        match &mut owned.items {
            Items::Queue(queue) => queue.extend(other.iter()),
            _ => owned.plain()?.extend(other.iter()),
        }
        Ok(())
    }

    /// Inserts the elements of another list at the beginning; in place if the list is not shared.
    pub fn prepend(list: &mut Rc<List>, other: &List) -> Result<(), LimitHit> {
        let owned = List::unshared(list)?;
        owned.admit_depth(other.depth - 1)?;
        owned.flat &= other.flat;
        owned.reserve(other.len())?;
        let queue = owned.queue()?;
        for index in (0..other.len()).rev() {
            queue.push_front(other.get(index).expect("the index is below the length"));
        }
        Ok(())
    }

    /// Inserts an element before the one at an index, or at the end; in place if the list is not shared.
    pub fn insert(list: &mut Rc<List>, index: usize, value: Value) -> Result<(), LimitHit> {
        if index == list.len() {
            return List::push(list, value);
        }
        let owned = List::unshared(list)?;
        owned.admit_depth(value.depth())?;
        owned.flat &= value.is_flat();
        owned.reserve(1)?;
        owned.queue()?.insert(index, value);
        Ok(())
    }

    /// Removes the element at an existing index; in place if the list is not shared.
    pub fn remove(list: &mut Rc<List>, index: usize) -> Result<(), LimitHit> {
        let owned = List::unshared(list)?;
        if index + 1 == owned.len() {
            return owned.keep(0..index);
        }
        let removed = owned.queue()?.remove(index);
        owned.items.release_room();
        let depths = (0..owned.len()).filter_map(|index| owned.element(index)).map(Value::depth);
        owned.depth = depth_without(removed.map_or(0, |removed| removed.depth()), owned.depth, depths);
        Ok(())
    }

    /// Removes all elements except those of a range; in place if the list is not shared.
    pub fn retain_range(list: &mut Rc<List>, range: Range<usize>) -> Result<(), LimitHit> {
        List::unshared(list)?.keep(range)
    }

    fn keep(&mut self, range: Range<usize>) -> Result<(), LimitHit> {
        if let Items::Rows(_) = self.items {
            self.unpack()?;
        }
        let gone = (0..range.start).chain(range.end..self.len());
        let removed = gone.filter_map(|index| self.element(index)).map(Value::depth).max().unwrap_or(0);
        if let (0, Items::Values(values)) = (range.start, &mut self.items) {
            values.truncate(range.end);
        } else {
            let queue = self.queue()?;
            queue.truncate(range.end);
            queue.drain(..range.start);
        }
        self.items.release_room();
        let depths = (0..self.len()).filter_map(|index| self.element(index)).map(Value::depth);
        self.depth = depth_without(removed, self.depth, depths);
        Ok(())
    }

    /// Returns whether the list has other holders, so that a change copies it.
    pub fn is_shared(list: &Rc<List>) -> bool {
        Rc::strong_count(list) > 1
    }

    /// Replaces the element at an existing index.
    #[inline]
    pub fn set(list: &mut Rc<List>, index: usize, value: Value) -> Result<(), LimitHit> {
        let nested = value.depth();
        let owned = List::unshared(list)?;
        if nested >= owned.depth {
            owned.admit_depth(nested)?;
        }
        owned.flat &= value.is_flat();
        match &mut owned.items {
            Items::Queue(queue) => queue[index] = value,
            _ => owned.plain()?[index] = value,
        }
        Ok(())
    }

    /// Fast path of [`List::set`]: replaces the element at an index of an unshared list by a value that is not a list
    /// or map. Returns the value if [`List::set`] must handle it.
    #[inline(always)]
    pub fn replace(list: &mut Rc<List>, index: usize, value: Value) -> Result<(), Value> {
        let Some(List { items: Items::Values(values), flat, .. }) = Rc::get_mut(list) else { return Err(value) };
        match (values.get_mut(index), &value) {
            (None, _) | (_, Value::List(_) | Value::Map(_)) => return Err(value),
            // A flat value has no destructor to run, so forgetting it leaks nothing and avoids waiting for memory
            // outside the cache.
            (Some(element), _) if *flat && value.is_flat() => std::mem::forget(std::mem::replace(element, value)),
            (Some(element), _) => {
                *flat &= value.is_flat();
                *element = value;
            }
        }
        Ok(())
    }

    /// Returns the element at an index, mutably; call [`List::deepen`] afterwards.
    pub fn get_mut(list: &mut Rc<List>, index: usize) -> Result<Option<&mut Value>, LimitHit> {
        let owned = List::unshared(list)?;
        owned.flat = false;
        if let Items::Rows(_) = owned.items {
            owned.unpack()?;
        }
        Ok(owned.items.get_mut(index))
    }

    /// Returns the element at an index, mutably, if the list is neither shared nor packed. It may be set only to a value
    /// that owns no heap memory.
    pub fn own_element_mut(list: &mut Rc<List>, index: usize) -> Option<&mut Value> {
        Rc::get_mut(list)?.items.get_mut(index)
    }

    /// Records that an element was changed in place and now has the depth `nested`.
    pub fn deepen(list: &mut Rc<List>, nested: u32) -> Result<(), LimitHit> {
        if nested < list.depth {
            return Ok(());
        }
        List::unshared(list)?.admit_depth(nested)
    }

    /// Returns the list for writing: the list itself if it is not shared, else a copy.
    #[inline]
    fn unshared(list: &mut Rc<List>) -> Result<&mut List, LimitHit> {
        if Rc::strong_count(list) > 1 {
            *list = Rc::new(list.copied()?);
        }
        Ok(Rc::get_mut(list).expect("nobody else holds a list that was just made"))
    }

    fn copied(&self) -> Result<List, LimitHit> {
        work::charge(self.len())?;
        space::take(LIST_BYTES + self.len() * size_of::<Value>())?;
        let mut values = Vec::with_capacity(self.len());
        match &self.items {
            Items::Values(items) => values.extend_from_slice(items),
            Items::Queue(_) | Items::Rows(_) => values.extend(self.iter()),
        }
        Ok(List { items: Items::Values(values), depth: self.depth, flat: self.flat })
    }

    /// Returns the elements as a vector, unpacking them if necessary.
    #[inline]
    fn plain(&mut self) -> Result<&mut Vec<Value>, LimitHit> {
        if !matches!(self.items, Items::Values(_)) {
            self.unpack()?;
        }
        match &mut self.items {
            Items::Values(values) => Ok(values),
            Items::Queue(_) | Items::Rows(_) => unreachable!("the elements were just unpacked"),
        }
    }

    #[inline(never)]
    fn unpack(&mut self) -> Result<(), LimitHit> {
        if let Items::Queue(queue) = &mut self.items {
            self.items = Items::Values(std::mem::take(queue).into());
            return Ok(());
        }
        let mut copy = self.copied()?;
        std::mem::swap(&mut self.items, &mut copy.items);
        Ok(())
    }

    /// Returns the elements as a queue.
    fn queue(&mut self) -> Result<&mut VecDeque<Value>, LimitHit> {
        if !matches!(self.items, Items::Queue(_)) {
            self.items = Items::Queue(std::mem::take(self.plain()?).into());
        }
        match &mut self.items {
            Items::Queue(queue) => Ok(queue),
            Items::Values(_) | Items::Rows(_) => unreachable!("the elements were just made a queue"),
        }
    }

    /// Reserves room for more elements.
    fn reserve(&mut self, more: usize) -> Result<(), LimitHit> {
        if let Items::Rows(_) = self.items {
            self.unpack()?;
        }
        self.items.reserve(more)
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

impl Drop for List {
    fn drop(&mut self) {
        space::give_back(LIST_BYTES + self.items.capacity() * size_of::<Value>());
    }
}
