//! The colours and styles of texts on a terminal, as sequences inside the text.
//!
//! Only these sequences reach a terminal. None of them hides text: there is no background, no black or white, which may
//! be the terminal's own, and no concealment.

/// A colour or a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// Its name.
    pub name: &'static str,
    /// The sequence that begins it.
    pub begin: &'static str,
    /// The sequence that ends it, and every other one that cannot stand beside it.
    pub end: &'static str,
}

const COLOR_END: &str = "\x1b[39m";
const WEIGHT_END: &str = "\x1b[22m";

/// All colours and styles.
pub const APPEARANCES: [Appearance; 10] = [
    Appearance { name: "red", begin: "\x1b[31m", end: COLOR_END },
    Appearance { name: "green", begin: "\x1b[32m", end: COLOR_END },
    Appearance { name: "yellow", begin: "\x1b[33m", end: COLOR_END },
    Appearance { name: "blue", begin: "\x1b[34m", end: COLOR_END },
    Appearance { name: "magenta", begin: "\x1b[35m", end: COLOR_END },
    Appearance { name: "cyan", begin: "\x1b[36m", end: COLOR_END },
    Appearance { name: "bold", begin: "\x1b[1m", end: WEIGHT_END },
    Appearance { name: "dim", begin: "\x1b[2m", end: WEIGHT_END },
    Appearance { name: "italic", begin: "\x1b[3m", end: "\x1b[23m" },
    Appearance { name: "underline", begin: "\x1b[4m", end: "\x1b[24m" },
];

/// The sequence that ends everything.
pub const RESET: &str = "\x1b[0m";

impl Appearance {
    /// Finds a colour or style by its name.
    pub fn find(name: &str) -> Option<&'static Appearance> {
        APPEARANCES.iter().find(|appearance| appearance.name == name)
    }
}

/// Returns the sequence of a colour or style that a text begins with.
pub fn first_sequence(text: &str) -> Option<&'static str> {
    let sequences = APPEARANCES.iter().flat_map(|appearance| [appearance.begin, appearance.end]);
    sequences.into_iter().find(|sequence| text.starts_with(sequence))
}
