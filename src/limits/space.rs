//! The memory that live values take, and the bounds of one value.
//!
//! Values are dropped where no run is at hand, so the account belongs to the thread: a run sets the
//! bounds with [`enter`], constructors take bytes, drops give them back.

use std::cell::Cell;

use super::{Limit, LimitHit, Limits, ablation};

thread_local! {
    static LIVE: Cell<u64> = const { Cell::new(0) };
    static BOUNDS: Cell<Bounds> = const { Cell::new(Bounds::NONE) };
}

#[derive(Clone, Copy)]
struct Bounds {
    memory: u64,
    string: usize,
    items: usize,
    depth: usize,
}

impl Bounds {
    const NONE: Bounds = Bounds { memory: u64::MAX, string: usize::MAX, items: usize::MAX, depth: usize::MAX };
}

/// Sets the bounds of this thread's values until the guard is dropped.
pub fn enter(limits: &Limits) -> Guard {
    let bounds = Bounds {
        memory: limits.memory_bytes,
        string: limits.string_bytes,
        items: limits.collection_items,
        depth: limits.value_depth,
    };
    Guard { outer: BOUNDS.replace(bounds) }
}

/// Restores the bounds that held before.
pub struct Guard {
    outer: Bounds,
}

impl Drop for Guard {
    fn drop(&mut self) {
        BOUNDS.set(self.outer);
    }
}

/// Counts bytes as live, or says that they would be too many.
#[inline]
pub fn take(bytes: usize) -> Result<(), LimitHit> {
    if !ablation::SPACE {
        return Ok(());
    }
    let live = LIVE.get() + bytes as u64;
    if live > BOUNDS.get().memory {
        return Err(over_memory());
    }
    LIVE.set(live);
    Ok(())
}

/// Says whether so many more bytes would be too many, and counts nothing.
#[inline]
pub fn check(bytes: usize) -> Result<(), LimitHit> {
    match ablation::SPACE && LIVE.get() + bytes as u64 > BOUNDS.get().memory {
        true => Err(over_memory()),
        false => Ok(()),
    }
}

/// Counts bytes as live without asking: for what is small, or was asked for with [`check`].
#[inline]
pub fn note(bytes: usize) {
    if ablation::SPACE {
        LIVE.set(LIVE.get() + bytes as u64);
    }
}

/// Counts bytes as free again.
#[inline]
pub fn give_back(bytes: usize) {
    if ablation::SPACE {
        LIVE.set(LIVE.get().saturating_sub(bytes as u64));
    }
}

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
        take(more)?;
        self.bytes += more;
        Ok(())
    }

    /// Counts so many bytes in all, if that is more than before.
    #[inline]
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), LimitHit> {
        self.grow(bytes.saturating_sub(self.bytes))
    }

    /// Counts all of it as free again.
    pub fn release(&mut self) {
        give_back(std::mem::take(&mut self.bytes));
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

    /// Adds elements to the end.
    pub fn extend_from_slice(&mut self, more: &[T]) -> Result<(), LimitHit>
    where
        T: Clone,
    {
        if more.len() > self.items.capacity() - self.items.len() {
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

    /// Makes the vector twice as long, and at least so long, with elements of no value.
    pub fn resize_to_double(&mut self, least: usize) -> Result<(), LimitHit>
    where
        T: Clone + Default,
    {
        let length = self.items.len().saturating_mul(2).max(least);
        self.reserve_exact(length - self.items.len())?;
        self.items.resize(length, T::default());
        Ok(())
    }

    /// The vector, which is no longer counted: its owner counts it anew.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}

/// Says whether a text of so many bytes is too long.
#[inline]
pub fn check_string(bytes: usize) -> Result<(), LimitHit> {
    let allowed = BOUNDS.get().string;
    match ablation::SPACE && bytes > allowed {
        true => Err(LimitHit { limit: Limit::String, allowed: allowed as u64 }),
        false => Ok(()),
    }
}

/// Says whether a list or map of so many elements is too large.
#[inline]
pub fn check_items(items: usize) -> Result<(), LimitHit> {
    let allowed = BOUNDS.get().items;
    match ablation::SPACE && items > allowed {
        true => Err(LimitHit { limit: Limit::Collection, allowed: allowed as u64 }),
        false => Ok(()),
    }
}

/// The most elements that a list or map may have.
#[inline]
pub fn items_bound() -> usize {
    BOUNDS.get().items
}

/// Says whether a value of this depth is nested too deeply.
#[inline]
pub fn check_depth(depth: usize) -> Result<(), LimitHit> {
    let allowed = BOUNDS.get().depth;
    match ablation::SPACE && depth > allowed {
        true => Err(LimitHit { limit: Limit::ValueDepth, allowed: allowed as u64 }),
        false => Ok(()),
    }
}

/// How many elements of so many bytes a list could still take, and what is said when there are more.
pub fn room_for(bytes_each: usize) -> (usize, LimitHit) {
    let bounds = BOUNDS.get();
    let by_memory = bounds.memory.saturating_sub(LIVE.get()) / bytes_each as u64;
    match (bounds.items as u64) < by_memory {
        true => (bounds.items, LimitHit { limit: Limit::Collection, allowed: bounds.items as u64 }),
        false => (by_memory as usize, over_memory()),
    }
}

/// Bytes that live values may still take, and what is said when that is not enough.
pub fn memory_left() -> (u64, LimitHit) {
    (BOUNDS.get().memory.saturating_sub(LIVE.get()), over_memory())
}

/// The longest text allowed, in bytes.
pub fn string_bound() -> usize {
    BOUNDS.get().string
}

#[cold]
fn over_memory() -> LimitHit {
    LimitHit { limit: Limit::Memory, allowed: BOUNDS.get().memory }
}
