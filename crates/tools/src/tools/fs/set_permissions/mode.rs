//! Modes as `chmod` accepts them: octal digits, or clauses such as `u+x,go-w`.
//!
//! Parsing has no side effects. The set-user-id, set-group-id and sticky bits cannot be set.

/// A parsed mode, to be applied to the permission bits of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Mode {
    /// Exactly these bits.
    Exactly(u32),
    /// Changes that are applied in order.
    Changes(Vec<Change>),
}

/// One change of a symbolic mode, such as `g+w`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bits of all affected classes: `0o700`, `0o070`, `0o007` or a union of them.
    who: u32,
    operator: Operator,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Remove,
    Set,
}

/// The permissions of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// `r`, `w` and `x` as the bits of one class, and `X`: search permission for directories, and execute
    /// permission for files on which some class has it.
    Bits { bits: u32, search: bool },
    /// The permissions of the owner (2), the group (1) or others (0).
    CopyOf(u32),
}

/// Why a mode is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It sets a bit that scripts may not set.
    Special,
    /// It is not a mode.
    Malformed,
}

const OWNER: u32 = 0o700;
const GROUP: u32 = 0o070;
const OTHERS: u32 = 0o007;
const ALL: u32 = OWNER | GROUP | OTHERS;
/// The execute bit of each class.
const EACH: u32 = 0o111;

impl Mode {
    /// Parses a mode.
    pub fn parse(text: &str) -> Result<Mode, Refusal> {
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return octal(text).map(Mode::Exactly);
        }
        let mut changes = Vec::new();
        for clause in text.split(',') {
            read_clause(clause, &mut changes)?;
        }
        Ok(Mode::Changes(changes))
    }

    /// Returns the new bits of a file that has `bits`.
    pub fn apply(&self, bits: u32, is_folder: bool) -> u32 {
        match self {
            Mode::Exactly(exactly) => *exactly,
            Mode::Changes(changes) => changes.iter().fold(bits & ALL, |bits, change| change.apply(bits, is_folder)),
        }
    }
}

impl Change {
    fn apply(self, bits: u32, is_folder: bool) -> u32 {
        let each = match self.what {
            What::Bits { bits: each, search } => each | u32::from(search && (is_folder || bits & EACH != 0)),
            What::CopyOf(place) => bits >> (3 * place) & 0o7,
        };
        let meant = (each * EACH) & self.who;
        match self.operator {
            Operator::Add => bits | meant,
            Operator::Remove => bits & !meant,
            Operator::Set => bits & !self.who | meant,
        }
    }
}

fn octal(text: &str) -> Result<u32, Refusal> {
    if text.len() > 5 || !text.bytes().all(|digit| (b'0'..=b'7').contains(&digit)) {
        return Err(Refusal::Malformed);
    }
    let bits = u32::from_str_radix(text, 8).map_err(|_| Refusal::Malformed)?;
    match bits {
        0..=ALL => Ok(bits),
        0o1000..=0o7777 => Err(Refusal::Special),
        _ => Err(Refusal::Malformed),
    }
}

/// Parses a clause: the classes, then one or more operators, each with its permissions.
fn read_clause(clause: &str, changes: &mut Vec<Change>) -> Result<(), Refusal> {
    let start = clause.find(['+', '-', '=']).ok_or(Refusal::Malformed)?;
    let (whom, mut rest) = clause.split_at(start);
    let mut who = 0;
    for letter in whom.chars() {
        who |= match letter {
            'u' => OWNER,
            'g' => GROUP,
            'o' => OTHERS,
            'a' => ALL,
            _ => return Err(Refusal::Malformed),
        };
    }
    let who = if who == 0 { ALL } else { who };
    while let Some(sign) = rest.chars().next() {
        let operator = match sign {
            '+' => Operator::Add,
            '-' => Operator::Remove,
            _ => Operator::Set,
        };
        let end = rest[1..].find(['+', '-', '=']).map_or(rest.len(), |end| end + 1);
        changes.push(Change { who, operator, what: read_what(&rest[1..end])? });
        rest = &rest[end..];
    }
    Ok(())
}

fn read_what(text: &str) -> Result<What, Refusal> {
    match text {
        "u" => return Ok(What::CopyOf(2)),
        "g" => return Ok(What::CopyOf(1)),
        "o" => return Ok(What::CopyOf(0)),
        _ => {}
    }
    let (mut bits, mut search) = (0, false);
    for letter in text.chars() {
        match letter {
            'r' => bits |= 4,
            'w' => bits |= 2,
            'x' => bits |= 1,
            'X' => search = true,
            's' | 't' => return Err(Refusal::Special),
            _ => return Err(Refusal::Malformed),
        }
    }
    Ok(What::Bits { bits, search })
}

#[cfg(test)]
mod tests {
    use super::{Mode, Refusal};

    #[test]
    fn modes_are_those_of_chmod() {
        for (text, bits, is_folder, result) in [
            ("644", 0o777, false, 0o644),
            ("0755", 0, false, 0o755),
            ("00755", 0, false, 0o755),
            ("0", 0o777, false, 0),
            ("u+x", 0o644, false, 0o744),
            ("go-w", 0o666, false, 0o644),
            ("a=r", 0o755, false, 0o444),
            ("=r", 0o755, false, 0o444),
            ("+x", 0o644, false, 0o755),
            ("u=rwx,go=rx", 0, false, 0o755),
            ("u=rw,g=u,o=g", 0, false, 0o666),
            ("a+X", 0o644, false, 0o644),
            ("a+X", 0o744, false, 0o755),
            ("a+X", 0o600, true, 0o711),
            ("u=", 0o755, false, 0o055),
            ("ug+r-w+x", 0o222, false, 0o552),
            ("o=u", 0o740, false, 0o747),
        ] {
            assert_eq!(Mode::parse(text).expect(text).apply(bits, is_folder), result, "{text} on {bits:o}");
        }
    }

    #[test]
    fn what_no_script_may_set_is_refused() {
        for text in ["4755", "2755", "1777", "7777", "04755", "u+s", "g+s", "+t", "u=rws", "a+x,u+s"] {
            assert_eq!(Mode::parse(text), Err(Refusal::Special), "{text}");
        }
        for text in [
            "",
            "9",
            "888",
            "0o644",
            "rwxr-xr-x",
            "u",
            "u+q",
            "x+r",
            ",",
            "u+x,",
            "10000",
            "000644",
            "-1",
            "é+x",
            "u+é",
        ] {
            assert_eq!(Mode::parse(text), Err(Refusal::Malformed), "{text}");
        }
    }
}
