//! `FS.CreateLink`: makes a symbolic link whose target is inside the sandbox.
//!
//! There are no hard links: a second name of a file would pass by the rules of the policy, which go by names, and the
//! backup of a file with several names changes with it.

use crate::gate::{Context, Tool};
use crate::sandbox::{Kind as EntryKind, PathRule, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};

use super::operation::Operation;

const SPEC: Spec = Spec {
    name: "FS.CreateLink",
    wire: "create_link",
    aliases: &["FS.Symlink"],
    keywords: &[
        "softlink",
        "symlink",
        "symlinks",
        "symbolic links",
        "ln",
        "ln -s",
        "symbolic link",
        "make link",
        "create link",
        "link to file",
        "os.symlink",
        "symlink_to",
        "symlinkSync",
        "create_symlink",
        "mklink",
        "File.symlink",
    ],
    summary: "Makes a symbolic link to a file or directory of the sandbox",
    details: "Both paths are from the sandbox root, also `target`, which `ln -s` takes from the directory of the \
        link. The target must exist. Symbolic links in `target` are followed, so the new link leads \
        straight to the file or directory.\n\n\
        The link stores a relative path, so a directory that holds both can be moved. If the target is moved or \
        deleted, the link leads nowhere; undo brings back both.\n\n\
        Nothing is replaced. Missing directories above the link are made. A link to a directory that contains it is \
        refused, and so is one between the sandbox and a further root.\n\n\
        Policy: reading and writing through a link follow the rules for its target. There is no tool for hard links.",
    effect: Effect::Adds,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::AlreadyExists,
        ToolCode::NotADirectory,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"releases/2/app.txt\", \"two\")\nMUST CALL FS.CreateLink(\"current\", \"releases/2\")\nEMIT FS.ReadFile(\"current/app.txt\").content\nEMIT FS.CreateLink(\"current\", \"releases\").error",
        output: "two\n`current` already exists\n",
    },
};

arguments! {
    struct Args {
        path | link | link_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.creating().not_following(), Access::Make), "link to make, from the sandbox root";
        target | target_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "existing file or directory that it leads to, from the sandbox root";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let Args { path, target } = args;
    let at_path = |error: SandboxError| ToolError::from(error).argument("path").path(path.display());
    check_target(&path, &target).map_err(|error| error.argument("target").path(target.display()))?;
    match path.metadata() {
        Err(SandboxError::NotFound(_)) => {}
        Ok(_) => return Err(at_path(SandboxError::Exists(path.display().to_owned()))),
        Err(error) => return Err(at_path(error)),
    }
    let text = path.link_text(&target).ok_or_else(|| {
        let message = format!("`{}` and `{}` are below different roots", path.display(), target.display());
        ToolError::new(ToolCode::Conflict, message)
            .argument("target")
            .path(target.display())
            .hint("no relative link leads from one root to another: copy what it should lead to")
    })?;
    let (_, missing) = path.missing_folders();
    let change = context.begin_change(1 + missing.len() as u64)?;
    let store = context.backup_store(&path);
    path.create_link(&text, store, context.meter, &change).map_err(at_path)?;
    Ok(Operation::done("create_link", path.display(), None))
}

fn check_target(path: &SandboxPath, target: &SandboxPath) -> Result<(), ToolError> {
    let metadata = target.metadata().map_err(|error| match error {
        SandboxError::NotFound(_) => ToolError::from(error).hint("make it first, then the link"),
        error => error.into(),
    })?;
    if metadata.kind == EntryKind::Special {
        return Err(SandboxError::Special(target.display().to_owned()).into());
    }
    if target.holds(path) {
        let message = format!("the link `{}` would lead to a directory above it", path.display());
        return Err(
            ToolError::new(ToolCode::Conflict, message).hint("a link cannot contain itself: choose another target")
        );
    }
    Ok(())
}
