//! `CSV.Text`.

use std::convert::Infallible;
use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Hashed, List, Map, Sink, Str, TextBudget, Value, ValueMap, print};

use super::super::build;
use super::csv_read::{SEPARATOR, separator_of};
use super::csv_writer::CsvWriter;

const SPEC: Spec = Spec::pure(
    "CSV.Text",
    "csv_text",
    "Formats rows as CSV text",
    "Returns the rows as CSV. Fields are quoted if they must be; lines end in LF.\n\n\
        - Rows that are maps: the first line has the keys of the first row, or `columns`. Without `columns`, a key \
        that the first row does not have is an error.\n\
        - Rows that are lists: they are written as they are. With `columns` these are the first line, and each row \
        needs as many fields.\n\
        - No rows: there is a first line only with `columns`, so give them if `rows` may be empty.\n\n\
        Nil and missing keys become empty fields; numbers and booleans are written as printed. A list or map as a \
        field is an error.",
    Example {
        script: "EMIT CSV.Text([{\"name\": \"a,b\", \"n\": 1}, {\"name\": \"c\", \"n\": nil}])",
        output: "name,n\n\"a,b\",1\nc,\n\n",
    },
)
.keywords(&["csv.writer", "csv.DictWriter", "csv.write", "write csv", "to csv", "to_csv", "fputcsv", "table"]);

arguments! {
    struct Args {
        rows: Rc<List> = Required, Kind::List, "maps or lists";
        separator: Str = Is(Literal::Text(",")), Kind::Form(SEPARATOR), "character between fields, such as `;` or a tab";
        header: bool = Is(Literal::Bool(true)), Kind::Bool, "whether the keys of maps are the first line";
        columns: Option<Rc<List>> = Absent, Kind::Texts, "names for the first line; of maps the keys to write, in this order; all keys of the first row when left out";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let mut writer = CsvWriter::new(Sink::new(TextBudget::of_text()), separator_of(&args.separator.as_text())?);
    write(context, &args, &mut writer)?;
    build::written(context, writer.into_sink(), Ok(()), |never: Infallible| match never {})
}

fn write(context: &mut Context<'_>, args: &Args, writer: &mut CsvWriter) -> Result<(), ToolError> {
    let columns = columns(args)?;
    if let (Some(columns), true) = (&columns, args.header) {
        for name in columns.keys() {
            writer.field(&name.0.to_string())?;
        }
        writer.end()?;
    }
    for (index, row) in args.rows.iter().enumerate() {
        match (&row, &columns) {
            (Value::Map(map), Some(columns)) => {
                context.spend(columns.len())?;
                check_keys(map, columns, index, args.columns.is_some())?;
                for name in columns.keys() {
                    let name = name.0.as_str().expect("columns have texts as names");
                    write_field(writer, &map.get(&name).unwrap_or_default(), index)?;
                }
            }
            (Value::List(list), columns) if columns.is_none() || args.columns.is_some() => {
                context.spend(list.len())?;
                if let Some(columns) = columns {
                    check_length(list, columns.len(), index)?;
                }
                for value in list.iter() {
                    write_field(writer, &value, index)?;
                }
            }
            _ => {
                let message =
                    format!("row {index} is {} {}, not as the first one", row.type_name(), print::preview(&row));
                return Err(ToolError::bad_argument("rows", message).hint("give maps only, or lists only"));
            }
        }
        writer.end()?;
    }
    Ok(())
}

/// Returns the keys to write if the rows are maps.
fn columns(args: &Args) -> Result<Option<ValueMap<()>>, ToolError> {
    let names: Vec<Value> = match (&args.columns, args.rows.get(0)) {
        (Some(columns), _) => columns.iter().collect(),
        (None, Some(Value::Map(first))) => first.iter().map(|(key, _)| key.into()).collect(),
        (None, _) => return Ok(None),
    };
    if args.columns.is_some() && names.is_empty() {
        return Err(ToolError::bad_argument("columns", "`columns` names no column").hint("name one, or leave it out"));
    }
    Ok(Some(names.into_iter().map(|name| (Hashed(name), ())).collect()))
}

/// Refuses a row with a key that is not among the columns, unless `columns` was given: no value is dropped
/// silently.
fn check_keys(map: &Map, columns: &ValueMap<()>, index: usize, are_given: bool) -> Result<(), ToolError> {
    if are_given {
        return Ok(());
    }
    match map.iter().find(|(key, _)| !columns.contains_key(&Hashed(key.clone().into()))) {
        None => Ok(()),
        Some((key, _)) => {
            let message = format!(
                "row {index} has the key `{}`, which the first one lacks",
                print::shortened(&key.as_text(), 40)
            );
            Err(ToolError::bad_argument("rows", message).hint("name the keys to write in `columns`"))
        }
    }
}

/// Refuses a list that is longer or shorter than the first line.
fn check_length(list: &List, columns: usize, index: usize) -> Result<(), ToolError> {
    if list.len() == columns {
        return Ok(());
    }
    let message = format!("row {index} has {} fields, not the {columns} of `columns`", list.len());
    Err(ToolError::bad_argument("rows", message).hint("give each row a field for each column; nil is an empty one"))
}

fn write_field(writer: &mut CsvWriter, value: &Value, index: usize) -> Result<(), ToolError> {
    let written = match value {
        Value::Nil | Value::Unset => writer.field(""),
        Value::List(_) | Value::Map(_) => {
            let message = format!("row {index} has a {} as a field", value.type_name());
            return Err(ToolError::bad_argument("rows", message).hint("make a text of it: `JSON.Text(…)`"));
        }
        value => match value.as_text() {
            Some(text) => writer.field(&text),
            None => writer.field(&value.to_string()),
        },
    };
    Ok(written?)
}
