//! `FS.SetPermissions`: docs/specs/file_system_tool.md, "Clarifying Questions".

mod mode;

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{Kind as EntryKind, PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::{Str, print};

use super::operation::Operation;
use mode::{Mode, Refusal};

const SPEC: Spec = Spec {
    name: "FS.SetPermissions",
    wire: "set_permissions",
    aliases: &[],
    keywords: &["chmod", "permissions", "executable", "mode", "os.chmod", "chmodSync", "read-only file"],
    summary: "Sets the permission bits of a file or directory",
    details: "Sets the bits and returns a map with the octal bits `before` and `permissions`, such as `0644`. Not \
        available on Windows.\n\n\
        `mode` is octal (`644`, `0755`) or symbolic as for `chmod` (`u+x`, `go-w`, `a=r`, `u=rwx,g=u`). Without a \
        letter before the operator it applies to everybody.\n\n\
        - The set-user-id, set-group-id and sticky bits cannot be set. A file that has them loses them; a directory \
        keeps its own.\n\
        - A directory is changed without what is in it.\n\
        - The bits are set on the file that was checked, which is not opened. A symbolic link is followed inside the \
        root.\n\
        - A file with more than one hard link is `policy_denied`: its other names share the mode and may be outside \
        the sandbox.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"run.sh\", \"#!/bin/sh\\n\")\nMUST CALL FS.SetPermissions(\"run.sh\", \"644\")\nSET result = FS.SetPermissions(\"run.sh\", \"u+x\")\nEMIT result.before, \" \", result.permissions",
        output: "0644 0744\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Change), "file or directory, from the sandbox root";
        mode: Str = Required, Kind::Text, "permission bits, octal or symbolic";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Permissions {
    #[serde(flatten)]
    operation: Operation,
    /// Octal permission bits that it had.
    before: String,
    /// Octal permission bits that it has.
    permissions: String,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    given.text("mode").flatten().map_or(Ok(()), |text| parse(&text).map(drop))
}

fn parse(text: &str) -> Result<Mode, ToolError> {
    Mode::parse(text).map_err(|refusal| {
        let shown = print::shortened(text, 40);
        match refusal {
            Refusal::Special => {
                let message = format!("`mode` sets the set-user-id, set-group-id or sticky bit: `{shown}`");
                ToolError::bad_argument("mode", message)
                    .hint("set `r`, `w` and `x` alone: programs would run as another user")
            }
            Refusal::Malformed => ToolError::bad_argument("mode", format!("`mode` is no permission mode: `{shown}`"))
                .hint("give octal digits such as \"644\", or changes such as \"u+x,go-w\""),
        }
    })
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Permissions, ToolError> {
    let path = &args.path;
    let mode = parse(&args.mode.as_text())?;
    let change = context.begin_change(1)?;
    let set = path.set_permissions(|found| mode.apply(found.mode, found.kind == EntryKind::Folder), &change);
    let (before, after) = set.map_err(|error| ToolError::from(error).argument("path").path(path.display()))?;
    Ok(Permissions {
        operation: Operation::done("set_permissions", path.display(), None),
        before: format!("{before:04o}"),
        permissions: format!("{after:04o}"),
    })
}
