//! The texts of a tag that are given, in the order of the file.

use lofty::tag::{ItemKey, Tag};

use crate::limits::MemoryCharge;

use super::super::window::Fault;

/// The fields that are given.
const WANTED: [ItemKey; 12] = [
    ItemKey::TrackTitle,
    ItemKey::TrackArtist,
    ItemKey::AlbumTitle,
    ItemKey::AlbumArtist,
    ItemKey::TrackNumber,
    ItemKey::TrackTotal,
    ItemKey::DiscNumber,
    ItemKey::DiscTotal,
    ItemKey::RecordingDate,
    ItemKey::Year,
    ItemKey::ReleaseDate,
    ItemKey::Genre,
];
/// Maximum length of a text in bytes; a longer one is left out.
pub const MAX_TEXT: usize = 32 << 10;
/// Maximum number of fields of the tags of a file, wanted or not.
pub const MAX_PARTS: usize = 100_000;
/// Upper bound for the memory of a text besides its bytes.
const PER_TEXT: usize = 64;

/// The texts of one tag.
#[derive(Debug, Default)]
pub struct Texts {
    fields: Vec<Field>,
    held: MemoryCharge,
}

/// The texts of a field.
#[derive(Debug)]
struct Field {
    key: ItemKey,
    /// The name that the file has for it. A tag may have several names for one field, of which the first counts.
    name: String,
    values: Vec<String>,
}

/// Returns a field if it is given.
pub fn wanted(key: Option<ItemKey>) -> Option<ItemKey> {
    key.filter(|key| WANTED.contains(key))
}

impl Texts {
    /// Takes over the texts of a tag that lofty read.
    pub fn of(tag: &Tag) -> Result<Texts, Fault> {
        let mut texts = Texts::default();
        for key in WANTED {
            for text in tag.get_strings(key) {
                texts.push(key, "", text)?;
            }
        }
        Ok(texts)
    }

    /// Adds a text to a field, which the file gives this name.
    pub fn push(&mut self, key: ItemKey, name: &str, text: &str) -> Result<(), Fault> {
        let text = text.trim_matches(|character: char| character.is_whitespace() || character == '\0');
        if text.is_empty() || text.len() > MAX_TEXT {
            return Ok(());
        }
        self.held.grow(text.len() + PER_TEXT)?;
        match self.fields.iter_mut().find(|field| field.key == key) {
            Some(field) if field.name == name => field.values.push(text.to_owned()),
            Some(_) => {}
            None => self.fields.push(Field { key, name: name.to_owned(), values: vec![text.to_owned()] }),
        }
        Ok(())
    }

    /// Returns the texts of a field.
    pub fn of_field(&self, key: ItemKey) -> &[String] {
        self.fields.iter().find(|field| field.key == key).map_or(&[], |field| &field.values)
    }

    /// Returns whether a field has a text.
    pub fn has(&self, key: ItemKey) -> bool {
        !self.of_field(key).is_empty()
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
