//! The number of threads that one call may use.
//!
//! A call works on its own thread; further threads only take over pieces of work whose results do not depend on the
//! thread. They have no run: no meter, no account of memory ([`super::space`]) or of traversals ([`super::work`]), which
//! belong to the thread of the call. They check the deadline and the interrupt with a [`super::Watch`].

use std::fmt;
use std::num::NonZeroUsize;

/// The number of threads that one call may use, its own thread included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Jobs(NonZeroUsize);

impl Jobs {
    /// The thread of the call alone.
    pub const ONE: Jobs = Jobs(NonZeroUsize::MIN);
    /// The number that waits for the disk at the same time.
    pub const WAITING: Jobs = Jobs(NonZeroUsize::new(16).expect("it is not zero"));
    /// The largest number that a user can ask for.
    pub const MOST: usize = 64;
    /// The largest number that is used if nobody asks for one: more threads wait for the disk and for each other.
    const MOST_UNASKED: usize = 16;

    /// Returns this number of threads, or `None` if it is 0 or above [`Jobs::MOST`].
    pub fn of(threads: usize) -> Option<Jobs> {
        NonZeroUsize::new(threads).filter(|threads| threads.get() <= Jobs::MOST).map(Jobs)
    }

    /// Returns the number of processors that this process may use, by its affinity and its control group. The latter is
    /// read from files, so this must be called before the lockdown.
    pub fn available() -> Jobs {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Jobs::of(processors.min(Jobs::MOST_UNASKED)).unwrap_or(Jobs::ONE)
    }

    /// Returns the number of threads.
    pub fn threads(self) -> usize {
        self.0.get()
    }

    /// Returns the number of threads besides that of the call.
    pub fn helpers(self) -> usize {
        self.0.get() - 1
    }
}

impl fmt::Display for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
