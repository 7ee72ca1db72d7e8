//! `CSV.Rows`: the rows of a CSV file as a list, or one at a time.

use crate::gate::{Context, Stream, Tool};
use crate::limits::MeteredVec;
use crate::sandbox::{PathRule, SandboxPath};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Elements, Map, Str, Value};

use super::super::fs::stream::{READING, TextFile, TextStream, check_encoding};
use super::csv_quotes::Quotes;
use super::csv_read::{SEPARATOR, names, separator_of, unclosed};
use super::csv_record::{Input, Records};

const SPEC: Spec = Spec {
    name: "CSV.Rows",
    wire: "csv_rows",
    keywords: &[
        "csv file",
        "read csv file",
        "csv rows",
        "rows of a file",
        "big csv",
        "large csv",
        "csv line by line",
        "fgetcsv",
        "csv.DictReader",
        "read_csv chunksize",
    ],
    summary: "Reads the rows of a CSV file",
    details: "Returns the rows of the file. `FOR EACH row IN CSV.Rows(path)` reads one block at a time, so the size of \
        the file does not matter; where a list is needed the result is one, as for `FS.Lines`.\n\n\
        The file is read as by `FS.Lines`. The rows are those that `CSV.Parse` returns for its text, with the same \
        options.\n\n\
        Failures: a failure is an error. In a loop, it comes after the rows before it.",
    example: Example {
        script: "MUST CALL FS.WriteFile(\"sizes.csv\", \"name,size\\na,3\\nb,5\\n\")\nSET total = 0\nFOR EACH row IN CSV.Rows(\"sizes.csv\") DO\n  SET total = total + INT(row.size)\nENDBLOCK\nEMIT total",
        output: "8\n",
    },
    ..READING
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "file to read, from the sandbox root";
        separator: Str = Is(Literal::Text(",")), Kind::Form(SEPARATOR), "character between fields, such as `;` or a tab";
        header: bool = Is(Literal::Bool(true)), Kind::Bool, "whether the first row names the keys";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the text, or `auto`; UTF-8 or detected when left out";
        decompress: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a file in gzip, zstd, xz or bzip2 is decompressed; others are read as they are";
    }
}

pub fn tool() -> Tool {
    Tool::streaming(SPEC, open).with_check(check_encoding)
}

fn open(context: &mut Context<'_>, args: Args) -> Result<Rows, ToolError> {
    let separator = separator_of(&args.separator.as_text())?;
    let file = TextFile { path: &args.path, encoding: args.encoding.as_ref(), decompress: args.decompress };
    let file = TextStream::open(context, file)?;
    let input = Blocks { file, block: String::new(), start: 0, is_first: true, quotes: Quotes::new(separator) };
    Ok(Rows { records: Records::of(input, separator), header: args.header, names: None })
}

/// The rows as values.
struct Rows {
    records: Records<Blocks>,
    /// Whether the first row names the keys.
    header: bool,
    /// The keys, once they were read.
    names: Option<MeteredVec<Str>>,
}

/// The text of a file.
struct Blocks {
    file: TextStream,
    block: String,
    /// Where the unread part of the block begins.
    start: usize,
    is_first: bool,
    quotes: Quotes,
}

impl Input for Blocks {
    fn unread(&mut self, context: &mut Context<'_>) -> Result<&[u8], ToolError> {
        while self.start == self.block.len() {
            let Some(block) = self.file.next(context)? else {
                return self.quotes.open().map_or(Ok(&[]), |place| Err(unclosed(place)));
            };
            let is_first = std::mem::take(&mut self.is_first);
            let block = block.strip_prefix('\u{feff}').filter(|_| is_first).unwrap_or(block);
            self.quotes.read(block);
            self.block.clear();
            self.block.push_str(block);
            self.start = 0;
        }
        Ok(&self.block.as_bytes()[self.start..])
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
    }
}

impl Rows {
    fn next(&mut self, context: &mut Context<'_>) -> Result<Option<Value>, ToolError> {
        if self.header && self.names.is_none() {
            if !self.records.advance(context)? {
                return Ok(None);
            }
            self.names = Some(names(context, &self.records)?);
        }
        if !self.records.advance(context)? {
            return Ok(None);
        }
        context.spend(1 + self.records.len())?;
        match &self.names {
            None => {
                let mut row = Elements::with_room(self.records.len())?;
                self.records.fields().try_for_each(|field| row.push(Value::checked_text(field)?))?;
                Ok(Some(row.finish()?))
            }
            Some(names) => {
                let mut row = Map::with_capacity(names.len());
                let mut entries = names.as_slice().iter().zip(self.records.fields());
                entries.try_for_each(|(name, field)| row.put(name.clone(), Value::checked_text(field)?))?;
                Ok(Some(row.into()))
            }
        }
    }
}

impl Stream for Rows {
    fn pull(&mut self, context: &mut Context<'_>) -> Result<Option<Value>, ToolError> {
        // The content of the file is at fault where `CSV.Parse` blames its text.
        self.next(context).map_err(|error| match error.argument {
            Some("text") => self.records.input().file.blamed(error),
            _ => error,
        })
    }

    fn bytes(&self) -> Option<u64> {
        self.records.input().file.bytes()
    }
}
