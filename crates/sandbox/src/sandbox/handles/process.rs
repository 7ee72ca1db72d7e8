//! The number of this process.

/// Returns the number of this process; 0 where there are none (WebAssembly).
pub fn process_id() -> u32 {
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}
