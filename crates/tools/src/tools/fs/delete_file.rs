//! `FS.DeleteFile`: docs/specs/file_system_tool.md. Deleted files are moved to `.ns/trash`.

use std::collections::HashSet;

use crate::gate::{Context, Tool};
use crate::sandbox::{Change, Kind as EntryKind, PathRule, RemoveOptions, RenameError, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, Effect, Example, Failure, ListedPath, Risk, Spec, ToolError, arguments};
use crate::value::Str;

use super::bulk::{self, GlobOptions, Item, ItemNames, Planned, Work};
use super::operation::Operation;
use super::rows::Done;

const SPEC: Spec = Spec {
    name: "FS.DeleteFile",
    wire: "delete_file",
    aliases: &["FS.Delete"],
    keywords: &[
        "delete",
        "remove",
        "rm",
        "unlink",
        "erase",
        "trash",
        "os.remove",
        "os.unlink",
        "shutil.rmtree",
        "rmtree",
        "rmdir",
        "os.rmdir",
        "unlinkSync",
        "rmSync",
        "remove_file",
        "remove_dir_all",
        "os.RemoveAll",
        "File.Delete",
        "Remove-Item",
    ],
    summary: "Deletes files, links or directories, which can be restored",
    details: "Moves an entry to `.ns/trash` in one step, as a whole or not at all. `FS.RestoreBackup` restores it from \
        the `backupPath` of the result. The entry stays in the trash for as long as the policy says and frees no disk \
        space until then; `ns gc` removes it earlier.\n\n\
        - A symbolic link is deleted itself, never its target.\n\
        - A directory that is not empty needs `recursive: true`. The sandbox root cannot be deleted.\n\
        - An entry on another file system than `.ns` is copied there, completely and synced, before it is removed. The \
        policy must allow this like reading it.\n\n\
        Several entries: with `paths` or `glob` the result has `items` with a record for each entry, and the counts \
        `succeeded` and `failed`.\n\n\
        Failures: one failure does not stop the rest unless `all_or_nothing` is set. If nothing is deleted, the call \
        fails. If a limit ends it, the message says how many were deleted.\n\n\
        A `glob` finds files and links, and with `recursive` also directories. `*` does not match `/`, `**` does. A \
        name that begins with a dot needs one in the pattern.",
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
        script: "MUST CALL FS.WriteFile(\"old.txt\", \"\")\nEMIT FS.DeleteFile(\"old.txt\").success\nEMIT FS.DeleteFile(\"old.txt\").error",
        output: "true\n`old.txt` does not exist\n",
    },
};

const RULE: PathRule = PathRule::INSIDE.not_following();

arguments! {
    struct Args {
        path: Option<SandboxPath> = Absent, Kind::Path(RULE, Access::Change), "what to delete, from the sandbox root";
        recursive: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a directory is deleted with its contents";
        paths: Option<Vec<ListedPath>> = Absent, Kind::Paths(RULE, Access::Change), "paths to delete instead of `path`, taken literally";
        glob: Option<Str> = Absent, Kind::Text, "pattern of paths to delete instead of `path`, from the sandbox root";
        all_or_nothing: bool = Is(Literal::Bool(false)), Kind::Bool, "whether one failure undoes the rest, with `paths` or `glob`";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(|given, _| bulk::check(given, SPEC.name, "path"))
}

/// A delete operation on one or several items.
struct Delete {
    recursive: bool,
    /// The paths of the items to be deleted.
    taken: HashSet<String>,
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let mut work = Delete { recursive: args.recursive, taken: HashSet::new() };
    if let Some(path) = args.path {
        let at_path = |error: ToolError| error.argument("path").path(path.display());
        let files = work.look_at(context, &path).map_err(at_path)?;
        context.admit_files(files)?;
        let change = context.begin_change(files)?;
        let backup = work.delete(context, &path, &change).map_err(at_path)?;
        return Ok(Operation::done("delete", path.display(), None).with_backup(Some(backup)));
    }
    let names = ItemNames { paths: args.paths, glob: args.glob };
    let items =
        names.items(context, GlobOptions { directories: args.recursive, rule: RULE, access: Access::Change })?;
    bulk::run(context, &mut work, items, args.all_or_nothing)
}

impl Delete {
    /// Returns the number of files and directories to delete, so that the limit is checked before the first is
    /// deleted.
    fn look_at(&self, context: &mut Context<'_>, path: &SandboxPath) -> Result<u64, ToolError> {
        if path.is_root() {
            return Err(SandboxError::RootItself("deleted").into());
        }
        let is_folder = path.metadata()?.kind == EntryKind::Folder;
        if is_folder && self.recursive { context.admit_tree(path, Access::Change, None) } else { Ok(1) }
    }

    fn delete(&self, context: &mut Context<'_>, path: &SandboxPath, change: &Change<'_>) -> Result<String, ToolError> {
        let going = RemoveOptions { recursive: self.recursive };
        match path.delete(going, context.backup_store(path), context.meter, change) {
            Ok(kept) => Ok(kept),
            Err(RenameError::Sandbox(error)) => Err(error.into()),
            Err(RenameError::OtherDevice) => {
                context.admit_carrying(path, &path.metadata()?)?;
                Ok(path.delete_by_copy(going, context.backup_store(path), context.meter, change)?)
            }
        }
    }
}

impl Delete {
    /// Records an item, and refuses one that is inside an earlier item.
    fn refuse_inside(&mut self, address: &str) -> Result<(), ToolError> {
        let above = address.match_indices('/').map(|(slash, _)| &address[..slash]).chain([address]);
        if let Some(taken) = above.into_iter().find(|above| self.taken.contains(*above)) {
            let message = format!("`{address}` goes with `{taken}`, an item before it");
            return Err(ToolError::new(ToolCode::Conflict, message).path(address));
        }
        self.taken.insert(address.to_owned());
        Ok(())
    }
}

impl Work for Delete {
    type Plan = SandboxPath;
    type Answer = Operation;
    const OPERATION: &'static str = "delete";

    fn plan(&mut self, context: &mut Context<'_>, item: Item) -> Result<Option<Planned<SandboxPath>>, ToolError> {
        let path = item.place?;
        self.refuse_inside(&path.address())?;
        let files = self.look_at(context, &path)?;
        Ok(Some(Planned { plan: path, files }))
    }

    fn answer(&self, operation: Operation) -> Operation {
        operation
    }

    fn perform(&self, context: &mut Context<'_>, path: &SandboxPath, change: &Change<'_>) -> Result<Done, ToolError> {
        Ok(Done { backup_path: Some(self.delete(context, path, change)?), ..Done::default() })
    }
}
