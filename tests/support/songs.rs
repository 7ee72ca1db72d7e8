//! Audio files whose tags have many fields.

#![allow(dead_code, reason = "each test uses its part")]

/// Returns a FLAC file with this many comments of two bytes each.
pub fn flac(comments: u32) -> Vec<u8> {
    let block = [&[0; 4][..], &u32::to_le_bytes(comments), &b"\x02\0\0\0A=".repeat(comments as usize)].concat();
    let length = u32::to_be_bytes(block.len() as u32);
    let stream = [&[0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xf4, 0x00, 0xf0][..], &[0; 20]].concat();
    [b"fLaC\0\0\0\x22", &stream[..], &[0x84], &length[1..], &block].concat()
}

/// Returns an MP3 file with this many frames in its ID3 tag.
pub fn id3(frames: u32) -> Vec<u8> {
    let frame = |number: u32| [&b"TXXX\0\0\0\x0b\0\0\x03"[..], format!("{number:08}\0b").as_bytes()].concat();
    let tag: Vec<u8> = (0..frames).flat_map(frame).collect();
    let size = tag.len() as u32;
    let size: Vec<u8> = [21, 14, 7, 0].iter().map(|by| (size >> by & 0x7f) as u8).collect();
    [b"ID3\x04\0\0", &size[..], &tag, &[0xff, 0xfb, 0x10, 0xc4].repeat(100)].concat()
}
