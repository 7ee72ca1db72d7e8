//! The colours and styles of texts on a terminal, as sequences inside the text.
//!
//! Names and contents of files must not change a terminal, not even its colours. So the sequences contain a random
//! number that the process chooses, and a terminal gets those with this number alone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::safe;

/// A colour or a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// Its name.
    pub name: &'static str,
    /// The parameter of the sequence that begins it.
    pub begin: u8,
    /// The parameter of the sequence that ends it. Two styles with the same one cannot be combined.
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

    /// Escapes like [`safe::prose`], but turns the sequences of this process into those of terminals. A style goes on
    /// after the end of the same style inside of it, and all end with the text.
    pub fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(&*self.ending) {
            return safe::prose(text);
        }
        let (text, line_end) = text.strip_suffix('\n').map_or((text, ""), |text| (text, "\n"));
        let mut shown = String::with_capacity(text.len());
        // The open styles, by the parameter that ends them.
        let mut open: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for piece in self.pieces(text) {
            match piece {
                Piece::Text(text) => shown.push_str(&safe::prose(text)),
                Piece::Begin(Appearance { begin, end, .. }) => {
                    open.entry(*end).or_default().push(*begin);
                    shown.extend([SEQUENCE, &begin.to_string(), "m"]);
                }
                Piece::End(end) => {
                    let begun = open.entry(end).or_default();
                    begun.pop();
                    shown.extend([SEQUENCE, &begun.last().unwrap_or(&end).to_string(), "m"]);
                }
            }
        }
        Cow::Owned(shown + RESET + line_end)
    }

    /// Removes the sequences of this process.
    pub fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(&*self.ending) {
            return text.into();
        }
        let texts = self.pieces(text).filter_map(|piece| if let Piece::Text(text) = piece { Some(text) } else { None });
        texts.collect::<String>().into()
    }

    /// Returns the texts and sequences that a text consists of.
    fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = Piece<'t>> {
        let mut parts = text.split(&*self.ending).peekable();
        std::iter::from_fn(move || {
            let part = parts.next()?;
            let found = parts.peek().is_some().then(|| last_sequence(part)).flatten();
            let (text, sequence) = found.map_or((part, None), |(before, sequence)| (before, Some(sequence)));
            Some([Some(Piece::Text(text)), sequence])
        })
        .flatten()
        .flatten()
    }
}

/// A part of a text.
enum Piece<'t> {
    Text(&'t str),
    Begin(&'static Appearance),
    /// The end of a style with this parameter.
    End(u8),
}

/// Returns the sequence at the end of a text, where its number was cut off, and the text before it.
fn last_sequence(text: &str) -> Option<(&str, Piece<'_>)> {
    let (before, parameter) = text.rsplit_once(SEQUENCE)?;
    let parameter: u8 = parameter.parse().ok()?;
    let begin = APPEARANCES.iter().find(|appearance| appearance.begin == parameter).map(Piece::Begin);
    let is_end = || APPEARANCES.iter().any(|appearance| appearance.end == parameter);
    Some((before, begin.or_else(|| is_end().then_some(Piece::End(parameter)))?))
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
            (key.sequence(8), "\\u{1b}[8\x1b[0m"),
            (format!("{red}a{}b{end}c{end}", key.sequence(32)), "\x1b[31ma\x1b[32mb\x1b[31mc\x1b[39m\x1b[0m"),
            (format!("{red}a{end}{end}b{red}c"), "\x1b[31ma\x1b[39m\x1b[39mb\x1b[31mc\x1b[0m"),
        ] {
            assert_eq!(key.shown(&text), shown, "{text:?}");
        }
        assert_eq!(key.plain(&format!("a{red}b{end}c\x1b[31m")), "abc\x1b[31m");
        assert_eq!(key.plain("\x1b[31m"), "\x1b[31m");
    }
}
