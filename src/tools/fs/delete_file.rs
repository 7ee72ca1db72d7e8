//! `FS.DeleteFile`: docs/specs/file_system_tool.md; what is deleted is kept in `.ns/trash`.

use crate::sandbox::{Kind as EntryKind, PathRule, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, Context, Effect, Example, Failure, Risk, Spec, Tool, ToolError, arguments};

use super::operation::Operation;

const SPEC: Spec = Spec {
    name: "FS.DeleteFile",
    wire: "delete_file",
    aliases: &[],
    summary: "Deletes a file, link or directory, which can be restored",
    details: "What is deleted is moved to `.ns/trash` in one step, as a whole or not at all, and is kept there as long \
        as the policy says; `FS.RestoreBackup` brings back what `backupPath` names. A link is deleted itself, never \
        what it points to. A directory that is not empty needs `recursive: true`. The sandbox root cannot be deleted. \
        What lies on another file system than `.ns` is copied there, whole and synced, before it is removed.",
    effect: Effect::Deletes,
    risk: Risk::High,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "CALL FS.WriteFile(\"old.txt\", \"\")\nEMIT FS.DeleteFile(\"old.txt\").success\nEMIT FS.DeleteFile(\"old.txt\").error",
        output: "true\n`old.txt` does not exist\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.not_following(), Access::Change), "what to delete, from the sandbox root";
        recursive: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a directory is deleted with all that is in it";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let path = &args.path;
    let at_path = |error: SandboxError| ToolError::from(error).argument("path").path(path.shown());
    if path.is_root() {
        return Err(at_path(SandboxError::RootItself("deleted")));
    }
    let is_folder = path.metadata().map_err(at_path)?.kind == EntryKind::Folder;
    // The limit on changed files is asked before the first is gone.
    let files = if is_folder && args.recursive { context.admit_tree(path, Access::Change, None)? } else { 1 };
    context.admit_files(files)?;
    let change = context.begin_change(files)?;
    let backup = path.delete(args.recursive, context.keeper(path), context.meter, &change).map_err(at_path)?;
    Ok(Operation::done("delete", path.shown(), None).with_backup(Some(backup)))
}
