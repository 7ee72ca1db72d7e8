//! Files in xz, stream by stream. `lzma-rust2` decodes a stream; the sequence of streams and the padding between them
//! are handled here, so that the memory of each stream can be charged before it is decoded.

use std::io::{self, BufRead, Chain, Cursor, ErrorKind, Read};

use lzma_rust2::XzReader;

use crate::limits::MemoryCharge;

use super::bounds::{Bounds, charge_to};
use super::fault::Fault;

/// The first bytes of a stream.
pub const MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
/// Length of a stream header in bytes.
const STREAM_HEADER: usize = 12;
/// Maximum length of a block header in bytes.
const BLOCK_HEADER: usize = 1024;
/// The filter whose property is the size of the dictionary.
const LZMA2: u64 = 0x21;
/// Memory of a decoder besides the dictionary, in bytes.
const DECODER: u64 = 256 << 10;

/// A decoder of streams that follow one another.
pub struct XzDecoder<R: Read> {
    state: State<R>,
    bounds: Bounds,
    held: MemoryCharge,
}

/// The stored bytes, of which the first were read before.
type Ahead<R> = Chain<Cursor<Vec<u8>>, R>;

enum State<R: Read> {
    /// Before a stream, or at the end.
    Between(Ahead<R>),
    Stream(Box<XzReader<Ahead<R>>>),
    /// Only while the state changes.
    Changing,
}

impl<R: BufRead> XzDecoder<R> {
    /// Creates a decoder at the start of a file.
    pub fn new(input: R, bounds: Bounds) -> XzDecoder<R> {
        let ahead = Cursor::new(Vec::new()).chain(input);
        XzDecoder { state: State::Between(ahead), bounds, held: MemoryCharge::default() }
    }

    /// Returns the stream of the stored bytes.
    pub fn input(&mut self) -> &mut R {
        let ahead = match &mut self.state {
            State::Between(ahead) => ahead,
            State::Stream(reader) => reader.inner_mut(),
            State::Changing => unreachable!("each change of the state ends"),
        };
        ahead.get_mut().1
    }

    /// Goes to the next stream. Returns false at the end of the file.
    fn begin_stream(&mut self) -> io::Result<bool> {
        let State::Between(ahead) = &mut self.state else { return Ok(true) };
        if !pass_padding(ahead)? {
            return Ok(false);
        }
        let mut head = Vec::new();
        ahead.take((STREAM_HEADER + BLOCK_HEADER) as u64).read_to_end(&mut head)?;
        let dictionary = dictionary_of(&head).unwrap_or(0);
        let ready = self.charge(dictionary);
        // The bytes that were read ahead for a stream may include the beginning of later ones.
        let State::Between(ahead) = std::mem::replace(&mut self.state, State::Changing) else { return Ok(true) };
        let (rest, input) = ahead.into_inner();
        let unread = rest.get_ref().get(rest.position() as usize..).unwrap_or_default();
        head.extend_from_slice(unread);
        let ahead = Cursor::new(head).chain(input);
        match ready {
            Ok(memory_kib) => {
                self.state = State::Stream(Box::new(XzReader::new_mem_limit(ahead, false, memory_kib)));
                Ok(true)
            }
            Err(error) => {
                self.state = State::Between(ahead);
                Err(error)
            }
        }
    }

    /// Charges the memory for a dictionary. Returns the maximum for the stream, in KiB.
    fn charge(&mut self, dictionary: u64) -> io::Result<u32> {
        self.bounds.check_window(dictionary)?;
        let bytes = dictionary + DECODER;
        charge_to(&mut self.held, bytes)?;
        Ok(u32::try_from(bytes / 1024).unwrap_or(u32::MAX))
    }

    fn end_stream(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Changing) {
            State::Stream(reader) => State::Between(reader.into_inner()),
            other => other,
        };
    }
}

impl<R: BufRead> Read for XzDecoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The decoder would take an empty buffer for the end of a block.
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.begin_stream()? {
                return Ok(0);
            }
            let State::Stream(reader) = &mut self.state else { return Ok(0) };
            let read = reader.read(buffer).map_err(|error| match error.kind() {
                ErrorKind::OutOfMemory => Fault::LaterWindow.into(),
                _ => error,
            })?;
            if read > 0 {
                return Ok(read);
            }
            self.end_stream();
        }
    }
}

/// Passes over zeros, of which there are four, eight and so on. Returns false at the end of the file.
fn pass_padding(ahead: &mut impl BufRead) -> io::Result<bool> {
    let mut passed = 0_u64;
    let goes_on = loop {
        let available = ahead.fill_buf()?;
        let zeros = available.iter().take_while(|byte| **byte == 0).count();
        let (is_end, is_padded) = (available.is_empty(), zeros == available.len());
        ahead.consume(zeros);
        passed += zeros as u64;
        if is_end || !is_padded {
            break !is_end;
        }
    };
    if passed.is_multiple_of(4) { Ok(goes_on) } else { Err(ErrorKind::InvalidData.into()) }
}

/// Returns the size of the dictionary that the first block of a stream claims. `None` if it has no block, or none that
/// the decoder accepts.
fn dictionary_of(head: &[u8]) -> Option<u64> {
    let block = head.get(STREAM_HEADER..)?;
    let [_, flags, fields @ ..] = block else { return None };
    let mut fields = fields;
    for is_there in [flags & 0x40, flags & 0x80] {
        if is_there != 0 {
            number(&mut fields)?;
        }
    }
    for _ in 0..=(flags & 3) {
        let filter = number(&mut fields)?;
        let length = usize::try_from(number(&mut fields)?).ok()?;
        let properties = fields.get(..length)?;
        fields = &fields[length..];
        if filter == LZMA2 {
            return dictionary_size(*properties.first()?);
        }
    }
    None
}

fn dictionary_size(property: u8) -> Option<u64> {
    match property {
        0..40 => Some(u64::from(2 | (property & 1)) << (property / 2 + 11)),
        40 => Some(u64::from(u32::MAX)),
        _ => None,
    }
}

/// Takes a number of variable length.
fn number(fields: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = fields.split_first()?;
        *fields = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
