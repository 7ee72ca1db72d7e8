//! `FS.LineCount`, from the older dialect.

use std::io::Read;

use crate::gate::{Context, Tool};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};

const SPEC: Spec = Spec {
    name: "FS.LineCount",
    wire: "line_count",
    aliases: &[],
    keywords: &["count lines", "wc", "number of lines", "lines of a file"],
    summary: "Counts the lines of a file",
    details: "Returns the number of lines. Lines end in LF or CRLF; what follows the last line end is a line too, \
        unless it is empty. The file is read in pieces, so its size does not matter; whether it is text is not \
        checked. A failure is an error.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"one\\ntwo\\nthree\")\nEMIT FS.LineCount(\"a.txt\")",
        output: "3\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "file to count in, from the sandbox root";
    }
}

/// Bytes that are read at a time.
const PIECE: usize = 64 << 10;

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<u64, ToolError> {
    let at_path = |error: ToolError| error.argument("path").path(args.path.display());
    let mut file = context.open(&args.path).map_err(at_path)?.file;
    let mut piece = vec![0; PIECE];
    let (mut lines, mut is_open) = (0, false);
    loop {
        let length = match file.read(&mut piece) {
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(at_path(args.path.error(&error).into())),
        };
        if length == 0 {
            return Ok(lines + u64::from(is_open));
        }
        context.meter.poll()?;
        context.spend_text(length)?;
        lines += memchr::memchr_iter(b'\n', &piece[..length]).count() as u64;
        is_open = piece[length - 1] != b'\n';
    }
}
