//! `CSV.Parse`.

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, MemoryCharge, MeteredVec, space};
use crate::text::Position;
use crate::toolkit::{AnyList, Example, Form, Spec, ToolError, arguments};
use crate::value::{Column, Elements, Rows, Str, Table, Texts, Value, print};

use super::super::build::ListBuilder;
use super::super::locate;
use super::super::place::at;
use super::csv_quotes::Quotes;
use super::csv_record::{Input, Records};

const SPEC: Spec = Spec::pure(
    "CSV.Parse",
    "csv_parse",
    "Parses a CSV text into rows",
    "Returns the rows of a text by RFC 4180. The first row names the keys, and the result is a list of maps; \
        with `header: false` it is a list of lists. All values are texts: `INT` and `FLOAT` convert them to \
        numbers.\n\n\
        A field with separators, quotes or line breaks is in quotes, and a quote in it is doubled. Empty lines are \
        skipped. A row of another length than the first, a duplicate name and an unclosed quote are errors that state \
        their place.\n\n\
        `CSV.Rows` reads a file of any size.",
    Example {
        script: "FOR EACH row IN CSV.Parse(\"name,size\\na.txt,3\\n\\\"b,c\\\",5\\n\") DO\n  EMIT row.name, \": \", INT(row.size) + 1\nENDBLOCK",
        output: "a.txt: 4\nb,c: 6\n",
    },
)
.keywords(&["csv.reader", "csv.DictReader", "csv.read", "read csv", "parse csv", "read_csv", "pandas.read_csv", "pd.read_csv", "fgetcsv", "spreadsheet", "table"]);

/// The form of separators.
pub const SEPARATOR: Form = Form::new(|_, separator| separator_of(separator).map(drop));

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "CSV text";
        separator: Str = Is(Literal::Text(",")), Kind::Form(SEPARATOR), "character between fields, such as `;` or a tab";
        header: bool = Is(Literal::Bool(true)), Kind::Bool, "whether the first row names the keys";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let separator = separator_of(&args.separator.as_text())?;
    context.spend_text(text.len())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    check_quotes(context, text, separator)?;
    let mut records = Records::of(text.as_bytes(), separator);
    if args.header { maps(context, &mut records) } else { lists(context, &mut records) }
}

/// Returns the separator byte. Errors: `separator` is not a single ASCII character, or is a quote, a line break
/// or NUL.
pub fn separator_of(separator: &str) -> Result<u8, ToolError> {
    match separator.as_bytes() {
        [byte] if byte.is_ascii() && !b"\"\r\n\0".contains(byte) => Ok(*byte),
        _ => {
            let shown = print::preview(&Value::text(separator));
            Err(ToolError::bad_argument("separator", format!("`separator` is one character of ASCII, not {shown}"))
                .hint("such as `,`, `;` or a tab"))
        }
    }
}

/// Rejects a text with an unclosed quote, which the reader would treat as closed at the end of the text.
fn check_quotes(context: &mut Context<'_>, text: &str, separator: u8) -> Result<(), ToolError> {
    let mut quotes = Quotes::new(separator);
    for piece in locate::pieces(text) {
        context.meter.poll()?;
        quotes.read(piece);
    }
    quotes.open().map_or(Ok(()), |place| Err(unclosed(place)))
}

/// Returns the error for a quote that is not closed.
pub fn unclosed(Position { line, column }: Position) -> ToolError {
    ToolError::bad_argument("text", at(line, column, "a quote is not closed"))
}

/// Reads the rows as lists of texts.
fn lists(context: &mut Context<'_>, records: &mut Records<&[u8]>) -> Result<AnyList, ToolError> {
    let mut rows = ListBuilder::default();
    while records.advance(context)? {
        context.spend(records.len())?;
        let mut row = Elements::with_room(records.len())?;
        for field in records.fields() {
            row.push(Value::checked_text(field)?)?;
        }
        rows.push(context, row.finish()?)?;
    }
    rows.finish()
}

/// Reads the rows as maps, stored by column.
fn maps(context: &mut Context<'_>, records: &mut Records<&[u8]>) -> Result<AnyList, ToolError> {
    if !records.advance(context)? {
        return Ok(AnyList(Value::list(Vec::new())?));
    }
    let mut columns = columns(context, records)?;
    let mut rows = 0;
    while records.advance(context)? {
        context.spend(records.len())?;
        space::check_items(rows + 1)?;
        for ((_, column), field) in columns.as_mut_slice().iter_mut().zip(records.fields()) {
            column.push(field)?;
        }
        rows += 1;
    }
    space::check(columns.len().saturating_mul(size_of::<(Str, Column)>()))?;
    let packed = columns.into_vec().into_iter().map(|(name, cells)| (name, Column::Texts(cells.finish())));
    Ok(AnyList(Rows::new(Table::new(packed.collect(), rows)?).into()))
}

/// Returns empty columns named after the fields of the first record. Errors: a name occurs twice.
fn columns(context: &mut Context<'_>, records: &Records<&[u8]>) -> Result<MeteredVec<(Str, Cells)>, ToolError> {
    let names = names(context, records)?;
    let mut columns = MeteredVec::default();
    columns.reserve_exact(names.len())?;
    for name in names.into_vec() {
        columns.push((name, Cells::default()))?;
    }
    Ok(columns)
}

/// Returns the fields of the first record, which name the keys. Errors: a name occurs twice.
pub fn names<I: Input>(context: &mut Context<'_>, records: &Records<I>) -> Result<MeteredVec<Str>, ToolError> {
    let width = records.len();
    context.spend(width)?;
    space::check_items(width)?;
    let _sorted = MemoryCharge::of(width.saturating_mul(size_of::<&str>()))?;
    let mut sorted: Vec<&str> = records.fields().collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = at(1, 1, &format!("the name `{}` comes twice", print::shortened(pair[0], 40)));
        return Err(ToolError::bad_argument("text", message).hint("`header: false` reads rows as lists"));
    }
    let mut names = MeteredVec::default();
    names.reserve_exact(width)?;
    for name in records.fields() {
        names.push(Str::checked(name)?)?;
    }
    Ok(names)
}

/// The concatenated fields of one column.
#[derive(Default)]
struct Cells {
    bytes: MeteredVec<u8>,
    ends: MeteredVec<u32>,
}

impl Cells {
    fn push(&mut self, field: &str) -> Result<(), LimitHit> {
        self.bytes.extend_from_slice(field.as_bytes())?;
        self.ends.push(u32::try_from(self.bytes.len()).expect("a text has less than 4 GiB"))
    }

    fn finish(self) -> Texts {
        let bytes = String::from_utf8(self.bytes.into_vec()).expect("fields are texts");
        Texts::new(bytes, self.ends.into_vec())
    }
}
