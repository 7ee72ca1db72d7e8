//! Memory that a tool holds while it works: asked for before it is taken, counted as live, given back when it is dropped.
//!
//! Values count themselves. What a parser or builder keeps besides them is counted here, so that all of it together
//! stays within `memory_bytes`.

use super::{LimitHit, space};

/// Memory that work under way holds besides values: counted as live until it is dropped.
#[derive(Debug, Default)]
pub struct Held {
    bytes: usize,
}

impl Held {
    /// Counts bytes as live, or says that they would be too many.
    pub fn of(bytes: usize) -> Result<Held, LimitHit> {
        let mut held = Held::default();
        held.grow(bytes)?;
        Ok(held)
    }

    /// Counts so many more bytes.
    #[inline]
    pub fn grow(&mut self, more: usize) -> Result<(), LimitHit> {
        space::take(more)?;
        self.bytes += more;
        Ok(())
    }

    /// Counts so many bytes in all, if that is more than before.
    #[inline]
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.grow(bytes.saturating_sub(self.bytes))
    }

    /// Counts so many bytes as free again, or all there are.
    pub fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        space::give_back(bytes);
    }

    /// How many bytes it counts.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts all of it as free again.
    pub fn release(&mut self) {
        space::give_back(std::mem::take(&mut self.bytes));
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.release();
    }
}

/// A vector whose memory is asked for before it grows, and counted as live while it is being filled.
#[derive(Debug)]
pub struct Charged<T> {
    items: Vec<T>,
    held: Held,
}

impl<T> Default for Charged<T> {
    fn default() -> Charged<T> {
        Charged { items: Vec::new(), held: Held::default() }
    }
}

impl<T> Charged<T> {
    /// Adds an element to the end.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), LimitHit> {
        if self.is_full() {
            self.reserve(1)?;
        }
        self.items.push(item);
        Ok(())
    }

    /// Makes room for so many more elements, or for as many again as there are.
    #[cold]
    #[inline(never)]
    pub fn reserve(&mut self, more: usize) -> Result<(), LimitHit> {
        self.reserve_exact(more.max(self.items.len()).max(4))
    }

    /// Makes room for so many more elements.
    pub fn reserve_exact(&mut self, more: usize) -> Result<(), LimitHit> {
        let capacity = self.items.len().saturating_add(more);
        self.held.grow_to(capacity.saturating_mul(size_of::<T>()))?;
        self.items.reserve_exact(more);
        Ok(())
    }

    /// Whether one more element needs more room.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.items.len() == self.items.capacity()
    }

    /// How many more elements there is room for.
    #[inline]
    pub fn spare(&self) -> usize {
        self.items.capacity() - self.items.len()
    }

    /// Adds elements to the end.
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

    /// The newest element, to be changed.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.items.last_mut()
    }

    /// Takes the newest element out.
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// How many elements there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The elements, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Makes the vector so long, with copies of a value at its end.
    pub fn resize(&mut self, length: usize, value: T) -> Result<(), LimitHit>
    where
        T: Clone,
    {
        self.reserve_exact(length.saturating_sub(self.items.len()))?;
        self.items.resize(length, value);
        Ok(())
    }

    /// Forgets all elements and keeps their room.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Forgets all elements from a place on.
    pub fn truncate(&mut self, length: usize) {
        self.items.truncate(length);
    }

    /// The vector, which is no longer counted: its owner counts it anew.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}
