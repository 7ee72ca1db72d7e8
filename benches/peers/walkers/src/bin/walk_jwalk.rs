//! A walk with the crate jwalk, with its default number of threads.

use std::error::Error;

use walkers::{Totals, start};

fn main() -> Result<(), Box<dyn Error>> {
    let mut totals = Totals::default();
    for entry in jwalk::WalkDir::new(start()).skip_hidden(false).min_depth(1) {
        totals.add(&entry?.metadata()?)?;
    }
    totals.print();
    Ok(())
}
