//! `JSON.Lines`: the values of a file with one JSON text per line, as a list or one at a time.

use crate::gate::{Context, Stream, Tool};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::{Position, position_in};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::json::{Fault, read};
use crate::value::{BigNumbers, Str, Value};

use super::super::fs::stream::{LineStream, READING, TextFile, TextStream, check_encoding};
use super::super::place::at;
use super::parse::no_json;

const SPEC: Spec = Spec {
    name: "JSON.Lines",
    wire: "json_lines",
    keywords: &[
        "jsonl",
        "ndjson",
        "json lines",
        "jsonlines",
        "newline delimited json",
        "read jsonl",
        "json line by line",
        "jsonlines.open",
        "json stream",
        "JSON records",
        "pd.read_json lines",
    ],
    summary: "Reads the values of a file with one JSON text on each line (JSONL, NDJSON)",
    details: "Returns the values of the file. `FOR EACH value IN JSON.Lines(path)` reads one block at a time, so the \
        size of the file does not matter; where a list is needed the result is one, as for `FS.Lines`.\n\n\
        The file is read as by `FS.Lines`, and each line is parsed as by `JSON.Parse`. Blank lines are skipped.\n\n\
        Failures: a failure is an error with line and column. In a loop, it comes after the values before it.",
    example: Example {
        script: "MUST CALL FS.WriteFile(\"events.jsonl\", '{\"kind\": \"start\"}\\n{\"kind\": \"end\", \"code\": 3}\\n')\nFOR EACH event IN JSON.Lines(\"events.jsonl\") DO\n  EMIT event.kind\nENDBLOCK",
        output: "start\nend\n",
    },
    ..READING
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "file to read, from the sandbox root";
        big_numbers: Str = Is(Literal::Text("error")), Kind::Word(BigNumbers::WORDS), "handling of numbers that no int or float holds";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the text, or `auto`; UTF-8 or detected when left out";
        decompress: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a file in gzip, zstd, xz or bzip2 is decompressed; others are read as they are";
    }
}

/// The lines as values.
struct Values {
    lines: LineStream,
    big_numbers: BigNumbers,
}

pub fn tool() -> Tool {
    Tool::streaming(SPEC, open).with_check(check_encoding)
}

fn open(context: &mut Context<'_>, args: Args) -> Result<Values, ToolError> {
    let file = TextFile { path: &args.path, encoding: args.encoding.as_ref(), decompress: args.decompress };
    let lines = LineStream::of(TextStream::open(context, file)?);
    Ok(Values { lines, big_numbers: BigNumbers::named(&args.big_numbers.as_text()) })
}

impl Stream for Values {
    fn pull(&mut self, context: &mut Context<'_>) -> Result<Option<Value>, ToolError> {
        while let Some(line) = self.lines.next(context)? {
            let text = line.strip_prefix('\u{feff}').unwrap_or(line);
            if text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
                continue;
            }
            context.spend(1)?;
            return match read(text, self.big_numbers, |values| context.spend(values)) {
                Ok(value) => Ok(Some(value)),
                Err(Fault::Limit(hit)) => Err(hit.into()),
                Err(Fault::Text { at: byte, reason, help }) => {
                    let Position { column, .. } = position_in(text, byte);
                    Err(self.refused(column, &no_json("line", &reason), help))
                }
            };
        }
        Ok(None)
    }

    fn bytes(&self) -> Option<u64> {
        self.lines.file().bytes()
    }
}

impl Values {
    /// Returns the error for the latest line, which has no value.
    fn refused(&self, column: usize, reason: &str, help: Option<&str>) -> ToolError {
        let error = ToolError::bad_argument("path", at(self.lines.count(), column, reason));
        let error = self.lines.file().blamed(error);
        help.into_iter().fold(error, ToolError::hint)
    }
}
