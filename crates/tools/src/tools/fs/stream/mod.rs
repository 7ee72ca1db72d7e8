//! Text files that are read block by block, for tools that stream what is in them.
//!
//! The text is the one that `FS.ReadFile` returns as a whole. The encoding is decided at the first bytes that are not
//! ASCII, from as many bytes as `FS.ReadFile` looks at, so everything before them is the same in each encoding that may
//! be found. Only escape sequences of ISO-2022-JP are ASCII too: a file that has them, and bytes that are not UTF-8 much
//! later, is an error.
//!
//! The stream ends where the file ended when it was opened, so a loop that appends to its file comes to an end.

mod lines;

use std::io::Read;

use crate::gate::Context;
use crate::sandbox::{OpenFile, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Given, Settings, Spec, ToolError};
use crate::value::Str;

use super::decompress::{Bounds, Compression};
use super::encoding::{
    Charset, Choice, Decoder, EXAMINED_AT_ONCE, EXAMINED_FOR_GUESS, MarkedCharset, detect, is_binary,
};
use super::source::{Origin, Source, SourceOptions};

pub use lines::LineStream;

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 16;
/// The byte that escape sequences begin with.
const ESCAPE: u8 = 0x1b;

/// The parts that the declarations of tools that stream a text file share.
pub const READING: Spec = Spec {
    effect: Effect::Reads,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::PermissionDenied,
        ToolCode::TooLarge,
        ToolCode::NotText,
        ToolCode::Encoding,
        ToolCode::InvalidArchive,
        ToolCode::IoError,
    ],
    ..Spec::pure("", "", "", "", Example { script: "", output: "" })
};

/// A text file to stream: the arguments that tools for such files share.
#[derive(Clone, Copy, Debug)]
pub struct TextFile<'a> {
    /// The file.
    pub path: &'a SandboxPath,
    /// The `encoding` argument.
    pub encoding: Option<&'a Str>,
    /// Whether a compressed file is decompressed.
    pub decompress: bool,
}

/// The text of a file, block by block.
pub struct TextStream {
    source: Source,
    /// The path as errors show it.
    shown: String,
    /// Number of bytes of the file, if they are read as they are stored.
    bytes: Option<u64>,
    decoder: Decoder,
    /// When the encoding is guessed; `None` when it is decided.
    guess: Option<Guess>,
    /// The encoding that an XML declaration names.
    declared: Option<Charset>,
    buffer: Vec<u8>,
    /// Number of bytes in the buffer.
    filled: usize,
    /// Number of bytes at its end that are an incomplete character.
    incomplete: usize,
    /// Where text is decoded to that is not UTF-8.
    space: String,
    is_at_start: bool,
    has_ended: bool,
}

/// When the encoding of a file is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guess {
    /// If it is not UTF-8.
    IfNotUtf8,
    /// In any case.
    Always,
}

/// Checks that the encoding is known, and is one of texts.
pub fn check_encoding(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    let Some(Some(name)) = given.text("encoding") else { return Ok(()) };
    match super::encoding_of("encoding", &name)? {
        Choice::Base64 => Err(ToolError::bad_argument("encoding", "base64 has no lines")
            .hint("name the encoding of the text, or leave it out")),
        Choice::Auto | Choice::Text(_) => Ok(()),
    }
}

impl TextStream {
    /// Opens a file.
    pub fn open(context: &mut Context<'_>, file: TextFile<'_>) -> Result<TextStream, ToolError> {
        let shown = file.path.display();
        let OpenFile { file: handle, metadata } =
            context.open(file.path).map_err(|error| error.argument("path").path(shown))?;
        let bounds = Bounds::of(context.meter);
        let options = SourceOptions { checksum: false, decompress: file.decompress, bounds, most: Some(metadata.size) };
        let source = Source::new(Origin::File(handle), options);
        let source = source.map_err(|error| ToolError::from(SandboxError::io(shown, &error)).argument("path"))?;
        let choice = file.encoding.map(|name| super::encoding_of("encoding", &name.as_text())).transpose()?;
        let (decoder, guess) = match choice {
            Some(Choice::Text(charset)) => (Decoder::new(charset), None),
            Some(Choice::Auto) => (Decoder::tentative(), Some(Guess::Always)),
            None | Some(Choice::Base64) => (Decoder::tentative(), Some(Guess::IfNotUtf8)),
        };
        Ok(TextStream {
            bytes: source.format().is_none().then_some(metadata.size),
            source,
            shown: shown.to_owned(),
            decoder,
            guess,
            declared: None,
            buffer: Vec::new(),
            filled: 0,
            incomplete: 0,
            space: String::new(),
            is_at_start: true,
            has_ended: false,
        })
    }

    /// Returns the number of bytes of the file, or `None` if they are decompressed.
    pub fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// Returns an error about a place in the text as one about the file.
    pub fn blamed(&self, error: ToolError) -> ToolError {
        error.preceded_by(&format!("`{}`: ", self.shown)).argument("path").path(&*self.shown)
    }

    /// Returns an error about the content of the file.
    fn error(&self, code: ToolCode, message: impl Into<String>) -> ToolError {
        ToolError::new(code, message).argument("path").path(&*self.shown)
    }

    /// Returns the next block of the text, or `None` after the last one. A block may be empty.
    pub fn next(&mut self, context: &mut Context<'_>) -> Result<Option<&str>, ToolError> {
        if self.has_ended {
            return Ok(None);
        }
        let rest = self.filled - self.incomplete;
        self.buffer.copy_within(rest..self.filled, 0);
        self.filled = self.incomplete;
        self.fill(context, self.filled + BLOCK)?;
        let mut start = 0;
        if std::mem::take(&mut self.is_at_start) {
            start = self.begin()?;
        }
        self.check_nul(start)?;
        if self.guess.is_some()
            && let Some(foreign) = first_foreign(&self.buffer[..self.filled])
        {
            self.decide(context, foreign)?;
        }
        let bytes = &self.buffer[start..self.filled];
        match self.decoder.decode(bytes, self.has_ended, &mut self.space) {
            Ok((text, incomplete)) => {
                self.incomplete = incomplete;
                Ok(Some(text))
            }
            Err(_) => Err(undecided(&self.shown)),
        }
    }

    /// Reads until the buffer holds `length` bytes, or the file ends.
    fn fill(&mut self, context: &mut Context<'_>, length: usize) -> Result<(), ToolError> {
        if self.buffer.len() < length {
            self.buffer.resize(length, 0);
        }
        let before = self.filled;
        while self.filled < length && !self.has_ended {
            match self.source.read(&mut self.buffer[self.filled..length]) {
                Ok(read) => {
                    self.filled += read;
                    self.has_ended = read == 0;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.io(&error)),
            }
        }
        context.spend_text(self.filled - before)?;
        Ok(context.meter.poll()?)
    }

    fn io(&mut self, error: &std::io::Error) -> ToolError {
        let damage = self.source.damage(&self.shown, error);
        damage.unwrap_or_else(|| SandboxError::io(&*self.shown, error).into()).argument("path").path(&*self.shown)
    }

    /// Looks at the first block. Returns the length of its byte order mark, which decides about the encoding.
    fn begin(&mut self) -> Result<usize, ToolError> {
        let mut start = 0;
        if let Some(MarkedCharset { charset, mark }) = Charset::of_mark(&self.buffer[..self.filled]) {
            self.decoder = Decoder::new(charset);
            self.guess = None;
            start = mark;
        }
        if self.decoder.refuses_nul() && is_binary(&self.buffer[start..self.filled]) {
            return Err(self.binary());
        }
        self.declared = Charset::declared(&self.buffer[..self.filled]);
        Ok(start)
    }

    fn check_nul(&self, start: usize) -> Result<(), ToolError> {
        let has_nul = self.decoder.refuses_nul() && memchr::memchr(0, &self.buffer[start..self.filled]).is_some();
        if has_nul { Err(self.binary()) } else { Ok(()) }
    }

    fn binary(&self) -> ToolError {
        let message = format!("`{}` is binary, not text", self.shown);
        let format = Compression::of(&self.buffer[..self.filled]);
        let hint = format.map_or_else(
            || "a text in UTF-16 needs its `encoding`".to_owned(),
            |format| format.hint(self.source.format().is_some()),
        );
        self.error(ToolCode::NotText, message).hint(hint)
    }

    /// Decides about the encoding at the first byte that may be of another one than UTF-8. Blocks have been whole so
    /// far, so the pieces of the guess begin where those of a whole file do.
    fn decide(&mut self, context: &mut Context<'_>, foreign: usize) -> Result<(), ToolError> {
        let from = foreign - foreign % EXAMINED_AT_ONCE;
        let to = from + EXAMINED_FOR_GUESS;
        if self.filled < to {
            self.fill(context, to)?;
            self.check_nul(0)?;
        }
        let examined = &self.buffer[from..self.filled.min(to)];
        let found = self.declared.or_else(|| detect(&mut &*examined).ok()).unwrap_or(Charset::UTF_8);
        let is_escaped = found != Charset::UTF_8 && examined.is_ascii();
        match self.guess.take() {
            // Escape sequences alone are UTF-8 too.
            Some(Guess::IfNotUtf8) if is_escaped => {}
            _ => self.decoder = Decoder::new(found),
        }
        Ok(())
    }
}

/// Returns the position of the first byte that does not mean the same in every encoding that can be guessed.
fn first_foreign(bytes: &[u8]) -> Option<usize> {
    let escape = memchr::memchr(ESCAPE, bytes);
    let plain = &bytes[..escape.unwrap_or(bytes.len())];
    if plain.is_ascii() { escape } else { plain.iter().position(|byte| !byte.is_ascii()) }
}

/// Returns the error for a file that is UTF-8 as far as lines of it were given, and then is not.
fn undecided(shown: &str) -> ToolError {
    ToolError::new(ToolCode::Encoding, format!("the encoding of `{shown}` cannot be told: it begins as UTF-8"))
        .argument("path")
        .path(shown)
        .hint("name its `encoding`")
}
