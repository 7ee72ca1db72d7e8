//! A writer for tar in gzip: ustar, with pax headers for values that do not fit.
//!
//! The same entries always produce the same bytes: owner 0 without names, times in whole seconds, and a gzip
//! header without name, time and operating system.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{ArchivedKind, Entry, Output, Writer};

const BLOCK: u64 = 512;
/// The maximum of eleven octal digits.
const MOST_OCTAL: u64 = 0o77_777_777_777;
/// Maximum length of a name in a header, in bytes.
const MAX_NAME: usize = 100;
/// The time in the headers of pax headers, where readers ignore it, and of entries whose time is unknown or
/// only in a pax header.
const NO_TIME: i64 = 0;

/// A writer of a tar archive in gzip.
pub struct TarWriter {
    encoder: Option<GzEncoder<Vec<u8>>>,
    /// Bytes written for the current entry.
    written: u64,
}

impl TarWriter {
    /// Creates an empty archive.
    pub fn new() -> TarWriter {
        TarWriter { encoder: Some(GzEncoder::new(Vec::new(), Compression::default())), written: 0 }
    }

    fn put(&mut self, bytes: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        let encoder = self.encoder.as_mut().expect("the archive is not finished");
        encoder.write_all(bytes)?;
        out.pending.append(encoder.get_mut());
        Ok(())
    }

    fn pad(&mut self, bytes: u64, out: &mut Output<'_>) -> io::Result<()> {
        let zeros = [0; BLOCK as usize];
        self.put(&zeros[..((BLOCK - bytes % BLOCK) % BLOCK) as usize], out)
    }

    /// Writes a pax header for values that the header of the entry cannot hold.
    fn put_pax(&mut self, entry: &Entry, name: &str, link: &str, out: &mut Output<'_>) -> io::Result<()> {
        let mut records = Vec::new();
        if name.len() > MAX_NAME {
            put_record(&mut records, "path", name);
        }
        if link.len() > MAX_NAME {
            put_record(&mut records, "linkpath", link);
        }
        if entry.size > MOST_OCTAL {
            put_record(&mut records, "size", &entry.size.to_string());
        }
        if let Some(modified) = entry.modified.filter(|seconds| octal_time(*seconds).is_none()) {
            put_record(&mut records, "mtime", &modified.to_string());
        }
        if records.is_empty() {
            return Ok(());
        }
        let size = records.len() as u64;
        let header = header(&Fields { name: "pax", kind: b'x', mode: 0o644, size, modified: NO_TIME, link: "" });
        self.put(&header, out)?;
        self.put(&records, out)?;
        self.pad(size, out)
    }
}

impl Writer for TarWriter {
    fn begin(&mut self, entry: &Entry, out: &mut Output<'_>) -> io::Result<()> {
        let (kind, link) = match &entry.what {
            ArchivedKind::File => (b'0', ""),
            ArchivedKind::Folder => (b'5', ""),
            ArchivedKind::Link(text) => (b'2', text.as_str()),
            ArchivedKind::Special => unreachable!("pipes and devices are never packed"),
            ArchivedKind::Same(name) => (b'1', name.as_str()),
        };
        let name = if kind == b'5' { format!("{}/", entry.name) } else { entry.name.clone() };
        self.put_pax(entry, &name, link, out)?;
        let size = if entry.size > MOST_OCTAL { 0 } else { entry.size };
        let modified = entry.modified.and_then(octal_time).unwrap_or(NO_TIME);
        let fields = Fields { name: &name, kind, mode: entry.mode, size, modified, link };
        self.written = 0;
        self.put(&header(&fields), out)
    }

    fn write(&mut self, bytes: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.put(bytes, out)
    }

    fn end(&mut self, out: &mut Output<'_>) -> io::Result<()> {
        self.pad(self.written, out)
    }

    fn finish(&mut self, out: &mut Output<'_>) -> io::Result<()> {
        self.put(&[0; 2 * BLOCK as usize], out)?;
        let encoder = self.encoder.take().expect("an archive is finished once");
        out.pending.append(&mut encoder.finish()?);
        Ok(())
    }
}

struct Fields<'a> {
    name: &'a str,
    kind: u8,
    mode: u32,
    size: u64,
    modified: i64,
    link: &'a str,
}

fn header(fields: &Fields<'_>) -> [u8; BLOCK as usize] {
    let mut block = [0; BLOCK as usize];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, cut(fields.name));
    put(100, format!("{:07o}", fields.mode).as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{:011o}", fields.size).as_bytes());
    put(136, format!("{:011o}", fields.modified).as_bytes());
    put(148, b"        ");
    put(156, &[fields.kind]);
    put(157, cut(fields.link));
    put(257, b"ustar\x0000");
    put(329, b"0000000");
    put(337, b"0000000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Truncates a name to the length of its header field; the pax header has the full name.
fn cut(name: &str) -> &[u8] {
    &name.as_bytes()[..name.len().min(MAX_NAME)]
}

fn octal_time(seconds: i64) -> Option<i64> {
    (0..=MOST_OCTAL as i64).contains(&seconds).then_some(seconds)
}

/// Appends `LENGTH KEY=VALUE` and a line feed; the length includes its own digits.
fn put_record(records: &mut Vec<u8>, key: &str, value: &str) {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    records.extend_from_slice(format!("{length} {key}={value}\n").as_bytes());
}
