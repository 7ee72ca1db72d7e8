//! Construction of archives as bytes, with any field valid or invalid.

#![allow(dead_code, reason = "each test uses its part")]

/// An entry of a tar archive.
pub struct Tar<'a> {
    pub kind: u8,
    pub name: &'a [u8],
    pub link: &'a [u8],
    pub content: &'a [u8],
    pub size: Option<u64>,
    pub mode: u32,
}

impl Default for Tar<'_> {
    fn default() -> Self {
        Tar { kind: b'0', name: b"f", link: b"", content: b"", size: None, mode: 0o644 }
    }
}

/// Returns a file entry.
pub fn file<'a>(name: &'a str, content: &'a str) -> Tar<'a> {
    Tar { name: name.as_bytes(), content: content.as_bytes(), ..Tar::default() }
}

/// Returns a link entry of the given kind.
pub fn link<'a>(kind: u8, name: &'a str, text: &'a str) -> Tar<'a> {
    Tar { kind, name: name.as_bytes(), link: text.as_bytes(), ..Tar::default() }
}

impl Tar<'_> {
    pub fn bytes(&self) -> Vec<u8> {
        let mut block = [0; 512];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, self.name);
        put(100, format!("{:07o}", self.mode).as_bytes());
        put(124, format!("{:011o}", self.size.unwrap_or(self.content.len() as u64)).as_bytes());
        put(136, b"00000000000");
        put(148, b"        ");
        put(156, &[self.kind]);
        put(157, self.link);
        put(257, b"ustar\x0000");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let mut bytes = block.to_vec();
        bytes.extend_from_slice(self.content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    }
}

/// Returns a complete tar archive.
pub fn tar(entries: &[Tar<'_>]) -> Vec<u8> {
    let mut bytes: Vec<u8> = entries.iter().flat_map(Tar::bytes).collect();
    bytes.extend([0; 1024]);
    bytes
}

/// Returns a pax record with the correct length.
pub fn record(key: &str, value: &str) -> Vec<u8> {
    let mut length = key.len() + value.len() + 4;
    while format!("{length} {key}={value}\n").len() != length {
        length += 1;
    }
    format!("{length} {key}={value}\n").into_bytes()
}

/// Compresses bytes with gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// An entry of a zip archive. Both headers agree unless a field says otherwise.
#[derive(Clone)]
pub struct Zip {
    pub name: Vec<u8>,
    pub own_name: Option<Vec<u8>>,
    pub content: Vec<u8>,
    pub data: Vec<u8>,
    pub method: u16,
    pub flags: u16,
    pub mode: u32,
    pub size: Option<u32>,
    pub crc: Option<u32>,
    pub header_at: Option<u32>,
    pub extra: Vec<u8>,
    pub behind: Vec<u8>,
}

impl Zip {
    /// Returns a stored file.
    pub fn stored(name: &str, content: &str) -> Zip {
        Zip {
            name: name.into(),
            own_name: None,
            content: content.into(),
            data: content.into(),
            method: 0,
            flags: 0,
            mode: 0o100_644,
            size: None,
            crc: None,
            header_at: None,
            extra: Vec::new(),
            behind: Vec::new(),
        }
    }

    /// Returns a deflated file.
    pub fn deflated(name: &str, content: &[u8]) -> Zip {
        use std::io::Write;
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(content).expect("memory takes everything");
        let data = encoder.finish().expect("memory takes everything");
        Zip { content: content.into(), data, method: 8, ..Zip::stored(name, "") }
    }

    fn common(&self) -> Vec<u8> {
        let mut crc = flate2::Crc::new();
        crc.update(&self.content);
        let mut bytes = Vec::new();
        for number in [20, self.flags, self.method, 0, 0x21] {
            bytes.extend(u16::to_le_bytes(number));
        }
        let size = self.size.unwrap_or(self.content.len() as u32);
        for number in [self.crc.unwrap_or(crc.sum()), self.data.len() as u32, size] {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }
}

/// Returns a complete zip archive and the offset of its central directory.
pub fn zip_parts(entries: &[Zip]) -> (Vec<u8>, usize) {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for entry in entries {
        let at = bytes.len() as u32;
        let own_name = entry.own_name.as_ref().unwrap_or(&entry.name);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(entry.common());
        bytes.extend((own_name.len() as u16).to_le_bytes());
        bytes.extend((entry.extra.len() as u16).to_le_bytes());
        bytes.extend(own_name);
        bytes.extend(&entry.extra);
        bytes.extend(&entry.data);
        bytes.extend(&entry.behind);
        list.extend(b"PK\x01\x02\x14\x03");
        list.extend(entry.common());
        for number in [entry.name.len() as u16, entry.extra.len() as u16, 0, 0, 0] {
            list.extend(number.to_le_bytes());
        }
        list.extend((entry.mode << 16).to_le_bytes());
        list.extend(entry.header_at.unwrap_or(at).to_le_bytes());
        list.extend(&entry.name);
        list.extend(&entry.extra);
    }
    let directory = bytes.len();
    bytes.extend(&list);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([entries.len() as u16; 2].map(u16::to_le_bytes).concat());
    bytes.extend((list.len() as u32).to_le_bytes());
    bytes.extend((directory as u32).to_le_bytes());
    bytes.extend([0, 0]);
    (bytes, directory)
}

/// Returns a complete zip archive.
pub fn zip(entries: &[Zip]) -> Vec<u8> {
    zip_parts(entries).0
}
