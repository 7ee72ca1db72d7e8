//! The native stack that parsing, lowering and running need, and what becomes of a panic on it.
//!
//! Limits bound how deep a text or a run may nest; a stack of this size holds whatever they allow.
//! It is taken here, so that an engine works the same on any thread. A panic is a fault of ours: it
//! ends the work and not the process.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Stack that must be left for work to go on where it is.
const ENOUGH: usize = 128 << 20;
/// Stack that is taken otherwise. Only what is used is ever given memory.
const STACK: usize = 256 << 20;

/// Does the work on a stack that is large enough; a panic in it comes back as its message.
pub fn on_large_stack<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    stacker::maybe_grow(ENOUGH, STACK, || catch_unwind(AssertUnwindSafe(work))).map_err(|payload| {
        let message = message_of(&*payload);
        match PLACE.take() {
            Some(place) => format!("{message}, at {place}"),
            None => message,
        }
    })
}

thread_local! {
    /// Where the newest panic of this thread began.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics silent: their message comes out with the work that they end.
pub fn hush_panics() {
    std::panic::set_hook(Box::new(|panic| PLACE.set(panic.location().map(ToString::to_string))));
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{hush_panics, on_large_stack};

    #[test]
    fn a_panic_comes_back_as_its_message() {
        hush_panics();
        let caught = on_large_stack(|| -> u8 { panic!("the {} is missing", "case") });
        let message = caught.expect_err("the work panicked");
        assert!(message.starts_with("the case is missing, at src/engine/stack.rs:"), "{message}");
        assert_eq!(on_large_stack(|| 5), Ok(5));
    }

    #[test]
    fn deep_work_fits() {
        fn deep(levels: usize) -> usize {
            let padding = std::hint::black_box([0_u8; 1024]);
            if levels == 0 { 0 } else { 1 + deep(levels - 1) + usize::from(padding[levels % 1024]) }
        }
        assert_eq!(on_large_stack(|| deep(50_000)), Ok(50_000));
    }
}
