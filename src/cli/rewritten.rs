//! The new text of a file that the user names: shown for `--check` and `--diff`, or written back.

use std::io::Write;
use std::path::Path;

use similar::TextDiff;

use crate::terminal::exit::Exit;
use crate::terminal::report::report_error;
use crate::text::{Source, safe};
use crate::watch::Replacement;

use super::replace::{Original, replace};

/// Records the state of a file before it is read. Returns `None` for standard input, and for a file that cannot be
/// read.
pub fn original_of(file: &Path) -> Option<Original> {
    if file == Path::new("-") { None } else { Original::of(file).ok() }
}

/// Returns the name of a file, as a line, for `--check`.
pub fn listed(source: &Source) -> String {
    format!("{}\n", safe::name(source.name()))
}

/// Returns the differences between a file and its new text, for `--diff`. `label` says what the new text is.
pub fn difference(source: &Source, text: &str, label: &str) -> String {
    let name = safe::name(source.name());
    let difference = TextDiff::from_lines(source.text(), text);
    difference.unified_diff().header(&name, &format!("{name} ({label})")).to_string()
}

/// Writes the new text of a file, or reports why that is not possible. `instead` says how to get the text otherwise.
pub fn write(file: &Path, original: Original, text: &str, instead: &str) -> Result<Replacement, Exit> {
    replace(original, |out| out.write_all(text.as_bytes())).map_err(|error| {
        let message = format!("`{}` cannot be written: {error}", file.display());
        report_error(&message, &format!("it was left as it is; {instead}"));
        Exit::Failed
    })
}
