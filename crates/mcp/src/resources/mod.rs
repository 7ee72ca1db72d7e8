//! Files of the sandbox as resources, and the completion of their paths.
//!
//! A resource is read by the tools `FS.ReadFile` and `FS.ListDir`, so the policy, the limits and the audit log treat it
//! like a call of them. It asks nobody: what needs an approval is refused. Lists and completions name only what these
//! tools may read.

mod completion;
mod list;
mod place;
mod read;

pub use completion::{Names, names};
pub use list::{VARIABLE, list, templates};
pub use place::ResourceError;
#[cfg(target_os = "linux")]
pub use place::{NamedPlace, path_named};
pub use read::read;
