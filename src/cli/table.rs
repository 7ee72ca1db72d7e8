//! Values as tables: lists of maps row by row, maps in two columns.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::engine::{LimitHit, space, work};
use crate::text::safe;
use crate::value::{Map, Str, Value, print};

/// How much of a value is shown.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Columns of the terminal; none for as many as it says, or at least [`NARROWEST`].
    pub width: Option<u16>,
    /// Rows of one table.
    pub rows: usize,
}

impl Fit {
    /// Everything.
    pub const ALL: Fit = Fit { width: None, rows: usize::MAX };
}

/// The first characters of a value as a literal: texts in quotes.
pub fn quoted(value: &Value, chars: usize) -> String {
    print::beginning(value, chars)
}

/// The whole of a value as EMIT prints it.
pub fn printed(value: &Value) -> Result<String, LimitHit> {
    print::to_text(value).map(String::from)
}

/// Columns that a table takes at least where the terminal does not say.
const NARROWEST: u16 = 40;
/// Columns that are enough for a column of a table; what is longer takes more lines.
const ENOUGH: usize = 12;
/// Columns beside each column.
const GAP: usize = 2;

/// Whether a value is a list of maps.
pub fn is_rows(value: &Value) -> bool {
    matches!(value, Value::List(list) if !list.is_empty() && list.iter().all(|item| matches!(item, Value::Map(_))))
}

/// A map: keys and values in two columns, and below them what takes more than a line, under its key.
pub fn sections(map: &Map, fit: Fit) -> Result<String, LimitHit> {
    let key_of = |key: &Str| key.as_text().to_string();
    let (long, short): (Vec<_>, Vec<_>) = map.iter().partition(|(_, value)| is_long(value));
    let mut text = match short.is_empty() {
        true => String::new(),
        false => two_columns(short.iter().map(|(key, value)| (key_of(key), value.clone())), fit),
    };
    for (key, value) in &long {
        let body = match value {
            Value::List(list) => {
                let rows: Vec<Value> = list.iter().take(fit.rows).collect();
                let hidden = list.len() - rows.len();
                table(&rows, fit)? + &if hidden > 0 { format!("\n… {hidden} more") } else { String::new() }
            }
            value => value.as_text().map(|text| safe::prose(text.trim_end()).into_owned()).unwrap_or_default(),
        };
        let gap = if text.is_empty() { "" } else { "\n\n" };
        text.push_str(&format!("{gap}{}:\n{body}", safe::name(&key_of(key))));
    }
    Ok(text)
}

/// Whether a value takes more than a line: a list of maps, or a text of several lines.
fn is_long(value: &Value) -> bool {
    is_rows(value) || value.as_text().is_some_and(|text| text.trim_end().contains('\n'))
}

/// A list of maps as a table: one column for each key, numbers at the right.
pub fn table(rows: &[Value], fit: Fit) -> Result<String, LimitHit> {
    let maps: Vec<&Map> =
        rows.iter().filter_map(|row| if let Value::Map(map) = row { Some(&**map) } else { None }).collect();
    let mut columns: Vec<Column> = Vec::new();
    for map in &maps {
        map.try_each(|key, value| {
            let key = key.as_text();
            work::charge(1 + columns.len())?;
            // A column of nothing but nil says nothing.
            if !matches!(value, Value::Nil) && !columns.iter().any(|column| column.key == *key) {
                columns.push(Column::of(key.to_string(), &maps)?);
            }
            Ok(())
        })?;
    }
    let hidden = columns.split_off(fitting(&columns, fit.width));
    let mut table = new_table_of(fit.width);
    table.set_header(columns.iter().map(|column| safe::name(&column.key).into_owned()));
    for row in 0..maps.len() {
        table.add_row(columns.iter().map(|column| column.cells[row].clone()));
    }
    for (number, column) in columns.iter().enumerate() {
        if let (true, Some(column)) = (column.is_numeric, table.column_mut(number)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let keys: Vec<&str> = hidden.iter().map(|column| column.key.as_str()).collect();
    Ok(match keys.len() {
        0 => table.to_string(),
        1 => format!("{table}\n… 1 more column: {}", safe::name(keys[0])),
        more => format!("{table}\n… {more} more columns: {}", safe::name(&print::shortened(&keys.join(", "), 200))),
    })
}

/// A column of a table.
struct Column {
    key: String,
    cells: Vec<String>,
    is_numeric: bool,
}

impl Column {
    fn of(key: String, maps: &[&Map]) -> Result<Column, LimitHit> {
        let mut is_numeric = true;
        let cells = maps.iter().map(|map| {
            work::charge(1)?;
            let value = map.get_str(&key).unwrap_or(Value::Nil);
            is_numeric &= matches!(value, Value::Int(_) | Value::Float(_) | Value::Nil);
            Ok(cell(&value))
        });
        space::check(maps.len() * size_of::<String>())?;
        let cells = cells.collect::<Result<_, LimitHit>>()?;
        Ok(Column { key, cells, is_numeric })
    }

    /// Columns of the terminal that it should have at least.
    fn width(&self) -> usize {
        let longest = self.cells.iter().chain([&self.key]).map(|cell| cell.chars().count()).max().unwrap_or_default();
        longest.min(ENOUGH) + GAP
    }
}

/// How many of the columns a table of a width has room for: at least one.
fn fitting(columns: &[Column], width: Option<u16>) -> usize {
    let Some(width) = width else { return columns.len() };
    let mut taken = 0;
    let room = columns.iter().take_while(|column| {
        taken += column.width();
        taken <= usize::from(width)
    });
    room.count().max(1).min(columns.len())
}

/// Keys and values in two columns, as wide as the terminal at most.
pub fn two_columns(rows: impl Iterator<Item = (String, Value)>, fit: Fit) -> String {
    let mut table = new_table_of(fit.width);
    for (key, value) in rows {
        table.add_row([safe::name(&key).into_owned(), cell(&value)]);
    }
    table.to_string()
}

/// A table without lines, as wide as the terminal at most.
pub fn new_table() -> Table {
    new_table_of(None)
}

/// A table without lines, as wide as this at most.
pub fn new_table_of(width: Option<u16>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // A terminal that says it has no columns, or next to none, does not know.
    let narrow = table.width().filter(|width| *width < NARROWEST).map(|_| NARROWEST);
    if let Some(width) = width.or(narrow) {
        table.set_width(width);
    }
    table
}

/// The columns of the terminal, where there is one that says.
pub fn terminal_columns() -> Option<u16> {
    Table::new().width().filter(|columns| *columns > 0)
}

/// A value as the text of a cell: on one line, and not too long.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Nil => String::new(),
        _ => match value.as_text() {
            Some(text) => safe::name(&print::shortened(&text, 200)).into_owned(),
            None => print::preview(value),
        },
    }
}
