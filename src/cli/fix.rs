//! `ns check --fix`: repairs files in place.

use std::path::Path;

use crate::engine::{Checked, Engine, Fixed};
use crate::terminal::exit::Exit;
use crate::terminal::report::print;
use crate::terminal::script_file::read_script;
use crate::watch::Replacement;

use super::rewritten::{original_of, write};

/// A repaired file.
pub struct FixedFile {
    /// The name for messages.
    pub name: String,
    /// Number of repaired findings.
    pub repaired: usize,
    /// The remaining findings.
    pub checked: Checked,
    /// The written file; `None` if it did not change, and for standard input.
    pub replaced: Option<Replacement>,
}

/// Repairs a file, or prints repaired standard input.
pub fn fix(engine: &Engine, file: &Path) -> Result<FixedFile, Exit> {
    let original = original_of(file);
    let script = read_script(file)?;
    let Fixed { text, repaired, checked } = engine.fix(&script);
    let replaced = match (original, text) {
        (None, text) => match print(text.as_deref().or(script.text()).unwrap_or_default()) {
            Exit::Done => None,
            exit => return Err(exit),
        },
        (Some(original), Some(text)) => {
            let instead = "`ns check --fix - < FILE` prints it with its repairs";
            Some(write(file, original, &text, instead)?)
        }
        (Some(_), None) => None,
    };
    Ok(FixedFile { name: script.name().to_owned(), repaired, checked, replaced })
}
