//! `FS.WriteFile`: docs/specs/file_system_tool.md, no backups so far.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::limits::space;
use crate::sandbox::{PathRule, Replace, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Context, Effect, Example, Failure, Given, Risk, Settings, Spec, Tool, ToolError, arguments};
use crate::value::Str;

use super::encoding::{Charset, Choice, Unencodable, encode};
use super::operation::Operation;

const SPEC: Spec = Spec {
    name: "FS.WriteFile",
    wire: "write_file",
    aliases: &["TOOL.WriteFile"],
    summary: "Writes a text file, whole or not at all",
    details: "The text is written to a new file, synced and renamed into place, so that a reader or a crash \
        sees the old file or the new one. Missing directories are made. A file that is replaced leaves its permission \
        bits. With `overwrite: false` an existing file is an error, also in a race. `encoding` \
        takes the names that `FS.ReadFile` knows; `utf-16` begins with a byte order mark, `base64` writes the bytes that \
        the text stands for. A character that the encoding lacks is an error, and the old file stays. The old content \
        is not kept.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::AlreadyExists,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::Encoding,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "SET result = FS.WriteFile(\"out/note.txt\", \"hello\")\nEMIT result.success, \" \", result.sizeBytes",
        output: "true 5\n",
    },
};

arguments! {
    struct Args {
        file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.creating(), Access::Change), "file to write, from the sandbox root";
        content: Str = Required, Kind::Content, "text to write";
        encoding: Str = Is(Literal::Text("utf-8")), Kind::Text, "encoding of the file";
        overwrite: bool = Is(Literal::Bool(true)), Kind::Bool, "whether an existing file is replaced";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    given.text("encoding").flatten().map_or(Ok(()), |name| encoding(&name).map(drop))
}

fn encoding(name: &str) -> Result<Choice, ToolError> {
    match super::encoding_of("encoding", name)? {
        Choice::Auto => {
            Err(ToolError::bad_argument("encoding", "`auto` is for reading alone").hint("name an encoding"))
        }
        choice => Ok(choice),
    }
}

/// The bytes of the file.
fn bytes_of(content: &str, choice: Choice) -> Result<Cow<'_, [u8]>, ToolError> {
    let charset = match choice {
        Choice::Base64 => {
            let bytes = STANDARD
                .decode(content)
                .map_err(|error| ToolError::bad_argument("content", format!("`content` is not base64: {error}")))?;
            return Ok(bytes.into());
        }
        Choice::Text(charset) if charset != Charset::UTF_8 => charset,
        Choice::Auto | Choice::Text(_) => return Ok(content.as_bytes().into()),
    };
    let bytes = encode(content, charset).map_err(|Unencodable { character, line }| {
        let name = charset.name();
        let number = u32::from(character);
        let message = format!("`{}` (U+{number:04X}) on line {line} has no place in {name}", character.escape_debug());
        ToolError::new(ToolCode::Encoding, message)
            .argument("content")
            .hint("write the file as `utf-8`, or replace the character")
    })?;
    Ok(bytes.into())
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let path = &args.file_path;
    let at_path = |error: ToolError| error.argument("file_path").path(path.shown());
    if path.is_root() || path.wants_folder() {
        let error = if path.is_root() {
            SandboxError::RootItself("written")
        } else {
            SandboxError::IsAFolder(path.shown().to_owned())
        };
        return Err(at_path(error.into()));
    }
    let text = args.content.as_text();
    space::check(2 * text.len())?;
    let content = bytes_of(&text, encoding(&args.encoding.as_text())?)?;
    let change = context.begin_change(1)?;
    context.begin_write(path, content.len() as u64, content.len() as u64).map_err(at_path)?;
    let replace = if args.overwrite { Replace::Yes } else { Replace::No };
    path.write_file(&content, replace, &change).map_err(|error| at_path(error.into()))?;
    Ok(Operation::done("write", path.shown(), Some(content.len() as u64)))
}
