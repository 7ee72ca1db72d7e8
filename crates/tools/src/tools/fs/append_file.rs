//! `FS.AppendFile`: docs/specs/file_system_tool.md, "What file operations should be supported beyond
//! basic read/write?"

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Str;

use super::encoding::{Charset, Choice};
use super::operation::Operation;
use super::original::{FileEdit, Original};

const SPEC: Spec = Spec {
    name: "FS.AppendFile",
    wire: "append_file",
    aliases: &["FS.Append"],
    keywords: &[
        "append to file",
        "append",
        "add line",
        "appendFileSync",
        "append line",
        "log to file",
        "merge files",
        "concatenate files",
    ],
    summary: "Appends a text to a file, whole or not at all",
    details: "Adds the text and replaces the file in one step: a reader or a crash sees the old or the new file, and \
        what others append at the same moment is not lost. Missing files and directories are created. The result has \
        `sizeBytes`, `appendedBytes`, `checksum` and `encoding`.\n\n\
        The text is added as it is: no line end is added or changed. An empty text changes nothing.\n\n\
        Encoding: the text gets the encoding of the file, found as by `FS.ReadFile`: a byte order mark decides, then \
        `encoding`, then UTF-8, then a guess. A character that the encoding lacks is an error, and the file stays. A \
        new file is in `encoding`, or in UTF-8; `utf-16` begins with a byte order mark. `encoding: \"base64\"` adds \
        the decoded bytes, to any file.\n\n\
        Owner and permission bits are kept as by `FS.WriteFile`. Other hard links keep the old content (`otherNames`). \
        `if_match` is as in `FS.WriteFile`, `max_size_mb` as in `FS.ReadFile`.\n\n\
        Backup: the old file is kept below `.ns/backups`; with `create_backup: false` the result does not name it, and \
        only `ns undo` restores it.",
    effect: Effect::Adds,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::TooLarge,
        ToolCode::NotText,
        ToolCode::Encoding,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.AppendFile(\"log.txt\", \"one\\n\")\nSET result = FS.AppendFile(\"log.txt\", \"two\\n\")\nEMIT result.success, \" \", result.sizeBytes",
        output: "true 8\n",
    },
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.creating(), Access::Change), "file to add to, from the sandbox root";
        content | text: Str = Required, Kind::Content, "text to add";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the file, or `base64`; detected, or UTF-8, when left out";
        create_backup: bool = Is(Literal::Bool(true)), Kind::Bool, "whether the result names the backup";
        if_match: Option<Str> = Absent, Kind::Text, "SHA-256 (hexadecimal) that the file must have";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file that is added to, in MiB";
    }
}

/// FileOperationResult, and data about the new content.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Appended {
    #[serde(flatten)]
    operation: Operation,
    /// The encoding that was used.
    encoding: String,
    /// Bytes that were added.
    appended_bytes: u64,
    /// SHA-256 of the new content, hexadecimal.
    checksum: String,
}

/// The escape sequence that ends an ISO-2022-JP text whose last character is not ASCII.
const TO_ASCII: &[u8] = b"\x1b(B";

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    given.text("if_match").flatten().map_or(Ok(()), |digits| super::digest_of("if_match", &digits).map(drop))?;
    given.text("encoding").flatten().map_or(Ok(()), |name| super::encoding_of("encoding", &name).map(drop))
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Appended, ToolError> {
    let path = &args.path;
    let asked = args.encoding.as_ref().map(|name| super::encoding_of("encoding", &name.as_text())).transpose()?;
    let if_match = args.if_match.map(|digits| super::digest_of("if_match", &digits.as_text())).transpose()?;
    let text = args.content.as_text();
    space::check(4 * text.len())?;
    let changing = FileEdit {
        path,
        max_size_mb: args.max_size_mb,
        reports_backup: args.create_backup,
        if_match,
        is_dry_run: false,
        change: None,
    };
    let done = changing.run(context, |context, old| {
        context.spend_text(text.len())?;
        let (more, encoding) = added(&text, old, path, asked)?;
        let mut bytes = old.map(|old| old.bytes.clone()).unwrap_or_default();
        // Two consecutive escape sequences are malformed, so the last one of the old content is dropped before
        // another.
        if encoding == "iso-2022-jp" && more.starts_with(b"\x1b") && bytes.ends_with(TO_ASCII) {
            bytes.truncate(bytes.len() - TO_ASCII.len());
        }
        bytes.extend_from_slice(&more);
        Ok((bytes, (encoding, more.len() as u64)))
    })?;
    let operation = done.operation("append", path);
    let (encoding, appended_bytes) = done.about;
    let checksum = super::hex(&Sha256::digest(&done.bytes));
    Ok(Appended { operation, encoding, appended_bytes, checksum })
}

/// Returns the bytes to append, and the name of their encoding.
fn added(
    text: &str,
    old: Option<&Original>,
    path: &SandboxPath,
    asked: Option<Choice>,
) -> Result<(Vec<u8>, String), ToolError> {
    let charset = match (old.filter(|old| !old.bytes.is_empty()), asked) {
        (_, Some(Choice::Base64)) => return Ok((super::base64_of("content", text)?, "base64".to_owned())),
        (None, Some(Choice::Text(charset))) => charset,
        (None, _) => Charset::UTF_8,
        (Some(old), asked) => old.charset(path, asked)?.charset,
    };
    if charset.has_units_of_two() && old.is_some_and(|old| old.bytes.len() % 2 == 1) {
        let message = format!("`{}` ends in the middle of a character of {}", path.display(), charset.name());
        return Err(ToolError::new(ToolCode::Encoding, message)
            .path(path.display())
            .hint("name the encoding that the file is in"));
    }
    Ok((super::encoded("content", text, charset)?.into_owned(), charset.name()))
}
