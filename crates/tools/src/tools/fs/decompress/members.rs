//! Files in gzip and bzip2, member by member.
//!
//! The decoders of the crates for several members refuse the zeros after the last one, which `gzip` ignores, and make a
//! decoder of megabytes anew for each empty member of bzip2. So the sequence of members is handled here.

use std::io::{self, BufRead, Chain, Cursor, ErrorKind, Read};

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;

/// Length of a member of bzip2 without content, in bytes.
const EMPTY: usize = 14;

/// The format of the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Gzip,
    Bzip2,
}

/// A decoder of members that follow one another.
pub struct MembersDecoder<R: BufRead> {
    format: Format,
    state: State<R>,
    /// Whether no member was begun.
    is_first: bool,
}

/// The stored bytes, of which the first were read before.
type Ahead<R> = Chain<Cursor<Vec<u8>>, R>;

enum State<R: BufRead> {
    /// Before a member, or at the end.
    Between(Ahead<R>),
    Gzip(Box<GzDecoder<Ahead<R>>>),
    Bzip2(Box<BzDecoder<Ahead<R>>>),
    /// Only while the state changes.
    Changing,
}

impl<R: BufRead> MembersDecoder<R> {
    /// Creates a decoder at the start of a file.
    pub fn new(input: R, format: Format) -> MembersDecoder<R> {
        let ahead = Cursor::new(Vec::new()).chain(input);
        MembersDecoder { format, state: State::Between(ahead), is_first: true }
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the stream of the stored bytes.
    pub fn input(&mut self) -> &mut R {
        let ahead = match &mut self.state {
            State::Between(ahead) => ahead,
            State::Gzip(decoder) => decoder.get_mut(),
            State::Bzip2(decoder) => decoder.get_mut(),
            State::Changing => unreachable!("each change of the state ends"),
        };
        ahead.get_mut().1
    }

    /// Goes to the next member. Returns false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            let State::Between(ahead) = &mut self.state else { return Ok(true) };
            if !self.is_first && self.format == Format::Gzip && !pass_zeros(ahead)? {
                return Ok(false);
            }
            let mut start = Vec::with_capacity(EMPTY);
            ahead.take(EMPTY as u64).read_to_end(&mut start)?;
            if start.is_empty() && !self.is_first {
                return Ok(false);
            }
            self.is_first = false;
            if self.format == Format::Bzip2 && is_empty(&start) {
                continue;
            }
            let State::Between(ahead) = std::mem::replace(&mut self.state, State::Changing) else { return Ok(true) };
            let (rest, input) = ahead.into_inner();
            start.extend_from_slice(rest.get_ref().get(rest.position() as usize..).unwrap_or_default());
            let ahead = Cursor::new(start).chain(input);
            self.state = match self.format {
                Format::Gzip => State::Gzip(Box::new(GzDecoder::new(ahead))),
                Format::Bzip2 => State::Bzip2(Box::new(BzDecoder::new(ahead))),
            };
        }
    }

    fn end(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Changing) {
            State::Gzip(decoder) => State::Between(decoder.into_inner()),
            State::Bzip2(decoder) => State::Between(decoder.into_inner()),
            other => other,
        };
    }
}

impl<R: BufRead> Read for MembersDecoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The decoders would take an empty buffer for the end.
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.begin()? {
            let read = match &mut self.state {
                State::Gzip(decoder) => decoder.read(buffer)?,
                State::Bzip2(decoder) => decoder.read(buffer)?,
                State::Between(_) | State::Changing => 0,
            };
            if read > 0 {
                return Ok(read);
            }
            self.end();
        }
        Ok(0)
    }
}

/// Returns whether bytes are a member of bzip2 without content: the mark, a level, the mark of the end and a checksum of 0.
fn is_empty(bytes: &[u8]) -> bool {
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0])
}

/// Passes over zeros, which only the end of the file may follow. Returns false there.
fn pass_zeros(ahead: &mut impl BufRead) -> io::Result<bool> {
    let mut is_padded = false;
    loop {
        let available = ahead.fill_buf()?;
        if available.is_empty() {
            return Ok(false);
        }
        let zeros = available.iter().take_while(|byte| **byte == 0).count();
        is_padded |= zeros > 0;
        if zeros < available.len() {
            return if is_padded { Err(ErrorKind::InvalidData.into()) } else { Ok(true) };
        }
        ahead.consume(zeros);
    }
}
