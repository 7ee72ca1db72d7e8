//! The native stack that parsing, lowering and running need.
//!
//! Limits bound how deep a text or a run may nest; a stack of this size holds whatever they allow.
//! It is taken here, so that an engine works the same on any thread.

/// Stack that must be left for work to go on where it is.
const ENOUGH: usize = 128 << 20;
/// Stack that is taken otherwise. Only what is used is ever given memory.
const STACK: usize = 256 << 20;

/// Does the work on a stack that is large enough.
pub fn on_large_stack<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(ENOUGH, STACK, work)
}
