//! `FS.ListArchive`: lists the entries of an archive without unpacking it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::limits::{MemoryCharge, work};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::time::rfc3339;
use crate::value::{Str, Value};

use super::super::glob::LetterCase;
use super::archive::{ArchivedKind, Budget, Entry, Node, NodeKind, OnUnsafe, OpenArchive, Plan, UnsafeEntry, chooses};
use super::patterns::Patterns;

const SPEC: Spec = Spec {
    name: "FS.ListArchive",
    wire: "list_archive",
    aliases: &[],
    keywords: &[
        "list archive",
        "archive contents",
        "unzip -l",
        "tar -t",
        "tar tf",
        "zipinfo",
        "zipfile.namelist",
        "namelist",
        "infolist",
        "tarfile.getnames",
        "getmembers",
        "look into archive",
        "ZipFile.Entries",
    ],
    summary: "Lists the entries of an archive without unpacking it",
    details: "Returns a list of records with the fields of `FS.Find`: `path` in the archive, `name`, `type`, `size`, \
        `modified` (nil for a directory that the archive only implies), `extension` and `target`, the text of a \
        symbolic link. A hard link is listed as a file. Sizes are as the archive declares them. Records are ordered by \
        path.\n\n\
        Formats: zip, tar, and tar in gzip, zstd, xz or bzip2, recognized by their bytes. Any other compressed file \
        holds a single file.\n\n\
        Patterns are those of `FS.Find`, for paths in the archive. `FS.Extract` takes the same patterns as `only`, and \
        `FS.ReadFile` takes a `path` as `entry`.\n\n\
        Unsafe entries: `unsafe` is the reason why `FS.Extract` refuses the archive for this entry, or leaves it out \
        with `skip_unsafe`, and nil for all others. Such entries come first, in the order of the archive, with their \
        names as they are; pipes and devices have the type `other`. An archive whose form `FS.Extract` refuses is \
        refused here too.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::InvalidArchive,
        ToolCode::TooLarge,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"src/a.txt\", \"hello\")\nMUST CALL FS.WriteFile(\"src/b/c.rs\", \"\")\nMUST CALL FS.Compress(\"src\", \"src.zip\")\nFOR EACH entry IN FS.ListArchive(\"src.zip\", \"*.txt\") DO\n  EMIT entry.path, \" \", entry.size\nEND",
        output: "src/a.txt 5\n",
    },
};

arguments! {
    struct Args {
        path | source | archive_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "archive to list, from the sandbox root";
        pattern: Option<Value> = Absent, Kind::Patterns, "name pattern, or path pattern if it has a `/`; or a list, in which `!` excludes; everything when left out";
        r#type: Str = Is(Literal::Text("file")), Kind::Word(&["file", "directory", "link", "all"]), "entries to list; `all` includes pipes and devices";
        max_entries: Option<i64> = Absent, Kind::at_least(0), "maximum entries of the archive; the policy's `max_files_per_operation` when left out";
        max_ratio: i64 = Is(Literal::Int(200)), Kind::at_least(1), "maximum unpacked size, as a multiple of the archive's size; the first 10 MiB are free";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    let Some(pattern) = given.value("pattern") else { return Ok(()) };
    Patterns::parse("pattern", pattern.as_ref(), LetterCase::Counts).map(drop)
}

/// An entry of an archive, as a record of `FS.Find`.
#[derive(Serialize, JsonSchema)]
struct EntryRecord {
    /// Path in the archive.
    path: String,
    /// Last part of the path.
    name: String,
    /// `file`, `directory`, `link` or `other`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Bytes; 0 for directories.
    size: u64,
    /// Last change, RFC 3339, UTC, whole seconds; nil where the archive has none.
    modified: Option<String>,
    /// Part of the name after its last dot, or empty.
    extension: String,
    /// Text of a link; nil for all else.
    target: Option<String>,
    /// Why `FS.Extract` does not make it; nil for what it makes.
    #[serde(rename = "unsafe")]
    unsafe_reason: Option<String>,
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Vec<EntryRecord>, ToolError> {
    let path = &args.path;
    let at_path = |error: ToolError| match error.path {
        None => error.argument("path").path(path.display()),
        Some(_) => error,
    };
    let patterns = Patterns::parse("pattern", args.pattern.as_ref(), LetterCase::Counts)?;
    let open = context.open(path).map_err(at_path)?;
    let looking = Budget::for_looking(open.metadata.size, context);
    let budget = Budget {
        max_entries: args.max_entries.map_or(looking.max_entries, |most| most as u64),
        max_ratio: args.max_ratio as u64,
        ..looking
    };
    let plan = OpenArchive::new(path, open, budget).plan(context, OnUnsafe::Skip).map_err(at_path)?;
    let wanted = args.r#type.as_text();
    let mut held = MemoryCharge::default();
    let mut listed = Vec::new();
    for UnsafeEntry { entry, refusal } in &plan.unsafe_entries {
        work::charge(1)?;
        let kind = unsafe_type_word(&entry.what);
        let is_type = &*wanted == "all" || &*wanted == kind;
        if is_type && chooses(&patterns, &entry.name, kind == "directory") {
            held.grow(2 * (size_of::<EntryRecord>() + 2 * entry.name.len() + refusal.reason.len()))?;
            listed.push(unsafe_record(entry, kind, &refusal.reason));
        }
    }
    for (parts, node) in plan.nodes() {
        work::charge(parts.len())?;
        let is_type = &*wanted == "all" || &*wanted == type_word(node);
        let path = parts.join("/");
        if is_type && chooses(&patterns, &path, node.kind == NodeKind::Folder) {
            let entry = record(&plan, path, node);
            held.grow(2 * (size_of::<EntryRecord>() + entry.path.len() + entry.name.len()))?;
            listed.push(entry);
        }
    }
    context.spend(listed.len())?;
    Ok(listed)
}

fn record(plan: &Plan, path: String, node: &Node) -> EntryRecord {
    let name = last_part(&path);
    let target = if let NodeKind::Link(text) = &node.kind { Some(text.clone()) } else { None };
    EntryRecord {
        name: name.to_owned(),
        kind: type_word(node),
        size: target.as_ref().map_or(plan.size(node), |text| text.len() as u64),
        modified: node.modified.map(|seconds| rfc3339(seconds).into()),
        extension: extension(name),
        target,
        unsafe_reason: None,
        path,
    }
}

fn unsafe_record(entry: &Entry, kind: &'static str, reason: &str) -> EntryRecord {
    let name = last_part(&entry.name);
    let target = if let ArchivedKind::Link(text) = &entry.what { Some(text.clone()) } else { None };
    EntryRecord {
        name: name.to_owned(),
        kind,
        size: target.as_ref().map_or(entry.size, |text| text.len() as u64),
        modified: entry.modified.map(|seconds| rfc3339(seconds).into()),
        extension: extension(name),
        target,
        unsafe_reason: Some(reason.to_owned()),
        path: entry.name.clone(),
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default()
}

fn extension(name: &str) -> String {
    crate::tools::path::extension(name).unwrap_or_default().to_owned()
}

fn unsafe_type_word(kind: &ArchivedKind) -> &'static str {
    match kind {
        ArchivedKind::File | ArchivedKind::Same(_) => "file",
        ArchivedKind::Folder => "directory",
        ArchivedKind::Link(_) => "link",
        ArchivedKind::Special => "other",
    }
}

fn type_word(node: &Node) -> &'static str {
    match node.kind {
        NodeKind::File | NodeKind::CopyOf(_) => "file",
        NodeKind::Folder => "directory",
        NodeKind::Link(_) => "link",
    }
}
