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

#[derive(Clone, Copy, Debug)]
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
#[derive(Debug)]
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

/// How deep lists and maps may nest.
pub fn depth_bound() -> usize {
    BOUNDS.get().depth
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

/// The longest text allowed, in bytes, and what is said when that is not enough.
pub fn string_room() -> (usize, LimitHit) {
    let allowed = string_bound();
    (allowed, LimitHit { limit: Limit::String, allowed: allowed as u64 })
}

#[cold]
fn over_memory() -> LimitHit {
    LimitHit { limit: Limit::Memory, allowed: BOUNDS.get().memory }
}
