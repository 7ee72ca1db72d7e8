//! `FS.RestoreBackup`: docs/specs/file_system_tool.md, "Clarifying Questions".

use crate::gate::{Context, Tool};
use crate::sandbox::{BackupKind, BackupPath, CopyOptions, Kind as EntryKind, Overwrite, RenameError};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};

use super::operation::Operation;

const SPEC: Spec = Spec {
    name: "FS.RestoreBackup",
    wire: "restore_backup",
    aliases: &[],
    keywords: &["restore", "backup", "undelete", "recover", "undo delete", "bring back"],
    summary: "Restores what a tool replaced or deleted",
    details: "Restores what `path` names, the `backupPath` of a result, at its old place. Missing directories are \
        created. The policy decides as for any change of that place.\n\n\
        - A replaced file: the old content replaces the current one, which is kept too, so its own `backupPath` takes \
        the restoration back. The backup stays where it is.\n\
        - A deleted entry: it is moved out of the trash. Its old place must be free.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::AlreadyExists,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"old\")\nSET written = FS.WriteFile(\"a.txt\", \"new\")\nMUST CALL FS.RestoreBackup(written.backupPath)\nEMIT FS.ReadFile(\"a.txt\").content",
        output: "old\n",
    },
};

arguments! {
    struct Args {
        path | backup_path: BackupPath = Required, Kind::Kept, "`backupPath` of an earlier result";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let BackupPath { kind, entry, origin, .. } = &args.path;
    let at_path = |error: ToolError| error.argument("path").path(origin.display());
    let metadata = entry.metadata().map_err(|error| at_path(error.into()))?;
    let is_folder = metadata.kind == EntryKind::Folder;
    if metadata.kind == EntryKind::File {
        context.admit_content(origin.display(), &metadata).map_err(at_path)?;
    }
    let files = if is_folder { context.admit_return(entry, origin)? } else { 1 };
    context.admit_files(files)?;
    let change = context.begin_change(files)?;
    let store = context.backup_store(origin);
    let backup = match kind {
        BackupKind::Backups => {
            let copying = CopyOptions::whole(Overwrite::keeping(store));
            entry.copy_to(origin, &copying, context.meter, &change).map(|copied| copied.backup)
        }
        BackupKind::Trash => match args.path.put_back(&change) {
            Ok(()) => Ok(None),
            Err(RenameError::Sandbox(error)) => Err(error),
            Err(RenameError::OtherDevice) => {
                context.admit_carrying(entry, &metadata).map_err(at_path)?;
                args.path.put_back_by_copy(store, context.meter, &change).map(|()| None)
            }
        },
    };
    let backup = backup.map_err(|error| at_path(error.into()))?;
    let bytes = (metadata.kind == EntryKind::File).then_some(metadata.size);
    Ok(Operation::done("restore", origin.display(), bytes).with_backup(backup))
}
