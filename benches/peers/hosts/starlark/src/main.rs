//! Runs a Starlark file with the dialect and library of the program `starlark`; `print` writes to standard output.

use std::error::Error;

use starlark::PrintHandler;
use starlark::environment::{Globals, LibraryExtension, Module};
use starlark::eval::Evaluator;
use starlark::syntax::{AstModule, Dialect};

struct Output;

impl PrintHandler for Output {
    fn println(&self, text: &str) -> starlark::Result<()> {
        println!("{text}");
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).expect("the script is named");
    let module = AstModule::parse_file(path.as_ref(), &Dialect::Extended).map_err(|error| error.into_anyhow())?;
    let globals = Globals::extended_by(&[LibraryExtension::Print]);
    Module::with_temp_heap(|heap| {
        let mut evaluator = Evaluator::new(&heap);
        evaluator.set_print_handler(&Output);
        evaluator.eval_module(module, &globals).map(|_| ())
    })
    .map_err(|error| error.into_anyhow().into())
}
