//! The debug adapter: scripts run under a debugger that an editor controls, over the Debug Adapter Protocol on standard
//! input and output.
//!
//! The process is locked down like that of `ns run` before the first line runs. From then on a second thread reads
//! requests and puts them into a bounded queue. The thread of the run serves them: between two statements while it runs,
//! and until it may go on while it is stopped. So no value leaves its thread. This room only translates: `engine` decides
//! where a run stops and what can be seen. Sizes of frames, lengths of queues, answers and numbers of variables are
//! bounded.

mod adapter;
mod arguments;
mod client;
mod files;
mod inspect;
mod launch;
mod message;
mod output;
mod queue;
mod stops;
mod variables;

pub use adapter::{Ended, serve};
