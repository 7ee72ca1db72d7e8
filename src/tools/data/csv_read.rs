//! `CSV.Parse`.

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::limits::space;
use crate::toolkit::{AnyList, Context, Example, Spec, Tool, ToolError, arguments};
use crate::value::{Column, Rows, Str, Table, Texts, Value, print};

use super::super::build::ListBuilder;
use super::super::place::{at, at_byte};

const SPEC: Spec = Spec::pure(
    "CSV.Parse",
    "csv_parse",
    "Gives the rows of a CSV text",
    "By RFC 4180: fields with separators, quotes or line breaks stand in quotes, a quote among them is doubled. The first \
        row names the keys, and the result is a list of maps; without `header` it is a list of lists. All values are texts: \
        `INT` and `FLOAT` make numbers of them. A row of another length than the first, a name that comes twice and a quote \
        that is not closed are errors with their place. Empty lines do not count.",
    Example {
        script: "FOR EACH row IN CSV.Parse(\"name,size\\na.txt,3\\n\\\"b,c\\\",5\\n\") DO\n  EMIT row.name, \": \", INT(row.size) + 1\nENDBLOCK",
        output: "a.txt: 4\nb,c: 6\n",
    },
);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "CSV text";
        separator: Str = Is(Literal::Text(",")), Kind::Text, "character between fields, such as `;` or a tab";
        header: bool = Is(Literal::Bool(true)), Kind::Bool, "whether the first row names the keys";
    }
}

/// Rows after which the clock and the memory are looked at.
const STRETCH: usize = 256;

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let separator = separator_of(&args.separator)?;
    context.spend_text(text.len())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    check_quotes(text, separator)?;
    let mut reader = ReaderBuilder::new().has_headers(false).delimiter(separator).from_reader(text.as_bytes());
    if args.header { records(context, &mut reader) } else { lists(context, &mut reader) }
}

/// The separator that an argument gives.
pub fn separator_of(separator: &Str) -> Result<u8, ToolError> {
    match separator.as_text().as_bytes() {
        [byte] if byte.is_ascii() && !b"\"\r\n\0".contains(byte) => Ok(*byte),
        _ => {
            let shown = print::preview(&separator.clone().into());
            Err(ToolError::bad_argument("separator", format!("`separator` is one character of ASCII, not {shown}"))
                .hint("such as `,`, `;` or a tab"))
        }
    }
}

/// Finds a quote that is not closed, which the reader takes as closed at the end.
fn check_quotes(text: &str, separator: u8) -> Result<(), ToolError> {
    let mut opened = None;
    let mut at_start = true;
    for (at, byte) in text.bytes().enumerate() {
        match (opened, byte) {
            (None, b'"') if at_start => opened = Some(at),
            (Some(_), b'"') => opened = None,
            // A doubled quote closes and opens again.
            (None, b'"') if at > 0 && text.as_bytes()[at - 1] == b'"' => opened = Some(at),
            _ => {}
        }
        at_start = opened.is_none() && (byte == separator || byte == b'\n' || byte == b'\r');
    }
    match opened {
        None => Ok(()),
        Some(at) => Err(ToolError::bad_argument("text", at_byte(text, at, "a quote is not closed"))),
    }
}

fn read(reader: &mut Reader<&[u8]>, record: &mut StringRecord) -> Result<bool, ToolError> {
    reader.read_record(record).map_err(|error| {
        let message = match error.kind() {
            csv::ErrorKind::UnequalLengths { pos: Some(pos), expected_len, len } => {
                let reason = format!("the row has {len} fields, and the first one has {expected_len}");
                at(pos.line() as usize, 1, &reason)
            }
            _ => error.to_string(),
        };
        ToolError::bad_argument("text", message)
    })
}

/// Rows as lists of texts.
fn lists(context: &mut Context<'_>, reader: &mut Reader<&[u8]>) -> Result<AnyList, ToolError> {
    let mut rows = ListBuilder::default();
    let mut record = StringRecord::new();
    while read(reader, &mut record)? {
        context.spend(record.len())?;
        space::check(record.as_slice().len() + record.len() * size_of::<Value>())?;
        rows.push(context, Value::list(record.iter().map(Value::text).collect())?)?;
    }
    rows.finish()
}

/// Rows as maps, packed in columns.
fn records(context: &mut Context<'_>, reader: &mut Reader<&[u8]>) -> Result<AnyList, ToolError> {
    let mut header = StringRecord::new();
    if !read(reader, &mut header)? {
        return Ok(AnyList(Value::list(Vec::new())?));
    }
    check_names(&header)?;
    space::check_items(header.len())?;
    let mut columns: Vec<(String, Vec<u32>)> = header.iter().map(|_| (String::new(), Vec::new())).collect();
    let mut record = StringRecord::new();
    let mut rows = 0;
    while read(reader, &mut record)? {
        context.spend(record.len())?;
        if rows % STRETCH == 0 {
            space::check_items(rows + 1)?;
            space::check(
                columns.iter().map(|(bytes, ends)| bytes.capacity() + 4 * ends.capacity()).sum::<usize>() * 2,
            )?;
            context.meter.poll()?;
        }
        for ((bytes, ends), field) in columns.iter_mut().zip(&record) {
            bytes.push_str(field);
            ends.push(u32::try_from(bytes.len()).expect("a text has less than 4 GiB"));
        }
        rows += 1;
    }
    let packed = columns.into_iter().map(|(bytes, ends)| Column::Texts(Texts::new(bytes, ends)));
    Ok(AnyList(Rows::new(Table::new(header.iter().zip(packed).collect(), rows)?).into()))
}

fn check_names(header: &StringRecord) -> Result<(), ToolError> {
    let mut names: Vec<&str> = header.iter().collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let message = at(1, 1, &format!("the name `{}` comes twice", print::shortened(pair[0], 40)));
            Err(ToolError::bad_argument("text", message).hint("`header: false` reads rows as lists"))
        }
    }
}
