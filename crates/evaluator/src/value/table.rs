//! Many records of one shape, packed in columns.
//!
//! A walk over a million files returns a million rows; as maps they would take half a gigabyte. Here each column is one
//! vector, and the map, path and time text of a row are created when they are read.

use std::iter::successors;
use std::rc::Rc;

use crate::limits::{LimitHit, space};

use super::Value;
use super::string::Str;
use super::time;

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
    /// The path of each record: the text of column `names` of its ancestors and itself, joined by `/`. A record without
    /// a parent has `NO_PARENT`.
    Paths {
        /// Index of the column with the names.
        names: usize,
        /// For each record, the index of its parent record.
        parents: Vec<u32>,
    },
    /// The path of each record: that of its directory, and the text of column `names`.
    PathsInFolders {
        /// Index of the column with the names.
        names: usize,
        /// The directory of each record, or `NO_PARENT` for records directly in the first directory.
        folders: Vec<u32>,
        /// All directories.
        of: Directories,
    },
    /// The extension of each name in column `names`, or an empty text if there is none.
    Extensions {
        /// Index of the column with the names.
        names: usize,
        /// Returns the extension of a name.
        extension: fn(&str) -> Option<&str>,
    },
    /// For each record, one of a fixed set of words.
    Words {
        /// The words.
        words: &'static [&'static str],
        /// For each record, the index of its word.
        numbers: Vec<u8>,
    },
    /// Texts of a few records, sorted by record index; all others are nil.
    Sparse(Vec<(u32, String)>),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Truth values.
    Bools(Vec<bool>),
    /// Seconds since 1970, presented as RFC 3339 text in UTC.
    Times(Vec<i64>),
    /// Seconds since 1970 and the nanoseconds of each, presented with nine decimals.
    ExactTimes {
        /// The seconds.
        seconds: Vec<i64>,
        /// The nanoseconds.
        nanos: Vec<u32>,
    },
    /// The device and inode of each record's file, presented as [`identity_text`].
    Identities(Vec<(u64, u64)>),
    /// A field that nothing reads. The creator of the table knows this for all code that can access it.
    Unread,
}

/// The parent index of a record without a parent.
pub const NO_PARENT: u32 = u32::MAX;

/// Directories, each stored as its name and its parent.
#[derive(Debug)]
pub struct Directories {
    /// Path of the first directory with a trailing `/`, or empty.
    pub first: String,
    /// Names of the directories below it.
    pub names: Texts,
    /// The parent of each directory, or `NO_PARENT` for those directly in the first directory.
    pub parents: Vec<u32>,
}

impl Directories {
    /// Returns the path of a name in a directory.
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

/// Many texts stored end to end.
#[derive(Debug, Default)]
pub struct Texts {
    ends: Vec<u32>,
    bytes: String,
}

impl Texts {
    /// Creates texts from their concatenation and the end offset of each.
    pub fn new(bytes: String, ends: Vec<u32>) -> Texts {
        Texts { ends, bytes }
    }

    fn bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }

    /// Returns the text at an index.
    pub fn get(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[row] as usize]
    }
}

impl Table {
    /// Creates a table of columns with `len` records each.
    pub fn new(columns: Vec<(impl Into<Str>, Column)>, len: usize) -> Result<Table, LimitHit> {
        space::check_items(len)?;
        let bytes = columns.iter().map(|(_, column)| column.bytes() + size_of::<(Str, Column)>()).sum();
        space::take(bytes)?;
        let columns = columns.into_iter().map(|(name, column)| (name.into(), column)).collect();
        Ok(Table { columns, len, bytes })
    }

    /// Returns the index of the column with a name.
    #[inline]
    pub fn column(&self, name: &Str) -> Option<usize> {
        self.columns.iter().position(|(column, _)| column == name)
    }

    /// Returns the value of a record in a column.
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
            Column::ExactTimes { seconds, nanos } => {
                Value::text(time::rfc3339_exact(seconds[row], nanos[row]).as_str())
            }
            Column::Identities(files) => {
                let (device, inode) = files[row];
                Value::text(&identity_text(device, inode))
            }
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
            Column::ExactTimes { seconds, nanos } => {
                seconds.capacity() * size_of::<i64>() + nanos.capacity() * size_of::<u32>()
            }
            Column::Identities(files) => files.capacity() * size_of::<(u64, u64)>(),
            Column::Unread => 0,
        }
    }
}

/// Returns the text that stands for a file, given its device and inode.
pub fn identity_text(device: u64, inode: u64) -> String {
    format!("{device:x}-{inode:x}")
}

/// The records of a table as a list.
#[derive(Clone, Debug)]
pub struct Rows {
    table: Rc<Table>,
}

impl Rows {
    /// Returns all records of a table.
    pub fn new(table: Table) -> Rows {
        Rows { table: Rc::new(table) }
    }

    /// Returns the number of records.
    #[inline]
    pub fn len(&self) -> usize {
        self.table.len
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether both belong to the same table.
    pub fn is_same_table(&self, other: &Rows) -> bool {
        Rc::ptr_eq(&self.table, &other.table)
    }

    /// Returns the record at an index.
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
    /// Moves to another record of the same table. Returns false if `rows` belongs to another table or the index is out
    /// of range.
    pub fn move_to(&mut self, rows: &Rows, index: usize) -> bool {
        let same = Rc::ptr_eq(&self.table, &rows.table) && index < self.table.len;
        if same {
            self.index = index as u32;
        }
        same
    }

    /// Returns the number of fields.
    pub fn width(&self) -> usize {
        self.table.columns.len()
    }

    /// Returns whether the record has a field.
    pub fn has(&self, name: &Str) -> bool {
        self.table.column(name).is_some()
    }

    /// Returns the value of a field.
    #[inline]
    pub fn get(&self, name: &Str) -> Option<Value> {
        Some(self.table.cell(self.index as usize, self.table.column(name)?))
    }

    /// Returns the name and value of the field at an index.
    pub fn entry_at(&self, column: usize) -> Option<(Str, Value)> {
        let (name, _) = self.table.columns.get(column)?;
        Some((name.clone(), self.table.cell(self.index as usize, column)))
    }
}
