//! Files of NeuroScript itself, below `.ns` and in the user state, which no tool lists or opens.

pub(super) mod internal_change;
pub(super) mod log;
pub(super) mod state_dir;
pub(super) mod witness;
