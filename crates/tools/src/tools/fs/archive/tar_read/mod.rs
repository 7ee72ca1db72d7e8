//! A reader for tar: POSIX (ustar and pax) and GNU, with long names and sparse files.
//!
//! The archive is read once, front to back. It must end with two blocks of zeros, followed by nothing but
//! zeros and the index that pixz appends, so that a truncated archive is never mistaken for a complete one.

mod header;
mod index;
mod pax;
mod sparse;

use std::io::Read;

use crate::toolkit::ToolError;

use super::fault::{invalid, read_error};
use super::{ArchivedKind, Entry, fill, text_of};
pub use header::BLOCK;
use header::Header;
use index::Index;
use pax::Pax;
use sparse::SparseMap;

/// Maximum size of a long name or a pax header in bytes.
const MAX_EXTENSION: u64 = 1 << 20;

/// A reader of a tar archive.
pub struct TarReader<R> {
    source: R,
    /// Unread bytes of the current entry in the archive.
    stored: u64,
    /// Padding after these bytes, up to the next block.
    padding: u64,
    /// The map of a sparse file: where its stored bytes belong.
    map: Option<SparseMap>,
    ended: bool,
}

/// Returns whether a file that begins with these bytes begins with a header of tar.
pub fn is_header(start: &[u8]) -> bool {
    start.try_into().is_ok_and(|block: [u8; BLOCK]| Header::check(block).is_ok())
}

/// Extension headers for the entry that follows them.
#[derive(Default)]
struct Extensions {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    pax: Option<Pax>,
}

impl<R: Read> TarReader<R> {
    /// Creates a reader at the start of an archive.
    pub fn new(source: R) -> TarReader<R> {
        TarReader { source, stored: 0, padding: 0, map: None, ended: false }
    }

    /// Advances to the next entry; see [`super::Reader::advance`].
    pub fn advance(&mut self) -> Result<Option<Entry>, ToolError> {
        if self.ended {
            return Ok(None);
        }
        let mut extensions = Extensions::default();
        loop {
            self.pass_over(self.stored + self.padding)?;
            (self.stored, self.padding, self.map) = (0, 0, None);
            let Some(header) = self.header()? else {
                return if extensions.is_empty() {
                    Ok(None)
                } else {
                    Err(invalid("it ends after a header for an entry that does not come"))
                };
            };
            match header.kind() {
                b'L' => extensions.put_name(self.extension(&header)?)?,
                b'K' => extensions.put_link(self.extension(&header)?)?,
                b'x' | b'X' => extensions.put_pax(Pax::parse(&self.extension(&header)?)?)?,
                // A global header contains only comments, or fields that are not used here.
                b'g' => Pax::parse(&self.extension(&header)?)?.check_global()?,
                _ => return self.entry(&header, extensions).map(Some),
            }
        }
    }

    /// Reads content of the current entry; see [`super::Reader::read`].
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        let Some(map) = &mut self.map else { return self.read_stored(buffer) };
        let (is_hole, length) = map.next_piece(buffer.len());
        if is_hole {
            buffer[..length].fill(0);
            map.pass(length as u64);
            return Ok(length);
        }
        let read = self.read_stored(&mut buffer[..length])?;
        if let Some(map) = &mut self.map {
            map.pass(read as u64);
        }
        if read == 0 && length > 0 {
            Err(invalid("a file with holes has fewer bytes than its map says"))
        } else {
            Ok(read)
        }
    }

    fn read_stored(&mut self, buffer: &mut [u8]) -> Result<usize, ToolError> {
        let length = buffer.len().min(usize::try_from(self.stored).unwrap_or(usize::MAX));
        if length == 0 {
            return Ok(0);
        }
        let read = fill(&mut self.source, &mut buffer[..length]).map_err(read_error)?;
        self.stored -= read as u64;
        if read == length { Ok(read) } else { Err(invalid("it ends too early")) }
    }

    fn entry(&mut self, header: &Header, extensions: Extensions) -> Result<Entry, ToolError> {
        let Extensions { name, link, pax } = extensions;
        let pax = pax.unwrap_or_default();
        let name = one_of(name, pax.path.clone())?.unwrap_or_else(|| header.name());
        let link = one_of(link, pax.link.clone())?.unwrap_or_else(|| header.link());
        let (mut name, mut is_text) = text_of(&name);
        let (link, link_is_text) = text_of(&link);
        let stored = pax.size.map_or_else(|| header.size(), Ok)?;
        (self.stored, self.padding) = (stored, padding(stored));
        let mut size = stored;
        let what = match header.kind() {
            b'0' | 0 | b'7' if pax.sparse.is_none() => {
                // In archives older than POSIX, only the trailing slash marks a directory.
                if name.ends_with('/') { ArchivedKind::Folder } else { ArchivedKind::File }
            }
            b'0' | 0 | b'7' => {
                let sparse = pax.sparse.as_ref().expect("the arm above takes the others");
                (name, is_text) = sparse.name.as_deref().map_or((name, is_text), text_of);
                let map = self.map_in_content(sparse.real_size)?;
                (size, self.map) = (map.size(), Some(map));
                ArchivedKind::File
            }
            b'S' => {
                let map = self.map_in_header(header)?;
                (size, self.map) = (map.size(), Some(map));
                ArchivedKind::File
            }
            b'1' => ArchivedKind::Same(link),
            b'2' => ArchivedKind::Link(link),
            b'5' => ArchivedKind::Folder,
            b'3' | b'4' | b'6' => ArchivedKind::Special,
            kind => return Err(invalid(format!("`{name}` is an entry of the unknown kind `{}`", kind.escape_ascii()))),
        };
        if what != ArchivedKind::File && stored != 0 {
            return Err(invalid(format!("`{name}` has content, but is no file")));
        }
        let modified = pax.modified.or(header.modified());
        is_text &= link_is_text || !matches!(what, ArchivedKind::Same(_) | ArchivedKind::Link(_));
        Ok(Entry { name, what, mode: header.mode()? & 0o777, modified, size, is_text })
    }

    /// Returns the header of the next entry, or `None` at the end of the archive.
    fn header(&mut self) -> Result<Option<Header>, ToolError> {
        let block = self.block()?;
        if block.iter().any(|byte| *byte != 0) {
            return Header::check(block).map(Some);
        }
        if self.block()?.iter().any(|byte| *byte != 0) {
            return Err(invalid("one block of zeros, where an archive ends with two"));
        }
        self.ended = true;
        self.expect_end().map(|()| None)
    }

    /// Reads to the end of the source. Padding is allowed there, and the index of pixz; anything else would be a second
    /// archive.
    fn expect_end(&mut self) -> Result<(), ToolError> {
        let mut buffer = [0; 8 << 10];
        let mut index = Index::default();
        loop {
            let read = fill(&mut self.source, &mut buffer).map_err(read_error)?;
            let goes_on = if read == 0 { index.is_whole() } else { index.take(&buffer[..read]) };
            if !goes_on {
                return Err(invalid("something follows its end"));
            }
            if read == 0 {
                return Ok(());
            }
        }
    }

    fn block(&mut self) -> Result<[u8; BLOCK], ToolError> {
        let mut block = [0; BLOCK];
        match fill(&mut self.source, &mut block).map_err(read_error)? {
            BLOCK => Ok(block),
            _ => Err(invalid("it ends too early")),
        }
    }

    /// Reads the content of an extension header.
    fn extension(&mut self, header: &Header) -> Result<Vec<u8>, ToolError> {
        let size = header.size()?;
        if size > MAX_EXTENSION {
            return Err(invalid(format!("a name or header of {size} bytes")));
        }
        let mut content = vec![0; size as usize];
        if fill(&mut self.source, &mut content).map_err(read_error)? < content.len() {
            return Err(invalid("it ends too early"));
        }
        self.pass_over(padding(size)).map(|()| content)
    }

    fn pass_over(&mut self, mut bytes: u64) -> Result<(), ToolError> {
        let mut buffer = [0; 32 << 10];
        while bytes > 0 {
            let length = buffer.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
            if fill(&mut self.source, &mut buffer[..length]).map_err(read_error)? < length {
                return Err(invalid("it ends too early"));
            }
            bytes -= length as u64;
        }
        Ok(())
    }

    /// Reads the map of a GNU sparse file, which starts in the header and may continue in further blocks.
    fn map_in_header(&mut self, header: &Header) -> Result<SparseMap, ToolError> {
        let mut map = SparseMap::new(header.real_size()?);
        let mut goes_on = header.sparse_pieces(&mut map)?;
        while goes_on {
            goes_on = header::further_pieces(&self.block()?, &mut map)?;
        }
        map.close(self.stored)
    }

    /// Reads the map of a pax 1.0 sparse file, which is in decimal before the content.
    fn map_in_content(&mut self, real_size: u64) -> Result<SparseMap, ToolError> {
        let mut map = SparseMap::new(real_size);
        let mut lines = sparse::Lines::default();
        while !lines.is_done() {
            let mut block = [0; BLOCK];
            if self.read_stored(&mut block)? < BLOCK {
                return Err(invalid("the map of a file with holes is cut off"));
            }
            lines.take(&block, &mut map)?;
        }
        map.close(self.stored)
    }
}

impl Extensions {
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.link.is_none() && self.pax.is_none()
    }

    fn put_name(&mut self, content: Vec<u8>) -> Result<(), ToolError> {
        put(&mut self.name, until_nul(content))
    }

    fn put_link(&mut self, content: Vec<u8>) -> Result<(), ToolError> {
        put(&mut self.link, until_nul(content))
    }

    fn put_pax(&mut self, pax: Pax) -> Result<(), ToolError> {
        put(&mut self.pax, pax)
    }
}

fn put<T>(place: &mut Option<T>, content: T) -> Result<(), ToolError> {
    match place.replace(content) {
        None => Ok(()),
        Some(_) => Err(invalid("two headers of one kind for one entry")),
    }
}

/// Returns the name from either kind of header, and refuses both together, because readers disagree on which to
/// prefer.
fn one_of(gnu: Option<Vec<u8>>, pax: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, ToolError> {
    match (gnu, pax) {
        (Some(_), Some(_)) => Err(invalid("two names for one entry")),
        (gnu, pax) => Ok(gnu.or(pax)),
    }
}

fn until_nul(mut content: Vec<u8>) -> Vec<u8> {
    let end = content.iter().position(|byte| *byte == 0).unwrap_or(content.len());
    content.truncate(end);
    content
}

fn padding(size: u64) -> u64 {
    (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64
}
