//! The operations of a chain: decoding from bytes, and conversion to script lines or call arguments.

use serde_json::{Value, json};

/// Paths, few enough for collisions: files with several names, links, directories, odd characters, and paths that do
/// not exist at first.
const NAMES: [&str; 20] = [
    "a", "b c", "d", "d/e", "d/e/f g", "d/\u{e9}", "d/b2", "h", "h/a3", "l", "d/l", "dangling", "n", "n/m", "d/n",
    "d/e/a2", "p", "quo\"te", "h/x", "h/d",
];
/// Destination directories of extracted archives and of several copied files.
const DIRECTORIES: [&str; 6] = ["d", ".", "h", "n", "d/e", "new/deep"];
const MODES: [&str; 4] = ["600", "755", "750", "700"];
/// An archive that exists in the tree of every chain.
pub const ARCHIVE: &str = "z.tar.gz";

/// An operation: a tool and its arguments.
#[derive(Clone, Debug)]
pub struct Operation {
    pub tool: &'static str,
    arguments: Vec<(&'static str, Argument)>,
    /// Whether a script writes the file in a temporary directory and moves it to its path.
    is_moved_out: bool,
}

/// An argument of an operation.
#[derive(Clone, Debug)]
enum Argument {
    Literal(Value),
    /// The backup that the previous operation left, or a path without a backup.
    LastBackup,
}

impl Operation {
    /// Decodes four bytes.
    pub fn decode(bytes: &[u8]) -> Operation {
        let name = |at: usize| NAMES[usize::from(bytes[at]) % NAMES.len()];
        let directory = DIRECTORIES[usize::from(bytes[2]) % DIRECTORIES.len()];
        let text = "x".repeat(usize::from(bytes[3] % 40));
        let call = match bytes[0] % 25 {
            0..3 => ("FS.WriteFile", vec![("file_path", json!(name(1))), ("content", json!(text))]),
            3 | 4 => ("FS.AppendFile", vec![("file_path", json!(name(1))), ("content", json!(text))]),
            5 => edit(name(1)),
            6 => ("FS.CreateDirectory", vec![("directory_path", json!(name(1)))]),
            7..11 => ("FS.MoveFile", vec![("source", json!(name(1))), ("destination", json!(name(2)))]),
            11..13 => copy(name(1), name(2)),
            13..16 => ("FS.DeleteFile", vec![("path", json!(name(1))), ("recursive", json!(true))]),
            16 => attribute(name(1), bytes[2]),
            17 | 18 => extract(directory),
            19 => ("FS.Compress", vec![("source_path", json!(name(1))), ("destination_path", json!("n.zip"))]),
            20 => copy_several([name(1), name(3)], directory, bytes[2] >= 128),
            21 => delete_several([name(1), name(3)], bytes[2] >= 128),
            22 => return Operation::restore(),
            23 => return Operation::move_out(name(1), &text),
            _ => ("FS.WriteFile", vec![("file_path", json!(name(1))), ("content", json!(text)), OVERWRITE_NOT]),
        };
        Operation::of(call)
    }

    /// Makes an operation of a call.
    pub fn of((tool, arguments): Call) -> Operation {
        let arguments = arguments.into_iter().map(|(name, value)| (name, Argument::Literal(value))).collect();
        Operation { tool, arguments, is_moved_out: false }
    }

    /// Makes an operation that restores the last backup.
    pub fn restore() -> Operation {
        let arguments = vec![("backup_path", Argument::LastBackup)];
        Operation { tool: "FS.RestoreBackup", arguments, is_moved_out: false }
    }

    fn move_out(path: &str, text: &str) -> Operation {
        let arguments = vec![("file_path", json!(path)), ("content", json!(text)), OVERWRITE_NOT];
        Operation { is_moved_out: true, ..Operation::of(("FS.WriteFile", arguments)) }
    }

    /// Returns the arguments of a call, given the last backup.
    pub fn arguments(&self, last_backup: &str) -> Value {
        let value = |argument: &Argument| match argument {
            Argument::Literal(value) => value.clone(),
            Argument::LastBackup => json!(last_backup),
        };
        Value::Object(self.arguments.iter().map(|(name, argument)| ((*name).to_owned(), value(argument))).collect())
    }

    /// Returns the script lines of the operation, which may fail.
    pub fn script(&self) -> String {
        if let (true, [(_, Argument::Literal(path)), (_, Argument::Literal(text)), ..]) =
            (self.is_moved_out, &self.arguments[..])
        {
            return format!(
                "SET temporary = FS.TempDirectory()[\"path\"]\n\
                 MUST CALL FS.WriteFile(temporary + \"/x\", {text})\n\
                 SET result = FS.MoveFile(temporary + \"/x\", {path})\n"
            );
        }
        let argument = |(name, argument): &(&str, Argument)| match argument {
            Argument::Literal(value) => format!("{name}: {value}"),
            Argument::LastBackup => format!("{name}: backup"),
        };
        let arguments: Vec<String> = self.arguments.iter().map(argument).collect();
        let call = format!("SET result = {}({})", self.tool, arguments.join(", "));
        format!("{call}\nSET backup = MAP.Get(result, \"backupPath\", backup)\n")
    }
}

/// A well-formed backup path at which there is no backup.
pub const NO_BACKUP: &str = ".ns/backups/a/20200101T000000.000000Z-00000000";

const OVERWRITE_NOT: (&str, Value) = ("overwrite", Value::Bool(false));

/// A tool and its arguments.
pub type Call = (&'static str, Vec<(&'static str, Value)>);

pub fn edit(path: &str) -> Call {
    let texts = [("old_text", json!("x")), ("new_text", json!("yz")), ("replace_all", json!(true))];
    ("FS.EditFile", [("file_path", json!(path))].into_iter().chain(texts).collect())
}

pub fn copy(from: &str, to: &str) -> Call {
    let options = [("recursive", json!(true)), ("overwrite", json!(true))];
    let places = [("source_path", json!(from)), ("destination_path", json!(to))];
    ("FS.CopyFile", places.into_iter().chain(options).collect())
}

/// Sets permission bits or, for the upper half of the choices, a modification time.
fn attribute(path: &str, choice: u8) -> Call {
    if choice >= 128 {
        let time = format!("2024-05-01T12:30:00.{choice}Z");
        return ("FS.SetModified", vec![("path", json!(path)), ("time", json!(time))]);
    }
    let mode = MODES[usize::from(choice) % MODES.len()];
    ("FS.SetPermissions", vec![("path", json!(path)), ("mode", json!(mode))])
}

pub fn extract(directory: &str) -> Call {
    ("FS.Extract", vec![("archive_path", json!(ARCHIVE)), ("destination_path", json!(directory))])
}

pub fn copy_several(paths: [&str; 2], directory: &str, all_or_nothing: bool) -> Call {
    let options = [("recursive", true), ("overwrite", true), ("all_or_nothing", all_or_nothing)];
    let options = options.map(|(name, value)| (name, json!(value)));
    let places = [("paths", json!(paths)), ("destination_path", json!(directory))];
    ("FS.CopyFile", places.into_iter().chain(options).collect())
}

fn delete_several(paths: [&str; 2], all_or_nothing: bool) -> Call {
    let options = [("recursive", json!(true)), ("all_or_nothing", json!(all_or_nothing))];
    ("FS.DeleteFile", [("paths", json!(paths))].into_iter().chain(options).collect())
}
