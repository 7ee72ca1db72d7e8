//! `FS.WriteFile`: docs/specs/file_system_tool.md, UTF-8 texts and no backups so far.

use crate::sandbox::{PathRule, Replace, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Context, Effect, Example, Failure, Risk, Spec, Tool, ToolError, arguments};
use crate::value::Str;

use super::operation::Operation;

const SPEC: Spec = Spec {
    name: "FS.WriteFile",
    wire: "write_file",
    aliases: &["TOOL.WriteFile"],
    summary: "Writes a text file, whole or not at all",
    details: "The text is written as UTF-8 to a new file, synced and renamed into place, so that a reader or a crash \
        sees the old file or the new one. Missing directories are made. A file that is replaced leaves its permission \
        bits. With `overwrite: false` an existing file is an error, also in a race. The old content is not kept.",
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
        file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.creating()), "file to write, from the sandbox root";
        content: Str = Required, Kind::Text, "text to write";
        overwrite: bool = Is(Literal::Bool(true)), Kind::Bool, "whether an existing file is replaced";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
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
    let content = args.content.as_text();
    let change = context.begin_change(1)?;
    context.meter.write_bytes(content.len() as u64)?;
    let replace = if args.overwrite { Replace::Yes } else { Replace::No };
    path.write_file(content.as_bytes(), replace, &change).map_err(|error| at_path(error.into()))?;
    Ok(Operation::done("write", path.shown(), Some(content.len() as u64)))
}
