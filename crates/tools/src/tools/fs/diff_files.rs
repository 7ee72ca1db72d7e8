//! `FS.DiffFiles`: docs/specs/file_system_tool.md, "Clarifying Questions".

use std::io::{self, Read, Seek};

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::limits::MeteredVec;
use crate::sandbox::{OpenFile, PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::diff::{Diff, Sides, unified};
use super::encoding::{Choice, Decoded, decode_whole};

const SPEC: Spec = Spec {
    name: "FS.DiffFiles",
    wire: "diff_files",
    aliases: &[],
    keywords: &["diff", "compare files", "difflib", "unified diff", "compare"],
    summary: "Compares two text files, in the unified diff format",
    details: "Returns a map with the differences as `diff`, and the numbers of lines `added` and `removed`. `diff` is \
        the unified format that `git diff` and `diff -u` print and that patch programs read: lines that only `source` \
        has begin with `-`, lines that only `destination` has with `+`, and `context_lines` lines are shown around \
        them.\n\n\
        `identical` compares the bytes: texts that differ only in encoding or byte order mark are not identical, and \
        their `diff` is empty. Binary files are compared too, and have no `diff`.\n\n\
        Lines: a line ends in LF, and a CR before it belongs to the line. `\\ No newline at end of file` follows a \
        last line without an end. Encodings are found as by `FS.ReadFile`, for each file on its own.\n\n\
        Files are compared line by line (Myers). If more than 400,000 lines remain after the common beginning and end, \
        they are shown as one removed and one added block.",
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
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a\", \"one\\ntwo\\n\")\nMUST CALL FS.WriteFile(\"b\", \"one\\n2\\n\")\nEMIT FS.DiffFiles(\"a\", \"b\").diff",
        output: "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\n",
    },
};

arguments! {
    struct Args {
        source | a_path | a: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "old file, from the sandbox root";
        destination | b_path | b: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "new file, from the sandbox root";
        context_lines: i64 = Is(Literal::Int(3)), Kind::Int { min: 0, max: 100_000 }, "lines around each change";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of both files, or `auto`; UTF-8 or detected when left out";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file whose lines are compared, in MiB";
    }
}

/// How two files differ.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Difference {
    /// All bytes are the same.
    identical: bool,
    /// One of the files is no text, so that there is no `diff`.
    binary: bool,
    /// The unified format.
    diff: String,
    /// Lines that only `destination` has.
    added: usize,
    /// Lines that only `source` has.
    removed: usize,
    /// The encoding of `source`, where its text was read.
    a_encoding: Option<String>,
    /// The encoding of `destination`, where its text was read.
    b_encoding: Option<String>,
    /// Bytes stood for no character, and were compared as U+FFFD.
    malformed: bool,
}

/// Bytes that are compared at a time.
const PIECE: usize = 64 << 10;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    let Some(Some(name)) = given.text("encoding") else { return Ok(()) };
    match super::encoding_of("encoding", &name)? {
        Choice::Base64 => {
            let error = ToolError::bad_argument("encoding", "`encoding` is for texts, and base64 has no lines");
            Err(error.hint("leave it out"))
        }
        Choice::Auto | Choice::Text(_) => Ok(()),
    }
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Difference, ToolError> {
    let choice = args.encoding.as_ref().map(|name| super::encoding_of("encoding", &name.as_text())).transpose()?;
    let mut old = Side::open(context, "source", &args.source)?;
    let mut new = Side::open(context, "destination", &args.destination)?;
    if are_same(context, &mut old, &mut new)? {
        return Ok(difference(true, None, Diff::default()));
    }
    let most = args.max_size_mb;
    let texts = Sides { old: old.text(context, most, choice)?, new: new.text(context, most, choice)? };
    let Sides { old: Some(old), new: Some(new) } = texts else {
        return Ok(Difference { binary: true, ..difference(false, None, Diff::default()) });
    };
    let names = Sides { old: args.source.display(), new: args.destination.display() };
    let texts = Sides { old: old.text.as_str(), new: new.text.as_str() };
    let diff = unified(texts, names, args.context_lines as usize, &context.meter.watch())?;
    context.spend_text(diff.text.len())?;
    Ok(difference(false, Some((&old, &new)), diff))
}

fn difference(identical: bool, texts: Option<(&Decoded, &Decoded)>, diff: Diff) -> Difference {
    Difference {
        identical,
        binary: false,
        diff: diff.text,
        added: diff.added,
        removed: diff.removed,
        a_encoding: texts.map(|(old, _)| old.charset.name()),
        b_encoding: texts.map(|(_, new)| new.charset.name()),
        malformed: texts.is_some_and(|(old, new)| old.malformed || new.malformed),
    }
}

/// One of the files.
struct Side<'a> {
    argument: &'static str,
    path: &'a SandboxPath,
    open: OpenFile,
}

impl<'a> Side<'a> {
    fn open(context: &Context<'_>, argument: &'static str, path: &'a SandboxPath) -> Result<Side<'a>, ToolError> {
        let open = context.open(path).map_err(|error| error.argument(argument).path(path.display()))?;
        Ok(Side { argument, path, open })
    }

    fn failed(&self, error: &io::Error) -> ToolError {
        ToolError::from(self.path.error(error)).argument(self.argument).path(self.path.display())
    }

    /// Reads until the buffer is full or the file ends.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        let mut length = 0;
        while length < buffer.len() {
            match self.open.file.read(&mut buffer[length..]) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        Ok(length)
    }

    /// Returns the text of the file, or `None` if it is binary.
    fn text(
        &mut self,
        context: &mut Context<'_>,
        max_size_mb: i64,
        choice: Option<Choice>,
    ) -> Result<Option<Decoded>, ToolError> {
        self.open.file.rewind().map_err(|error| self.failed(&error))?;
        let size = self.open.metadata.size;
        self.check_size(size, max_size_mb)?;
        let mut bytes = MeteredVec::default();
        let mut piece = vec![0; PIECE];
        loop {
            let length = self.fill(&mut piece)?;
            context.spend_text(length)?;
            context.meter.poll()?;
            if length == 0 {
                return Ok(decode_whole(bytes.as_slice(), choice)?);
            }
            bytes.extend_from_slice(&piece[..length])?;
            // The file may have grown.
            self.check_size(bytes.len() as u64, max_size_mb)?;
        }
    }

    fn check_size(&self, size: u64, max_size_mb: i64) -> Result<(), ToolError> {
        super::check_size(self.path, size, max_size_mb).map_err(|error| error.argument(self.argument))
    }
}

/// Returns whether both files have the same content, regardless of their size.
fn are_same(context: &mut Context<'_>, old: &mut Side<'_>, new: &mut Side<'_>) -> Result<bool, ToolError> {
    let Sides { old: was, new: is } = Sides { old: &old.open.metadata, new: &new.open.metadata };
    if was.size != is.size || was.identity == is.identity {
        return Ok(was.identity == is.identity);
    }
    let (mut old_piece, mut new_piece) = (vec![0; PIECE], vec![0; PIECE]);
    loop {
        let (old_length, new_length) = (old.fill(&mut old_piece)?, new.fill(&mut new_piece)?);
        context.spend_text(old_length)?;
        context.meter.poll()?;
        if old_piece[..old_length] != new_piece[..new_length] {
            return Ok(false);
        }
        if old_length == 0 {
            return Ok(true);
        }
    }
}
