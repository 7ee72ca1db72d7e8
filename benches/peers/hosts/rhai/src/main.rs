//! Runs a Rhai script as `rhai-run FILE` does: with the default features and simple optimisation.

use std::process::ExitCode;

use rhai::{Engine, OptimizationLevel};

fn main() -> ExitCode {
    let path = std::env::args().nth(1).expect("the script is named");
    let mut engine = Engine::new();
    engine.set_optimization_level(OptimizationLevel::Simple);
    match engine.run_file(path.into()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
