//! `FS.FileInfo`: docs/specs/file_system_tool.md, "metadata extraction".

use schemars::JsonSchema;
use serde::Serialize;

use crate::sandbox::{Kind as EntryKind, PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Context, Effect, Example, Failure, Risk, Spec, Tool, ToolError, arguments};

use super::operation::time_text;

const SPEC: Spec = Spec {
    name: "FS.FileInfo",
    wire: "file_info",
    aliases: &["FS.Stat"],
    summary: "Tells what is known of a file or directory without opening it",
    details: "A link is described itself, as `symlink`. Times are RFC 3339, UTC; `created` is nil where the file \
        system keeps none. `permissions` are the octal bits, such as `0644`.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[ToolCode::SandboxViolation, ToolCode::NotFound, ToolCode::PermissionDenied, ToolCode::IoError],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.tar.gz\", \"12345\")\nSET info = FS.FileInfo(\"a.tar.gz\")\nEMIT info.type, \" \", info.sizeBytes, \" \", info.extension",
        output: "file 5 gz\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.not_following(), Access::Look), "what to describe, from the sandbox root";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Info {
    /// The last part of the path.
    name: String,
    /// The path as given, tidied.
    path: String,
    /// `file`, `directory`, `symlink` or `other`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Bytes; 0 for directories.
    size_bytes: u64,
    /// When it was made.
    created: Option<String>,
    /// Last change of the content.
    modified: Option<String>,
    /// Last access.
    accessed: Option<String>,
    /// What follows the last dot of the name.
    extension: Option<String>,
    /// Whether the name begins with a dot.
    is_hidden: bool,
    /// Octal permission bits.
    permissions: String,
    /// Names that the file has.
    links: u64,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(_: &mut Context<'_>, args: Args) -> Result<Info, ToolError> {
    let path = &args.path;
    let metadata = path.metadata().map_err(|error| ToolError::from(error).argument("path").path(path.shown()))?;
    let name = path.file_name();
    Ok(Info {
        extension: crate::tools::path::extension(&name).map(str::to_owned),
        is_hidden: name.starts_with('.') && name != ".",
        path: path.shown().to_owned(),
        kind: match metadata.kind {
            EntryKind::File => "file",
            EntryKind::Folder => "directory",
            EntryKind::Link => "symlink",
            EntryKind::Special => "other",
        },
        size_bytes: if metadata.kind == EntryKind::Folder { 0 } else { metadata.size },
        created: time_text(metadata.created),
        modified: time_text(metadata.modified),
        accessed: time_text(metadata.accessed),
        permissions: format!("{:04o}", metadata.mode),
        links: metadata.links,
        name,
    })
}
