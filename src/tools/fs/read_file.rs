//! `FS.ReadFile`: docs/specs/file_system_tool.md, UTF-8 texts so far.

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::limits::space;
use crate::sandbox::{PathRule, ReadError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Context, Effect, Example, Failure, Risk, Spec, Tool, ToolError, arguments};
use crate::value::time::rfc3339;

const SPEC: Spec = Spec {
    name: "FS.ReadFile",
    wire: "read_file",
    aliases: &[],
    summary: "Reads a text file",
    details: "The text is UTF-8; a byte order mark is left out and bytes that are not UTF-8 become U+FFFD. Files with \
        NUL bytes are refused. `max_lines` and `skip_lines` cut out lines, which keep their line ends. `sizeBytes`, \
        `lastModified` and `checksum` (SHA-256, hexadecimal) are of the whole file, `lineCount` of what is returned.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::PermissionDenied,
        ToolCode::TooLarge,
        ToolCode::NotText,
        ToolCode::IoError,
    ],
    example: Example {
        script: "CALL FS.WriteFile(\"note.txt\", \"one\\ntwo\\n\")\nSET file = FS.ReadFile(\"note.txt\", max_lines: 1)\nEMIT file.lineCount, \" \", file.content",
        output: "1 one\n\n",
    },
};

arguments! {
    struct Args {
        file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE), "file to read, from the sandbox root";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file that is read, in MiB";
        max_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines to return at most; 0 for all";
        skip_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines to leave out at the beginning";
    }
}

/// FileContentResult.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Content {
    /// The text.
    content: String,
    /// The encoding that was used.
    encoding: &'static str,
    /// Bytes of the whole file.
    size_bytes: u64,
    /// Lines returned.
    line_count: usize,
    /// Last change, RFC 3339, UTC.
    last_modified: Option<String>,
    /// SHA-256 of the whole file, hexadecimal.
    checksum: String,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Content, ToolError> {
    let limit = (args.max_size_mb as u64) << 20;
    let at_path = |error: ToolError| error.argument("file_path").path(args.file_path.shown());
    let (bytes, metadata) = args.file_path.read_bytes(limit).map_err(|error| {
        at_path(match error {
            ReadError::Sandbox(error) => error.into(),
            ReadError::TooLarge { size } => {
                let message = format!(
                    "`{}` has {size} bytes, more than the {} MiB allowed",
                    args.file_path.shown(),
                    args.max_size_mb
                );
                ToolError::new(ToolCode::TooLarge, message).hint("raise `max_size_mb`")
            }
        })
    })?;
    if bytes.contains(&0) {
        let message = format!("`{}` is binary, not text", args.file_path.shown());
        return Err(at_path(ToolError::new(ToolCode::NotText, message)));
    }
    space::check(bytes.len())?;
    context.spend_text(bytes.len())?;
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes));
    let (content, line_count) = slice(&text, args.skip_lines as usize, args.max_lines as usize);
    Ok(Content {
        content: content.to_owned(),
        encoding: "utf-8",
        size_bytes: metadata.size,
        line_count,
        last_modified: metadata.modified.map(|time| rfc3339(time.seconds).into()),
        checksum: super::hex(&Sha256::digest(&bytes)),
    })
}

/// The lines after the first `skip`, at most `most` unless it is 0, and how many they are.
fn slice(text: &str, skip: usize, most: usize) -> (&str, usize) {
    let mut rest = text;
    for _ in 0..skip {
        rest = &rest[line_length(rest)..];
    }
    let (mut length, mut lines) = (0, 0);
    while length < rest.len() && (most == 0 || lines < most) {
        length += line_length(&rest[length..]);
        lines += 1;
    }
    (&rest[..length], lines)
}

/// Bytes of the first line, its LF, CRLF or CR included.
fn line_length(text: &str) -> usize {
    match text.find(['\n', '\r']) {
        None => text.len(),
        Some(at) if text[at..].starts_with("\r\n") => at + 2,
        Some(at) => at + 1,
    }
}
