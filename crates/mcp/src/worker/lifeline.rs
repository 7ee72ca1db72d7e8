//! Ends a worker together with its server.
//!
//! A server that is killed sends nothing, but its end of the worker's input closes. A thread of the worker reads that
//! input: at its end it interrupts the script, so that an atomic one is rolled back, and after a grace period it ends
//! the process, whatever the script is doing. Before that thread runs, and where it cannot be started, the kernel kills
//! the worker when the thread of the server that started it ends (`PR_SET_PDEATHSIG`).

/// Proof that the kernel was asked to kill this process together with its parent.
#[must_use = "a worker ends with its server by one means or the other"]
pub struct Lifeline(());

#[cfg(target_os = "linux")]
impl Lifeline {
    /// Asks the kernel to kill this process together with its parent.
    pub fn tie() -> Lifeline {
        use rustix::process::{Signal, set_parent_process_death_signal};
        // If the kernel refuses, the worker relies on the closed input alone.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        Lifeline(())
    }

    /// Whether the server is still the parent; it may have ended before the kernel was asked.
    pub fn leads_to(&self, server: u32) -> bool {
        rustix::process::getppid().is_some_and(|parent| parent.as_raw_nonzero().get() as u32 == server)
    }

    /// Withdraws the request: a thread listens from now on, and leaves the script time for its rollback.
    pub fn hand_over(self) {
        let _ = rustix::process::set_parent_process_death_signal(None);
    }

    /// Leaves the request in force: no thread listens.
    pub fn keep(self) {}
}

#[cfg(not(target_os = "linux"))]
impl Lifeline {
    /// Does nothing: this system has no such request.
    pub fn tie() -> Lifeline {
        Lifeline(())
    }

    /// Returns true: the closed input is the only sign.
    pub fn leads_to(&self, _: u32) -> bool {
        true
    }

    /// Does nothing: there was no request.
    pub fn hand_over(self) {}

    /// Does nothing: there was no request.
    pub fn keep(self) {}
}
