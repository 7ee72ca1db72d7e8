//! The index that pixz appends to a tar archive: names with the positions of their headers. It is checked and not used.

/// The first bytes of the index.
const MARK: [u8; 8] = [0xa6, 0x4c, 0x32, 0x2e, 0xd6, 0x14, 0xae, 0xdb];
/// Length of a position in bytes.
const POSITION: u8 = 8;

/// The bytes after the end of an archive, as far as they were read.
#[derive(Debug, Default)]
pub struct Index {
    state: State,
    /// Whether the name that is read has a byte.
    is_named: bool,
}

/// Where in the index the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
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
        self.state = match (self.state, byte) {
            (State::Padding, 0) => State::Padding,
            (State::Padding, _) if byte == MARK[0] => State::Mark(1),
            (State::Mark(read), _) if byte == MARK[usize::from(read)] => {
                if usize::from(read) + 1 == MARK.len() {
                    State::Name
                } else {
                    State::Mark(read + 1)
                }
            }
            (State::Name, 0) => State::Position(0),
            (State::Name, _) => {
                self.is_named = true;
                State::Name
            }
            (State::Position(read), _) if read + 1 < POSITION => State::Position(read + 1),
            (State::Position(_), _) => {
                let is_last = !std::mem::take(&mut self.is_named);
                if is_last { State::End } else { State::Name }
            }
            (State::End, 0) => State::End,
            _ => return false,
        };
        true
    }

    /// Returns whether the end may be here.
    pub fn is_whole(&self) -> bool {
        matches!(self.state, State::Padding | State::End)
    }
}
