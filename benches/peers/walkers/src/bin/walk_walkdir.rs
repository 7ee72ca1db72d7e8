//! A walk with the crate walkdir.

use std::error::Error;

use walkers::{Totals, start};

fn main() -> Result<(), Box<dyn Error>> {
    let mut totals = Totals::default();
    for entry in walkdir::WalkDir::new(start()).min_depth(1) {
        totals.add(&entry?.metadata()?)?;
    }
    totals.print();
    Ok(())
}
