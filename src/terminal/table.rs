//! Values as tables: lists of maps with one row each, maps in two columns.

use std::io::{IsTerminal, stdout};

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};

use crate::engine::{LimitHit, space, work};
use crate::text::safe;
use crate::value::{Map, Str, Value, print};

use super::screen;

/// Limits on the display of a value.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Width in columns; `None` for the width of the terminal, but at least [`NARROWEST`].
    pub width: Option<u16>,
    /// Maximum number of rows of a table.
    pub rows: usize,
}

impl Fit {
    /// No limits.
    pub const ALL: Fit = Fit { width: None, rows: usize::MAX };
}

/// Returns the beginning of a value as a literal: text in quotes.
pub fn quoted(value: &Value, chars: usize) -> String {
    print::beginning(value, chars)
}

/// Returns a whole value as EMIT prints it.
pub fn printed(value: &Value) -> Result<String, LimitHit> {
    print::to_text(value).map(String::from)
}

/// Minimum width of a table in columns, unless the terminal reports more.
const NARROWEST: u16 = 40;
/// Sufficient width of a table column; longer cells are wrapped.
const ENOUGH: usize = 12;
/// Space between table columns.
const GAP: usize = 2;

/// Whether a value is a non-empty list of maps.
pub fn is_rows(value: &Value) -> bool {
    matches!(value, Value::List(list) if !list.is_empty() && list.iter().all(|item| matches!(item, Value::Map(_))))
}

/// Formats a map: keys and values in two columns, followed by the values that take several lines, each under its key.
pub fn sections(map: &Map, fit: Fit) -> Result<String, LimitHit> {
    let key_of = |key: &Str| key.as_text().to_string();
    let (long, short): (Vec<_>, Vec<_>) = map.iter().partition(|(_, value)| is_long(value));
    let mut text = if short.is_empty() {
        String::new()
    } else {
        two_columns(short.iter().map(|(key, value)| (key_of(key), value.clone())), fit)
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

/// Whether a value takes several lines: a list of maps, or a text of several lines.
fn is_long(value: &Value) -> bool {
    is_rows(value) || value.as_text().is_some_and(|text| text.trim_end().contains('\n'))
}

/// Formats a list of maps as a table: one column for each key, numbers aligned right.
pub fn table(rows: &[Value], fit: Fit) -> Result<String, LimitHit> {
    let maps: Vec<&Map> =
        rows.iter().filter_map(|row| if let Value::Map(map) = row { Some(&**map) } else { None }).collect();
    let mut columns: Vec<Column> = Vec::new();
    for map in &maps {
        map.try_each(|key, value| {
            let key = key.as_text();
            work::charge(1 + columns.len())?;
            // Omit columns that contain only nil.
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

    /// Returns the minimum width in terminal columns.
    fn width(&self) -> usize {
        let longest = self.cells.iter().chain([&self.key]).map(|cell| cell.chars().count()).max().unwrap_or_default();
        longest.min(ENOUGH) + GAP
    }
}

/// Returns how many columns fit into a width, at least one.
fn fitting(columns: &[Column], width: Option<u16>) -> usize {
    let Some(width) = width else { return columns.len() };
    let mut taken = 0;
    let room = columns.iter().take_while(|column| {
        taken += column.width();
        taken <= usize::from(width)
    });
    room.count().max(1).min(columns.len())
}

/// Formats keys and values in two columns, limited to the width of the terminal.
pub fn two_columns(rows: impl Iterator<Item = (String, Value)>, fit: Fit) -> String {
    let mut table = new_table_of(fit.width);
    for (key, value) in rows {
        table.add_row([safe::name(&key).into_owned(), cell(&value)]);
    }
    table.to_string()
}

/// A table of one line per row. If the terminal is too narrow, only the last column is truncated, and no numbers are.
pub struct Listing<'a> {
    /// The titles of the columns.
    pub head: &'a [&'a str],
    /// The cells of the rows.
    pub rows: Vec<Vec<String>>,
    /// The indices of the columns whose cells are aligned right.
    pub numeric: &'a [usize],
}

/// Minimum width of the last column of a listing in terminal columns, however narrow the terminal.
const LAST_WIDTH: u16 = 16;

impl Listing<'_> {
    /// Formats the table for a width in terminal columns, or with whole rows.
    pub fn to_text(&self, width: Option<u16>) -> String {
        let mut table = new_table_of(width);
        table.set_truncation_indicator("…");
        let mut head = Row::from(self.head);
        head.max_height(1);
        table.set_header(head);
        for cells in &self.rows {
            let mut row = Row::from(cells);
            row.max_height(1);
            table.add_row(row);
        }
        for (number, column) in table.column_iter_mut().enumerate() {
            // No cell contains this character, so that a long cell is cut in the middle of a word.
            column.set_delimiter('\0');
            let is_numeric = self.numeric.contains(&number);
            column.set_constraint(if number + 1 == self.head.len() && !is_numeric {
                ColumnConstraint::LowerBoundary(Width::Fixed(LAST_WIDTH))
            } else {
                ColumnConstraint::ContentWidth
            });
            if is_numeric {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{}\n", table.trim_fmt())
    }
}

/// Creates a table without lines, limited to the width of the terminal.
pub fn new_table() -> Table {
    new_table_of(None)
}

/// Creates a table without lines, limited to a width.
pub fn new_table_of(width: Option<u16>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // A terminal that reports no width, or almost none, does not know it.
    let narrow = table.width().filter(|width| *width < NARROWEST).map(|_| NARROWEST);
    if let Some(width) = width.or(narrow) {
        table.set_width(width);
    }
    table
}

/// Returns the width for a listing on standard output; `None` for whole rows, if no terminal shows it.
pub fn listing_width() -> Option<u16> {
    stdout().is_terminal().then(|| terminal_columns().unwrap_or(screen::COLUMNS))
}

/// Returns the width of the terminal in columns, if it reports one.
pub fn terminal_columns() -> Option<u16> {
    Table::new().width().filter(|columns| *columns > 0)
}

/// Formats a value for a cell: on one line and shortened.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Nil => String::new(),
        _ => match value.as_text() {
            Some(text) => safe::name(&print::shortened(&text, 200)).into_owned(),
            None => print::preview(value),
        },
    }
}
