//! The order of the records of `FS.Find`, and how many there are.

use crate::limits::LimitHit;
use crate::sandbox::FoundEntries;
use crate::tools::path::extension;
use crate::value::order::sort;

/// The field by which records are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// The bytes of the path, in which order they are found.
    Path,
    /// The bytes of the name.
    Name,
    /// Bytes of the content.
    Size,
    /// Time of the last change.
    Modified,
    /// The bytes of the extension.
    Extension,
}

impl SortKey {
    /// The key of a word.
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
    /// Whether sizes and times count.
    pub fn needs_details(self) -> bool {
        matches!(self.key, SortKey::Size | SortKey::Modified)
    }
}

/// Puts entries, which are in the order of their paths, into another one, and leaves out those beyond a limit.
pub fn arrange(found: FoundEntries, order: Order, limit: usize) -> Result<FoundEntries, LimitHit> {
    if order.key == SortKey::Path && !order.descending && limit >= found.len() {
        return Ok(found);
    }
    let mut rows: Vec<u32> = (0..found.len() as u32).collect();
    if order.key == SortKey::Path {
        // Limit first where the last ones are wanted, so that no more than these are turned round.
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
                SortKey::Modified => found.modified[a].cmp(&found.modified[b]),
                SortKey::Extension => extension(name(&found, a)).cmp(&extension(name(&found, b))),
                SortKey::Path => a.cmp(&b),
            }
        };
        let turn = |a: &u32, b: &u32| if order.descending { compare(b, a) } else { compare(a, b) };
        sort(&mut rows, turn, |_, _| 1)?;
    }
    rows.truncate(limit);
    Ok(picked(found, &rows))
}

fn name(found: &FoundEntries, row: usize) -> &str {
    let start = row.checked_sub(1).map_or(0, |before| found.name_ends[before]);
    &found.names[start as usize..found.name_ends[row] as usize]
}

/// These rows, in this order.
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
        targets,
        ..FoundEntries { folder_names: found.folder_names, met: found.met, notes: found.notes, ..Default::default() }
    }
}

/// The values of these rows; none where there are no values.
fn gather<T: Copy>(values: Vec<T>, rows: &[u32]) -> Vec<T> {
    if values.is_empty() {
        return values;
    }
    rows.iter().map(|row| values[*row as usize]).collect()
}
