//! The native stack for parsing, lowering and running, and the handling of panics on it.
//!
//! Limits bound the nesting of texts and runs; a stack of this size suffices for everything they allow. It is
//! allocated here, so that an engine works the same on any thread. A panic is a bug in NeuroScript: it ends the work,
//! not the process.
//!
//! All recursion is bounded: the scanner counts brackets, the parser counts blocks (on a stack of its own),
//! signs, powers and elements of elements. Chains of operators are flat, values nest at most `value_depth` deep, and
//! nested calls check the remaining stack (`eval/machine`).

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Minimum remaining stack for work to stay on the current stack.
const ENOUGH: usize = 128 << 20;
/// Size of a new stack. Only the used part is backed by memory.
const STACK: usize = 256 << 20;

/// Runs work on a large enough stack. A panic is returned as its message.
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
    /// The source position of the newest panic of this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Silences the panic hook: the message is returned with the failed work.
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
        assert!(message.starts_with(concat!("the case is missing, at ", file!(), ":")), "{message}");
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
