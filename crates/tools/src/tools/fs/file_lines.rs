//! `FS.Lines`: the lines of a file as a list, or one at a time.

use crate::gate::{Context, Stream, Tool};
use crate::sandbox::{PathRule, SandboxPath};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Str, Value};

use super::stream::{LineStream, READING, TextFile, TextStream, check_encoding};

const SPEC: Spec = Spec {
    name: "FS.Lines",
    wire: "lines",
    aliases: &["FS.ReadLines"],
    keywords: &[
        "lines of a file",
        "read line by line",
        "for line in file",
        "for line in open",
        "readlines",
        "read lines",
        "bufio.Scanner",
        "BufReader.lines",
        "fgets",
        "big file",
        "large file",
        "log file",
        "stream",
        "File.foreach",
        "each_line",
    ],
    summary: "Reads the lines of a text file, without their ends",
    details: "Returns the lines of the file without their ends. `FOR EACH line IN FS.Lines(path)` reads one block at a \
        time, so the size of the file does not matter. The same holds for `LEN` and, with a procedure, `LIST.Map`, \
        `LIST.Filter`, `LIST.Reduce`, `LIST.Any`, `LIST.All` and `LIST.GroupBy`. Everywhere else, and in a procedure \
        that reads `LAST`, the result is a list, within the limits of lists.\n\n\
        Lines end in LF or CRLF, as for `STR.Lines`. A line end at the very end of the file begins no further \
        line.\n\n\
        `encoding`, byte order marks, the guess of the encoding, `decompress` and binary files are as for \
        `FS.ReadFile`.\n\n\
        Failures: a failure is an error. In a loop, an error comes where it is found, after the lines before it.\n\n\
        A loop reads the file that has the path when it begins, up to the length that the file has then. Lines that \
        are added during the loop do not count; a file that is truncated during it is an error.",
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.log\", \"ok\\nerror: disk\\nok\\n\")\nFOR EACH i, line IN FS.Lines(\"a.log\") DO\n  IF STR.StartsWith(line, \"error\") THEN\n    EMIT i + 1, \": \", line\n  END\nENDBLOCK\nEMIT LEN(FS.Lines(\"a.log\"))",
        output: "2: error: disk\n3\n",
    },
    ..READING
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "file to read, from the sandbox root";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the text, or `auto`; UTF-8 or detected when left out";
        decompress: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a file in gzip, zstd, xz or bzip2 is decompressed; others are read as they are";
    }
}

/// The lines as values.
struct Lines(LineStream);

pub fn tool() -> Tool {
    Tool::streaming(SPEC, open).with_check(check_encoding)
}

fn open(context: &mut Context<'_>, args: Args) -> Result<Lines, ToolError> {
    let file = TextFile { path: &args.path, encoding: args.encoding.as_ref(), decompress: args.decompress };
    Ok(Lines(LineStream::of(TextStream::open(context, file)?)))
}

impl Stream for Lines {
    fn pull(&mut self, context: &mut Context<'_>) -> Result<Option<Value>, ToolError> {
        let Some(line) = self.0.next(context)? else { return Ok(None) };
        context.spend(1)?;
        Ok(Some(Value::checked_text(line)?))
    }

    fn bytes(&self) -> Option<u64> {
        self.0.file().bytes()
    }
}
