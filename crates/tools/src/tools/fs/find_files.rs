//! `FS.FindFiles`: docs/specs/file_system_tool.md, "List Directory Operation".

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool, Visit, Visited};
use crate::limits::{Meter, space};
use crate::sandbox::{IgnoreSources, ListingPlan, PathRule, SandboxPath, Step};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::glob::Pattern;
use super::operation::{Precision, time_text};

const SPEC: Spec = Spec {
    name: "FS.FindFiles",
    wire: "find_files",
    aliases: &[],
    keywords: &["find files", "glob", "match files", "wildcard", "pattern", "fnmatch"],
    summary: "Finds files whose names match a pattern, and directories, in a directory or below it",
    details: "Returns a map with the files that match and all directories as `items`, and with the counts \
        `totalFiles`, `totalDirectories` and `totalSizeBytes`. `truncated` is true if more entries match than the \
        policy's `max_files_per_operation`; directories that do not match the pattern are not counted for it. \
        `FS.Find` has no such cap.\n\n\
        Patterns: `pattern` selects files; directories are listed in any case. It is compared with the name or, if it \
        contains a `/`, with the path from the searched directory. `*` and `?` do not match `/`, `**` does; `[a-z]`, \
        `[!a-z]` and `{a,b}` work as in a shell; `\\` makes the next character literal. Letter case counts.\n\n\
        Items: `path` is from the sandbox root. Pipes, sockets and devices are listed as files and never opened. In \
        names that are not UTF-8, U+FFFD stands for the other bytes; no tool accepts such a path.\n\n\
        Order: a directory before what is in it, siblings by the bytes of their names, files and directories \
        mixed.\n\n\
        Links: symbolic links are not entered. A link is an item of the kind that it leads to inside the sandbox; any \
        other link is left out.\n\n\
        Left out: entries whose names begin with a dot and what is in such directories, unless `include_hidden` is \
        set, and directories that the policy blocks. A directory that cannot be read is listed, without entries.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"src/main.rs\", \"fn main() {}\")\nMUST CALL FS.WriteFile(\"src/notes.md\", \"\")\nFOR EACH item IN FS.FindFiles(\".\", \"*.rs\", recursive: true).items DO\n  EMIT item.type, \" \", item.path, \" \", item.sizeBytes\nEND",
        output: "directory src 0\nfile src/main.rs 12\n",
    },
};

arguments! {
    struct Args {
        path | directory_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Look), "directory to search, from the sandbox root";
        pattern: Str = Is(Literal::Text("*")), Kind::Text, "pattern of file names, or of paths from the directory if it has a `/`";
        recursive: Option<bool> = Configured(Literal::Bool(false)), Kind::Bool, "also search directories below; when left out, as far as a pattern with a `/` or `**` leads";
        include_hidden: bool = Is(Literal::Bool(false)), Kind::Bool, "include hidden (dot) entries";
        max_depth: i64 = Is(Literal::Int(0)), Kind::at_least(0), "when recursive, levels that are listed: 1 for the directory's own entries; 0 for all";
        use_gitignore: bool = Is(Literal::Bool(false)), Kind::Bool, "leave out what `.gitignore` files and `.git/info/exclude` name, and `.git` directories";
    }
}

/// DirectoryListingResult.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    /// The directory as given, tidied.
    path: String,
    /// The files and directories that were found.
    items: Vec<Item>,
    /// Files among the items.
    total_files: usize,
    /// Directories among the items.
    total_directories: usize,
    /// Bytes of these files in sum.
    total_size_bytes: u64,
    /// There are more items that fit the pattern than the policy allows at once.
    truncated: bool,
}

/// FileSystemItem.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Item {
    /// The last part of the path.
    name: String,
    /// The path from the sandbox root.
    path: String,
    /// `file` or `directory`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Bytes; 0 for directories.
    size_bytes: u64,
    /// When it was made, RFC 3339, UTC; nil where the file system keeps no such time.
    created: Option<String>,
    /// Last change of the content, RFC 3339, UTC.
    modified: Option<String>,
    /// Part of the name after its last dot.
    #[serde(skip_serializing_if = "Option::is_none")]
    extension: Option<String>,
    /// Whether the name begins with a dot.
    is_hidden: bool,
}

/// Bytes that an item takes in addition to its texts, as a struct and then as a map.
const ITEM_BYTES: usize = 512;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    let Some(Some(pattern)) = given.text("pattern") else { return Ok(()) };
    Pattern::parse("pattern", &pattern).map(drop)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Found, ToolError> {
    let most = usize::try_from(context.files_per_operation()).unwrap_or(usize::MAX);
    let mut search = Search {
        pattern: Pattern::parse("pattern", &args.pattern.as_text())?,
        prefix: prefix(&args.path),
        most,
        fitting: 0,
        found: Found { path: args.path.display().to_owned(), ..Found::default() },
        bytes: 0,
    };
    let mut take = |entry: &mut Visited<'_, '_>, meter: &mut Meter| {
        meter.step(u64::from(entry.step != Step::Leave))?;
        search.take(entry)
    };
    let visited = context.visit(&args.path, Visit { plan: plan(&args), enters: None }, &mut take);
    visited.map_err(|error: ToolError| match error.limit {
        Some(_) => error,
        None => error.argument("path").path(args.path.display()),
    })?;
    Ok(search.found)
}

fn plan(args: &Args) -> ListingPlan {
    let reach = match args.recursive {
        Some(true) => usize::MAX,
        Some(false) => 0,
        None => levels_of(&args.pattern.as_text()),
    };
    let levels = match usize::try_from(args.max_depth).unwrap_or(usize::MAX) {
        0 => reach,
        depth => reach.min(depth - 1),
    };
    ListingPlan {
        levels,
        ignored_by: args.use_gitignore.then_some(IgnoreSources::Repository),
        skip_hidden: !args.include_hidden,
        links_as_targets: true,
        opens: true,
        ..ListingPlan::default()
    }
}

/// Returns how many levels below the directory a pattern reaches.
fn levels_of(pattern: &str) -> usize {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let is_of_paths = pattern.contains('/');
    if pattern == "**" || is_of_paths && pattern.contains("**") { usize::MAX } else { pattern.matches('/').count() }
}

/// Returns the path of a place from the sandbox root: as given, possibly through links, but without `..`.
pub fn named(place: &SandboxPath) -> String {
    let climbs = place.display().split('/').any(|part| part == "..");
    match &*if climbs { place.address() } else { place.display().into() } {
        "" => ".".to_owned(),
        path => path.to_owned(),
    }
}

/// Returns the path prefix of the entries in a directory: its path and a `/`, or nothing for the root.
pub fn prefix(directory: &SandboxPath) -> String {
    match named(directory) {
        path if path == "." => String::new(),
        path => format!("{path}/"),
    }
}

/// A search in progress.
struct Search {
    pattern: Pattern,
    prefix: String,
    most: usize,
    /// Number of items that match the pattern.
    fitting: usize,
    found: Found,
    /// Memory that the items use, in bytes.
    bytes: usize,
}

impl Search {
    fn take(&mut self, entry: &mut Visited<'_, '_>) -> Result<ControlFlow<()>, ToolError> {
        let lister = &mut *entry.lister;
        let is_folder = lister.is_folder();
        let fits = entry.step != Step::Leave && self.pattern.fits(&lister.name(), || lister.path());
        if entry.step == Step::Leave || !is_folder && !fits {
            return Ok(ControlFlow::Continue(()));
        }
        let metadata = match lister.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(ControlFlow::Continue(())),
            // A directory can be readable although the metadata of its entries is not accessible.
            other => other.ok(),
        };
        if fits && self.fitting == self.most {
            self.found.truncated = true;
            return Ok(ControlFlow::Break(()));
        }
        self.fitting += usize::from(fits);
        let name = lister.name().into_owned();
        let item = Item {
            path: format!("{}{}", self.prefix, lister.path()),
            kind: if is_folder { "directory" } else { "file" },
            size_bytes: metadata.filter(|_| !is_folder).map_or(0, |metadata| metadata.size),
            created: metadata.and_then(|metadata| time_text(metadata.created, Precision::Seconds)),
            modified: metadata.and_then(|metadata| time_text(metadata.modified, Precision::Seconds)),
            extension: crate::tools::path::extension(&name).map(str::to_owned),
            is_hidden: name.starts_with('.'),
            name,
        };
        self.add(item, is_folder)?;
        Ok(ControlFlow::Continue(()))
    }

    fn add(&mut self, item: Item, is_folder: bool) -> Result<(), ToolError> {
        let found = &mut self.found;
        self.bytes += ITEM_BYTES + 2 * (item.name.len() + item.path.len());
        space::check(self.bytes)?;
        space::check_items(found.items.len() + 1)?;
        found.total_directories += usize::from(is_folder);
        found.total_files += usize::from(!is_folder);
        found.total_size_bytes = found.total_size_bytes.saturating_add(item.size_bytes);
        found.items.push(item);
        Ok(())
    }
}
