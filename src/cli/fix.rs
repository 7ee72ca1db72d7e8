//! `ns check --fix`: repairs files in place.

use std::io::Write;
use std::path::Path;

use crate::engine::{Checked, Engine, Fixed};
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};
use crate::terminal::script_file::read_script;

use super::replace::{Original, replace};

/// Repairs a file, or prints repaired standard input. Returns its name, the number of repaired findings and the
/// remaining ones.
pub fn fix(engine: &Engine, file: &Path) -> Result<(String, usize, Checked), Exit> {
    let original = if file == Path::new("-") { None } else { Original::of(file).ok() };
    let script = read_script(file)?;
    let Fixed { text, repaired, checked } = engine.fix(&script);
    match (original, text) {
        (None, text) => match print(text.as_deref().or(script.text()).unwrap_or_default()) {
            Exit::Done => {}
            exit => return Err(exit),
        },
        (Some(original), Some(text)) => write(file, &original, &text)?,
        (Some(_), None) => {}
    }
    Ok((script.name().to_owned(), repaired, checked))
}

fn write(file: &Path, original: &Original, text: &str) -> Result<(), Exit> {
    replace(original, |out| out.write_all(text.as_bytes())).map_err(|error| {
        let message = format!("`{}` cannot be written: {error}", file.display());
        report_error(&message, "it was left as it is; `ns check --fix - < FILE` prints it with its repairs");
        Exit::Failed
    })
}
