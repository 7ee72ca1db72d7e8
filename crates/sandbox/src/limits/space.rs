//! Accounting of the memory of live values, and the limits of a single value.
//!
//! Values are dropped in code that has no access to the run, so the account belongs to the thread: a run sets the
//! limits with [`enter`], constructors charge bytes, drops release them.

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

/// Sets the limits for this thread's values until the guard is dropped.
pub fn enter(limits: &Limits) -> Guard {
    let bounds = Bounds {
        memory: limits.memory_bytes,
        string: limits.string_bytes,
        items: limits.collection_items,
        depth: limits.value_depth,
    };
    Guard { outer: BOUNDS.replace(bounds) }
}

/// Restores the previous limits on drop.
#[derive(Debug)]
pub struct Guard {
    outer: Bounds,
}

impl Drop for Guard {
    fn drop(&mut self) {
        BOUNDS.set(self.outer);
    }
}

/// Counts bytes as live. Errors: if they exceed the memory limit.
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

/// Checks that `bytes` more bytes are allowed, without counting them.
#[inline]
pub fn check(bytes: usize) -> Result<(), LimitHit> {
    if ablation::SPACE && LIVE.get() + bytes as u64 > BOUNDS.get().memory { Err(over_memory()) } else { Ok(()) }
}

/// Counts bytes as live without a check: for small amounts, or after [`check`].
#[inline]
pub fn note(bytes: usize) {
    if ablation::SPACE {
        LIVE.set(LIVE.get() + bytes as u64);
    }
}

/// Releases bytes.
#[inline]
pub fn give_back(bytes: usize) {
    if ablation::SPACE {
        LIVE.set(LIVE.get().saturating_sub(bytes as u64));
    }
}

/// Checks that a text of `bytes` bytes is not too long.
#[inline]
pub fn check_string(bytes: usize) -> Result<(), LimitHit> {
    let allowed = BOUNDS.get().string;
    if ablation::SPACE && bytes > allowed {
        Err(LimitHit { limit: Limit::String, allowed: allowed as u64 })
    } else {
        Ok(())
    }
}

/// Checks that a list or map of `items` elements is not too large.
#[inline]
pub fn check_items(items: usize) -> Result<(), LimitHit> {
    let allowed = BOUNDS.get().items;
    if ablation::SPACE && items > allowed {
        Err(LimitHit { limit: Limit::Collection, allowed: allowed as u64 })
    } else {
        Ok(())
    }
}

/// Returns the maximum number of elements of a list or map.
#[inline]
pub fn items_bound() -> usize {
    BOUNDS.get().items
}

/// Checks that a value is not nested too deeply.
#[inline]
pub fn check_depth(depth: usize) -> Result<(), LimitHit> {
    let allowed = BOUNDS.get().depth;
    if ablation::SPACE && depth > allowed {
        Err(LimitHit { limit: Limit::ValueDepth, allowed: allowed as u64 })
    } else {
        Ok(())
    }
}

/// Returns the maximum nesting of lists and maps.
#[inline]
pub fn depth_bound() -> usize {
    BOUNDS.get().depth
}

/// Returns how many elements of `bytes_each` bytes a list could still take, and the error for exceeding that number.
pub fn room_for(bytes_each: usize) -> (usize, LimitHit) {
    let bounds = BOUNDS.get();
    let by_memory = bounds.memory.saturating_sub(LIVE.get()) / bytes_each as u64;
    if (bounds.items as u64) < by_memory {
        (bounds.items, LimitHit { limit: Limit::Collection, allowed: bounds.items as u64 })
    } else {
        (by_memory as usize, over_memory())
    }
}

/// Returns the number of bytes that live values may still use, and the error for exceeding it.
pub fn memory_left() -> (u64, LimitHit) {
    (BOUNDS.get().memory.saturating_sub(LIVE.get()), over_memory())
}

/// Returns the maximum length of a text in bytes.
#[inline]
pub fn string_bound() -> usize {
    BOUNDS.get().string
}

/// Returns the maximum length of a text in bytes, and the error for exceeding it.
pub fn string_room() -> (usize, LimitHit) {
    let allowed = string_bound();
    (allowed, LimitHit { limit: Limit::String, allowed: allowed as u64 })
}

#[cold]
fn over_memory() -> LimitHit {
    LimitHit { limit: Limit::Memory, allowed: BOUNDS.get().memory }
}
