//! `FS.CopyFile`: docs/specs/file_system_tool.md, "File Management Operations"; one file or directory so far.

use crate::sandbox::{Kind as EntryKind, Metadata, Overwrite, PathRule, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, Context, Effect, Example, Failure, Risk, Spec, Tool, ToolError, arguments};

use super::operation::Operation;

const SPEC: Spec = Spec {
    name: "FS.CopyFile",
    wire: "copy_file",
    aliases: &[],
    summary: "Copies a file, or a directory with all that is in it",
    details: "The copy gets its name only once it is whole and synced, so that a reader or a crash sees all of it or \
        nothing; permission bits and times are kept, missing directories are made. A link is followed where it is the \
        source, and copied as a link inside a directory; one at the destination is replaced itself. Without \
        `overwrite` nothing is replaced, also in a race; a directory is never replaced. Nothing is copied onto or \
        into itself.",
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
        script: "CALL FS.WriteFile(\"a.txt\", \"hello\")\nSET result = FS.CopyFile(\"a.txt\", \"old/a.txt\")\nEMIT result.success, \" \", result.sizeBytes",
        output: "true 5\n",
    },
};

arguments! {
    struct Args {
        source_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "what to copy, from the sandbox root";
        destination_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.creating(), Access::Make), "name of the copy, from the sandbox root";
        overwrite: bool = Is(Literal::Bool(false)), Kind::Bool, "whether an existing file is replaced";
        recursive: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a directory is copied with all that is in it";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let (source, destination) = (&args.source_path, &args.destination_path);
    let metadata = check_source(source, args.recursive)?;
    check_destination(source, &metadata, destination)?;
    let is_folder = metadata.kind == EntryKind::Folder;
    context.admit(&destination.address(), is_folder, Access::Change)?;
    if !is_folder {
        context.admit_content(source.shown(), &metadata)?;
    }
    // The limit on changed files is asked before the first is made.
    let files = if is_folder { context.admit_tree(source, Access::Read, Some(&destination.address()))? } else { 1 };
    context.admit_files(files)?;
    let change = context.begin_change(files)?;
    let keeper = context.keeper(destination);
    let overwrite = if args.overwrite && !is_folder { Overwrite::keeping(keeper) } else { Overwrite::never(keeper) };
    let backup = source.copy_to(destination, &overwrite, context.meter, &change)?;
    let bytes = (!is_folder).then_some(metadata.size);
    Ok(Operation::done("copy", destination.shown(), bytes).with_backup(backup))
}

fn check_source(source: &SandboxPath, recursive: bool) -> Result<Metadata, ToolError> {
    let at_source = |error: ToolError| error.argument("source_path").path(source.shown());
    if source.is_root() {
        return Err(at_source(SandboxError::RootItself("copied").into()));
    }
    let metadata = source.metadata().map_err(|error| at_source(error.into()))?;
    match metadata.kind {
        EntryKind::File => Ok(metadata),
        EntryKind::Folder if recursive => Ok(metadata),
        EntryKind::Folder => {
            let error = ToolError::from(SandboxError::IsAFolder(source.shown().to_owned()));
            Err(at_source(error.hint("copy it with all that is in it: `recursive: true`")))
        }
        EntryKind::Link | EntryKind::Special => Err(at_source(SandboxError::Special(source.shown().to_owned()).into())),
    }
}

fn check_destination(source: &SandboxPath, metadata: &Metadata, destination: &SandboxPath) -> Result<(), ToolError> {
    let at_destination = |error: ToolError| error.argument("destination_path").path(destination.shown());
    if destination.is_root() {
        return Err(at_destination(SandboxError::RootItself("overwritten").into()));
    }
    if destination.wants_folder() && metadata.kind != EntryKind::Folder {
        let message = format!("the destination `{}/` names a directory, and the source is none", destination.shown());
        let error = ToolError::new(ToolCode::NotADirectory, message).hint("leave out the `/` at the end");
        return Err(at_destination(error));
    }
    let is_same = destination.metadata().is_ok_and(|there| there.identity == metadata.identity);
    if is_same || source.holds(destination) {
        let onto = if is_same { "onto" } else { "into" };
        let message = format!("`{}` cannot be copied {onto} itself", source.shown());
        return Err(at_destination(ToolError::new(ToolCode::Conflict, message)));
    }
    Ok(())
}
