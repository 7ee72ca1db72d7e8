//! A walk with the crate ignore, without its filters.

use std::error::Error;

use walkers::{Totals, start};

fn main() -> Result<(), Box<dyn Error>> {
    let mut totals = Totals::default();
    let mut walk = ignore::WalkBuilder::new(start());
    for entry in walk.standard_filters(false).build() {
        let entry = entry?;
        if entry.depth() > 0 {
            totals.add(&entry.metadata()?)?;
        }
    }
    totals.print();
    Ok(())
}
