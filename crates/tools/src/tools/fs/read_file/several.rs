//! `FS.ReadFiles`: reads several text files in one call.

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, Effect, Example, Failure, Given, ListedPath, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::bulk::{self, GlobOptions, Item, ItemNames};
use super::Content;

const SPEC: Spec = Spec {
    name: "FS.ReadFiles",
    wire: "read_files",
    aliases: &[],
    keywords: &[
        "read files",
        "read several files",
        "read multiple files",
        "read_multiple_files",
        "cat files",
        "concat",
    ],
    summary: "Reads several text files",
    details: "Returns a list with a record for each file, in the order of `paths`, or of the paths that `glob` finds. \
        A record has `path`, `content`, `encoding`, `lineCount`, `sizeBytes`, `error` and `code`. Each file is read as \
        by `FS.ReadFile`, with the same arguments for all.\n\n\
        Memory: this call holds all texts at once; `FOR EACH` over the paths with `FS.ReadFile` holds one file at a \
        time.\n\n\
        Failures: the first file in this order that cannot be read fails the call. With `on_error: \"record\"` it gets \
        a record instead: `error` says why, `code` is the code of the error, and everything else but `path` is nil. In \
        all other records `error` and `code` are nil.\n\n\
        A `glob` finds files and links. `*` does not match `/`, `**` does. A name that begins with a dot needs one in \
        the pattern.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::TooLarge,
        ToolCode::NotText,
        ToolCode::InvalidArchive,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"one\\n\")\nMUST CALL FS.WriteFile(\"b.txt\", \"two\\nthree\\n\")\nFOR EACH file IN FS.ReadFiles(glob: \"*.txt\", max_lines: 1) DO\n  EMIT file.path, \": \", STR.Trim(file.content)\nEND",
        output: "a.txt: one\nb.txt: two\n",
    },
};

const RULE: PathRule = PathRule::INSIDE;

arguments! {
    struct Args {
        paths: Option<Vec<ListedPath>> = Absent, Kind::Paths(RULE, Access::Read), "files to read, from the sandbox root";
        glob: Option<Str> = Absent, Kind::Text, "pattern of the files to read, instead of `paths`";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the texts; detected when left out";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file that is read, in MiB";
        max_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines of each file at most; 0 for all";
        skip_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines to skip first";
        last_lines: i64 = Is(Literal::Int(0)), Kind::at_least(0), "lines from the end instead; 0 for all";
        line_numbers: bool = Is(Literal::Bool(false)), Kind::Bool, "whether lines begin with their number and a tab";
        decompress: bool = Is(Literal::Bool(false)), Kind::Bool, "whether files in gzip, zstd, xz and bzip2 are decompressed";
        on_error: Str = Is(Literal::Text("fail")), Kind::Word(&["fail", "record"]), "a file that cannot be read fails the call, or gets a record with its `error`";
    }
}

/// One file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    /// The path as given or found.
    path: String,
    /// The text; nil if the file could not be read, as are the next three.
    content: Option<String>,
    /// The encoding that was used.
    encoding: Option<String>,
    /// Lines in `content`.
    line_count: Option<usize>,
    /// Bytes of the whole file.
    size_bytes: Option<u64>,
    /// Why the file could not be read: a sentence; else nil.
    error: Option<String>,
    /// The code of the error; else nil.
    code: Option<&'static str>,
}

/// Bytes of a row and its value, without its texts.
const ROW_BYTES: usize = 512;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    bulk::check_several(given, SPEC.name)?;
    super::check_lines(given)?;
    match given.text("encoding").flatten() {
        Some(name) if name.eq_ignore_ascii_case("base64") => {
            let error = ToolError::bad_argument("encoding", "`base64` is no encoding of texts");
            Err(error.hint("read a binary file with `FS.ReadFile`"))
        }
        Some(name) => super::super::encoding_of("encoding", &name).map(drop),
        None => Ok(()),
    }
}

fn run(context: &mut Context<'_>, mut args: Args) -> Result<Vec<Row>, ToolError> {
    let fails = &*args.on_error.as_text() == "fail";
    let names = ItemNames { paths: args.paths.take(), glob: args.glob.take() };
    let items = names.items(context, GlobOptions { directories: false, rule: RULE, access: Access::Read })?;
    let all = items.list.len();
    context.admit_files(all as u64).map_err(|error| error.argument(items.argument))?;
    context.spend(all)?;
    let mut rows = Vec::with_capacity(all);
    let mut bytes = 0;
    for Item { name, place, .. } in items.list {
        context.meter.poll()?;
        context.meter.reach(rows.len() as u64, all as u64);
        let content = place.and_then(|path| super::run(context, args.of_one(path)));
        let content = content.map_err(|error| bulk::of_item(error, &name, items.argument));
        let row = match content {
            Err(error) if fails || error.limit.is_some() => return Err(bulk::hint_at_rest(error, "read")),
            content => Row::of(name, content),
        };
        bytes += row.bytes();
        space::check(bytes)?;
        rows.push(row);
    }
    Ok(rows)
}

impl Args {
    /// Returns the arguments of `FS.ReadFile` for one of the files.
    fn of_one(&self, path: SandboxPath) -> super::Args {
        super::Args {
            path,
            encoding: self.encoding.clone(),
            max_size_mb: self.max_size_mb,
            max_lines: self.max_lines,
            skip_lines: self.skip_lines,
            checksum: Some(false),
            decompress: self.decompress,
            entry: None,
            last_lines: self.last_lines,
            line_numbers: self.line_numbers,
        }
    }
}

impl Row {
    fn of(path: String, content: Result<Content, ToolError>) -> Row {
        match content {
            Ok(content) => Row {
                path,
                content: Some(content.content),
                encoding: Some(content.encoding),
                line_count: Some(content.line_count),
                size_bytes: Some(content.size_bytes),
                error: None,
                code: None,
            },
            Err(error) => Row {
                path,
                content: None,
                encoding: None,
                line_count: None,
                size_bytes: None,
                error: Some(error.message),
                code: Some(error.code.id()),
            },
        }
    }

    /// Returns the memory that the row takes, and its value.
    fn bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        ROW_BYTES + 2 * (self.path.len() + text(&self.content) + text(&self.error))
    }
}
