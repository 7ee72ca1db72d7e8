//! A thread outside the lockdown that reads and writes the files a person at the terminal names.
//!
//! `:load` and `:save` of a session may name any file of the user, and the answer *always* to an approval is saved in
//! the user's policy file; all three happen after the first line was run. No script and no tool can reach this thread.
//! It starts before the lockdown, so Landlock does not restrict it; the seccomp filter and the loss of capabilities do.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, Sender, channel};

type Work = Box<dyn FnOnce() + Send>;

static ORDERS: Mutex<Option<Sender<Work>>> = Mutex::new(None);

/// Starts the thread. If it cannot be started, the work is done on the calling thread, inside the lockdown.
pub fn open_outside() {
    let (sender, orders): (Sender<Work>, Receiver<Work>) = channel();
    let thread = std::thread::Builder::new().name("outside".to_owned()).spawn(move || {
        #[cfg(target_os = "linux")]
        if super::capabilities::drop_capabilities().is_err() {
            return;
        }
        orders.iter().for_each(|work| work());
    });
    if thread.is_ok() {
        *ORDERS.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
    }
}

/// Does work for the person at the terminal outside the lockdown, if the thread for it is running.
pub fn outside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let orders = ORDERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(orders) = orders else { return work() };
    let (sender, result) = channel();
    let order: Work = Box::new(move || {
        // The caller waits for the result.
        let _ = sender.send(work());
    });
    match orders.send(order) {
        Ok(()) => result.recv().expect("the thread does one order after another"),
        Err(order) => {
            // The thread has ended, so the work is done inside the lockdown.
            order.0();
            result.recv().expect("the work was done just now")
        }
    }
}
