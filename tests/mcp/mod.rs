//! `ns mcp` from the client's side: frames are sent to the real binary and read from it.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod asking;
mod bad;
mod calls;
mod cancelling;
mod client;
mod direct;
mod guesses;
mod logs;
mod many;
mod media;
mod offer;
mod others;
#[cfg(unix)]
mod over_http;
mod prompts;
mod protocol;
mod reports;
mod resources;
mod roots;
mod sandboxes;
mod script_tools;
mod scripts;
#[cfg(target_os = "linux")]
mod watching;
