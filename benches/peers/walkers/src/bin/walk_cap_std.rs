//! A walk from handle to handle with the crate cap-std, which confines itself to the start directory, as our walks do.

use std::error::Error;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use walkers::{Totals, start};

fn main() -> Result<(), Box<dyn Error>> {
    let mut totals = Totals::default();
    let mut waiting = vec![Dir::open_ambient_dir(start(), ambient_authority())?];
    while let Some(folder) = waiting.pop() {
        for entry in folder.entries()? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            let age = metadata.modified()?.into_std().elapsed().unwrap_or_default().as_secs();
            totals.count(if metadata.is_dir() { 0 } else { metadata.len() }, age);
            if metadata.is_dir() {
                waiting.push(entry.open_dir()?);
            }
        }
    }
    totals.print();
    Ok(())
}
