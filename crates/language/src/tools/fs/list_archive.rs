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
use super::archive::{Budget, Node, NodeKind, OpenArchive, Parts, Plan};
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
    details: "Zip, tar and tar in gzip, recognized by their bytes; any other file in gzip holds a single file. The result is a list \
        of records with the fields of `FS.Find`: `path` in the archive, `name`, `type`, `size`, `modified` (nil for a directory \
        that the archive only implies), `extension` and `target`, the text of a link. A hard link is a file. Patterns are those \
        of `FS.Find`, for paths in the archive; `FS.Extract` takes them as `only`, and `FS.ReadFile` takes a `path` as `entry`. \
        Order: by path. An archive that `FS.Extract` refuses for a name, a link or its form is refused here too; sizes are as the \
        archive declares them.",
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
        pattern: Option<Value> = Absent, Kind::Patterns, "pattern of names, or of paths where it holds a `/`; or a list of patterns, of which `!` leaves out; everything when left out";
        r#type: Str = Is(Literal::Text("file")), Kind::Word(&["file", "directory", "link", "all"]), "what is listed";
        max_entries: Option<i64> = Absent, Kind::at_least(0), "the most entries that the archive may have; the policy's `max_files_per_operation` when left out";
        max_ratio: i64 = Is(Literal::Int(200)), Kind::at_least(1), "the most that the archive may come to, as a multiple of its own size; the first 10 MiB are free";
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
    /// `file`, `directory` or `link`.
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
    let plan = OpenArchive::new(path, open, budget).plan(context).map_err(at_path)?;
    let wanted = args.r#type.as_text();
    let mut held = MemoryCharge::default();
    let mut listed = Vec::new();
    for (parts, node) in plan.nodes() {
        work::charge(parts.len())?;
        let is_type = &*wanted == "all" || &*wanted == type_word(node);
        if is_type && plan.is_chosen(&patterns, parts, node) {
            let entry = record(&plan, parts, node);
            held.grow(2 * (size_of::<EntryRecord>() + entry.path.len() + entry.name.len()))?;
            listed.push(entry);
        }
    }
    context.spend(listed.len())?;
    Ok(listed)
}

fn record(plan: &Plan, parts: &Parts, node: &Node) -> EntryRecord {
    let name = parts.last().map_or("", |name| name);
    let target = if let NodeKind::Link(text) = &node.kind { Some(text.clone()) } else { None };
    EntryRecord {
        path: parts.join("/"),
        name: name.to_owned(),
        kind: type_word(node),
        size: target.as_ref().map_or(plan.size(node), |text| text.len() as u64),
        modified: node.modified.map(|seconds| rfc3339(seconds).into()),
        extension: crate::tools::path::extension(name).unwrap_or_default().to_owned(),
        target,
    }
}

fn type_word(node: &Node) -> &'static str {
    match node.kind {
        NodeKind::File | NodeKind::CopyOf(_) => "file",
        NodeKind::Folder => "directory",
        NodeKind::Link(_) => "link",
    }
}
