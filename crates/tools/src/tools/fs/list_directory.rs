//! `FS.ListDirectory`: docs/specs/list_directory_srd.md.
//!
//! Requirement numbers in comments refer to that document.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{Folder, Kind as EntryKind, Metadata, PathRule, SandboxPath, is_reserved};
use crate::text::ToolCode;
use crate::toolkit::{
    Effect, Example, Failure, Given, ListDirectorySettings, Risk, Settings, Spec, ToolError, arguments,
};

const SPEC: Spec = Spec {
    name: "FS.ListDirectory",
    wire: "list_directory",
    aliases: &["FS.List"],
    keywords: &[
        "listdir",
        "os.listdir",
        "readdir",
        "readdirSync",
        "scandir",
        "iterdir",
        "ls",
        "dir",
        "list files",
        "list folder",
        "entries",
        "os.ReadDir",
        "read_dir",
        "list directory",
        "Dir.entries",
    ],
    summary: "List directory entries",
    details: "Returns a map with the `entries`, sorted by path, and `returned`, `max_entries`, `truncated` and \
        `truncated_reason`. Sizes are bytes, and only files have one; times are milliseconds since 1970.\n\n\
        Order of the listing: depth-first, a directory before what is in it, siblings by name. It stops at \
        `max_entries` matching entries. If the answer exceeds the output budget, entries are dropped from the end.\n\n\
        Symbolic links are listed and never followed. An entry whose metadata cannot be read, or a directory that \
        cannot be read, has the type `unknown`, with `error_code` and `error`. In names that are not UTF-8, U+FFFD \
        stands for the other bytes; no tool accepts such a path.",
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
        script: "MUST CALL FS.WriteFile(\"list/a.txt\", \"hello\")\nSET listing = FS.ListDirectory(\"list\")\nEMIT listing.returned, \" \", listing.entries[0].path, \" \", listing.entries[0].size_bytes",
        output: "1 a.txt 5\n",
    },
};

/// Blanks around the path are trimmed (FR-LD-VAL-10); `..` and absolute paths are refused.
const PATH: PathRule = PathRule { parents: false, trimmed: true, ..PathRule::RELATIVE };

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PATH, Access::Look), "directory to list, relative to the sandbox root";
        recursive: bool = Is(Literal::Bool(false)), Kind::Bool, "also list what is in directories below";
        max_depth: Option<i64> = Absent, Kind::at_least(1), "levels to list when recursive; the policy file sets the default and the cap (4)";
        max_entries: Option<i64> = Absent, Kind::at_least(1), "entries to list at most; the policy file sets the default and the cap (200)";
        include_hidden: Option<bool> = Configured(Literal::Bool(false)), Kind::Bool, "include names that begin with a dot";
        include_files: Option<bool> = Configured(Literal::Bool(true)), Kind::Bool, "include regular files";
        include_dirs: Option<bool> = Configured(Literal::Bool(true)), Kind::Bool, "include directories";
        include_symlinks: Option<bool> = Configured(Literal::Bool(true)), Kind::Bool, "include symbolic links";
        include_other: Option<bool> = Configured(Literal::Bool(false)), Kind::Bool, "include pipes, sockets and devices";
    }
}

/// The answer (§3.5); its fields are in the order of the document.
#[derive(Serialize, JsonSchema)]
struct Listing {
    /// The requested path, tidied.
    path: String,
    /// The entries, sorted by path.
    entries: Vec<Entry>,
    /// How many entries there are.
    returned: usize,
    /// The most entries that there could be.
    max_entries: i64,
    /// Whether entries were left out.
    truncated: bool,
    /// `max_entries` or `max_output_bytes`, when entries were left out.
    truncated_reason: Option<&'static str>,
}

/// One entry (§3.5).
#[derive(Serialize, JsonSchema)]
struct Entry {
    /// The last part of the path.
    name: String,
    /// The path from the listed directory.
    path: String,
    /// Depth below the listed directory: 1 for its own entries.
    depth: i64,
    /// `file`, `dir`, `symlink`, `other` or `unknown`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Bytes, of regular files only.
    size_bytes: Option<u64>,
    /// Last change, milliseconds since 1970.
    modified_epoch_ms: Option<i64>,
    /// Whether the name begins with a dot.
    is_hidden: bool,
    /// Why nothing is known of it.
    error_code: Option<&'static str>,
    /// The same in words.
    error: Option<String>,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Listing, ToolError> {
    let choice = Choice::from_args(&args, &context.settings().list_directory);
    let at_path = |error: ToolError| error.path(args.path.display());
    let folder = args.path.open_folder().map_err(|error| at_path(error.into()))?;
    let names = sorted_names(&folder).map_err(|error| at_path(args.path.error(&error).into()))?;
    let start = args.path.address().into_owned();
    let mut walk = Walk { choice: &choice, context, start, entries: Vec::new(), truncated: false };
    walk.run(folder, names)?;
    let Walk { mut entries, truncated, .. } = walk;
    // FR-LD-OUT-01: the order of the output differs from that of the walk.
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let listing = Listing {
        path: args.path.display().to_owned(),
        returned: entries.len(),
        entries,
        max_entries: choice.max_entries,
        truncated,
        truncated_reason: truncated.then_some("max_entries"),
    };
    fit(listing, context.answer_bytes)
}

/// The combined arguments and settings of the policy file.
struct Choice {
    max_depth: i64,
    max_entries: i64,
    hidden: bool,
    files: bool,
    dirs: bool,
    symlinks: bool,
    other: bool,
}

impl Choice {
    /// Combines arguments and settings; arguments take precedence (FR-LD-VAL-06a). Requires that [`check`] has
    /// passed.
    fn from_args(args: &Args, settings: &ListDirectorySettings) -> Choice {
        Choice {
            max_depth: if args.recursive { args.max_depth.unwrap_or(settings.max_depth) } else { 1 },
            max_entries: args.max_entries.unwrap_or(settings.max_entries),
            hidden: args.include_hidden.unwrap_or(settings.include_hidden_default),
            files: args.include_files.unwrap_or(settings.include_files_default),
            dirs: args.include_dirs.unwrap_or(settings.include_dirs_default),
            symlinks: args.include_symlinks.unwrap_or(settings.include_symlinks_default),
            other: args.include_other.unwrap_or(settings.include_other_default),
        }
    }

    fn includes(&self, kind: EntryKind) -> bool {
        match kind {
            EntryKind::File => self.files,
            EntryKind::Folder => self.dirs,
            EntryKind::Link => self.symlinks,
            EntryKind::Special => self.other,
        }
    }
}

/// Checks constraints between arguments, and the caps of the policy file.
fn check(given: &Given<'_>, settings: &Settings) -> Result<(), ToolError> {
    let settings = &settings.list_directory;
    if let (Some(recursive), Some(Some(depth))) = (given.truth("recursive"), given.int("max_depth")) {
        // FR-LD-VAL-02
        if recursive != Some(true) && depth > 1 {
            let error = ToolError::bad_argument("max_depth", "`max_depth` above 1 needs `recursive: true`");
            return Err(error.hint("set `recursive: true`, or leave `max_depth` out"));
        }
    }
    within("max_depth", given, settings.max_depth)?;
    within("max_entries", given, settings.max_entries)?;
    // FR-LD-VAL-05: `include_other` alone is not enough.
    let included = |name: &str, default: bool| given.truth(name).is_none_or(|given| given.unwrap_or(default));
    if !included("include_files", settings.include_files_default)
        && !included("include_dirs", settings.include_dirs_default)
        && !included("include_symlinks", settings.include_symlinks_default)
    {
        let message = "one of `include_files`, `include_dirs` and `include_symlinks` must be true";
        return Err(ToolError::bad_argument("include_files", message).hint("include at least one kind of entry"));
    }
    Ok(())
}

/// Checks a number whose default and cap are set in the policy file (CFG-LD-02, CFG-LD-03).
fn within(argument: &'static str, given: &Given<'_>, cap: i64) -> Result<(), ToolError> {
    match given.int(argument) {
        Some(Some(asked)) if asked > cap => {
            let message = format!("`{argument}` is at most {cap} here, not {asked}");
            let hint = format!(
                "ask for less, or raise `{argument}` in `[tools.list_directory]` of your own policy file or `--policy`"
            );
            Err(ToolError::bad_argument(argument, message).hint(hint))
        }
        _ => Ok(()),
    }
}

/// A raw name, and the text by which it is displayed and sorted (NFR-LD-REL-02).
struct Name {
    raw: OsString,
    shown: String,
}

/// Returns the names in a directory in walk order (FR-LD-LST-05), without reserved ones.
fn sorted_names(folder: &Folder) -> io::Result<Vec<Name>> {
    let entries = folder.entries()?.into_iter().filter(|entry| !is_reserved(&entry.name));
    let mut names: Vec<Name> = entries.map(|entry| Name { shown: display(&entry.name), raw: entry.name }).collect();
    // Two raw names may have the same text; comparing their bytes keeps the order deterministic.
    names.sort_by(|a, b| a.shown.cmp(&b.shown).then_with(|| a.raw.cmp(&b.raw)));
    Ok(names)
}

/// Converts a name to text, with one U+FFFD for each maximal invalid sequence.
fn display(name: &OsStr) -> String {
    String::from_utf8_lossy(name.as_encoded_bytes()).into_owned()
}

/// The traversal (§3.4).
struct Walk<'a, 'b> {
    choice: &'a Choice,
    context: &'a mut Context<'b>,
    /// The resolved path of the listed directory.
    start: String,
    entries: Vec<Entry>,
    truncated: bool,
}

/// An open directory and its remaining names.
struct Level {
    folder: Folder,
    names: std::vec::IntoIter<Name>,
    path: String,
}

impl Walk<'_, '_> {
    fn run(&mut self, folder: Folder, names: Vec<Name>) -> Result<(), ToolError> {
        let mut levels = vec![Level { folder, names: names.into_iter(), path: String::new() }];
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.names.next() else {
                levels.pop();
                continue;
            };
            self.context.spend(1)?;
            if name.shown.starts_with('.') && !self.choice.hidden {
                continue;
            }
            let depth = levels.len() as i64;
            let below = self.visit(&levels[levels.len() - 1], &name, depth);
            if self.truncated {
                return Ok(());
            }
            levels.extend(below);
        }
        Ok(())
    }

    /// Adds the entry of a name. Returns the directory to descend into, if it is one.
    fn visit(&mut self, level: &Level, name: &Name, depth: i64) -> Option<Level> {
        let path = if level.path.is_empty() { name.shown.clone() } else { format!("{}/{}", level.path, name.shown) };
        let entry = |kind, metadata: Option<Metadata>| Entry {
            name: name.shown.clone(),
            path: path.clone(),
            depth,
            kind,
            size_bytes: metadata.filter(|metadata| metadata.kind == EntryKind::File).map(|metadata| metadata.size),
            modified_epoch_ms: metadata.and_then(|metadata| metadata.modified).and_then(|time| time.epoch_ms()),
            is_hidden: name.shown.starts_with('.'),
            error_code: None,
            error: None,
        };
        let metadata = match level.folder.metadata(&name.raw) {
            Ok(metadata) => metadata,
            // FR-LD-LST-04
            Err(error) => {
                let (code, words) = unknown(&error);
                self.add(Entry { error_code: Some(code), error: Some(words), ..entry("unknown", None) });
                return None;
            }
        };
        if metadata.kind == EntryKind::Folder && self.context.hides_directory(&format!("{}/{path}", self.start)) {
            return None;
        }
        let included = self.choice.includes(metadata.kind);
        if metadata.kind != EntryKind::Folder || depth >= self.choice.max_depth {
            if included {
                self.add(entry(type_word(metadata.kind), Some(metadata)));
            }
            return None;
        }
        match open(&level.folder, &name.raw) {
            Ok((folder, names)) => {
                if included {
                    self.add(entry("dir", Some(metadata)));
                }
                Some(Level { folder, names: names.into_iter(), path })
            }
            // FR-LD-LST-08: this entry replaces that of the directory, whatever is included.
            Err(error) => {
                let words = format!("the directory cannot be read: {}", words(&error));
                let unread = entry("unknown", Some(metadata));
                self.add(Entry { error_code: Some("read_dir_failed"), error: Some(words), ..unread });
                None
            }
        }
    }

    /// Adds an entry, or marks the listing as truncated (FR-LD-LST-07).
    fn add(&mut self, entry: Entry) {
        if self.entries.len() as i64 >= self.choice.max_entries {
            self.truncated = true
        } else {
            self.entries.push(entry)
        }
    }
}

fn open(folder: &Folder, name: &OsStr) -> io::Result<(Folder, Vec<Name>)> {
    let inner = folder.open_folder(name)?;
    let names = sorted_names(&inner)?;
    Ok((inner, names))
}

fn type_word(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File => "file",
        EntryKind::Folder => "dir",
        EntryKind::Link => "symlink",
        EntryKind::Special => "other",
    }
}

/// Returns the code and message for an entry without metadata.
fn unknown(error: &io::Error) -> (&'static str, String) {
    let code = match error.kind() {
        ErrorKind::PermissionDenied => "permission_denied",
        ErrorKind::NotFound => "metadata_unavailable",
        _ => "io_error",
    };
    (code, words(error))
}

/// Returns a short message that does not depend on the locale.
fn words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        kind => kind.to_string(),
    }
}

/// Drops entries from the end until the answer fits its budget (FR-LD-OUT-03 to 08).
fn fit(mut listing: Listing, budget: Option<u64>) -> Result<Listing, ToolError> {
    let Some(budget) = budget else { return Ok(listing) };
    let lengths: Vec<u64> = listing.entries.iter().map(json_length).collect();
    let mut inner = lengths.iter().sum::<u64>() + lengths.len().saturating_sub(1) as u64;
    let entries = std::mem::take(&mut listing.entries);
    let mut kept = entries.len();
    // The listing without entries is `…"entries":[]…`; the entries and their commas are inserted there.
    while json_length(&listing) + inner > budget {
        let Some(last) = kept.checked_sub(1) else {
            let needed = json_length(&listing);
            let message = format!("output budget too small: {budget} bytes, and an empty listing takes {needed}");
            return Err(ToolError::new(ToolCode::LimitExceeded, message)
                .hint("raise `--max-output-bytes` or `tool_output_bytes`"));
        };
        inner -= lengths[last] + u64::from(last > 0);
        kept = last;
        listing.returned = kept;
        listing.truncated = true;
        listing.truncated_reason = Some("max_output_bytes");
    }
    listing.entries = entries;
    listing.entries.truncate(kept);
    Ok(listing)
}

fn json_length<T: Serialize>(value: &T) -> u64 {
    serde_json::to_vec(value).expect("an entry has a JSON form").len() as u64
}
