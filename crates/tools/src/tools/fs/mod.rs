//! Tools for files and directories in the sandbox.

mod append_file;
mod archive;
mod bulk;
pub mod compare;
mod compress;
mod copy_file;
mod create_directory;
mod create_link;
mod decompress;
mod delete_file;
mod diff_files;
mod edit_file;
mod encoding;
mod exists;
mod extract;
mod file_info;
mod file_lines;
mod find;
mod find_duplicates;
mod find_files;
mod hash_file;
mod hash_files;
mod hashing;
mod last_lines;
mod line_count;
mod line_index;
mod lines;
mod list_archive;
mod list_dir;
mod list_directory;
mod move_file;
mod move_files;
mod operation;
mod original;
mod ownership;
mod patterns;
mod read_file;
mod read_media;
mod replace_in_files;
mod replacement;
mod restore_backup;
mod rows;
mod search_files;
mod set_modified;
mod set_permissions;
mod source;
pub mod stream;
mod temp_directory;
mod walk_dir;
mod write_file;

use std::borrow::Cow;

use base64::DecodeError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::gate::{Context, Tool};
use crate::sandbox::SandboxPath;
use crate::text::{ToolCode, hex};
use crate::toolkit::ToolError;
use crate::value::print;

pub use read_media::kind;

use encoding::{Charset, Choice, Unencodable, encode};

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    vec![
        find::tool(),
        walk_dir::tool(),
        list_directory::tool(),
        list_dir::tool(),
        move_file::tool(),
        move_files::tool(),
        read_file::tool(),
        read_file::several::tool(),
        read_media::tool(),
        file_lines::tool(),
        write_file::tool(),
        append_file::tool(),
        edit_file::tool(),
        replace_in_files::tool(),
        create_directory::tool(),
        create_link::tool(),
        copy_file::tool(),
        delete_file::tool(),
        restore_backup::tool(),
        file_info::tool(),
        exists::tool(),
        find_files::tool(),
        search_files::tool(),
        diff_files::tool(),
        hash_file::tool(),
        hash_files::tool(),
        find_duplicates::tool(),
        line_count::tool(),
        compress::tool(),
        extract::tool(),
        list_archive::tool(),
        set_permissions::tool(),
        set_modified::tool(),
        temp_directory::tool(),
    ]
}

/// Parses a SHA-256 in hexadecimal digits from an argument.
fn digest_of(argument: &'static str, digits: &str) -> Result<[u8; 32], ToolError> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = digits.as_bytes().chunks_exact(2);
    let bytes: Option<Vec<u8>> = pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect();
    let digest = bytes.filter(|_| digits.len() == 64).and_then(|bytes| bytes.try_into().ok());
    digest.ok_or_else(|| {
        let found = print::shortened(digits, 80);
        ToolError::bad_argument(argument, format!("`{argument}` is no SHA-256 of 64 hexadecimal digits: `{found}`"))
            .hint("give `checksum` as `FS.ReadFile` or `FS.HashFile` had it")
    })
}

/// Checks the size of a file that is held in memory against `max_size_mb`.
fn check_size(path: &SandboxPath, size: u64, max_size_mb: i64) -> Result<(), ToolError> {
    if size <= (max_size_mb as u64) << 20 {
        return Ok(());
    }
    let shown = path.display();
    let message = format!("`{shown}` has {size} bytes, more than the {max_size_mb} MiB allowed");
    Err(ToolError::new(ToolCode::TooLarge, message).path(shown).hint("raise `max_size_mb`"))
}

/// Parses the name of an encoding from an argument.
fn encoding_of(argument: &'static str, name: &str) -> Result<Choice, ToolError> {
    Choice::find(name).ok_or_else(|| {
        let message = format!("`{argument}` is no encoding that is known: `{}`", print::shortened(name, 40));
        ToolError::bad_argument(argument, message)
            .hint("name one such as `utf-8`, `utf-16le`, `iso-8859-1`, `windows-1252`, `shift_jis`, `gb18030`")
    })
}

/// Encodes a text from an argument.
fn encoded<'a>(argument: &'static str, text: &'a str, charset: Charset) -> Result<Cow<'a, [u8]>, ToolError> {
    if charset == Charset::UTF_8 {
        return Ok(text.as_bytes().into());
    }
    let bytes = encode(text, charset).map_err(|Unencodable { character, line }| {
        let name = charset.name();
        let number = u32::from(character);
        let message = format!("`{}` (U+{number:04X}) on line {line} has no place in {name}", character.escape_debug());
        ToolError::new(ToolCode::Encoding, message)
            .argument(argument)
            .hint("write the file as `utf-8`, or replace the character")
    })?;
    Ok(bytes.into())
}

/// Returns the error for a path that ends in `/` where a file is expected.
fn no_file_path(path: &SandboxPath) -> ToolError {
    let message = format!("`{}/` names a directory, not a file", path.display());
    ToolError::new(ToolCode::IsADirectory, message).hint("leave out the `/` at the end")
}

/// Adds a note about the number of reserved entries that an operation left out.
fn note_left_out(context: &Context<'_>, count: u64, done: &str) {
    let entries = match count {
        0 => return,
        1 => "1 entry was".to_owned(),
        count => format!("{count} entries were"),
    };
    context.note(format!("{entries} not {done}: `.ns` and `neuroscript.toml` belong to NeuroScript itself"));
}

/// Adds a hint about how to replace what exists.
fn hint_at_overwriting(error: ToolError) -> ToolError {
    match error.code {
        ToolCode::AlreadyExists => error.hint("give `overwrite: true` to replace it, or choose another name"),
        _ => error,
    }
}

/// Decodes base64 from an argument.
fn base64_of(argument: &'static str, text: &str) -> Result<Vec<u8>, ToolError> {
    STANDARD.decode(text).map_err(|error| {
        let reason = match error {
            DecodeError::InvalidByte(position, byte) => {
                format!("`{}` stands at byte {position}", char::from(byte).escape_debug())
            }
            DecodeError::InvalidLastSymbol { .. } => "its last character has bits that belong to no byte".to_owned(),
            DecodeError::InvalidLength(length) => format!("it ends within a byte, after {length} characters"),
            DecodeError::InvalidPadding => "the `=` at its end are missing or too many".to_owned(),
        };
        ToolError::bad_argument(argument, format!("`{argument}` is not base64: {reason}"))
            .hint("give the standard alphabet with `=` at the end, without line breaks")
    })
}
