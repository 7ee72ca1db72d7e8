//! `FS.WalkDir`: docs/specs/fs_walkdir.md.

use crate::gate::{Context, Tool};
use crate::sandbox::{Details, PathRule, SandboxError, SandboxPath, Tree};
use crate::text::ToolCode;
use crate::toolkit::{Answer, Effect, Example, Failure, Risk, Spec, ToolError, arguments};
use crate::value::{Column, List, Rows, Table, Texts, Value};

const SPEC: Spec = Spec {
    name: "FS.WalkDir",
    wire: "walk_dir",
    aliases: &["TOOL.WalkDir", "FS.Walk"],
    keywords: &["walk", "tree", "recursive", "traverse", "WalkDir.new", "filepath.WalkDir"],
    summary: "Walks a directory tree and lists every file and directory below the start",
    details: "Returns a list of maps, one for each entry below the start:\n\n\
        - `name`, `path`: name of the entry, and path from the start.\n\
        - `isDir`: whether it is a directory.\n\
        - `size`: bytes; 0 for a directory.\n\
        - `modTime`: RFC 3339, UTC, whole seconds.\n\n\
        Order: a directory before what is in it, siblings by the bytes of their names. The start itself is left out; \
        hidden entries are included. In names that are not UTF-8, U+FFFD stands for the other bytes; no tool accepts \
        such a path.\n\n\
        Links: symbolic links are listed with their own size and time and never followed. A start that is a link to a \
        directory gives an empty list.\n\n\
        Failures: a missing start gives `nil` without a warning, any other failure `nil` with one.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Nil,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"walk/sub/a.txt\", \"hello\")\nFOR EACH entry IN FS.WalkDir(\"walk\") DO\n  EMIT entry.path, \" \", entry.size\nEND",
        output: "sub 0\nsub/a.txt 5\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::RELATIVE, Access::Look), "directory where the walk begins, relative to the sandbox root";
    }
}

pub fn tool() -> Tool {
    let whole = |context: &mut Context<'_>, args| run(context, args, Details::All);
    let names = |context: &mut Context<'_>, args| run(context, args, Details::KindAlone);
    Tool::new(SPEC, whole).with_projection(&["name", "path", "isDir"], names)
}

fn run(context: &mut Context<'_>, args: Args, details: Details) -> Result<Entries, ToolError> {
    let failed = |error: SandboxError| {
        let error = ToolError::from(error).argument("path").path(args.path.display());
        if error.code == ToolCode::NotFound { error.quiet() } else { error }
    };
    let start = args.path.open_folder().map_err(failed)?;
    if args.path.is_through_link() {
        return Ok(Entries(List::empty()));
    }
    drop(start);
    let tree = context.walk(&args.path, details).map_err(|error| ToolError::from(error).path(args.path.display()))?;
    context.spend(tree.len())?;
    Ok(Entries(List::from_rows(Rows::new(table(tree, details)?))))
}

fn table(tree: Tree, details: Details) -> Result<Table, ToolError> {
    let len = tree.len();
    let (sizes, times) = match details {
        Details::All => (Column::Ints(tree.sizes), Column::Times(tree.modified)),
        Details::KindAlone => (Column::Unread, Column::Unread),
    };
    let columns = vec![
        ("name", Column::Texts(Texts::new(tree.names, tree.name_ends))),
        ("path", Column::Paths { names: 0, parents: tree.parents }),
        ("isDir", Column::Bools(tree.is_folder)),
        ("size", sizes),
        ("modTime", times),
    ];
    Ok(Table::new(columns, len)?)
}

/// The packed list of entries.
struct Entries(List);

impl Answer for Entries {
    fn into_value(self) -> Result<Value, crate::limits::LimitHit> {
        Ok(self.0.into())
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "base name" },
                    "path": { "type": "string", "description": "path from the start, parted by `/`" },
                    "isDir": { "type": "boolean" },
                    "size": { "type": "integer", "description": "bytes; 0 for directories" },
                    "modTime": { "type": "string", "description": "last change, RFC 3339, UTC, whole seconds" }
                },
                "required": ["name", "path", "isDir", "size", "modTime"]
            }
        })
    }
}
