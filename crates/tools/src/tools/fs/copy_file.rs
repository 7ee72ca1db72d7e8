//! `FS.CopyFile`: docs/specs/file_system_tool.md, "File Management Operations".

use std::cell::Cell;
use std::collections::HashSet;

use crate::gate::{Context, Tool};
use crate::sandbox::{
    Change, CopyOptions, CopyScope, Kind as EntryKind, Metadata, Overwrite, PathRule, SandboxError, SandboxPath,
    SharedFolders,
};
use crate::text::ToolCode;
use crate::toolkit::{Access, Effect, Example, Failure, ListedPath, Risk, Spec, ToolError, arguments};
use crate::value::Str;

use super::bulk::{self, GlobOptions, Item, ItemNames, Planned, Work};
use super::operation::Operation;
use super::rows::Done;

const SPEC: Spec = Spec {
    name: "FS.CopyFile",
    wire: "copy_file",
    aliases: &[],
    keywords: &[
        "copy",
        "cp",
        "duplicate",
        "shutil.copy",
        "shutil.copy2",
        "shutil.copyfile",
        "shutil.copytree",
        "copytree",
        "copyFileSync",
        "copyFile",
        "clone",
        "Copy-Item",
    ],
    summary: "Copies files, or directories with their contents",
    details: "Copies a file or, with `recursive`, a directory. The copy gets its name when it is complete and synced, \
        so a reader or a crash sees all of it or nothing. Permission bits and times are kept; missing directories are \
        created.\n\n\
        - Without `overwrite` nothing is replaced, even in a race. A directory is never replaced.\n\
        - Nothing is copied onto or into itself.\n\
        - A symbolic link at the source or the destination is followed inside the sandbox; one inside a directory is \
        copied as a link, unless that would lead out of the sandbox from the new path.\n\
        - `.ns` and `neuroscript.toml` inside a directory are left out, with a warning.\n\n\
        Several sources: `paths` and `glob` copy into the directory `destination`. The copies keep their names; with \
        `glob` they keep their paths below the directories that the pattern names without wildcards. The result has \
        `items` with a record for each source, and the counts `succeeded` and `failed`.\n\n\
        Failures: one failure does not stop the rest unless `all_or_nothing` is set. If nothing is copied, the call \
        fails. If a limit ends it, the message says how many were copied.\n\n\
        A `glob` finds files and links, and with `recursive` also directories. `*` does not match `/`, `**` does. A \
        name that begins with a dot needs one in the pattern.",
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
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"hello\")\nSET result = FS.CopyFile(\"a.txt\", \"old/a.txt\")\nEMIT result.success, \" \", result.sizeBytes",
        output: "true 5\n",
    },
};

const SOURCE: PathRule = PathRule::INSIDE;
const DESTINATION: PathRule = PathRule::INSIDE.keeping_name();

arguments! {
    struct Args {
        source | source_path | from: Option<SandboxPath> = Absent, Kind::Path(SOURCE, Access::Read), "what to copy, from the sandbox root";
        destination | destination_path | to: SandboxPath = Required, Kind::Path(DESTINATION, Access::Make), "path of the copy, from the sandbox root; for several the directory to copy into";
        overwrite: bool = Is(Literal::Bool(false)), Kind::Bool, "whether an existing file is replaced";
        recursive: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a directory is copied with its contents";
        paths: Option<Vec<ListedPath>> = Absent, Kind::Paths(SOURCE, Access::Read), "paths to copy instead of `source`, taken literally";
        glob: Option<Str> = Absent, Kind::Text, "pattern of paths to copy instead of `source`, from the sandbox root";
        all_or_nothing: bool = Is(Literal::Bool(false)), Kind::Bool, "whether one failure undoes the rest, with `paths` or `glob`";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(|given, _| bulk::check(given, SPEC.name, "source"))
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let Args { overwrite, recursive, destination, .. } = args;
    let mut work = Copy {
        overwrite,
        recursive,
        into: destination,
        taken: HashSet::new(),
        folders: SharedFolders::default(),
        left_out: Cell::new(0),
    };
    if let Some(source) = args.source {
        let (metadata, files) = look_at(context, &work, &source, &work.into)?;
        context.admit_files(files)?;
        let change = context.begin_change(files)?;
        context.meter.reach(0, files);
        let done = copy(context, &work, &source, &work.into, &metadata, &change)?;
        super::note_left_out(context, work.left_out.get(), "copied");
        return Ok(Operation::done("copy", work.into.display(), done.size_bytes).with_backup(done.backup_path));
    }
    let names = ItemNames { paths: args.paths, glob: args.glob };
    let items = names.items(context, GlobOptions { directories: recursive, rule: SOURCE, access: Access::Read })?;
    let done = bulk::run(context, &mut work, items, args.all_or_nothing);
    super::note_left_out(context, work.left_out.get(), "copied");
    done
}

/// A copy operation on one or several items.
struct Copy {
    overwrite: bool,
    recursive: bool,
    into: SandboxPath,
    /// The destinations of several items.
    taken: HashSet<String>,
    /// Their directories.
    folders: SharedFolders,
    /// Number of reserved entries left out so far.
    left_out: Cell<u64>,
}

/// One of several copies.
struct OneCopy {
    source: SandboxPath,
    destination: SandboxPath,
    metadata: Metadata,
}

/// Returns the metadata of the source, and the number of files and directories that the copy would create.
fn look_at(
    context: &mut Context<'_>,
    work: &Copy,
    source: &SandboxPath,
    destination: &SandboxPath,
) -> Result<(Metadata, u64), ToolError> {
    let metadata = check_source(source, work.recursive)?;
    check_destination(source, &metadata, destination)?;
    let is_folder = metadata.kind == EntryKind::Folder;
    if work.overwrite {
        context.admit_keeping(destination)?;
    }
    context.admit(&destination.address(), is_folder, Access::Change)?;
    if !is_folder {
        context.admit_content(source.display(), &metadata)?;
        context.meter.expect_bytes(metadata.size);
        return Ok((metadata, 1));
    }
    let tree = context.admitted_tree(source, Access::Read, Some(&destination.address()))?;
    context.admit_links_at(source, destination)?;
    let sizes = (0..tree.len()).filter(|entry| !tree.is_folder[*entry]).map(|entry| tree.sizes[entry].unsigned_abs());
    context.meter.expect_bytes(sizes.sum());
    Ok((metadata, 1 + tree.len() as u64))
}

fn copy(
    context: &mut Context<'_>,
    work: &Copy,
    source: &SandboxPath,
    destination: &SandboxPath,
    metadata: &Metadata,
    change: &Change<'_>,
) -> Result<Done, ToolError> {
    let is_folder = metadata.kind == EntryKind::Folder;
    let store = context.backup_store(destination);
    let replaces = work.overwrite && !is_folder;
    let overwrite = if replaces { Overwrite::keeping(store) } else { Overwrite::never(store) };
    let copying = CopyOptions { extent: CopyScope::WithoutReserved, overwrite };
    let copied = source.copy_to(destination, &copying, context.meter, change);
    let copied = copied.map_err(|error| match error {
        // For an entry below the source, the error has only the last part of its name.
        SandboxError::Special(_) => ToolError::from(error).argument("source").path(source.display()),
        SandboxError::Exists(_) if is_folder && is_directory(destination) => {
            hint_at_place_in(error.into(), source, destination)
        }
        SandboxError::Exists(_) if is_folder => ToolError::from(error)
            .hint("a directory replaces nothing: choose another name, or delete what is there first"),
        SandboxError::IsAFolder(_) => hint_at_place_in(error.into(), source, destination),
        error => super::hint_at_overwriting(error.into()),
    })?;
    work.left_out.set(work.left_out.get() + copied.left_out);
    let size_bytes = (!is_folder).then_some(metadata.size);
    Ok(Done { size_bytes, backup_path: copied.backup, ..Done::default() })
}

impl Work for Copy {
    type Plan = OneCopy;
    type Answer = Operation;
    const OPERATION: &'static str = "copy";

    fn plan(&mut self, context: &mut Context<'_>, item: Item) -> Result<Option<Planned<OneCopy>>, ToolError> {
        let source = item.place?;
        let below = match &*self.into.address() {
            "" => item.target,
            into => format!("{into}/{}", item.target),
        };
        let destination = context.place(&below, DESTINATION, Access::Make);
        let mut destination = destination.map_err(|error| error.argument("destination"))?;
        self.folders.share(&mut destination);
        let (metadata, files) = look_at(context, self, &source, &destination)?;
        if !self.overwrite && destination.metadata().is_ok() {
            let error = ToolError::from(SandboxError::Exists(destination.display().to_owned()));
            return Err(super::hint_at_overwriting(error).argument("destination"));
        }
        if !self.taken.insert(destination.address().into_owned()) {
            let message = format!("another item is copied to `{}` already", destination.display());
            let error = ToolError::new(ToolCode::Conflict, message).argument("destination");
            return Err(error.path(destination.display()));
        }
        Ok(Some(Planned { plan: OneCopy { source, destination, metadata }, files }))
    }

    fn answer(&self, operation: Operation) -> Operation {
        operation
    }

    fn perform(&self, context: &mut Context<'_>, plan: &OneCopy, change: &Change<'_>) -> Result<Done, ToolError> {
        copy(context, self, &plan.source, &plan.destination, &plan.metadata, change)
    }
}

fn check_source(source: &SandboxPath, recursive: bool) -> Result<Metadata, ToolError> {
    let at_source = |error: ToolError| error.argument("source").path(source.display());
    if source.is_root() {
        return Err(at_source(SandboxError::RootItself("copied").into()));
    }
    let metadata = source.metadata().map_err(|error| at_source(error.into()))?;
    match metadata.kind {
        EntryKind::File => Ok(metadata),
        EntryKind::Folder if recursive => Ok(metadata),
        EntryKind::Folder => {
            let error = ToolError::from(SandboxError::IsAFolder(source.display().to_owned()));
            Err(at_source(error.hint("copy it with all that is in it: `recursive: true`")))
        }
        EntryKind::Link | EntryKind::Special => {
            Err(at_source(SandboxError::Special(source.display().to_owned()).into()))
        }
    }
}

fn is_directory(place: &SandboxPath) -> bool {
    place.metadata().is_ok_and(|metadata| metadata.kind == EntryKind::Folder)
}

/// Adds a hint about how to copy into an existing directory, because nothing replaces a directory.
fn hint_at_place_in(error: ToolError, source: &SandboxPath, destination: &SandboxPath) -> ToolError {
    let name = source.address().rsplit('/').next().unwrap_or_default().to_owned();
    error.hint(format!("it is a directory; to copy into it, write `{}/{name}`", destination.display()))
}

fn check_destination(source: &SandboxPath, metadata: &Metadata, destination: &SandboxPath) -> Result<(), ToolError> {
    let at_destination = |error: ToolError| error.argument("destination").path(destination.display());
    if destination.is_root() {
        return Err(at_destination(SandboxError::RootItself("overwritten").into()));
    }
    destination.check_name_like(source).map_err(|error| at_destination(error.into()))?;
    if destination.wants_folder() && metadata.kind != EntryKind::Folder {
        let message = format!("the destination `{}/` names a directory, and the source is none", destination.display());
        let error = ToolError::new(ToolCode::NotADirectory, message);
        return Err(at_destination(if is_directory(destination) {
            hint_at_place_in(error, source, destination)
        } else {
            error.hint("leave out the `/` at the end")
        }));
    }
    let is_same = destination.metadata().is_ok_and(|there| there.identity == metadata.identity);
    if is_same || source.holds(destination) {
        let onto = if is_same { "onto" } else { "into" };
        let message = format!("`{}` cannot be copied {onto} itself", source.display());
        return Err(at_destination(ToolError::new(ToolCode::Conflict, message)));
    }
    Ok(())
}
