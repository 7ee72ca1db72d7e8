//! Runs a Koto script as `koto FILE` does, with the allocator of that program.

use std::process::ExitCode;

use koto::prelude::Koto;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let path = std::env::args().nth(1).expect("the script is named");
    let text = std::fs::read_to_string(path).expect("the script can be read");
    match Koto::default().compile_and_run(text.as_str()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
