//! Runs `main` of a Rune script as `rune run FILE` does: with the default modules and options.

use std::error::Error;
use std::sync::Arc;

use rune::{Context, Diagnostics, Source, Sources, Vm};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).expect("the script is named");
    let context = Context::with_default_modules()?;
    let mut sources = Sources::new();
    sources.insert(Source::from_path(path)?)?;
    let mut diagnostics = Diagnostics::new();
    let unit = rune::prepare(&mut sources).with_context(&context).with_diagnostics(&mut diagnostics).build()?;
    Vm::new(Arc::new(context.runtime()?), Arc::new(unit)).call(["main"], ())?;
    Ok(())
}
