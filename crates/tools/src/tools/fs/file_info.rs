//! `FS.FileInfo`: docs/specs/file_system_tool.md, "metadata extraction".

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{Kind as EntryKind, PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};
use crate::value::identity_text;

use super::find::type_word;
use super::find_files::named;
use super::operation::{Precision, time_text};

const SPEC: Spec = Spec {
    name: "FS.FileInfo",
    wire: "file_info",
    aliases: &["FS.Stat"],
    keywords: &[
        "stat",
        "size",
        "file size",
        "filesize",
        "getsize",
        "os.path.getsize",
        "getmtime",
        "os.path.getmtime",
        "mtime",
        "modified time",
        "lstat",
        "statSync",
        "metadata",
        "os.stat",
        "os.Stat",
        "isdir",
        "isfile",
        "is_dir",
        "is_file",
        "isDirectory",
        "os.path.isfile",
        "os.path.isdir",
        "info",
        "date of a file",
        "Path.stat",
        "inode",
        "hard link",
        "same file",
        "samefile",
        "os.path.samefile",
        "os.SameFile",
        "st_ino",
        "st_nlink",
        "st_mtime_ns",
        "nanoseconds",
    ],
    summary: "Returns the metadata of a file or directory without opening it",
    details: "Returns a map with the metadata of the entry. A symbolic link is described itself. The first fields are \
        those of a record of `FS.Find`:\n\n\
        - `path`, `name`: path from the sandbox root, and its last part.\n\
        - `type`: `file`, `directory`, `link` or `other`.\n\
        - `size`: bytes; 0 for a directory. `sizeBytes` is the same, under the name that the specification gives it.\n\
        - `modified`, `created`, `accessed`: times; `created` is nil if the file system has none.\n\
        - `extension`: `\"\"` if there is none.\n\
        - `target`: text of a symbolic link.\n\
        - `permissions`: octal bits, such as `0644`.\n\
        - `links`, `identity`: number of names (hard links) of the file, and a text that two of them have in common, \
        and nothing else that exists.\n\n\
        Times are RFC 3339, UTC, whole seconds. With `exact_times` they have nine decimals; such texts compare like \
        the times, and `FS.SetModified` takes them as they are.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[ToolCode::SandboxViolation, ToolCode::NotFound, ToolCode::PermissionDenied, ToolCode::IoError],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.tar.gz\", \"12345\")\nSET info = FS.FileInfo(\"a.tar.gz\")\nEMIT info.type, \" \", info.size, \" \", info.extension",
        output: "file 5 gz\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.not_following(), Access::Look), "what to describe, from the sandbox root";
        exact_times: bool = Is(Literal::Bool(false)), Kind::Bool, "whether times have nanoseconds, always nine decimals";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Info {
    /// Path from the sandbox root.
    path: String,
    /// Last part of the path.
    name: String,
    /// `file`, `directory`, `link` or `other`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Bytes; 0 for directories.
    size: u64,
    /// Last change of the content.
    modified: Option<String>,
    /// Part of the name after its last dot, or empty.
    extension: String,
    /// Text of a link; nil for all else.
    target: Option<String>,
    /// The same as `size`.
    size_bytes: u64,
    /// When it was made.
    created: Option<String>,
    /// Last access.
    accessed: Option<String>,
    /// Whether the name begins with a dot.
    is_hidden: bool,
    /// Octal permission bits.
    permissions: String,
    /// Names that the file has.
    links: u64,
    /// Text that two names of one file have in common, and nothing else that exists now.
    identity: String,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(_: &mut Context<'_>, args: Args) -> Result<Info, ToolError> {
    let path = &args.path;
    let metadata = path.metadata().map_err(|error| ToolError::from(error).argument("path").path(path.display()))?;
    let name = path.file_name();
    let size = if metadata.kind == EntryKind::Folder { 0 } else { metadata.size };
    let precision = if args.exact_times { Precision::Nanoseconds } else { Precision::Seconds };
    let time_text = |time| time_text(time, precision);
    Ok(Info {
        path: named(path),
        kind: type_word(metadata.kind),
        size,
        modified: time_text(metadata.modified),
        extension: crate::tools::path::extension(&name).unwrap_or_default().to_owned(),
        target: target(path, metadata.kind)?,
        size_bytes: size,
        created: time_text(metadata.created),
        accessed: time_text(metadata.accessed),
        is_hidden: name.starts_with('.') && name != ".",
        permissions: format!("{:04o}", metadata.mode),
        links: metadata.links,
        identity: identity_text(metadata.identity.device, metadata.identity.inode),
        name,
    })
}

/// Returns the text of a link, or `None` for anything else.
fn target(path: &SandboxPath, kind: EntryKind) -> Result<Option<String>, ToolError> {
    if kind != EntryKind::Link {
        return Ok(None);
    }
    let (folder, name) = path.entry()?;
    let target = folder.read_link(name).map_err(|error| ToolError::from(path.error(&error)).argument("path"))?;
    Ok(Some(target.to_string_lossy().into_owned()))
}
