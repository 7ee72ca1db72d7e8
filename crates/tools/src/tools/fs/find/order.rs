//! The order and limit of the records of `FS.Find`.

use crate::limits::{LimitHit, work};
use crate::sandbox::FoundEntries;
use crate::tools::path::extension;
use crate::value::order::sort;

/// The field by which records are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// The bytes of the path, which is the order of the search.
    Path,
    /// The bytes of the name.
    Name,
    /// The size of the content in bytes.
    Size,
    /// The time of the last change.
    Modified,
    /// The bytes of the extension.
    Extension,
}

impl SortKey {
    /// Returns the key with the given name.
    pub fn of(word: &str) -> SortKey {
        match word {
            "name" => SortKey::Name,
            "size" => SortKey::Size,
            "modified" => SortKey::Modified,
            "extension" => SortKey::Extension,
            _ => SortKey::Path,
        }
    }
}

/// An order of records.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub key: SortKey,
    pub descending: bool,
}

impl Order {
    /// Returns whether the order depends on sizes or times.
    pub fn needs_details(self) -> bool {
        matches!(self.key, SortKey::Size | SortKey::Modified)
    }
}

/// Sorts entries that are in path order, and keeps at most `limit` of them.
pub fn arrange(found: FoundEntries, order: Order, limit: usize) -> Result<FoundEntries, LimitHit> {
    if order.key == SortKey::Path && !order.descending && limit >= found.len() {
        return Ok(found);
    }
    let mut rows: Vec<u32> = (0..found.len() as u32).collect();
    if order.key == SortKey::Path {
        // The limit is applied first, so that only the last `limit` rows are reversed.
        if order.descending {
            rows.drain(..rows.len().saturating_sub(limit));
            rows.reverse();
        }
    } else {
        let compare = |a: &u32, b: &u32| {
            let (a, b) = (*a as usize, *b as usize);
            match order.key {
                SortKey::Name => name(&found, a).cmp(name(&found, b)),
                SortKey::Size => found.sizes[a].cmp(&found.sizes[b]),
                SortKey::Modified => (found.modified[a], found.nanos[a]).cmp(&(found.modified[b], found.nanos[b])),
                SortKey::Extension => extension(name(&found, a)).cmp(&extension(name(&found, b))),
                SortKey::Path => a.cmp(&b),
            }
        };
        sort(&mut rows, |a, b| {
            work::charge(1)?;
            Ok(if order.descending { compare(b, a) } else { compare(a, b) })
        })?;
    }
    rows.truncate(limit);
    Ok(picked(found, &rows))
}

fn name(found: &FoundEntries, row: usize) -> &str {
    let start = row.checked_sub(1).map_or(0, |before| found.name_ends[before]);
    &found.names[start as usize..found.name_ends[row] as usize]
}

/// Returns the given rows, in this order.
fn picked(found: FoundEntries, rows: &[u32]) -> FoundEntries {
    let mut names = String::new();
    let mut name_ends = Vec::with_capacity(rows.len());
    for row in rows {
        names.push_str(name(&found, *row as usize));
        name_ends.push(names.len() as u32);
    }
    let mut targets: Vec<(u32, String)> = Vec::new();
    if !found.targets.is_empty() {
        for (place, row) in rows.iter().enumerate() {
            if let Ok(at) = found.targets.binary_search_by_key(row, |(row, _)| *row) {
                targets.push((place as u32, found.targets[at].1.clone()));
            }
        }
    }
    FoundEntries {
        names,
        name_ends,
        folders: gather(found.folders, rows),
        kinds: gather(found.kinds, rows),
        sizes: gather(found.sizes, rows),
        modified: gather(found.modified, rows),
        nanos: gather(found.nanos, rows),
        files: gather(found.files, rows),
        targets,
        ..FoundEntries { folder_names: found.folder_names, met: found.met, notes: found.notes, ..Default::default() }
    }
}

/// Returns the values of the given rows; empty if there are no values.
fn gather<T: Copy>(values: Vec<T>, rows: &[u32]) -> Vec<T> {
    if values.is_empty() {
        return values;
    }
    rows.iter().map(|row| values[*row as usize]).collect()
}
