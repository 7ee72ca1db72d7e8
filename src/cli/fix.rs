//! `ns check --fix`: repairs files in place.

use std::io::Write;
use std::path::Path;

use crate::engine::{Checked, Engine, Fixed};
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};
use crate::terminal::script_file::read_script;
use crate::watch::Replacement;

use super::replace::{Original, replace};

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
    let original = if file == Path::new("-") { None } else { Original::of(file).ok() };
    let script = read_script(file)?;
    let Fixed { text, repaired, checked } = engine.fix(&script);
    let replaced = match (original, text) {
        (None, text) => match print(text.as_deref().or(script.text()).unwrap_or_default()) {
            Exit::Done => None,
            exit => return Err(exit),
        },
        (Some(original), Some(text)) => Some(write(file, original, &text)?),
        (Some(_), None) => None,
    };
    Ok(FixedFile { name: script.name().to_owned(), repaired, checked, replaced })
}

fn write(file: &Path, original: Original, text: &str) -> Result<Replacement, Exit> {
    replace(original, |out| out.write_all(text.as_bytes())).map_err(|error| {
        let message = format!("`{}` cannot be written: {error}", file.display());
        report_error(&message, "it was left as it is; `ns check --fix - < FILE` prints it with its repairs");
        Exit::Failed
    })
}
