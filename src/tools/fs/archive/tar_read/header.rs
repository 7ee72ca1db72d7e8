//! One block of 512 bytes that begins an entry of a tar archive.

use crate::toolkit::ToolError;

use super::super::fault::invalid;
use super::sparse::Map;

/// The unit of tar.
pub const BLOCK: usize = 512;

/// A header whose checksum is right.
pub struct Header([u8; BLOCK]);

impl Header {
    /// Checks that a block is a header.
    pub fn check(block: [u8; BLOCK]) -> Result<Header, ToolError> {
        let header = Header(block);
        let counted = |byte: fn(u8) -> i64| {
            let outside = |(at, _): &(usize, &u8)| !(148..156).contains(at);
            8 * i64::from(b' ') + header.0.iter().enumerate().filter(outside).map(|(_, b)| byte(*b)).sum::<i64>()
        };
        let stated = number(&header.0[148..156]).ok().and_then(|sum| i64::try_from(sum).ok()).unwrap_or(i64::MAX);
        // Old systems counted signed bytes.
        match stated == counted(i64::from) || stated == counted(|byte| i64::from(byte as i8)) {
            true => Ok(header),
            false => Err(invalid("it is neither zip nor tar nor gzip, or damaged: a header has a wrong checksum")),
        }
    }

    /// The letter of its kind.
    pub fn kind(&self) -> u8 {
        self.0[156]
    }

    /// The name; POSIX parts long ones in two.
    pub fn name(&self) -> Vec<u8> {
        let name = text(&self.0[..100]);
        let prefix = text(&self.0[345..500]);
        let is_posix = &self.0[257..263] == b"ustar\0";
        match is_posix && !prefix.is_empty() {
            true => [prefix, b"/", name].concat(),
            false => name.to_vec(),
        }
    }

    /// The text of a link.
    pub fn link(&self) -> Vec<u8> {
        text(&self.0[157..257]).to_vec()
    }

    /// Bytes that follow.
    pub fn size(&self) -> Result<u64, ToolError> {
        number(&self.0[124..136])
    }

    /// Permission bits and more.
    pub fn mode(&self) -> Result<u32, ToolError> {
        Ok(number(&self.0[100..108])? as u32)
    }

    /// Seconds since 1970, where it says something that makes sense.
    pub fn modified(&self) -> Option<i64> {
        let field = &self.0[136..148];
        if field[0] == 0xff {
            return None;
        }
        number(field).ok().and_then(|seconds| i64::try_from(seconds).ok())
    }

    /// The size of a sparse file with its holes (GNU).
    pub fn real_size(&self) -> Result<u64, ToolError> {
        number(&self.0[483..495])
    }

    /// Puts the pieces of a sparse file into the map (GNU), and says whether more blocks of them follow.
    pub fn sparse_pieces(&self, map: &mut Map) -> Result<bool, ToolError> {
        pieces(&self.0[386..482], map)?;
        Ok(self.0[482] != 0)
    }
}

/// The same for a block of further pieces.
pub fn further_pieces(block: &[u8; BLOCK], map: &mut Map) -> Result<bool, ToolError> {
    pieces(&block[..504], map)?;
    Ok(block[504] != 0)
}

fn pieces(fields: &[u8], map: &mut Map) -> Result<(), ToolError> {
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

/// A number: octal digits, or, with the highest bit set, the bytes themselves (GNU).
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
