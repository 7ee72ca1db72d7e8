//! `FS.Find`: finds files of a tree by name, kind, size and time. The result is complete, or the call fails.

pub mod measure;
mod order;
mod wanted;

use std::ops::Range;

use crate::gate::{Context, Tool};
use crate::sandbox::{
    Bounds, Details, FileNames, FoundEntries, Kind as EntryKind, PathRule, SandboxPath, Search, Timestamp,
};
use crate::text::ToolCode;
use crate::toolkit::{Answer, Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::{Column, Directories, List, Rows, Str, Table, Texts, Value};

use super::super::glob::LetterCase;
use super::find_files::prefix;
use super::patterns::{Patterns, leaving_out};
use order::{Order, SortKey};
pub use wanted::Wanted;

const SPEC: Spec = Spec {
    name: "FS.Find",
    wire: "find",
    aliases: &[],
    keywords: &[
        "find files",
        "search files by name",
        "newest",
        "oldest",
        "largest",
        "biggest",
        "smallest",
        "recent",
        "modified",
        "older",
        "by size",
        "disk usage",
        "du",
        "folder size",
        "directory size",
        "by age",
        "locate",
        "glob",
        "os.walk",
        "ls",
        "dir",
        "glob.glob",
        "Path.glob",
        "rglob",
        "Path.rglob",
        "filepath.Glob",
        "fs.glob",
        "globSync",
        "os.scandir",
        "filepath.Walk",
        "Directory.GetFiles",
        "Get-ChildItem",
        "du",
        "recursive",
        "count files",
        "nanoseconds",
        "mtime_ns",
        "hard links",
        "same file",
        "st_ino",
        "st_nlink",
        "ctime",
        "st_ctime",
    ],
    summary: "Finds files in a directory and all directories below it, by name, type, size and time",
    details: "Returns a list with a record for each entry found. The list is complete, or the call fails: an entry \
        that cannot be read or disappears during the search, a path that no tool takes (not UTF-8, or longer than \
        4,096 bytes) and a limit of the run are errors. There is no cap on the number of records unless `limit` sets \
        one. A record has these fields:\n\n\
        - `path`: path from the sandbox root, or absolute below a further root. Every tool takes it as it is.\n\
        - `name`: last part of the path.\n\
        - `type`: `file`, `directory`, `link` or `other` (a pipe, socket or device).\n\
        - `size`: bytes; 0 for a directory, the length of its text for a symbolic link.\n\
        - `modified`: RFC 3339, UTC, whole seconds; compares as a text. With `exact_times` it has nine decimals, so it \
        also orders files of one second.\n\
        - `extension`: part of the name after the last dot, as written, without the dot; `\"\"` if there is none \
        (`.bashrc`, `a.`).\n\
        - `target`: text of a symbolic link; nil for all else.\n\
        - `links`, `identity` and `changed`, with `identity: true`: number of names (hard links) of the file, a text that \
        two names of one file have in common, as `FS.FileInfo` returns them, and the time when its content, owner, \
        permissions or names last changed, in the form of `modified`. They take 36 bytes of memory per record, and \
        some more during the search.\n\n\
        Patterns: a pattern without `/` is compared with the name at any depth, one with `/` with the path from the \
        directory. One that ends in `/` matches directories only. `*` and `?` do not match `/`; `**` matches any \
        number of directories; `[a-z]`, `[!a-z]` and `{a,b}` work as in a shell; `\\` makes the next character \
        literal. Of several patterns, the last that matches decides. `!` in front excludes, a directory with \
        everything in it; if all patterns exclude, everything else is found.\n\n\
        Sizes: `min_size` and `max_size` are numbers of bytes or texts. `K`, `M`, `G`, `T` and `KiB`, … count by \
        1,024; `KB`, … by 1,000. With either bound, directories are not found.\n\n\
        Times: `newer_than` and `older_than` are times or ages: `30m`, `2h`, `7d`, `2w`. `newer_than` includes its \
        moment, `older_than` does not.\n\n\
        Order: by the bytes of `path`, or by `sort`. `descending` reverses that order, but records that are equal by \
        `sort` stay in the order of their paths. Times are always compared to the nanosecond.\n\n\
        Git: `gitignore` leaves out `.git` and everything that git ignores by `.git/info/exclude`, the `.gitignore` \
        files of the tree, and those of the directories above it up to the nearest `.git` or the root. The user's own \
        list (`core.excludesFile`) is not read, and whether git tracks a file does not matter.\n\n\
        Links: with `follow`, a symbolic link is reported as the entry that it leads to inside the sandbox; `target` \
        still shows the link. A directory is entered once: by its real path, else through the fewest links. Links that \
        lead out of the sandbox or nowhere stay links.\n\n\
        Policy: directories that the policy blocks are left out, as in every listing, and so are the files of \
        NeuroScript itself. Names that the policy refuses (by default `.git`, `.env` and private keys) are found, but \
        no tool reads or changes them; the pattern `[\"!.git\", \"!.env\"]` leaves them out.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::Encoding,
        ToolCode::Conflict,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"src/a.rs\", \"fn main() {}\")\nMUST CALL FS.WriteFile(\"src/b/c.rs\", \"\")\nMUST CALL FS.WriteFile(\"target/d.rs\", \"\")\nFOR EACH file IN FS.Find(\".\", [\"*.rs\", \"!target\"]) DO\n  EMIT file.path, \" \", file.size\nEND",
        output: "src/a.rs 12\nsrc/b/c.rs 0\n",
    },
};

/// Names of the entry types, in the order of [`word_number`].
const TYPES: &[&str] = &["file", "directory", "link", "other"];

arguments! {
    struct Args {
        path | dir: SandboxPath = Is(Literal::Text(".")), Kind::Path(PathRule::INSIDE, Access::Look), "directory to search, from the sandbox root";
        pattern: Option<Value> = Absent, Kind::Patterns, "name pattern, or path pattern from the directory if it has a `/`; or a list, in which `!` excludes";
        r#type: Str = Is(Literal::Text("file")), Kind::Word(&["file", "directory", "link", "all"]), "entries to find; `all` includes pipes, sockets and devices";
        depth: Option<i64> = Absent, Kind::IntOrNil { min: 1, max: i64::MAX }, "levels to search; 1 for the directory's own entries";
        hidden: bool = Is(Literal::Bool(true)), Kind::Bool, "whether names that begin with a dot are found";
        gitignore: bool = Is(Literal::Bool(false)), Kind::Bool, "leave out what git ignores, and `.git`";
        follow: bool = Is(Literal::Bool(false)), Kind::Bool, "whether to follow symbolic links";
        min_size: Option<Value> = Absent, Kind::Size, "minimum size: bytes or text such as `1.5 MiB`";
        max_size: Option<Value> = Absent, Kind::Size, "maximum size";
        newer_than: Option<Str> = Absent, Kind::TextOrNil, "changed since: a time, or an age such as `7d` or `30m`";
        older_than: Option<Str> = Absent, Kind::TextOrNil, "changed before this time";
        sort: Str = Is(Literal::Text("path")), Kind::Word(&["path", "name", "size", "modified", "extension"]), "order of the records";
        descending: bool = Is(Literal::Bool(false)), Kind::Bool, "whether the greatest comes first";
        limit: Option<i64> = Absent, Kind::IntOrNil { min: 0, max: i64::MAX }, "maximum number of records";
        ignore_case: bool = Is(Literal::Bool(false)), Kind::Bool, "whether patterns ignore letter case";
        exact_times: bool = Is(Literal::Bool(false)), Kind::Bool, "whether `modified` has nanoseconds";
        identity: bool = Is(Literal::Bool(false)), Kind::Bool, "whether records have `links`, `identity` and `changed`";
    }
}

pub fn tool() -> Tool {
    let whole = |context: &mut Context<'_>, args| run(context, args, Details::All);
    let names = |context: &mut Context<'_>, args| run(context, args, Details::KindAlone);
    Tool::new(SPEC, whole).with_check(check).with_projection(&["path", "name", "type", "extension"], names)
}

/// Checks constraints that the kinds of the parameters do not express.
fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    if let Some(pattern) = given.value("pattern") {
        Patterns::parse("pattern", pattern.as_ref(), LetterCase::Counts)?;
    }
    measure::check_sizes(given)?;
    for argument in ["newer_than", "older_than"] {
        if let Some(Some(text)) = given.text(argument) {
            measure::check_time(argument, &text)?;
        }
    }
    Ok(())
}

fn run(context: &mut Context<'_>, args: Args, details: Details) -> Result<Records, ToolError> {
    let patterns = Patterns::parse("pattern", args.pattern.as_ref(), LetterCase::of(args.ignore_case))?;
    let wanted = Wanted { patterns, kind: kind_of(&args.r#type.as_text()), hidden: args.hidden };
    let order = Order { key: SortKey::of(&args.sort.as_text()), descending: args.descending };
    let bounds = bounds(context, &args)?;
    let needs_details = !bounds.is_none() || order.needs_details();
    let has_fields = details == Details::All;
    let search = Search {
        choose: &|entry| wanted.choose(entry),
        bounds,
        details: if needs_details { Details::All } else { details },
        identities: args.identity && has_fields,
        depth: args.depth.map_or(usize::MAX, |depth| usize::try_from(depth).unwrap_or(usize::MAX)),
        gitignore: args.gitignore,
    };
    let found = context.find(&args.path, &search, args.follow);
    let found = found.map_err(|error| leaving_out(error, &args.path, &wanted.patterns))?;
    let limit = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let found = order::arrange(found, order, limit)?;
    let fields = Fields { details: search.details, exact_times: args.exact_times, identity: args.identity };
    Ok(Records(List::from_rows(Rows::new(table(found, prefix(&args.path), fields)?))))
}

fn bounds(context: &Context<'_>, args: &Args) -> Result<Bounds, ToolError> {
    let size = |argument, value: &Option<Value>| value.as_ref().map(|value| measure::size(argument, value)).transpose();
    let (least, greatest) = (size("min_size", &args.min_size)?, size("max_size", &args.max_size)?);
    let has_size = least.is_some() || greatest.is_some();
    let time = |argument, text: &Option<Str>| {
        text.as_ref().map(|text| measure::time(argument, &text.as_text(), context.now())).transpose()
    };
    let (newer, older) = (time("newer_than", &args.newer_than)?, time("older_than", &args.older_than)?);
    let has_time = newer.is_some() || older.is_some();
    let times: Range<Timestamp> = newer.unwrap_or(Timestamp::MIN)..older.unwrap_or(Timestamp::MAX);
    Ok(Bounds {
        sizes: has_size.then(|| least.unwrap_or(0)..=greatest.unwrap_or(u64::MAX)),
        modified: has_time.then_some(times),
    })
}

fn kind_of(word: &str) -> Option<EntryKind> {
    match word {
        "file" => Some(EntryKind::File),
        "directory" => Some(EntryKind::Folder),
        "link" => Some(EntryKind::Link),
        _ => None,
    }
}

/// Returns the index of a kind in [`TYPES`].
fn word_number(kind: EntryKind) -> u8 {
    match kind {
        EntryKind::File => 0,
        EntryKind::Folder => 1,
        EntryKind::Link => 2,
        EntryKind::Special => 3,
    }
}

/// Returns the name of a kind in records.
pub fn type_word(kind: EntryKind) -> &'static str {
    TYPES[usize::from(word_number(kind))]
}

/// The fields of the records.
struct Fields {
    details: Details,
    exact_times: bool,
    identity: bool,
}

fn table(found: FoundEntries, first: String, fields: Fields) -> Result<Table, ToolError> {
    let len = found.len();
    let (sizes, times, targets) = match fields.details {
        Details::All => {
            let times = if fields.exact_times {
                Column::ExactTimes { seconds: found.modified, nanos: found.nanos }
            } else {
                Column::Times(found.modified)
            };
            (Column::Ints(found.sizes), times, Column::Sparse(found.targets))
        }
        Details::KindAlone => (Column::Unread, Column::Unread, Column::Unread),
    };
    let folders = found.folder_names;
    let of = Directories { first, names: Texts::new(folders.names, folders.name_ends), parents: folders.parents };
    let numbers = found.kinds.into_iter().map(word_number).collect();
    let mut columns = vec![
        ("path", Column::PathsInFolders { names: 1, folders: found.folders, of }),
        ("name", Column::Texts(Texts::new(found.names, found.name_ends))),
        ("type", Column::Words { words: TYPES, numbers }),
        ("size", sizes),
        ("modified", times),
        ("extension", Column::Extensions { names: 1, extension: crate::tools::path::extension }),
        ("target", targets),
    ];
    if fields.identity {
        columns.extend(identities(&found.files, fields.exact_times));
    }
    Ok(Table::new(columns, len)?)
}

/// Returns the columns about the file that a record names. Without files nothing reads them.
fn identities(files: &[FileNames], exact_times: bool) -> [(&'static str, Column); 3] {
    if files.is_empty() {
        return [("links", Column::Unread), ("identity", Column::Unread), ("changed", Column::Unread)];
    }
    let links = files.iter().map(|file| i64::try_from(file.links).unwrap_or(i64::MAX)).collect();
    let identities = files.iter().map(|file| (file.identity.device, file.identity.inode)).collect();
    let seconds = files.iter().map(|file| file.changed.seconds).collect();
    let changed = if exact_times {
        Column::ExactTimes { seconds, nanos: files.iter().map(|file| file.changed.nanos).collect() }
    } else {
        Column::Times(seconds)
    };
    [("links", Column::Ints(links)), ("identity", Column::Identities(identities)), ("changed", changed)]
}

/// The packed list of records.
struct Records(List);

impl Answer for Records {
    fn into_value(self) -> Result<Value, crate::limits::LimitHit> {
        Ok(self.0.into())
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "path from the sandbox root" },
                    "name": { "type": "string", "description": "last part of the path" },
                    "type": { "type": "string", "enum": TYPES },
                    "size": { "type": "integer", "description": "bytes; 0 for directories" },
                    "modified": { "type": "string", "description": "last change, RFC 3339, UTC, whole seconds, or nine decimals with `exact_times`" },
                    "extension": { "type": "string", "description": "what follows the last dot of the name, or empty" },
                    "target": { "type": ["string", "null"], "description": "text of a link; null for all else" },
                    "links": { "type": "integer", "description": "names that the file has; with `identity`" },
                    "identity": { "type": "string", "description": "text that two names of one file have in common; with `identity`" },
                    "changed": { "type": "string", "description": "last change of content, owner, permissions or names, in the form of `modified`; with `identity`" }
                },
                "required": ["path", "name", "type", "size", "modified", "extension", "target"]
            }
        })
    }
}
