//! The texts of a tag that are given, in the order of the file.

use crate::limits::MemoryCharge;

use super::super::window::Fault;

/// A field that is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Title,
    Artist,
    Album,
    AlbumArtist,
    Track,
    TrackTotal,
    Disc,
    DiscTotal,
    /// The date of the recording.
    Recorded,
    Year,
    /// The date of the release.
    Released,
    Genre,
}

/// Maximum length of a text in bytes; a longer one is left out.
pub const MAX_TEXT: usize = 32 << 10;
/// Maximum number of fields of the tags of a file, wanted or not.
pub const MAX_PARTS: usize = 100_000;
/// Upper bound for the memory of a text besides its bytes.
const PER_TEXT: usize = 64;

/// The texts of one tag.
#[derive(Debug, Default)]
pub struct Texts {
    fields: Vec<Filled>,
    held: MemoryCharge,
}

/// The texts of a field.
#[derive(Debug)]
struct Filled {
    field: Field,
    /// The name that the file has for it. A tag may have several names for one field, of which the first counts.
    name: String,
    values: Vec<String>,
}

impl Texts {
    /// Adds a text to a field, which the file gives this name.
    pub fn push(&mut self, field: Field, name: &str, text: &str) -> Result<(), Fault> {
        let text = text.trim_matches(|character: char| character.is_whitespace() || character == '\0');
        if text.is_empty() || text.len() > MAX_TEXT {
            return Ok(());
        }
        self.held.grow(text.len() + PER_TEXT)?;
        match self.fields.iter_mut().find(|filled| filled.field == field) {
            Some(filled) if filled.name == name => filled.values.push(text.to_owned()),
            Some(_) => {}
            None => self.fields.push(Filled { field, name: name.to_owned(), values: vec![text.to_owned()] }),
        }
        Ok(())
    }

    /// Returns the texts of a field.
    pub fn of_field(&self, field: Field) -> &[String] {
        self.fields.iter().find(|filled| filled.field == field).map_or(&[], |filled| &filled.values)
    }

    /// Returns whether a field has a text.
    pub fn has(&self, field: Field) -> bool {
        !self.of_field(field).is_empty()
    }
}

/// Returns the text that bytes represent: UTF-8, or Latin-1 as old programs wrote it.
pub fn of_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => latin_1(bytes),
    }
}

/// Returns the text that bytes in Latin-1 represent.
pub fn latin_1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}
