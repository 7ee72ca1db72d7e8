//! The thread beside the wall: what a person at the terminal names by hand is read and written there.
//!
//! `:load` and `:save` of a session name any file of the user's, and *always* as an answer is kept in the
//! user's policy file; all three come after the first line was run. No script and no tool has a way here.
//! The thread begins before the wall is there, so Landlock does not hold it; the filter of system calls
//! and the loss of root's powers do.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, Sender, channel};

type Work = Box<dyn FnOnce() + Send>;

static ORDERS: Mutex<Option<Sender<Work>>> = Mutex::new(None);

/// Begins the thread. Without one, what is asked of it is done where it is asked, within the wall.
pub fn open_outside() {
    let (sender, orders): (Sender<Work>, Receiver<Work>) = channel();
    let thread = std::thread::Builder::new().name("outside".to_owned()).spawn(move || {
        #[cfg(target_os = "linux")]
        if super::powers::give_up().is_err() {
            return;
        }
        orders.iter().for_each(|work| work());
    });
    if thread.is_ok() {
        *ORDERS.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
    }
}

/// Does work for the person at the terminal outside of the wall, where the thread for it is there.
pub fn outside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let orders = ORDERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(orders) = orders else { return work() };
    let (sender, result) = channel();
    let order: Work = Box::new(move || {
        // Whoever asked waits for it.
        let _ = sender.send(work());
    });
    match orders.send(order) {
        Ok(()) => result.recv().expect("the thread does one order after another"),
        Err(order) => {
            // The thread is gone, so the work is done within the wall.
            order.0();
            result.recv().expect("the work was done just now")
        }
    }
}
