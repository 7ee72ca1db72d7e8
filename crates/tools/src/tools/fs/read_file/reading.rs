//! Reads the text of a file, or its bytes as base64.

use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::gate::Context;
use crate::limits::{LimitHit, space};
use crate::sandbox::{Metadata, SandboxError};
use crate::text::ToolCode;
use crate::toolkit::ToolError;
use crate::value::print;

use super::super::decompress::Compression;
use super::super::encoding::{Charset, Choice, Decoder, MarkedCharset, detect, is_binary};
use super::super::last_lines::LastLines;
use super::super::line_index::{Decoding, LineIndex, LineStart, after_last_line};
use super::super::lines::Lines;
use super::super::read_media::kind::Kind as MediaKind;
use super::super::source::{Source, SourceError};
use super::Args;
use super::selection::{Selected, Selection, numbered};

/// The result of reading.
pub struct LineSelection {
    /// The text, or the bytes as base64.
    pub text: String,
    /// The encoding that was used.
    pub encoding: String,
    /// Number of lines.
    pub lines: usize,
    /// Whether bytes stood for no character.
    pub malformed: bool,
    /// Whether the file begins with a byte order mark.
    pub has_mark: bool,
    /// Whether the text is not base64.
    pub is_text: bool,
}

/// Why reading failed.
pub enum Failed {
    /// The file cannot be read.
    Sandbox(SandboxError),
    /// Any other error.
    Tool(ToolError),
    /// The bytes are not UTF-8, which was assumed.
    NotUtf8,
}

impl From<ToolError> for Failed {
    fn from(error: ToolError) -> Failed {
        Failed::Tool(error)
    }
}

impl From<LimitHit> for Failed {
    fn from(hit: LimitHit) -> Failed {
        Failed::Tool(hit.into())
    }
}

/// A file that is being read.
pub struct Reading<'a> {
    args: &'a Args,
    /// The bytes.
    pub source: Source,
    /// The metadata of a file that is no archive.
    metadata: Option<Metadata>,
    /// The first piece of the bytes.
    pub start: Vec<u8>,
    /// Number of bytes read, after they were decompressed.
    read: u64,
    /// Whether their end was reached.
    ended: bool,
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;
/// Maximum number of bytes of a character that the next piece completes.
const MAX_HELD: usize = 4;

impl<'a> Reading<'a> {
    /// Begins to read. `metadata` are those of a file that is no archive.
    pub fn new(args: &'a Args, source: Source, metadata: Option<Metadata>) -> Reading<'a> {
        Reading { args, source, metadata, start: Vec::new(), read: 0, ended: false }
    }

    /// Reads the text or the bytes that the arguments ask for.
    pub fn run(&mut self, context: &mut Context<'_>) -> Result<LineSelection, Failed> {
        let choice = self.args.encoding.as_ref().map(|name| super::super::encoding_of("encoding", &name.as_text()));
        match choice.transpose()? {
            Some(Choice::Base64) => self.base64(context),
            Some(Choice::Text(charset)) => self.text(context, Decoding::Named(charset)),
            Some(Choice::Auto) => self.text(context, Decoding::Guessed),
            None => match self.text(context, Decoding::StrictUtf8) {
                Err(Failed::NotUtf8) => self.text(context, Decoding::Guessed),
                done => done,
            },
        }
    }

    /// Reads the next piece after the `held` bytes that are already in the buffer. Returns only these at the
    /// end of the file.
    fn piece<'b>(&mut self, context: &mut Context<'_>, buffer: &'b mut [u8], held: usize) -> Result<&'b [u8], Failed> {
        let mut length = held;
        // Fills the whole buffer, so that the first piece is long enough to identify the file format.
        while length < buffer.len() {
            let read = self.source.read(&mut buffer[length..]);
            match read.map_err(|error| self.io(&error))? {
                0 => {
                    self.ended = true;
                    break;
                }
                more => length += more,
            }
        }
        let read = &buffer[held..length];
        context.spend_text(read.len())?;
        context.meter.poll()?;
        self.read += read.len() as u64;
        // The file may have grown, or come to more than its size.
        self.check_size()?;
        Ok(&buffer[..length])
    }

    fn check_size(&self) -> Result<(), Failed> {
        let most = self.args.max_size_mb;
        if self.source.format().is_some() && self.read > (most as u64) << 20 {
            let message = format!("`{}` comes to more than the {most} MiB allowed", self.args.path.display());
            return Err(Failed::Tool(ToolError::new(ToolCode::TooLarge, message).hint("raise `max_size_mb`")));
        }
        super::super::check_size(&self.args.path, self.read, most).map_err(Failed::Tool)
    }

    fn io(&mut self, error: &std::io::Error) -> Failed {
        match self.source.damage(self.args.path.display(), error) {
            Some(damage) => Failed::Tool(damage),
            None => Failed::Sandbox(self.args.path.error(error)),
        }
    }

    /// Continues at a place in the file.
    fn go_to(&mut self, offset: u64) -> Result<(), Failed> {
        let gone = self.source.go_to(offset);
        gone.map_err(|error| self.io(&error))?;
        self.read = offset;
        self.ended = false;
        Ok(())
    }

    /// Reads the lines. Where only a part of them is wanted, it begins at the nearest line whose place is known.
    fn text(&mut self, context: &mut Context<'_>, decoding: Decoding) -> Result<LineSelection, Failed> {
        let is_part = !self.source.has_checksum() && (self.args.skip_lines > 0 || self.args.max_lines > 0);
        let indexed = self.metadata.filter(|_| is_part && self.source.can_seek());
        let mut index = indexed.and_then(|metadata| LineIndex::of(&metadata, decoding));
        let found = index.as_ref().and_then(|index| index.found);
        let decoder = match (found, decoding) {
            (Some(charset), _) | (None, Decoding::Named(charset)) => Decoder::new(charset),
            (None, Decoding::StrictUtf8) => Decoder::tentative(),
            (None, Decoding::Guessed) => {
                self.go_to(0)?;
                let detected = detect(&mut self.source);
                Decoder::new(detected.map_err(|error| self.io(&error))?)
            }
        };
        if let (Decoding::Guessed, Some(index)) = (decoding, &mut index) {
            index.found = Some(decoder.charset());
        }
        let taken = self.lines(context, decoder, index.as_mut());
        index.into_iter().for_each(LineIndex::keep);
        taken
    }

    fn lines(
        &mut self,
        context: &mut Context<'_>,
        mut decoder: Decoder,
        mut index: Option<&mut LineIndex>,
    ) -> Result<LineSelection, Failed> {
        let skip = self.args.skip_lines as usize;
        let start = index.as_ref().and_then(|index| index.before(skip));
        let mut first = start.is_none();
        let mut has_mark = !first && index.as_ref().is_some_and(|index| index.has_mark);
        let LineStart { line: before, offset, malformed, shift } = start.unwrap_or_default();
        self.go_to(offset)?;
        decoder.resume(shift, malformed);
        let mut lines = match self.args.last_lines as usize {
            0 => Selection::Range(Lines::new(skip - before, self.args.max_lines as usize)),
            most => Selection::Last(LastLines::new(most)),
        };
        let mut buffer = vec![0; PIECE + MAX_HELD];
        let mut space = String::new();
        let mut held = 0;
        loop {
            // Pieces end at the same places in the file wherever reading begins, since a NUL in the last one counts.
            let length = held + PIECE - (self.read % PIECE as u64) as usize;
            let filled = self.piece(context, &mut buffer[..length], held)?;
            let (mut bytes, last) = (filled, filled.len() < length);
            if std::mem::take(&mut first) {
                self.start = bytes.to_vec();
                if let Some(MarkedCharset { charset, mark }) = Charset::of_mark(bytes) {
                    decoder = Decoder::new(charset);
                    has_mark = true;
                    bytes = &bytes[mark..];
                    if let Some(index) = &mut index {
                        (index.found, index.has_mark) = (Some(charset), true);
                    }
                }
                if decoder.refuses_nul() && is_binary(bytes) {
                    return Err(self.binary());
                }
            }
            if decoder.refuses_nul() && memchr::memchr(0, bytes).is_some() {
                return Err(self.binary());
            }
            let (text, left) = decoder.decode(bytes, last, &mut space).map_err(|_| Failed::NotUtf8)?;
            if !lines.take(text)? || last {
                break;
            }
            if let Some(index) = &mut index
                && let Some(start) = self.last_start(bytes, &decoder, before + lines.ended())
            {
                index.add(start);
            }
            held = left;
            buffer.copy_within(length - left..length, 0);
        }
        // Once the end has been reached, bytes appended later are neither in the answer nor in its checksum.
        self.finish_checksum(context)?;
        let Selected { text, lines, before } = lines.finish(skip);
        let text = if self.args.line_numbers { numbered(&text, before)? } else { text };
        let encoding = decoder.charset().name();
        Ok(LineSelection { text, encoding, lines, malformed: decoder.malformed, has_mark, is_text: true })
    }

    /// Returns the start of the line `line`, the last that begins in the bytes read just now.
    fn last_start(&self, bytes: &[u8], decoder: &Decoder, line: usize) -> Option<LineStart> {
        let at = after_last_line(bytes, decoder.charset())?;
        let shift = decoder.shift_at(bytes, at)?;
        let offset = self.read - (bytes.len() - at) as u64;
        Some(LineStart { line, offset, malformed: decoder.malformed, shift })
    }

    /// Reads the bytes after the last wanted line, as far as the checksum needs them.
    fn finish_checksum(&mut self, context: &mut Context<'_>) -> Result<(), Failed> {
        let finished = self.source.finish(|read| {
            context.spend_text(read)?;
            Ok(context.meter.poll()?)
        });
        finished.map_err(|error| match error {
            SourceError::Io(error) => self.io(&error),
            SourceError::Tool(error) => Failed::Tool(error),
        })
    }

    fn binary(&self) -> Failed {
        let path = self.args.path.display();
        let message = match &self.args.entry {
            Some(entry) => format!("`{}` in `{path}` is binary, not text", print::shortened(&entry.as_text(), 200)),
            None => format!("`{path}` is binary, not text"),
        };
        let hint = if let Some(format) = Compression::of(&self.start) {
            &*format.hint(self.source.format().is_some())
        } else if MediaKind::of(&self.start).is_media() && self.args.entry.is_none() {
            "see or hear it with `FS.ReadMedia`, or read its bytes with `encoding: \"base64\"`"
        } else {
            "read it with `encoding: \"base64\"`; a text in UTF-16 needs its `encoding`"
        };
        Failed::Tool(ToolError::new(ToolCode::NotText, message).hint(hint))
    }

    fn base64(&mut self, context: &mut Context<'_>) -> Result<LineSelection, Failed> {
        // The size of decompressed data is unknown.
        let size = self.metadata.filter(|_| self.source.can_seek()).map_or(0, |metadata| metadata.size);
        let longest = usize::try_from(size).unwrap_or(usize::MAX).div_ceil(3).saturating_mul(4);
        space::check_string(longest)?;
        space::check(longest)?;
        let mut text = String::with_capacity(longest);
        // Three bytes become four characters, so the encoded pieces can be concatenated.
        let mut buffer = vec![0; 3 << 14];
        loop {
            let bytes = self.piece(context, &mut buffer, 0)?;
            if self.start.is_empty() {
                self.start = bytes.to_vec();
            }
            let length = text.len() + bytes.len().div_ceil(3) * 4;
            space::check_string(length)?;
            if length > text.capacity() {
                space::check(2 * length)?;
            }
            STANDARD.encode_string(bytes, &mut text);
            // The file may have grown after its end was reached, but nothing can follow padding.
            if self.ended {
                break;
            }
        }
        let lines = usize::from(!text.is_empty());
        Ok(LineSelection {
            text,
            encoding: "base64".to_owned(),
            lines,
            malformed: false,
            has_mark: false,
            is_text: false,
        })
    }
}
