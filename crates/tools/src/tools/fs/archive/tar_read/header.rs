//! The 512-byte header block of a tar entry.

use crate::toolkit::ToolError;

use super::super::fault::invalid;
use super::sparse::SparseMap;

/// The block size of tar.
pub const BLOCK: usize = 512;

/// A header with a valid checksum.
pub struct Header([u8; BLOCK]);

impl Header {
    /// Validates the checksum of a header block.
    pub fn check(block: [u8; BLOCK]) -> Result<Header, ToolError> {
        let header = Header(block);
        let counted = |byte: fn(u8) -> i64| {
            let outside = |(at, _): &(usize, &u8)| !(148..156).contains(at);
            8 * i64::from(b' ') + header.0.iter().enumerate().filter(outside).map(|(_, b)| byte(*b)).sum::<i64>()
        };
        let stated = number(&header.0[148..156]).ok().and_then(|sum| i64::try_from(sum).ok()).unwrap_or(i64::MAX);
        // Old systems summed the bytes as signed.
        if stated == counted(i64::from) || stated == counted(|byte| i64::from(byte as i8)) {
            Ok(header)
        } else {
            Err(invalid(
                "it is neither zip nor tar, nor in gzip, zstd, xz or bzip2, or it is damaged: a header has a wrong checksum",
            ))
        }
    }

    /// Returns the type flag.
    pub fn kind(&self) -> u8 {
        self.0[156]
    }

    /// Returns the name; POSIX splits long names into two fields.
    pub fn name(&self) -> Vec<u8> {
        let name = text(&self.0[..100]);
        let prefix = text(&self.0[345..500]);
        let is_posix = &self.0[257..263] == b"ustar\0";
        if is_posix && !prefix.is_empty() { [prefix, b"/", name].concat() } else { name.to_vec() }
    }

    /// Returns the target of a link.
    pub fn link(&self) -> Vec<u8> {
        text(&self.0[157..257]).to_vec()
    }

    /// Returns the number of content bytes that follow.
    pub fn size(&self) -> Result<u64, ToolError> {
        number(&self.0[124..136])
    }

    /// Returns the permission bits and other mode bits.
    pub fn mode(&self) -> Result<u32, ToolError> {
        Ok(number(&self.0[100..108])? as u32)
    }

    /// Returns the modification time in seconds since 1970, or `None` if the field is not valid.
    pub fn modified(&self) -> Option<i64> {
        let field = &self.0[136..148];
        // Times before 1970 are binary, in two's complement (GNU).
        if field[0] == 0xff {
            let (high, low) = field.split_at(field.len() - 8);
            let seconds = low.first_chunk().copied().map(i64::from_be_bytes);
            return seconds.filter(|seconds| *seconds < 0 && high.iter().all(|byte| *byte == 0xff));
        }
        number(field).ok().and_then(|seconds| i64::try_from(seconds).ok())
    }

    /// Returns the size of a sparse file, including holes (GNU).
    pub fn real_size(&self) -> Result<u64, ToolError> {
        number(&self.0[483..495])
    }

    /// Adds the pieces of a sparse file to the map (GNU). Returns whether more blocks of pieces follow.
    pub fn sparse_pieces(&self, map: &mut SparseMap) -> Result<bool, ToolError> {
        pieces(&self.0[386..482], map)?;
        Ok(self.0[482] != 0)
    }
}

/// Adds the pieces in an extension block to the map. Returns whether another block follows.
pub fn further_pieces(block: &[u8; BLOCK], map: &mut SparseMap) -> Result<bool, ToolError> {
    pieces(&block[..504], map)?;
    Ok(block[504] != 0)
}

fn pieces(fields: &[u8], map: &mut SparseMap) -> Result<(), ToolError> {
    for piece in fields.chunks_exact(24) {
        if piece[0] == 0 {
            break;
        }
        map.push(number(&piece[..12])?, number(&piece[12..])?)?;
    }
    Ok(())
}

fn text(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    &field[..end]
}

/// Parses a number: octal digits, or a binary number if the highest bit is set (GNU).
fn number(field: &[u8]) -> Result<u64, ToolError> {
    let wrong = || invalid("a header with a number that is none");
    if field[0] & 0x80 != 0 {
        let (first, rest) = (field[0] & 0x7f, &field[1..]);
        let bytes = std::iter::once(&first).chain(rest);
        return bytes.copied().try_fold(0_u64, |sum, byte| {
            sum.checked_mul(256).and_then(|sum| sum.checked_add(byte.into())).ok_or_else(wrong)
        });
    }
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|byte| matches!(byte, 0 | b' ')).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    if rest.iter().any(|byte| !matches!(byte, 0 | b' ')) {
        return Err(wrong());
    }
    digits.iter().try_fold(0_u64, |sum, digit| match digit {
        b'0'..=b'7' => sum.checked_mul(8).map(|sum| sum + u64::from(digit - b'0')).ok_or_else(wrong),
        _ => Err(wrong()),
    })
}
