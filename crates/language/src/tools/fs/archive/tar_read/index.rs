//! The index that pixz appends to a tar archive: names with the positions of their headers. It is checked and not used.

/// The first bytes of the index.
const MARK: [u8; 8] = [0xa6, 0x4c, 0x32, 0x2e, 0xd6, 0x14, 0xae, 0xdb];
/// Length of a position in bytes.
const POSITION: u8 = 8;

/// The bytes after the end of an archive, as far as they were read.
#[derive(Debug, Default)]
pub struct Index {
    place: Place,
    /// Whether the name that is read has a byte.
    is_named: bool,
}

/// Where in the index the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// In the padding before it.
    #[default]
    Padding,
    /// In its mark, after so many bytes.
    Mark(u8),
    Name,
    /// In the position after a name, after so many bytes.
    Position(u8),
    /// After the entry without a name, which is the last.
    End,
}

impl Index {
    /// Takes the next bytes. Returns false if they are neither padding nor an index.
    pub fn take(&mut self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| self.take_byte(*byte))
    }

    fn take_byte(&mut self, byte: u8) -> bool {
        self.place = match (self.place, byte) {
            (Place::Padding, 0) => Place::Padding,
            (Place::Padding, _) if byte == MARK[0] => Place::Mark(1),
            (Place::Mark(read), _) if byte == MARK[usize::from(read)] => {
                if usize::from(read) + 1 == MARK.len() {
                    Place::Name
                } else {
                    Place::Mark(read + 1)
                }
            }
            (Place::Name, 0) => Place::Position(0),
            (Place::Name, _) => {
                self.is_named = true;
                Place::Name
            }
            (Place::Position(read), _) if read + 1 < POSITION => Place::Position(read + 1),
            (Place::Position(_), _) => {
                let is_last = !std::mem::take(&mut self.is_named);
                if is_last { Place::End } else { Place::Name }
            }
            (Place::End, 0) => Place::End,
            _ => return false,
        };
        true
    }

    /// Returns whether the end may be here.
    pub fn is_whole(&self) -> bool {
        matches!(self.place, Place::Padding | Place::End)
    }
}
