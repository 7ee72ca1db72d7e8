//! `FS.MoveFile`: docs/specs/move_file.md.

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{
    Change, Kind as EntryKind, Metadata, PathRule, PendingRenaming, RenameError, Renaming, SandboxError, SandboxPath,
};
use crate::text::{ToolCode, fold};
use crate::toolkit::{Access, Effect, Example, Failure, Risk, Spec, ToolError, arguments};

const SPEC: Spec = Spec {
    name: "FS.MoveFile",
    wire: "move_file",
    aliases: &["TOOL.MoveFile", "FS.Move"],
    keywords: &[
        "rename",
        "move",
        "mv",
        "os.rename",
        "os.replace",
        "shutil.move",
        "fs.rename",
        "renameSync",
        "move_file",
        "file_move",
        "File.Move",
        "Path.rename",
    ],
    summary: "Moves or renames a file or directory; never overwrites",
    details: "Moves the entry and returns `{\"error\": nil}`. The destination must not exist, not even as a dangling \
        link; its directory must exist. A symbolic link is moved itself, with its text; if that would lead out of the \
        sandbox from the new path, nothing is moved (`sandbox_violation`).\n\n\
        On one file system the move is a single rename. Across file systems, which the policy must allow like reading \
        the source, the source is copied under a temporary name, synced, renamed and only then removed. If the source \
        is changed during this, it stays and the copy is removed (`conflict`).\n\n\
        Nothing can be moved from outside into a temporary directory of the run (`conflict`), because it would be \
        removed with it.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::AlreadyExists,
        ToolCode::Conflict,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"draft.txt\", \"text\")\nSET result = FS.MoveFile(\"draft.txt\", \"final.txt\")\nEMIT result.error",
        output: "nil\n",
    },
};

pub const SOURCE: PathRule = PathRule::RELATIVE.not_following();
pub const DESTINATION: PathRule = PathRule::RELATIVE.not_following().keeping_name();

arguments! {
    struct Args {
        source | from: SandboxPath = Required, Kind::Path(SOURCE, Access::Change), "file or directory to move, relative to the sandbox root";
        destination | to: SandboxPath = Required, Kind::Path(DESTINATION, Access::Make), "its new path, relative to the sandbox root";
    }
}

/// Result without fields of its own; like every such result it can have `error`.
#[derive(Serialize, JsonSchema)]
struct Moved {}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Moved, ToolError> {
    let Args { source, destination } = args;
    let metadata = examine(context, &source, &destination, Ready { has_parent: true, is_free: true })?;
    let change = context.begin_change(1)?;
    let renaming = Renaming { source: &source, target: &destination, metadata };
    rename(context, renaming.begin(&change)?, &change)?;
    Ok(Moved {})
}

/// The state that a destination must have when a move is examined.
#[derive(Clone, Copy)]
pub struct Ready {
    /// Its directory exists.
    pub has_parent: bool,
    /// Nothing has its name.
    pub is_free: bool,
}

/// Checks a move. Returns the metadata of the source.
pub fn examine(
    context: &mut Context<'_>,
    source: &SandboxPath,
    destination: &SandboxPath,
    ready: Ready,
) -> Result<Metadata, ToolError> {
    let metadata = check_source(source)?;
    check_destination(source, destination, &metadata, ready)?;
    if context.is_temporary(destination) && !context.is_temporary(source) {
        let message = format!("`{}` would be removed with the temporary directory when the run ends", source.display());
        let error = ToolError::new(ToolCode::Conflict, message).argument("destination").path(destination.display());
        return Err(error.hint("copy it there, or delete it, which keeps it"));
    }
    let is_folder = metadata.kind == EntryKind::Folder;
    context.admit(&destination.address(), is_folder, Access::Change)?;
    if is_folder && context.has_path_rules() {
        context.admit_tree(source, Access::Change, Some(&destination.address()))?;
    }
    context.admit_links_at(source, destination)?;
    Ok(metadata)
}

/// Moves an entry. Errors: the destination exists by now.
pub fn rename(context: &mut Context<'_>, pending: PendingRenaming<'_>, change: &Change<'_>) -> Result<(), ToolError> {
    let Renaming { source, target, metadata } = pending.renaming();
    match pending.carry_out() {
        Ok(()) => Ok(()),
        Err(RenameError::Sandbox(error)) => Err(explain(error, target)),
        Err(RenameError::OtherDevice) => {
            context.admit_carrying(source, &metadata).map_err(|error| error.argument("source"))?;
            source.move_by_copy(target, context.meter, change).map_err(|error| explain(error, target))
        }
    }
}

fn check_source(source: &SandboxPath) -> Result<Metadata, ToolError> {
    if source.is_root() {
        return Err(ToolError::from(SandboxError::RootItself("moved")).argument("source"));
    }
    source.metadata().map_err(|error| {
        let missing = matches!(error, SandboxError::NotFound(_));
        let mut error = ToolError::from(error).argument("source").path(source.display());
        if missing {
            error.message = format!("source path does not exist: `{}`", source.display());
        }
        error
    })
}

fn check_destination(
    source: &SandboxPath,
    destination: &SandboxPath,
    moved: &Metadata,
    ready: Ready,
) -> Result<(), ToolError> {
    let at_destination = |error: ToolError| error.argument("destination").path(destination.display());
    if destination.is_root() {
        return Err(at_destination(SandboxError::RootItself("overwritten").into()));
    }
    if ready.has_parent {
        check_parent(destination)?;
    }
    destination.check_name_like(source).map_err(|error| at_destination(error.into()))?;
    if ready.is_free {
        check_free(source, destination, moved)?;
    }
    if source.holds(destination) {
        let message = format!("`{}` cannot be moved into itself", source.display());
        return Err(at_destination(ToolError::new(ToolCode::Conflict, message)));
    }
    if destination.wants_folder() && moved.kind != EntryKind::Folder {
        let message = format!("the destination `{}/` names a directory, and the source is none", destination.display());
        return Err(at_destination(
            ToolError::new(ToolCode::NotADirectory, message).hint("leave out the `/` at the end"),
        ));
    }
    Ok(())
}

/// Checks that the directory of a destination exists.
fn check_parent(destination: &SandboxPath) -> Result<(), ToolError> {
    let (_, missing) = destination.missing_folders();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("the directory of the destination does not exist: `{}`", destination.display());
    let error = ToolError::new(ToolCode::NotFound, message).hint("make it first with `FS.CreateDirectory`");
    Err(error.argument("destination").path(destination.display()))
}

/// Checks that nothing is at a destination.
fn check_free(source: &SandboxPath, destination: &SandboxPath, moved: &Metadata) -> Result<(), ToolError> {
    match destination.metadata() {
        Err(SandboxError::NotFound(_)) => Ok(()),
        Ok(there) if there.kind == EntryKind::Folder && moved.kind != EntryKind::Folder => {
            let name = source.display().rsplit('/').next().unwrap_or_default();
            let inside = format!("it is a directory; to move into it, write `{}/{name}`", destination.display());
            Err(exists(destination).hint(inside))
        }
        Ok(_) if source.address() == destination.address() => {
            Err(exists(destination).hint("source and destination are the same path, so there is nothing to move"))
        }
        Ok(there) if is_same_entry(source, destination, moved, &there) => {
            let both = format!("`{}` and `{}` are the same entry here", source.display(), destination.display());
            Err(exists(destination).hint(format!("{both}: move it to another name first, then to this one")))
        }
        Ok(_) => Err(exists(destination)),
        Err(error) => Err(ToolError::from(error).argument("destination").path(destination.display())),
    }
}

/// Whether a file system without letter case finds the source under the name of the destination. `moved` and `there`
/// are their metadata.
fn is_same_entry(source: &SandboxPath, destination: &SandboxPath, moved: &Metadata, there: &Metadata) -> bool {
    let is_one_name = moved.kind == EntryKind::Folder || moved.links == 1;
    is_one_name && moved.identity == there.identity && fold(source.display()) == fold(destination.display())
}

fn exists(destination: &SandboxPath) -> ToolError {
    let message = format!("destination path already exists: `{}`", destination.display());
    let error = ToolError::new(ToolCode::AlreadyExists, message).hint("choose another name, or delete it first");
    error.argument("destination").path(destination.display())
}

/// Explains an error of the rename itself, which may detect a race that the checks could not.
fn explain(error: SandboxError, destination: &SandboxPath) -> ToolError {
    match error {
        SandboxError::Exists(_) => exists(destination),
        error => error.into(),
    }
}
