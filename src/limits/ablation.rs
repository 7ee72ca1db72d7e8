//! What a build leaves out so that its cost can be measured; a build that anybody uses leaves out nothing.
//!
//! `--cfg ns_without="steps"` leaves out one; `benches/ablation.py` builds each. These are no cargo
//! features, so that no crate can take limits from another. What is left out is known when the code is compiled, so
//! that nothing of it remains.

use super::Limit;

/// Whether steps are counted; with them goes the look at clock and interrupt between slices of steps.
pub const STEPS: bool = cfg!(not(ns_without = "steps"));
/// Whether the evaluator looks at clock and interrupt.
pub const INTERRUPTS: bool = cfg!(not(ns_without = "interrupts"));
/// Whether the memory of values is counted and bounded.
pub const SPACE: bool = cfg!(not(ns_without = "space"));
/// Whether journals and kept files carry seals; without them every seal is zeros.
pub const SEALS: bool = cfg!(not(ns_without = "seals"));

/// Whether this build keeps a limit.
pub fn keeps(limit: Limit) -> bool {
    match limit {
        Limit::Steps => STEPS,
        Limit::Memory | Limit::String | Limit::Collection | Limit::ValueDepth => SPACE,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{INTERRUPTS, SEALS, SPACE, STEPS};

    #[test]
    fn nothing_is_left_out() {
        assert_eq!([STEPS, INTERRUPTS, SPACE, SEALS], [true; 4]);
    }
}
