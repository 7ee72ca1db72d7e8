//! The elements of a list: how they are stored, and room for more.

use std::collections::VecDeque;

use crate::limits::{LimitHit, space};

use super::super::Value;
use super::super::table::Rows;

/// Number of elements below which a list keeps its room.
const MIN_ROOM: usize = 16;

/// The elements of a list.
#[derive(Debug)]
pub enum Items {
    /// A vector.
    Values(Vec<Value>),
    /// A list that grows or shrinks at its beginning.
    Queue(VecDeque<Value>),
    /// The rows of a table.
    Rows(Rows),
}

impl Items {
    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Items::Values(values) => values.len(),
            Items::Queue(queue) => queue.len(),
            Items::Rows(rows) => rows.len(),
        }
    }

    /// Returns the number of elements for which there is room.
    pub fn capacity(&self) -> usize {
        match self {
            Items::Values(values) => values.capacity(),
            Items::Queue(queue) => queue.capacity(),
            Items::Rows(_) => 0,
        }
    }

    /// Borrows an element, unless it is a packed row.
    pub fn get(&self, index: usize) -> Option<&Value> {
        match self {
            Items::Values(values) => values.get(index),
            Items::Queue(queue) => queue.get(index),
            Items::Rows(_) => None,
        }
    }

    /// Returns an element, mutably, unless it is a packed row.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Value> {
        match self {
            Items::Values(values) => values.get_mut(index),
            Items::Queue(queue) => queue.get_mut(index),
            Items::Rows(_) => None,
        }
    }

    /// Reserves room for more elements, which are not packed; at least doubles the room if it must grow.
    pub fn reserve(&mut self, more: usize) -> Result<(), LimitHit> {
        let needed = self.len() + more;
        space::check_items(needed)?;
        let before = self.capacity();
        if needed <= before {
            return Ok(());
        }
        let wanted = needed.max((before * 2).max(4).min(space::items_bound()));
        space::take((wanted - before) * size_of::<Value>())?;
        let additional = wanted - self.len();
        match self {
            Items::Values(values) => values.reserve_exact(additional),
            Items::Queue(queue) => queue.reserve_exact(additional),
            Items::Rows(_) => {}
        }
        space::note(self.capacity().saturating_sub(wanted) * size_of::<Value>());
        Ok(())
    }

    /// Frees room if less than a quarter of it is used.
    pub fn release_room(&mut self) {
        let (before, length) = (self.capacity(), self.len());
        if before < 4 * length.max(MIN_ROOM) {
            return;
        }
        match self {
            Items::Values(values) => values.shrink_to(2 * length),
            Items::Queue(queue) => queue.shrink_to(2 * length),
            Items::Rows(_) => {}
        }
        space::give_back((before - self.capacity()) * size_of::<Value>());
    }
}
