//! The markers of a JPEG file, as far as its decoder does not tell them: whether it is progressive, and whether it was
//! cut off.
//!
//! Only markers are read; the image is not decoded.

/// The markers of a JPEG file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Markers {
    /// Whether the scans refine each other, so that a decoder holds the coefficients of the whole image.
    pub is_progressive: bool,
    /// Whether an end of the image follows its first scan.
    pub has_end: bool,
}

const START_OF_SCAN: u8 = 0xda;
const END_OF_IMAGE: [u8; 2] = [0xff, 0xd9];

impl Markers {
    /// Reads the markers.
    pub fn of(bytes: &[u8]) -> Markers {
        let mut markers = Markers::default();
        // The start of the image has no length.
        let mut at = 2;
        while let Some(found) = memchr::memchr(0xff, bytes.get(at..).unwrap_or_default()) {
            at += found + 1;
            let Some(marker) = bytes.get(at).copied() else { break };
            match marker {
                // Fill bytes, and markers without a length.
                0xff => continue,
                0x00 | 0x01 | 0xd0..=0xd9 => {
                    at += 1;
                    continue;
                }
                START_OF_SCAN => {
                    // In a scan `FF` is followed by 0 or by the number of a restart.
                    markers.has_end = memchr::memmem::rfind(&bytes[at..], &END_OF_IMAGE).is_some();
                    break;
                }
                0xc2 | 0xc6 | 0xca | 0xce => markers.is_progressive = true,
                _ => {}
            }
            let Some([high, low]) = bytes.get(at + 1..at + 3) else { break };
            at += 1 + usize::from(u16::from_be_bytes([*high, *low])).max(2);
        }
        markers
    }
}

#[cfg(test)]
mod tests {
    use super::Markers;

    #[test]
    fn markers_are_read_in_order() {
        let frame = |kind: u8| [&[0xff, 0xd8, 0xff, 0xe1, 0, 4, 0xff, 0xd9, 0xff, kind, 0, 3, 0][..]].concat();
        let whole = |kind| [&frame(kind)[..], &[0xff, 0xff, 0xda, 0, 2, 1, 2, 0xff, 0, 3, 0xff, 0xd9]].concat();
        assert_eq!(Markers::of(&whole(0xc0)), Markers { is_progressive: false, has_end: true });
        assert_eq!(Markers::of(&whole(0xc2)), Markers { is_progressive: true, has_end: true });
        let cut = &whole(0xc2)[..20];
        assert_eq!(Markers::of(cut), Markers { is_progressive: true, has_end: false }, "the end of a thumbnail");
        for length in 0..cut.len() {
            Markers::of(&cut[..length]);
        }
    }
}
