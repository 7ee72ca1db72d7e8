//! The encodings of text files: names, decoding and encoding.
//!
//! All names of the WHATWG Encoding Standard are known. `iso-8859-1` is true Latin-1, although the standard
//! treats it as windows-1252.

mod decode;
mod encode;
mod shift;
mod whole;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

pub use decode::{Decoder, EXAMINED_AT_ONCE, EXAMINED_FOR_GUESS, detect, is_binary, looks_like_text};
pub use encode::{Unencodable, encode};
pub use shift::Shift;
pub use whole::{Decoded, decode_whole};

/// Maximum length in bytes of an XML declaration that is looked at.
const DECLARATION: usize = 1_024;

/// The meaning of an `encoding` argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Detect the encoding.
    Auto,
    /// The bytes, as base64.
    Base64,
    /// A text in this encoding.
    Text(Charset),
}

/// A character encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// ISO 8859-1: each byte is the character with its number.
    Latin1,
    /// `utf-16`: in the byte order that the byte order mark gives, else little-endian.
    Utf16,
    /// An encoding of the WHATWG standard.
    Named(&'static Encoding),
}

/// An encoding, and the length of the byte order mark that the bytes begin with.
#[derive(Clone, Copy, Debug)]
pub struct MarkedCharset {
    /// The encoding.
    pub charset: Charset,
    /// The length of the mark in bytes; 0 without one.
    pub mark: usize,
}

impl Choice {
    /// Parses the name of an encoding.
    pub fn find(name: &str) -> Option<Choice> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "auto" => Choice::Auto,
            "base64" => Choice::Base64,
            name => Choice::Text(Charset::find(name)?),
        })
    }
}

impl Charset {
    /// UTF-8.
    pub const UTF_8: Charset = Charset::Named(UTF_8);

    fn find(name: &str) -> Option<Charset> {
        Some(match name {
            "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "iso88591" | "latin1" | "latin-1" | "l1" => Charset::Latin1,
            "utf-16" | "utf16" | "utf_16" => Charset::Utf16,
            "utf-16-le" | "utf16le" | "utf_16_le" => Charset::Named(UTF_16LE),
            "utf-16-be" | "utf16be" | "utf_16_be" => Charset::Named(UTF_16BE),
            "utf_8" => Charset::UTF_8,
            // The replacement encoding of the standard, which exists only to be refused, is excluded.
            name => Charset::Named(Encoding::for_label_no_replacement(name.as_bytes())?),
        })
    }

    /// Returns the encoding that a byte order mark identifies.
    pub fn of_mark(bytes: &[u8]) -> Option<MarkedCharset> {
        Encoding::for_bom(bytes).map(|(encoding, mark)| MarkedCharset { charset: Charset::Named(encoding), mark })
    }

    /// Returns the encoding that an XML declaration at the beginning names (XML 1.0, F). UTF-8 and UTF-16 do not count: a
    /// file is guessed only if it is neither.
    pub fn declared(start: &[u8]) -> Option<Charset> {
        let declaration = start.strip_prefix(b"<?xml")?.get(..DECLARATION.min(start.len() - 5))?;
        let end = memchr::memmem::find(declaration, b"?>")?;
        let declaration =
            str::from_utf8(&declaration[..end]).ok().filter(|text| text.starts_with([' ', '\t', '\r', '\n']))?;
        let (_, rest) = declaration.split_once("encoding")?;
        let value = rest.trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (name, _) = value[1..].split_once(quote)?;
        let charset = Charset::find(&name.to_ascii_lowercase())?;
        Some(charset).filter(|charset| *charset != Charset::UTF_8 && !charset.has_units_of_two())
    }

    /// Returns the encoding as one that writes no byte order mark.
    pub fn without_mark(self) -> Charset {
        if self == Charset::Utf16 { Charset::Named(UTF_16LE) } else { self }
    }

    /// Returns whether each character takes an even number of bytes.
    pub fn has_units_of_two(self) -> bool {
        matches!(self, Charset::Utf16) || self == Charset::Named(UTF_16LE) || self == Charset::Named(UTF_16BE)
    }

    /// Returns whether the first byte of a character of two bytes is the more significant one.
    pub fn is_big_endian(self) -> bool {
        self == Charset::Named(UTF_16BE)
    }

    /// Returns the name under which `FS.SearchFiles` decodes. Latin-1 is read as windows-1252, which has its characters.
    pub fn search_label(self) -> String {
        match self {
            Charset::Latin1 => "windows-1252".to_owned(),
            charset => charset.name(),
        }
    }

    /// Returns the name in lower case.
    pub fn name(self) -> String {
        match self {
            Charset::Latin1 => "iso-8859-1".to_owned(),
            Charset::Utf16 => "utf-16le".to_owned(),
            Charset::Named(encoding) => encoding.name().to_ascii_lowercase(),
        }
    }

    /// Returns whether a byte below 128 always represents that ASCII character.
    pub fn holds_ascii(self) -> bool {
        match self {
            Charset::Latin1 => true,
            Charset::Utf16 => false,
            Charset::Named(encoding) => encoding.is_ascii_compatible(),
        }
    }
}
