//! The engine of the playground: checks and runs scripts on a folder in memory, for a web page.
//!
//! [`Playground`] holds the folder with its runs; [`exports`](crate) gives it to JavaScript. Texts from scripts leave as
//! JSON or plain text, never as markup. Offsets in texts count UTF-16 code units, as JavaScript does.

#[cfg(target_family = "wasm")]
mod exports;
mod highlight;
mod output;
mod playground;
mod snapshot;
mod utf16;
mod views;

pub use highlight::highlight;
pub use output::Receiver;
pub use playground::Playground;
