//! The tree of the folder in one piece of bytes, for the page: it survives the worker that runs scripts.
//!
//! A snapshot is the length of its table in four bytes (little endian), the table in JSON, and the contents of the files
//! in the order of the table. It has no history: `.ns` and `neuroscript.toml` are in no snapshot. A snapshot may come
//! from anywhere, so reading one checks everything.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use neuroscript_sandbox::{Folder, Kind, Metadata, PathRule, Root, Timestamp, is_reserved};
use serde::{Deserialize, Serialize};

use crate::views::{LeftOut, Refusal};

/// Maximum number of entries of a folder.
pub const MAX_ENTRIES: usize = 10_000;
/// Maximum number of directories on a path.
const MAX_DEPTH: usize = 64;
/// Permission bits of new directories.
const FOLDER_MODE: u32 = 0o777;
/// Maximum number of paths that are named as left out.
const MAX_LEFT_OUT: usize = 100;

/// A row of the table.
#[derive(Debug, Deserialize, Serialize)]
struct Row {
    path: String,
    kind: Kind,
    /// Size of the content in bytes.
    #[serde(default)]
    size: u64,
    /// Milliseconds since 1970.
    #[serde(default)]
    modified: Option<i64>,
    #[serde(default)]
    mode: Option<u32>,
    /// The target of a link.
    #[serde(default)]
    target: Option<String>,
}

/// An entry that a walk found.
pub struct Visited<'a> {
    /// The path from the root.
    pub path: String,
    /// Its metadata.
    pub metadata: Metadata,
    /// Its directory.
    pub folder: &'a Folder,
    /// Its name there.
    pub name: &'a std::ffi::OsStr,
}

/// Visits the entries of a folder in the order of their names, each directory before its content, at most
/// [`MAX_ENTRIES`]. Returns whether there are more.
pub fn visit(root: &Root, mut act: impl FnMut(Visited<'_>) -> Result<(), Refusal>) -> Result<bool, Refusal> {
    let mut levels = vec![Level::open(open_root(root)?, String::new())?];
    let mut left = MAX_ENTRIES;
    while let Some(level) = levels.last_mut() {
        let Some(name) = level.names.pop() else {
            levels.pop();
            continue;
        };
        if left == 0 {
            return Ok(true);
        }
        left -= 1;
        let path = format!("{}{}", level.below, name.to_string_lossy());
        let metadata = level.folder.metadata(&name)?;
        let inner = match metadata.kind {
            Kind::Folder => Some(Level::open(level.folder.open_folder(&name)?, format!("{path}/"))?),
            _ => None,
        };
        act(Visited { path, metadata, folder: &level.folder, name: &name })?;
        levels.extend(inner);
    }
    Ok(false)
}

/// A directory that is being visited.
struct Level {
    folder: Folder,
    /// Its path, with a slash at the end.
    below: String,
    /// Names that are not visited yet, the next one last.
    names: Vec<std::ffi::OsString>,
}

impl Level {
    fn open(folder: Folder, below: String) -> std::io::Result<Level> {
        let mut names: Vec<_> = folder.entries()?.into_iter().map(|entry| entry.name).collect();
        names.retain(|name| !is_reserved(name));
        names.sort_by(|one, other| other.cmp(one));
        Ok(Level { folder, below, names })
    }
}

fn open_root(root: &Root) -> Result<Folder, Refusal> {
    let rule = PathRule { empty: true, ..PathRule::RELATIVE };
    let place = root.locate("", rule).map_err(|unreached| unreached.error)?;
    Ok(place.open_folder()?)
}

/// Writes a snapshot of a folder.
pub fn save(root: &Root) -> Result<Vec<u8>, Refusal> {
    let (mut rows, mut contents) = (Vec::new(), Vec::new());
    let is_cut = visit(root, |Visited { path, metadata, folder, name }| {
        let mut row = Row {
            path,
            kind: metadata.kind,
            size: 0,
            modified: metadata.modified.map(milliseconds),
            mode: Some(metadata.mode),
            target: None,
        };
        match metadata.kind {
            Kind::File => row.size = folder.open_file(name)?.read_to_end(&mut contents)? as u64,
            Kind::Link => row.target = Some(folder.read_link(name)?.to_string_lossy().into_owned()),
            Kind::Folder | Kind::Special => {}
        }
        rows.push(row);
        Ok(())
    })?;
    if is_cut {
        return Err(Refusal::new(format!("the folder has more than {MAX_ENTRIES} entries")));
    }
    let table = serde_json::to_vec(&rows).map_err(|error| Refusal::new(error.to_string()))?;
    let length = u32::try_from(table.len()).map_err(|_| Refusal::new("the folder has too many entries"))?;
    Ok([&length.to_le_bytes()[..], &table, &contents].concat())
}

/// Reads the rows of a snapshot, each with its content.
fn parse(snapshot: &[u8]) -> Result<Vec<(Row, &[u8])>, Refusal> {
    let damaged = || Refusal::new("the folder cannot be read: its table is damaged");
    let (length, rest) = snapshot.split_first_chunk().ok_or_else(damaged)?;
    let (table, mut contents) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
    let rows: Vec<Row> = serde_json::from_slice(table).map_err(|_| damaged())?;
    if rows.len() > MAX_ENTRIES {
        return Err(Refusal::new(format!("the folder has more than {MAX_ENTRIES} entries")));
    }
    let row = |row: Row| {
        let size = usize::try_from(row.size).map_err(|_| damaged())?;
        let (content, after) = contents.split_at_checked(size).ok_or_else(damaged)?;
        contents = after;
        Ok((row, content))
    };
    rows.into_iter().map(row).collect()
}

/// Creates a folder from a snapshot. Returns also the paths that it cannot have.
pub fn load(capacity: u64, snapshot: &[u8]) -> Result<(Root, Vec<LeftOut>), Refusal> {
    let rows = parse(snapshot)?;
    let (root, mut left_out) = (Root::in_memory(capacity)?, Vec::new());
    for (row, content) in &rows {
        match create(&root, row, content) {
            Err(Refused::Path(reason)) if left_out.len() < MAX_LEFT_OUT => {
                left_out.push(LeftOut { path: row.path.clone(), reason });
            }
            Err(Refused::Space(refusal)) => return Err(refusal),
            _ => {}
        }
    }
    // A directory gets its time after its content.
    rows.iter().rev().for_each(|(row, _)| set_modified(&root, row));
    Ok((root, left_out))
}

/// A row with its content.
type Entry<'a> = &'a (Row, &'a [u8]);

/// An entry of two snapshots that differ there. Directories and links have no content.
pub struct Changed<'a> {
    /// The path.
    pub path: &'a str,
    /// Whether the entry is, or was, a directory.
    pub is_folder: bool,
    /// The content before.
    pub before: Option<&'a [u8]>,
    /// The content after.
    pub after: Option<&'a [u8]>,
}

/// Calls `act` with each path at which two snapshots differ in kind or content, sorted by path.
pub fn compare(
    before: &[u8],
    after: &[u8],
    mut act: impl FnMut(Changed<'_>) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let (before, after) = (parse(before)?, parse(after)?);
    let mut paths: BTreeMap<&str, [Option<Entry<'_>>; 2]> = BTreeMap::new();
    before.iter().for_each(|entry| paths.entry(&entry.0.path).or_default()[0] = Some(entry));
    after.iter().for_each(|entry| paths.entry(&entry.0.path).or_default()[1] = Some(entry));
    for (path, [before, after]) in paths {
        let same = |one: &(Row, &[u8]), other: &(Row, &[u8])| {
            one.0.kind == other.0.kind && one.0.target == other.0.target && one.1 == other.1
        };
        if before.zip(after).is_some_and(|(one, other)| same(one, other)) {
            continue;
        }
        let is_folder = after.or(before).is_some_and(|(row, _)| row.kind == Kind::Folder);
        act(Changed {
            path,
            is_folder,
            before: before.map(|(_, content)| *content),
            after: after.map(|(_, content)| *content),
        })?;
    }
    Ok(())
}

/// The reason why an entry was not created.
enum Refused {
    /// Its path; the other entries are created.
    Path(String),
    /// The folder is full.
    Space(Refusal),
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Refused {
        match error.kind() {
            std::io::ErrorKind::StorageFull => Refused::Space(Refusal::new("the folder does not fit into memory")),
            _ => Refused::Path(error.to_string()),
        }
    }
}

fn create(root: &Root, row: &Row, content: &[u8]) -> Result<(), Refused> {
    if row.path.split('/').count() > MAX_DEPTH {
        return Err(Refused::Path(format!("it is more than {MAX_DEPTH} directories deep")));
    }
    let rule = PathRule { parents: false, ..PathRule::RELATIVE.creating().not_following() };
    let place = root.locate(&row.path, rule).map_err(|unreached| Refused::Path(unreached.error.to_string()))?;
    let name = place.name().map_err(|error| Refused::Path(error.to_string()))?;
    let (nearest, missing) = place.missing_folders();
    let folder = missing.iter().try_fold(nearest.duplicate()?, |folder, name| {
        folder.create_folder(name, FOLDER_MODE)?;
        folder.open_folder(name)
    })?;
    match row.kind {
        Kind::Folder => folder.create_folder(name, row.mode.unwrap_or(FOLDER_MODE))?,
        Kind::Link => folder.create_link(row.target.as_deref().unwrap_or_default().as_ref(), name)?,
        Kind::File => folder.create_file(name, row.mode.unwrap_or(0o666))?.write_all(content)?,
        Kind::Special => return Err(Refused::Path("it is no file, directory or link".to_owned())),
    }
    Ok(())
}

/// Sets the time of an entry, if it was created.
fn set_modified(root: &Root, row: &Row) {
    let Some(modified) = row.modified.filter(|_| row.kind != Kind::Link).map(timestamp) else { return };
    if let Ok(place) = root.locate(&row.path, PathRule::RELATIVE.not_following())
        && let Ok((folder, name)) = place.entry()
    {
        // Best effort: a time is no content.
        let _ = folder.set_modified(name, modified);
    }
}

/// Returns a time in milliseconds since 1970.
fn milliseconds(time: Timestamp) -> i64 {
    time.seconds.saturating_mul(1_000).saturating_add(i64::from(time.nanos / 1_000_000))
}

fn timestamp(milliseconds: i64) -> Timestamp {
    let nanos = milliseconds.rem_euclid(1_000) as u32 * 1_000_000;
    Timestamp { seconds: milliseconds.div_euclid(1_000), nanos }
}
