//! `FS.CreateDirectory`: docs/specs/file_system_tool.md.

use crate::gate::{Context, Tool};
use crate::sandbox::{Kind as EntryKind, PathRule, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};

use super::operation::Operation;

const SPEC: Spec = Spec {
    name: "FS.CreateDirectory",
    wire: "create_directory",
    aliases: &["FS.Mkdir"],
    keywords: &[
        "mkdir",
        "makedirs",
        "mkdirs",
        "make folder",
        "new folder",
        "create folder",
        "mkdirSync",
        "os.makedirs",
        "os.mkdir",
        "MkdirAll",
        "create_dir",
        "create_dir_all",
        "CreateFolder",
        "New-Item",
    ],
    summary: "Creates a directory and its missing parents",
    details: "Creates the directory. A directory that already exists is not an error; a file of that name is. With \
        `recursive: false` the parent must exist.",
    effect: Effect::Adds,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::AlreadyExists,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example { script: "EMIT FS.CreateDirectory(\"a/b\").success", output: "true\n" },
};

arguments! {
    struct Args {
        path | directory_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.creating(), Access::Make), "directory to make, from the sandbox root";
        recursive: bool = Is(Literal::Bool(true)), Kind::Bool, "whether to create missing parents too";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let path = &args.path;
    let at_path = |error: SandboxError| ToolError::from(error).argument("path").path(path.display());
    let done = || Operation::done("create_directory", path.display(), None);
    let (_, missing) = path.missing_folders();
    if missing.is_empty() {
        match path.metadata() {
            Ok(metadata) if metadata.kind == EntryKind::Folder => return Ok(done()),
            Ok(_) => return Err(at_path(SandboxError::Exists(path.display().to_owned()))),
            Err(SandboxError::NotFound(_)) => {}
            Err(error) => return Err(at_path(error)),
        }
    } else if !args.recursive {
        let error =
            ToolError::new(ToolCode::NotFound, format!("the directory above `{}` does not exist", path.display()));
        return Err(error.argument("path").path(path.display()).hint("give `recursive: true`"));
    }
    let change = context.begin_change(1 + missing.len() as u64)?;
    match path.create_folder(&change) {
        // The directory was created concurrently.
        Err(SandboxError::Exists(_)) if path.metadata().is_ok_and(|metadata| metadata.kind == EntryKind::Folder) => {
            Ok(done())
        }
        other => other.map(|()| done()).map_err(at_path),
    }
}
