//! Tools that work on files and folders in the sandbox.

mod archive;
mod compress;
mod copy_file;
mod create_directory;
mod delete_file;
mod diff;
mod diff_files;
mod encoding;
mod exists;
mod extract;
mod file_info;
mod find_files;
mod glob;
mod hash_file;
mod lines;
mod list_dir;
mod list_directory;
mod move_file;
mod operation;
mod read_file;
mod restore_backup;
mod search_files;
mod set_permissions;
mod temp_directory;
mod walk_dir;
mod write_file;

use crate::text::hex;
use crate::toolkit::{Tool, ToolError};
use crate::value::print;

use encoding::Choice;

/// The tools of this folder, in the order of listings.
pub fn tools() -> Vec<Tool> {
    vec![
        walk_dir::tool(),
        list_directory::tool(),
        list_dir::tool(),
        move_file::tool(),
        read_file::tool(),
        write_file::tool(),
        create_directory::tool(),
        copy_file::tool(),
        delete_file::tool(),
        restore_backup::tool(),
        file_info::tool(),
        exists::tool(),
        find_files::tool(),
        search_files::tool(),
        diff_files::tool(),
        hash_file::tool(),
        compress::tool(),
        extract::tool(),
        set_permissions::tool(),
        temp_directory::tool(),
    ]
}

/// The SHA-256 that an argument gives in hexadecimal digits.
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

/// The encoding of a name that an argument gives.
fn encoding_of(argument: &'static str, name: &str) -> Result<Choice, ToolError> {
    Choice::find(name).ok_or_else(|| {
        let message = format!("`{argument}` is no encoding that is known: `{}`", print::shortened(name, 40));
        ToolError::bad_argument(argument, message)
            .hint("name one such as `utf-8`, `utf-16le`, `iso-8859-1`, `windows-1252`, `shift_jis`, `gb18030`")
    })
}
