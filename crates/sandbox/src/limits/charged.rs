//! Memory that a tool uses while it works: charged before it is allocated, counted as live, and released on drop.
//!
//! Values are counted on their own. The memory that parsers and builders use in addition is counted here, so that the
//! total stays within `memory_bytes`.

use super::{LimitHit, space};

/// Memory used in addition to values by work in progress, counted as live until dropped.
#[derive(Debug, Default)]
pub struct MemoryCharge {
    bytes: usize,
}

impl MemoryCharge {
    /// Counts bytes as live. Errors: if they exceed the memory limit.
    #[inline]
    pub fn of(bytes: usize) -> Result<MemoryCharge, LimitHit> {
        let mut held = MemoryCharge::default();
        held.grow(bytes)?;
        Ok(held)
    }

    /// Counts `more` additional bytes.
    #[inline]
    pub fn grow(&mut self, more: usize) -> Result<(), LimitHit> {
        space::take(more)?;
        self.bytes += more;
        Ok(())
    }

    /// Raises the count to `bytes` bytes, if it is lower.
    #[inline]
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.grow(bytes.saturating_sub(self.bytes))
    }

    /// Takes over the bytes of another charge.
    #[inline]
    pub fn join(&mut self, other: &mut MemoryCharge) {
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Releases `bytes` bytes, or all if there are fewer.
    #[inline]
    pub fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        space::give_back(bytes);
    }

    /// Returns the number of bytes counted.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Releases all bytes.
    #[inline]
    pub fn release(&mut self) {
        space::give_back(std::mem::take(&mut self.bytes));
    }
}

impl Drop for MemoryCharge {
    #[inline]
    fn drop(&mut self) {
        self.release();
    }
}

/// A vector whose memory is charged before it grows, and counted as live while it is being filled.
#[derive(Debug)]
pub struct MeteredVec<T> {
    items: Vec<T>,
    held: MemoryCharge,
}

impl<T> Default for MeteredVec<T> {
    fn default() -> MeteredVec<T> {
        MeteredVec { items: Vec::new(), held: MemoryCharge::default() }
    }
}

impl<T> MeteredVec<T> {
    /// Appends an element.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), LimitHit> {
        if self.is_full() {
            self.reserve(1)?;
        }
        self.items.push(item);
        Ok(())
    }

    /// Reserves space for `more` elements, or for doubling the length if that is more.
    #[cold]
    #[inline(never)]
    pub fn reserve(&mut self, more: usize) -> Result<(), LimitHit> {
        self.reserve_exact(more.max(self.items.len()).max(4))
    }

    /// Reserves space for exactly `more` elements.
    pub fn reserve_exact(&mut self, more: usize) -> Result<(), LimitHit> {
        let capacity = self.items.len().saturating_add(more);
        self.held.grow_to(capacity.saturating_mul(size_of::<T>()))?;
        self.items.reserve_exact(more);
        Ok(())
    }

    /// Whether one more element needs more space.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.items.len() == self.items.capacity()
    }

    /// Returns the number of elements that fit without growing.
    #[inline]
    pub fn spare(&self) -> usize {
        self.items.capacity() - self.items.len()
    }

    /// Appends elements.
    pub fn extend_from_slice(&mut self, more: &[T]) -> Result<(), LimitHit>
    where
        T: Clone,
    {
        if more.len() > self.spare() {
            self.reserve(more.len())?;
        }
        self.items.extend_from_slice(more);
        Ok(())
    }

    /// Returns the last element for modification.
    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.items.last_mut()
    }

    /// Removes and returns the last element.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    /// Returns the elements.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the elements for modification.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Resizes the vector, filling it with copies of a value.
    pub fn resize(&mut self, length: usize, value: T) -> Result<(), LimitHit>
    where
        T: Clone,
    {
        self.reserve_exact(length.saturating_sub(self.items.len()))?;
        self.items.resize(length, value);
        Ok(())
    }

    /// Removes all elements and keeps the allocated space.
    #[inline]
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Shortens the vector to `length` elements.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.items.truncate(length);
    }

    /// Returns the vector, which is no longer counted: the new owner must count it.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}
