//! `FS.ReadFile`: docs/specs/file_system_tool.md, "Read File Operation".

mod reading;
mod selection;
pub mod several;

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{Metadata, OpenFile, PathRule, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Str;
use crate::value::time::rfc3339;

use super::super::mime;
use super::archive::{Budget, Entry, OnUnsafe, OpenArchive};
use super::decompress::{Bounds, Compression};
use super::encoding::Choice;
use super::source::{Origin, Source, SourceOptions};
use reading::{Failed, Reading};

const SPEC: Spec = Spec {
    name: "FS.ReadFile",
    wire: "read_file",
    aliases: &["FS.Read"],
    keywords: &[
        "read",
        "open",
        "load",
        "cat",
        "file_get_contents",
        "readFileSync",
        "read_text",
        "read_to_string",
        "slurp",
        "head of file",
        "tail of file",
        "os.ReadFile",
        "File.read",
        "ReadAllText",
        "head",
        "io.open",
        "Get-Content",
        "zcat",
        "gunzip -c",
        "gzip.open",
        "read gzip",
        "zstdcat",
        "xzcat",
        "bzcat",
        "lzma.open",
        "bz2.open",
        "read compressed",
        "zlib.gunzipSync",
        "unzip -p",
        "ZipFile.read",
        "extractfile",
    ],
    summary: "Reads a text file, or any file as base64",
    details: "Returns a map with the text of the file, or of some of its lines, and what is known about the file:\n\n\
        - `content`, `lineCount`: the text that is returned, without a byte order mark, and the number of its lines.\n\
        - `encoding`, `byteOrderMark`: the encoding that was used, and whether the file begins with a byte order \
        mark.\n\
        - `malformed`: true if bytes stood for no character; they become U+FFFD.\n\
        - `sizeBytes`, `lastModified`, `checksum` (SHA-256, hexadecimal): of the whole file. For a part of the lines, \
        `checksum` is nil unless `checksum: true` asks for it.\n\
        - `mimeType`: type of the file, by its content, else by its name.\n\
        - `compression`: `gzip`, `zstd`, `xz` or `bzip2` if the content was decompressed, else nil.\n\n\
        Encoding: a byte order mark decides. Without one, the file is in `encoding` or, if that is left out, UTF-8; if \
        it is not UTF-8, it is in the encoding that an XML declaration in the first line names, or the encoding is \
        guessed from the bytes. `auto` does so at once. Few bytes can mislead the \
        guess, so name the encoding if it is known. All names of the WHATWG Encoding Standard are accepted; \
        `iso-8859-1` (`latin-1`) is true Latin-1. To write the text back with its mark if `byteOrderMark` is true, \
        give `FS.WriteFile` the same `encoding` and `\"\\u{FEFF}\" + text`.\n\n\
        Binary files (NUL bytes, or a known signature) are refused as text; `encoding: \"base64\"` reads them.\n\n\
        Lines: `max_lines` and `skip_lines` select lines, and no more of the file than these is held in memory. \
        `last_lines` selects lines from the end instead. Lines keep their ends (LF, CRLF or CR). With `line_numbers` \
        each line begins with its number in the file, right-aligned to six places, and a tab. `FS.Lines` reads all \
        lines in a loop.\n\n\
        Compression: with `decompress`, a file in gzip, zstd, xz or bzip2 is read as its decompressed content, all \
        members one after another, and any other file as it is, whatever its name. `content`, the lines and `max_size_mb` then refer to the decompressed \
        bytes, `sizeBytes` and `checksum` still to the file.\n\n\
        Archives: `entry` is the path of a file in a zip, tar or compressed tar archive, and everything refers to that \
        file; `FS.ListArchive` lists the paths. Each call checks the whole archive; for many files, `FS.Extract` with \
        `only` is faster.",
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
        ToolCode::InvalidArchive,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"note.txt\", \"one\\ntwo\\n\")\nSET file = FS.ReadFile(\"note.txt\", max_lines: 1)\nEMIT file.lineCount, \" \", file.content",
        output: "1 one\n\n",
    },
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "file to read, from the sandbox root";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the text, or `base64`; detected when left out";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file that is read, in MiB";
        max_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines at most; 0 for all";
        skip_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines to skip first";
        checksum: Option<bool> = Absent, Kind::Bool, "whether to compute it; when left out, if all lines are read";
        decompress: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a file in gzip, zstd, xz or bzip2 is decompressed";
        entry: Option<Str> = Absent, Kind::Text, "file to read in this archive";
        last_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines from the end instead; 0 for all";
        line_numbers: bool = Is(Literal::Bool(false)), Kind::Bool, "whether lines begin with their number and a tab";
    }
}

/// FileContentResult.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Content {
    /// The text, or the bytes as base64.
    content: String,
    /// The encoding that was used.
    encoding: String,
    /// Bytes of the whole file.
    size_bytes: u64,
    /// Lines returned.
    line_count: usize,
    /// Last change, RFC 3339, UTC.
    last_modified: Option<String>,
    /// SHA-256 of the whole file, hexadecimal.
    checksum: Option<String>,
    /// The kind of the file by its content, else by its name.
    mime_type: String,
    /// Bytes stood for no character.
    malformed: bool,
    /// The file begins with a byte order mark, which is not in `content`.
    byte_order_mark: bool,
    /// `gzip`, `zstd`, `xz` or `bzip2` if the content was decompressed.
    compression: Option<&'static str>,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

/// Checks that the encoding is known, and that lines are requested only from texts.
fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    check_lines(given)?;
    let Some(Some(name)) = given.text("encoding") else { return Ok(()) };
    let choice = super::encoding_of("encoding", &name)?;
    for argument in ["max_lines", "skip_lines", "last_lines"] {
        if choice == Choice::Base64 && given.int(argument).flatten().is_some_and(|lines| lines > 0) {
            let message = format!("`{argument}` is for texts, and base64 has no lines");
            return Err(ToolError::bad_argument(argument, message).hint("leave it out"));
        }
    }
    if choice == Choice::Base64 && given.truth("line_numbers").flatten() == Some(true) {
        let message = "`line_numbers` is for texts, and base64 has no lines";
        return Err(ToolError::bad_argument("line_numbers", message).hint("leave it out"));
    }
    Ok(())
}

/// Checks that lines are requested from one end only.
fn check_lines(given: &Given<'_>) -> Result<(), ToolError> {
    let count = |argument: &str| given.int(argument).flatten().unwrap_or(0);
    if count("last_lines") > 0
        && let Some(other) = ["max_lines", "skip_lines"].into_iter().find(|other| count(other) > 0)
    {
        let message = format!("`last_lines` and `{other}` contradict each other");
        return Err(ToolError::bad_argument("last_lines", message).hint("give one of them"));
    }
    Ok(())
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Content, ToolError> {
    let at_path = |error: ToolError| error.argument("path").path(args.path.display());
    let Subject { origin, size, modified, name, metadata } = subject(context, &args)?;
    let all = args.max_lines == 0 && args.skip_lines == 0 && args.last_lines == 0;
    let bounds = Bounds::of(context.meter);
    let options =
        SourceOptions { checksum: args.checksum.unwrap_or(all), decompress: args.decompress, bounds, most: None };
    let source = super::check_size(&args.path, size, args.max_size_mb).and_then(|()| {
        Source::new(origin, options).map_err(|error| SandboxError::io(args.path.display(), &error).into())
    });
    let source = source.map_err(at_path)?;
    let mut reading = Reading::new(&args, source, metadata);
    let taken = reading.run(context).map_err(|error| match error {
        Failed::Sandbox(error) => at_path(error.into()),
        Failed::Tool(error) if error.limit.is_none() && error.argument.is_none() => at_path(error),
        Failed::Tool(error) => error,
        Failed::NotUtf8 => unreachable!("a file that is not UTF-8 is read in the encoding that was found"),
    })?;
    let Reading { mut source, start, .. } = reading;
    let format = source.format();
    Ok(Content {
        content: taken.text,
        encoding: taken.encoding,
        size_bytes: source.size().unwrap_or(size),
        line_count: taken.lines,
        last_modified: modified.map(|seconds| rfc3339(seconds).into()),
        checksum: source.checksum(),
        mime_type: mime_type(&start, format.map_or(&*name, |format| format.stem(&name)), taken.is_text),
        malformed: taken.malformed,
        byte_order_mark: taken.has_mark,
        compression: format.map(Compression::name),
    })
}

/// The file to read, or the file of an archive.
struct Subject {
    origin: Origin,
    size: u64,
    /// Seconds since 1970.
    modified: Option<i64>,
    name: String,
    /// The metadata of a file that is no archive.
    metadata: Option<Metadata>,
}

fn subject(context: &mut Context<'_>, args: &Args) -> Result<Subject, ToolError> {
    let path = &args.path;
    let at_path = |error: ToolError| match error.argument {
        None => error.argument("path").path(path.display()),
        Some(_) => error,
    };
    let open = context.open(path).map_err(at_path)?;
    let Some(entry) = &args.entry else {
        let OpenFile { file, metadata } = open;
        return Ok(Subject {
            origin: Origin::File(file),
            size: metadata.size,
            modified: metadata.modified.map(|time| time.seconds),
            name: path.display().to_owned(),
            metadata: Some(metadata),
        });
    };
    let budget = Budget::for_looking(open.metadata.size, context);
    let archive = OpenArchive::new(path, open, budget);
    let plan = archive.plan(context, OnUnsafe::Refuse).map_err(|error| match error.code {
        ToolCode::TooLarge => at_path(error.hint("unpack a part of it with `FS.Extract` and `only`")),
        _ => at_path(error),
    })?;
    let found = archive.entry(&plan, &entry.as_text(), path.display()).map_err(at_path)?;
    let Entry { name, size, modified, .. } = found.entry.clone();
    Ok(Subject { origin: Origin::Entry(Box::new(found)), size, modified, name, metadata: None })
}

fn mime_type(start: &[u8], name: &str, is_text: bool) -> String {
    let by_content = mime::of_bytes(start).filter(|_| !is_text);
    by_content.map(str::to_owned).unwrap_or_else(|| {
        let fallback = if is_text { "text/plain" } else { "application/octet-stream" };
        mime_guess::from_path(name).first_raw().unwrap_or(fallback).to_owned()
    })
}
