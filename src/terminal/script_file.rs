//! Scripts and other texts in files that the user names.

#![allow(clippy::disallowed_methods, reason = "scripts are read for the user, not for a script")]

use std::io::{ErrorKind, Read, stdin};
use std::path::Path;

use crate::engine::Script;

use super::exit::Exit;
use super::input_file::open_input;
use super::nearest_file::ScriptsBeside;
use super::report::report_error;

/// Reads a script from a file or from standard input. For a Markdown file, the script consists of its code blocks.
pub fn read_script(file: &Path) -> Result<Script, Exit> {
    let (name, bytes) = read_text(file)?;
    Ok(script_of(file, name, bytes))
}

/// Reads a script like [`read_script`], but returns the error.
///
/// # Errors
/// The message, with what to do.
pub fn load_script(file: &Path) -> Result<Script, String> {
    let name = file.display().to_string();
    match read_regular(file) {
        Ok(bytes) => Ok(script_of(file, name, bytes)),
        Err(error) => Err(format!("`{name}` cannot be read: {error}; {}", help(file, error.kind(), "name a file"))),
    }
}

/// Reads a script without reporting errors. Returns `None` if the file does not exist or cannot be read.
pub fn read_quietly(file: &Path) -> Option<Script> {
    let bytes = file.is_file().then(|| read_regular(file).ok()).flatten()?;
    Some(script_of(file, file.display().to_string(), bytes))
}

/// Creates the script of a file: from the blocks of a Markdown document, or from the whole text.
fn script_of(file: &Path, name: String, bytes: Vec<u8>) -> Script {
    if is_markdown(file) { Script::markdown(name, bytes) } else { Script::new(name, bytes) }
}

/// Whether the name of a file denotes Markdown.
pub fn is_markdown(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default();
    ["md", "markdown"].iter().any(|markdown| extension.eq_ignore_ascii_case(markdown))
}

/// Reads a file or standard input. Returns the name for messages and the bytes.
pub fn read_text(file: &Path) -> Result<(String, Vec<u8>), Exit> {
    let (name, bytes) = if file == Path::new("-") {
        let mut bytes = Vec::new();
        ("<stdin>".to_owned(), stdin().lock().take(MAX_SCRIPT).read_to_end(&mut bytes).map(|_| bytes))
    } else {
        (file.display().to_string(), read_regular(file))
    };
    match bytes {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => {
            report_error(
                &format!("`{name}` cannot be read: {error}"),
                &help(file, error.kind(), "name a file, or - for standard input"),
            );
            Err(Exit::Usage)
        }
    }
}

/// Returns the help for a file that cannot be read: its nearest name, or what to name, with the scripts beside it if it
/// is missing.
fn help(file: &Path, error: ErrorKind, wanted: &str) -> String {
    let scripts = if error == ErrorKind::NotFound { ScriptsBeside::of(file) } else { ScriptsBeside::default() };
    if let Some(near) = scripts.nearest() {
        return format!("did you mean `{near}`?");
    }
    match scripts.listed() {
        Some(listed) => format!("{wanted}; scripts there: {listed}"),
        None => wanted.to_owned(),
    }
}

/// Maximum number of bytes read; the limit for scripts is far lower.
const MAX_SCRIPT: u64 = 256 << 20;

fn read_regular(file: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(file).map_err(|error| match std::fs::read_link(file) {
        Ok(target) if error.kind() == ErrorKind::NotFound => {
            std::io::Error::other(format!("it is a link to `{}`, which does not exist", target.display()))
        }
        _ => error,
    })?;
    if metadata.is_dir() {
        return Err(std::io::Error::other("it is a folder"));
    }
    let mut bytes = Vec::new();
    open_input(file)?.take(MAX_SCRIPT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
