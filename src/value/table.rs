//! Many records of one shape, packed in columns.
//!
//! A walk over a million files gives a million rows; as maps they would take half a gigabyte. Here a
//! column is one vector, and the map, path and time text of a row are made when they are read.

use std::iter::successors;
use std::rc::Rc;

use crate::limits::{LimitHit, space};

use super::string::Str;
use super::time;
use super::{Map, Value};

/// The packed records.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(Str, Column)>,
    len: usize,
    bytes: usize,
}

/// One field of all records.
#[derive(Debug)]
pub enum Column {
    /// Texts.
    Texts(Texts),
    /// The way down to each record: the text of column `names` of the record itself, after those of
    /// its parents, parted by `/`. A record without a parent has [`NO_PARENT`].
    Paths {
        /// Which column holds the names.
        names: usize,
        /// The record's number of each record's parent.
        parents: Vec<u32>,
    },
    /// The path of each record: that of its folder, and the text of column `names`.
    PathsInFolders {
        /// Which column holds the names.
        names: usize,
        /// The folder of each record; [`NO_PARENT`] for those directly in the first folder.
        folders: Vec<u32>,
        /// All folders.
        of: Folders,
    },
    /// What follows the last dot of column `names`, as `extension` tells it; an empty text where nothing does.
    Extensions {
        /// Which column holds the names.
        names: usize,
        /// The extension of a name.
        extension: fn(&str) -> Option<&str>,
    },
    /// One of some words for each record.
    Words {
        /// The words.
        words: &'static [&'static str],
        /// Which word each record has.
        numbers: Vec<u8>,
    },
    /// Texts of a few records, by their numbers, in order; all others have nil.
    Sparse(Vec<(u32, String)>),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Truth values.
    Bools(Vec<bool>),
    /// Seconds since 1970, shown as RFC 3339 text in UTC.
    Times(Vec<i64>),
    /// A field that nothing reads; whoever makes the table knows it of all that can reach it.
    Unread,
}

/// Stands for the parent of a record that has none.
pub const NO_PARENT: u32 = u32::MAX;

/// Folders, each known by its name and by the folder above it.
#[derive(Debug)]
pub struct Folders {
    /// Path of the first folder with a `/` at its end, or empty.
    pub first: String,
    /// Names of the folders below it.
    pub names: Texts,
    /// The folder above each; [`NO_PARENT`] for those directly in the first one.
    pub parents: Vec<u32>,
}

impl Folders {
    /// The path of a name in a folder.
    fn path(&self, folder: u32, name: &str) -> String {
        let above = |folder: &u32| Some(self.parents[*folder as usize]).filter(|above| *above != NO_PARENT);
        let way: Vec<u32> = successors(Some(folder).filter(|folder| *folder != NO_PARENT), above).collect();
        let parts = || way.iter().rev().map(|folder| self.names.get(*folder as usize));
        let bytes = parts().map(|part| part.len() + 1).sum::<usize>() + self.first.len() + name.len();
        let mut path = String::with_capacity(bytes);
        path.push_str(&self.first);
        for part in parts() {
            path.push_str(part);
            path.push('/');
        }
        path.push_str(name);
        path
    }

    fn bytes(&self) -> usize {
        self.first.capacity() + self.names.bytes() + self.parents.capacity() * size_of::<u32>()
    }
}

/// Many texts end to end.
#[derive(Debug, Default)]
pub struct Texts {
    ends: Vec<u32>,
    bytes: String,
}

impl Texts {
    /// Texts end to end, and where each of them ends.
    pub fn new(bytes: String, ends: Vec<u32>) -> Texts {
        Texts { ends, bytes }
    }

    fn bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }

    /// The text of a record.
    pub fn get(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[row] as usize]
    }
}

impl Table {
    /// A table of columns that all have `len` records.
    pub fn new(columns: Vec<(impl Into<Str>, Column)>, len: usize) -> Result<Table, LimitHit> {
        space::check_items(len)?;
        let bytes = columns.iter().map(|(_, column)| column.bytes() + size_of::<(Str, Column)>()).sum();
        space::take(bytes)?;
        let columns = columns.into_iter().map(|(name, column)| (name.into(), column)).collect();
        Ok(Table { columns, len, bytes })
    }

    /// Which column has a name.
    #[inline]
    pub fn column(&self, name: &Str) -> Option<usize> {
        self.columns.iter().position(|(column, _)| column == name)
    }

    /// The value of a record in a column.
    pub fn cell(&self, row: usize, column: usize) -> Value {
        match &self.columns[column].1 {
            Column::Texts(texts) => Value::text(texts.get(row)),
            Column::Paths { names, parents } => Value::text(&self.path(row, *names, parents)),
            Column::PathsInFolders { names, folders, of } => {
                Value::text(&of.path(folders[row], self.text(row, *names)))
            }
            Column::Extensions { names, extension } => {
                Value::text(extension(self.text(row, *names)).unwrap_or_default())
            }
            Column::Words { words, numbers } => Value::text(words[usize::from(numbers[row])]),
            Column::Sparse(texts) => match texts.binary_search_by_key(&(row as u32), |(row, _)| *row) {
                Ok(at) => Value::text(&texts[at].1),
                Err(_) => Value::Nil,
            },
            Column::Ints(ints) => Value::Int(ints[row]),
            Column::Bools(bools) => Value::from(bools[row]),
            Column::Times(times) => Value::text(time::rfc3339(times[row]).as_str()),
            Column::Unread => unreachable!("nothing reads this field"),
        }
    }

    fn text(&self, row: usize, names: usize) -> &str {
        let Column::Texts(texts) = &self.columns[names].1 else { unreachable!("names are texts") };
        texts.get(row)
    }

    fn path(&self, row: usize, names: usize, parents: &[u32]) -> String {
        let mut rows = vec![row];
        let mut at = parents[row];
        while at != NO_PARENT {
            rows.push(at as usize);
            at = parents[at as usize];
        }
        let mut path = String::new();
        for &row in rows.iter().rev() {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(self.text(row, names));
        }
        path
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        space::give_back(self.bytes);
    }
}

impl Column {
    fn bytes(&self) -> usize {
        match self {
            Column::Texts(texts) => texts.bytes(),
            Column::Paths { parents, .. } => parents.capacity() * size_of::<u32>(),
            Column::PathsInFolders { folders, of, .. } => folders.capacity() * size_of::<u32>() + of.bytes(),
            Column::Extensions { .. } => 0,
            Column::Words { numbers, .. } => numbers.capacity(),
            Column::Sparse(texts) => {
                let bytes: usize = texts.iter().map(|(_, text)| text.capacity()).sum();
                bytes + texts.capacity() * size_of::<(u32, String)>()
            }
            Column::Ints(ints) | Column::Times(ints) => ints.capacity() * size_of::<i64>(),
            Column::Bools(bools) => bools.capacity(),
            Column::Unread => 0,
        }
    }
}

/// The records of a table as a list.
#[derive(Clone, Debug)]
pub struct Rows {
    table: Rc<Table>,
}

impl Rows {
    /// All records of a table.
    pub fn new(table: Table) -> Rows {
        Rows { table: Rc::new(table) }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.table.len
    }

    /// Whether the records of both are those of one table.
    pub fn is_same_table(&self, other: &Rows) -> bool {
        Rc::ptr_eq(&self.table, &other.table)
    }

    /// The record at an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Row> {
        (index < self.table.len).then(|| Row { table: self.table.clone(), index: index as u32 })
    }
}

/// One record of a table.
#[derive(Clone, Debug)]
pub struct Row {
    table: Rc<Table>,
    index: u32,
}

impl Row {
    /// Makes it another record of the same table; false when `rows` are of another.
    pub fn move_to(&mut self, rows: &Rows, index: usize) -> bool {
        let same = Rc::ptr_eq(&self.table, &rows.table) && index < self.table.len;
        if same {
            self.index = index as u32;
        }
        same
    }

    /// How many fields it has.
    pub fn width(&self) -> usize {
        self.table.columns.len()
    }

    /// Whether it has a field.
    pub fn has(&self, name: &Str) -> bool {
        self.table.column(name).is_some()
    }

    /// The value of a field.
    #[inline]
    pub fn get(&self, name: &Str) -> Option<Value> {
        Some(self.table.cell(self.index as usize, self.table.column(name)?))
    }

    /// Name and value of the field at a place.
    pub fn entry_at(&self, column: usize) -> Option<(Str, Value)> {
        let (name, _) = self.table.columns.get(column)?;
        Some((name.clone(), self.table.cell(self.index as usize, column)))
    }
}

impl From<Row> for Map {
    fn from(row: Row) -> Map {
        Map::from_row(row)
    }
}
