//! The colours and styles of texts on a terminal, as sequences inside the text.
//!
//! Names and contents of files must not change a terminal, not even its colours. So the sequences contain a random
//! number that the process chooses, and a terminal gets those with this number alone.

use std::borrow::Cow;

use super::safe;

/// A colour or a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// Its name.
    pub name: &'static str,
    /// The parameter of the sequence that begins it.
    pub begin: u8,
    /// The parameter of the sequence that ends it, and every other one that cannot stand beside it.
    pub end: u8,
}

const COLOR_END: u8 = 39;
const WEIGHT_END: u8 = 22;

/// All colours and styles. None hides text: black and white may be the colour of the background.
pub const APPEARANCES: [Appearance; 10] = [
    Appearance { name: "red", begin: 31, end: COLOR_END },
    Appearance { name: "green", begin: 32, end: COLOR_END },
    Appearance { name: "yellow", begin: 33, end: COLOR_END },
    Appearance { name: "blue", begin: 34, end: COLOR_END },
    Appearance { name: "magenta", begin: 35, end: COLOR_END },
    Appearance { name: "cyan", begin: 36, end: COLOR_END },
    Appearance { name: "bold", begin: 1, end: WEIGHT_END },
    Appearance { name: "dim", begin: 2, end: WEIGHT_END },
    Appearance { name: "italic", begin: 3, end: 23 },
    Appearance { name: "underline", begin: 4, end: 24 },
];

const SEQUENCE: &str = "\x1b[";
const RESET: &str = "\x1b[0m";

impl Appearance {
    /// Finds a colour or style by its name.
    pub fn find(name: &str) -> Option<&'static Appearance> {
        APPEARANCES.iter().find(|appearance| appearance.name == name)
    }
}

/// The number in the sequences of a process.
#[derive(Debug)]
pub struct ColorKey {
    /// The end of each sequence, with the number as a parameter that terminals ignore.
    ending: String,
}

impl ColorKey {
    /// Creates a key from a random number.
    pub fn new(number: u64) -> ColorKey {
        ColorKey { ending: format!(";{number:020}m") }
    }

    /// Returns the sequence of this process with a parameter.
    pub fn sequence(&self, parameter: u8) -> String {
        format!("{SEQUENCE}{parameter}{}", self.ending)
    }

    /// Escapes like [`safe::prose`], but turns the sequences of this process into those of terminals. They end with the
    /// text.
    pub fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut parts = text.split(&*self.ending);
        let Some(mut part) = parts.next() else { return safe::prose(text) };
        let mut shown = String::new();
        for next in parts {
            match last_parameter(part) {
                Some((before, parameter)) => {
                    shown.push_str(&safe::prose(before));
                    shown.extend([SEQUENCE, &parameter.to_string(), "m"]);
                }
                None => {
                    shown.extend([&*safe::prose(part), &self.ending]);
                }
            }
            part = next;
        }
        if shown.is_empty() {
            return safe::prose(text);
        }
        let (part, line_end) = part.strip_suffix('\n').map_or((part, ""), |part| (part, "\n"));
        Cow::Owned(shown + &safe::prose(part) + RESET + line_end)
    }
}

/// Returns the parameter of the sequence whose number stands behind a text, and the text before the sequence.
fn last_parameter(text: &str) -> Option<(&str, u8)> {
    let (before, parameter) = text.rsplit_once(SEQUENCE)?;
    let known = APPEARANCES.iter().flat_map(|appearance| [appearance.begin, appearance.end]);
    Some((before, known.into_iter().find(|known| known.to_string() == parameter)?))
}

#[cfg(test)]
mod tests {
    use super::ColorKey;

    #[test]
    fn sequences_of_others_are_escaped_and_colours_end_with_the_text() {
        let key = ColorKey::new(7);
        let (red, end) = (key.sequence(31), key.sequence(39));
        for (text, shown) in [
            ("plain\x1b[31m".to_owned(), "plain\\u{1b}[31m"),
            (format!("a{red}b{end}c\n"), "a\x1b[31mb\x1b[39mc\x1b[0m\n"),
            (format!("{red}{end}"), "\x1b[31m\x1b[39m\x1b[0m"),
            (format!("{red}\x1b[8mb\r"), "\x1b[31m\\u{1b}[8mb\\r\x1b[0m"),
            (format!("{red}\x1b]0;title\x07"), "\x1b[31m\\u{1b}]0;title\\u{7}\x1b[0m"),
            (format!("\x1b{red}\x1b"), "\\u{1b}\x1b[31m\\u{1b}\x1b[0m"),
            (ColorKey::new(8).sequence(31), "\\u{1b}[31;00000000000000000008m"),
            (key.sequence(8), "\\u{1b}[8;00000000000000000007m\x1b[0m"),
        ] {
            assert_eq!(key.shown(&text), shown, "{text:?}");
        }
    }
}
