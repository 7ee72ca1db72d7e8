//! `FS.Exists`: docs/specs/file_system_tool.md, "Clarifying Questions".

use crate::gate::{Context, Tool};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};

const SPEC: Spec = Spec {
    name: "FS.Exists",
    wire: "exists",
    aliases: &[],
    keywords: &[
        "exists",
        "file exists",
        "path exists",
        "existsSync",
        "file_exists",
        "os.path.exists",
        "fs.existsSync",
        "File.exists",
        "Path.exists",
        "is there",
        "Test-Path",
    ],
    summary: "Says whether a path leads to a file or directory",
    details: "Returns true or false. Symbolic links inside the sandbox are followed, so a link that leads nowhere \
        gives false.\n\n\
        A path that leaves the sandbox, also through a link, or that the policy refuses is an error, whether or not \
        anything is there. A path that leads through a file is an error too.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: &[ToolCode::SandboxViolation, ToolCode::NotADirectory, ToolCode::PermissionDenied, ToolCode::IoError],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"hello\")\nEMIT FS.Exists(\"a.txt\"), \" \", FS.Exists(\"b.txt\")",
        output: "true false\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Look), "what to look for, from the sandbox root";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(_: &mut Context<'_>, args: Args) -> Result<bool, ToolError> {
    match args.path.metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.code() == ToolCode::NotFound => Ok(false),
        Err(error) => Err(ToolError::from(error).argument("path").path(args.path.display())),
    }
}
