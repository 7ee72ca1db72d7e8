//! The binary `ns`.

use std::process::ExitCode;

fn main() -> ExitCode {
    neuroscript::cli::main()
}
