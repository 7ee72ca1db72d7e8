//! The language server: `ns check`, `ns fmt`, `ns doc` and the completion of sessions for editors, over the Language
//! Server Protocol 3.17 on standard input and output.
//!
//! One thread reads frames, another one does all work, in the order of the messages. The server runs nothing and
//! changes nothing: edits are carried out by the editor. Once the folders of the workspace are known, the process is
//! locked down to reading them. The sizes of frames and documents and the lengths of queues and answers are bounded.

mod actions;
mod client;
mod completion;
mod diagnostics;
mod documents;
mod edits;
mod explanations;
mod formatting;
mod hover;
mod indentation;
mod inlay_hints;
mod lenses;
mod lifecycle;
mod names;
mod outline;
mod places;
mod queue;
mod references;
mod rename;
mod request;
mod semantic;
mod server;
mod settings;
mod shape;
mod structure;
mod symbols;
mod text;
mod uri;
mod word;

pub use lifecycle::{Ended, serve};
