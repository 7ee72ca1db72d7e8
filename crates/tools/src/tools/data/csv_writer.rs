//! A writer of CSV text that checks the limits of the run inside long fields. The crate `csv` decides about the quotes of
//! a field in one pass over all of it.

use memchr::memchr3;

use crate::limits::{LimitHit, work};
use crate::value::Sink;

/// Number of bytes that are searched or written before the limits are checked again.
const PIECE: usize = 64 << 10;

/// Writes records that end in LF, with quotes around fields that need them.
pub struct CsvWriter {
    sink: Sink,
    separator: u8,
    /// Whether the record has a field already.
    has_field: bool,
    /// Whether the record has only empty fields and no separator, so that it would be read as an empty line.
    is_blank: bool,
}

impl CsvWriter {
    /// Begins a text.
    pub fn new(sink: Sink, separator: u8) -> CsvWriter {
        CsvWriter { sink, separator, has_field: false, is_blank: true }
    }

    /// Writes the next field of the record.
    pub fn field(&mut self, text: &str) -> Result<(), LimitHit> {
        if self.has_field {
            self.sink.append(&[self.separator])?;
        }
        self.is_blank = !self.has_field && text.is_empty();
        self.has_field = true;
        if self.needs_quotes(text.as_bytes())? { self.quoted(text.as_bytes()) } else { self.bytes(text.as_bytes()) }
    }

    /// Ends the record. An empty line is skipped by readers, so a record that would be one gets an empty field in quotes.
    pub fn end(&mut self) -> Result<(), LimitHit> {
        let end: &[u8] = if self.is_blank { b"\"\"\n" } else { b"\n" };
        (self.has_field, self.is_blank) = (false, true);
        self.sink.append(end)
    }

    /// Returns what was written.
    pub fn into_sink(self) -> Sink {
        self.sink
    }

    fn needs_quotes(&self, field: &[u8]) -> Result<bool, LimitHit> {
        for piece in field.chunks(PIECE) {
            work::charge_bytes(piece.len())?;
            if memchr3(b'"', b'\n', b'\r', piece).is_some() || memchr::memchr(self.separator, piece).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn quoted(&mut self, field: &[u8]) -> Result<(), LimitHit> {
        self.sink.append(b"\"")?;
        let mut begin = 0;
        for at in memchr::memchr_iter(b'"', field) {
            // The quote itself is written here, and again as the first byte of the next part.
            self.bytes(&field[begin..=at])?;
            begin = at;
        }
        self.bytes(&field[begin..])?;
        self.sink.append(b"\"")
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), LimitHit> {
        bytes.chunks(PIECE).try_for_each(|piece| self.sink.append(piece))
    }
}

#[cfg(test)]
mod tests {
    use csv::WriterBuilder;
    use proptest::prelude::*;

    use super::{CsvWriter, PIECE};
    use crate::value::{Sink, TextBudget};

    fn written(rows: &[Vec<String>], separator: u8) -> String {
        let mut writer = CsvWriter::new(Sink::new(TextBudget::of_text()), separator);
        for row in rows {
            row.iter().for_each(|field| writer.field(field).expect("no limit is near"));
            writer.end().expect("no limit is near");
        }
        String::from_utf8(writer.into_sink().into_bytes()).expect("fields are texts")
    }

    fn written_by_csv(rows: &[Vec<String>], separator: u8) -> String {
        let mut writer = WriterBuilder::new().delimiter(separator).flexible(true).from_writer(Vec::new());
        for row in rows {
            writer.write_record(row).expect("a vector takes all");
        }
        String::from_utf8(writer.into_inner().expect("a vector takes all")).expect("fields are texts")
    }

    proptest! {
        #[test]
        fn writes_what_the_crate_csv_writes(
            rows in prop::collection::vec(prop::collection::vec("[a\",; \t\n\ré]{0,4}", 0..4), 0..4),
            separator in prop::sample::select(&b",;\t|"[..]),
        ) {
            prop_assert_eq!(written(&rows, separator), written_by_csv(&rows, separator));
        }
    }

    #[test]
    fn fields_longer_than_a_piece_are_written_alike() {
        for special in ["", "\"", ",", "\n", "\r"] {
            for at in [0, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE] {
                let field = format!("{}{special}{}", "a".repeat(at), "b".repeat(2 * PIECE - at));
                let rows = [vec![field.clone(), String::new()], vec![field]];
                assert_eq!(written(&rows, b','), written_by_csv(&rows, b','), "{special:?} at {at}");
            }
        }
    }
}
