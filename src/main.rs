//! The binary `ns`.

/// The allocator of musl has one lock for all threads and returns memory at once, so static binaries bring another.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    neuroscript::cli::main()
}
