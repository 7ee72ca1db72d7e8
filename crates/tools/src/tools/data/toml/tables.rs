//! The tables of a TOML text during parsing: which of them may still be extended, and how.
//!
//! Each table is stored after the table that contains it, so converting them from last to first needs no
//! recursion. A complete value is not inspected again.

use foldhash::quality::RandomState;
use indexmap::IndexMap;
use indexmap::map::Entry;
use toml_parser::{ErrorSink, ParseError, Span};

use crate::limits::space::check_items;
use crate::limits::{LimitHit, MemoryCharge, MeteredVec};
use crate::value::{Elements, Map, Str, Value};

/// One part of a dotted key.
pub struct Key {
    pub text: Str,
    pub span: Span,
}

/// The index of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TableId(usize);

/// All tables of a text that are not yet complete.
pub struct Tables {
    tables: MeteredVec<Table>,
    arrays: MeteredVec<MeteredVec<TableId>>,
}

#[derive(Default)]
struct Table {
    entries: IndexMap<Str, Slot, RandomState>,
    held: MemoryCharge,
    /// Whether the table occurs only as part of other keys or headers, so that a header of its own may still
    /// open it.
    is_implicit: bool,
    /// Whether dotted keys created the table, so that only dotted keys may extend it.
    is_dotted: bool,
}

/// The content of an entry.
enum Slot {
    Value(Value),
    Table(TableId),
    /// An array of tables: an index into `arrays`.
    Tables(usize),
}

/// Bytes of an entry: hash, key, slot and its positions in a hash table that is half full.
const ENTRY: usize = size_of::<(u64, Str, Slot)>() + 2 * size_of::<usize>();

/// Why an entry was refused: an error in the text, or a limit.
pub enum Refusal {
    Text(ParseError),
    Limit(LimitHit),
}

impl From<LimitHit> for Refusal {
    fn from(hit: LimitHit) -> Refusal {
        Refusal::Limit(hit)
    }
}

impl Tables {
    /// Creates the root table.
    pub fn new() -> Result<Tables, LimitHit> {
        let mut tables = Tables { tables: MeteredVec::default(), arrays: MeteredVec::default() };
        tables.add(Table::default())?;
        Ok(tables)
    }

    /// The root table.
    pub const ROOT: TableId = TableId(0);

    /// Adds a table that no entry refers to yet, such as an inline table.
    pub fn begin(&mut self) -> Result<TableId, LimitHit> {
        self.add(Table::default())
    }

    fn add(&mut self, table: Table) -> Result<TableId, LimitHit> {
        self.tables.push(table)?;
        Ok(TableId(self.tables.len() - 1))
    }

    fn table(&mut self, id: TableId) -> &mut Table {
        &mut self.tables.as_mut_slice()[id.0]
    }

    /// Inserts a value under a dotted key.
    pub fn insert(&mut self, table: TableId, keys: &[Key], value: Value) -> Result<(), Refusal> {
        let Some((key, way)) = keys.split_last() else { return Ok(()) };
        let parent = self.descend(table, way, !way.is_empty())?;
        if self.table(parent).put(key, Slot::Value(value))? { Ok(()) } else { Err(comes_twice(key)) }
    }

    /// Opens the table of a header. The table must be new or implicit.
    pub fn open_table(&mut self, keys: &[Key]) -> Result<TableId, Refusal> {
        let Some((key, way)) = keys.split_last() else { return Ok(Tables::ROOT) };
        let parent = self.descend(Tables::ROOT, way, false)?;
        let id = match self.table(parent).entries.get(&key.text) {
            None => {
                let id = self.add(Table::default())?;
                self.table(parent).put(key, Slot::Table(id))?;
                return Ok(id);
            }
            Some(Slot::Table(id)) => *id,
            Some(_) => return Err(comes_twice(key)),
        };
        let table = self.table(id);
        if table.is_dotted || !table.is_implicit {
            return Err(comes_twice(key));
        }
        table.is_implicit = false;
        Ok(id)
    }

    /// Appends a table to the array of a double-bracket header.
    pub fn open_element(&mut self, keys: &[Key]) -> Result<TableId, Refusal> {
        let Some((key, way)) = keys.split_last() else { return Ok(Tables::ROOT) };
        let parent = self.descend(Tables::ROOT, way, false)?;
        let array = match self.table(parent).entries.get(&key.text) {
            None => {
                self.arrays.push(MeteredVec::default())?;
                let array = self.arrays.len() - 1;
                self.table(parent).put(key, Slot::Tables(array))?;
                array
            }
            Some(Slot::Tables(array)) => *array,
            Some(_) => return Err(comes_twice(key)),
        };
        let id = self.add(Table::default())?;
        self.arrays.as_mut_slice()[array].push(id)?;
        Ok(id)
    }

    /// Follows keys from a table and creates missing tables.
    fn descend(&mut self, mut id: TableId, way: &[Key], is_dotted: bool) -> Result<TableId, Refusal> {
        for key in way {
            id = match self.table(id).entries.get(&key.text) {
                None => {
                    let made = self.add(Table { is_implicit: true, is_dotted, ..Table::default() })?;
                    self.table(id).put(key, Slot::Table(made))?;
                    made
                }
                Some(Slot::Table(id)) => *id,
                Some(Slot::Tables(array)) => {
                    let array = *array;
                    *self.arrays.as_slice()[array].as_slice().last().expect("an array of tables begins with one")
                }
                Some(Slot::Value(value)) => {
                    let message = format!("cannot extend a value of type {} with further keys", value.type_name());
                    return Err(Refusal::Text(ParseError::new(message).with_unexpected(key.span)));
                }
            };
            let table = self.table(id);
            if is_dotted && !table.is_implicit {
                return Err(comes_twice(key));
            }
            table.is_dotted |= is_dotted;
        }
        Ok(id)
    }

    /// Converts a table, and all that were added after it, to a value.
    pub fn close(&mut self, id: TableId) -> Result<Value, LimitHit> {
        // The tables after it are inside it, and each is closed before the one that contains it.
        let mut closed: MeteredVec<Value> = MeteredVec::default();
        closed.resize(self.tables.len() - id.0 - 1, Value::Nil)?;
        loop {
            let table = self.tables.pop().expect("the table is there");
            let at = self.tables.len();
            let value = self.value_of(table, id, &mut closed)?;
            if at == id.0 { return Ok(value) } else { closed.as_mut_slice()[at - id.0 - 1] = value }
        }
    }

    fn value_of(&self, table: Table, first: TableId, closed: &mut MeteredVec<Value>) -> Result<Value, LimitHit> {
        let Table { entries, held, .. } = table;
        let mut take = |id: &TableId| std::mem::take(&mut closed.as_mut_slice()[id.0 - first.0 - 1]);
        let mut map = Map::with_capacity(entries.len());
        for (key, slot) in entries {
            let value = match slot {
                Slot::Value(value) => value,
                Slot::Table(id) => take(&id),
                Slot::Tables(array) => {
                    let mut elements = Elements::default();
                    for id in self.arrays.as_slice()[array].as_slice() {
                        elements.push(take(id))?;
                    }
                    elements.finish()?
                }
            };
            map.put(key, value)?;
        }
        drop(held);
        Ok(map.into())
    }
}

impl Table {
    /// Appends an entry. Returns `false` if the key exists.
    fn put(&mut self, key: &Key, slot: Slot) -> Result<bool, LimitHit> {
        if self.entries.len() == self.entries.capacity() {
            check_items(self.entries.len() + 1)?;
            let capacity = (2 * self.entries.capacity()).max(4);
            self.held.grow_to(capacity * ENTRY)?;
            self.entries.reserve(capacity - self.entries.len());
        }
        match self.entries.entry(key.text.clone()) {
            Entry::Occupied(_) => Ok(false),
            Entry::Vacant(place) => {
                place.insert(slot);
                Ok(true)
            }
        }
    }
}

fn comes_twice(key: &Key) -> Refusal {
    Refusal::Text(ParseError::new("duplicate key").with_unexpected(key.span))
}

impl Refusal {
    /// Reports an error in the text, or returns the limit.
    pub fn report(self, errors: &mut dyn ErrorSink) -> Option<LimitHit> {
        match self {
            Refusal::Text(error) => {
                errors.report_error(error);
                None
            }
            Refusal::Limit(hit) => Some(hit),
        }
    }
}
