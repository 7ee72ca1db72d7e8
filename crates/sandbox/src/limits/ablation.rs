//! Limits that a build can omit so that their cost can be measured; a build for users omits none.
//!
//! `--cfg ns_without="steps"` omits one; `benches/ablation.py` builds each variant. These are not cargo features, so no
//! dependent crate can disable limits. `barrier` is no limit: a build without it is the control of
//! `tests/trust/power.py`. The choice is known at compile time, so nothing remains of omitted code.

use super::Limit;

/// Whether steps are counted; without them, deadline and interrupt are not checked between slices of steps either.
pub const STEPS: bool = cfg!(not(ns_without = "steps"));
/// Whether the evaluator checks the deadline and the interrupt.
pub const INTERRUPTS: bool = cfg!(not(ns_without = "interrupts"));
/// Whether the memory of values is counted and limited.
pub const SPACE: bool = cfg!(not(ns_without = "space"));
/// Whether journals and backups carry seals; without them every seal is zeros.
pub const SEALS: bool = cfg!(not(ns_without = "seals"));
/// Whether the barrier makes changes durable; without it, a power failure loses what was acknowledged.
pub const BARRIER: bool = cfg!(not(ns_without = "barrier"));

/// Whether this build enforces a limit.
pub fn keeps(limit: Limit) -> bool {
    match limit {
        Limit::Steps => STEPS,
        Limit::Memory | Limit::String | Limit::Collection | Limit::ValueDepth => SPACE,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{BARRIER, INTERRUPTS, SEALS, SPACE, STEPS};

    #[test]
    fn nothing_is_left_out() {
        assert_eq!([STEPS, INTERRUPTS, SPACE, SEALS, BARRIER], [true; 5]);
    }
}
