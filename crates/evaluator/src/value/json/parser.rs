//! The position in a JSON text while it is parsed, and why parsing fails.

use crate::limits::LimitHit;

use super::super::big_numbers::BigNumbers;
use super::keys::Keys;

/// Why a text could not be parsed.
#[derive(Debug)]
pub enum Fault {
    /// A limit of the run.
    Limit(LimitHit),
    /// The text is not JSON, or contains a number that no value can represent.
    Text {
        /// Byte offset of the error.
        at: usize,
        /// The error message.
        reason: String,
        /// The help for the error.
        help: Option<&'static str>,
    },
}

/// The help for a comment, which JSON does not have.
const COMMENT_HELP: &str = "JSON has no comments: change a file that has some (JSONC) with `FS.EditFile`, which keeps them, \
    or take them out of the text first";

impl From<LimitHit> for Fault {
    fn from(hit: LimitHit) -> Fault {
        Fault::Limit(hit)
    }
}

/// The result of parsing.
pub type Parsed<T> = Result<T, Fault>;

/// The state of parsing.
pub struct Parser<'t> {
    /// The text.
    pub text: &'t str,
    /// Its bytes.
    pub bytes: &'t [u8],
    /// Offset of the next byte.
    pub at: usize,
    /// The keys so far.
    pub keys: Keys,
    /// The treatment of numbers that no value can represent.
    pub big_numbers: BigNumbers,
}

impl Parser<'_> {
    /// Skips blanks and line ends.
    #[inline]
    pub fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// Skips a byte if it is next. Returns whether it was.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let is_there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Returns the fault of a token other than the expected one.
    #[cold]
    pub fn unexpected(&self, expected: &str) -> Fault {
        let rest = &self.text[self.at..];
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        let found = match rest.chars().next() {
            None => "the end of the text".to_owned(),
            Some(_) if is_comment => format!("a comment (`{}`)", &rest[..2]),
            Some(character) => format!("`{}`", character.escape_debug()),
        };
        let is_after_comma = self.text[..self.at].trim_end().ends_with(',');
        let help = match rest.bytes().next() {
            _ if is_comment => Some(COMMENT_HELP),
            Some(b'}' | b']') if is_after_comma => Some("leave out the comma before it"),
            _ => None,
        };
        let reason = format!("expected {expected}, found {found}");
        Fault::Text { at: self.at, reason, help }
    }

    /// Returns a fault at a position.
    #[cold]
    pub fn fault(&self, at: usize, reason: impl Into<String>) -> Fault {
        Fault::Text { at, reason: reason.into(), help: None }
    }
}
