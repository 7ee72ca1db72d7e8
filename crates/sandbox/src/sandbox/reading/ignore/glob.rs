//! Wildcards as git interprets them, matched in time linear in the text.
//!
//! A pattern is parsed into a sequence of tokens. Matching simulates an automaton: it keeps the set of all positions in
//! that sequence that are possible so far. There is no backtracking, so no pattern or name can make it slow. Sources of
//! the rules: gitignore(5), and the behaviour of git 2.47 where that page is silent.

/// Maximum number of tokens in a pattern; longer lines are not rules (see [`super::rule`]).
pub const MAX_TOKENS: usize = 4096;

/// The part of a pattern that starts at its first wildcard.
#[derive(Debug)]
pub struct Glob {
    tokens: Vec<Token>,
    /// The literal bytes with which a text must end.
    tail: Vec<u8>,
    /// Literal bytes that a text must contain.
    inside: Vec<u8>,
}

#[derive(Debug)]
enum Token {
    /// This byte itself.
    Byte(u8),
    /// `?`: any byte except `/`.
    Any,
    /// `[…]`: a byte of a set, never `/`.
    Class(Box<Class>),
    /// `*`: any number of bytes except `/`.
    Star,
    /// `**`: any number of bytes.
    Everything,
    /// `**` before a `/`: any bytes before the `/`, or nothing; in the latter case the `/` is omitted too.
    Folders,
}

/// A set of bytes, one bit per byte.
#[derive(Debug, Default)]
struct Class([u64; 4]);

/// The kind of text that a pattern is matched against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A name: `**` means the same as `*`.
    Name,
    /// A path: `*` does not match `/`.
    Path,
}

impl Glob {
    /// Parses a pattern. Returns `None` if it can match nothing, for example because a class is not closed.
    pub fn parse(pattern: &[u8], subject: Subject) -> Option<Glob> {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(&byte) = pattern.get(at) {
            let (token, next) = match byte {
                // A trailing backslash matches no name.
                b'\\' => (Token::Byte(*pattern.get(at + 1)?), at + 2),
                b'?' => (Token::Any, at + 1),
                b'[' => {
                    let (class, next) = Class::parse(pattern, at + 1)?;
                    (Token::Class(Box::new(class)), next)
                }
                b'*' => stars(pattern, at, subject),
                byte => (Token::Byte(byte), at + 1),
            };
            at = next;
            // `**/**/` is equivalent to `**/`. Without such repetitions each byte visits each token at most once.
            match (&token, &tokens[..]) {
                (Token::Folders, [.., Token::Folders, Token::Byte(b'/')]) => at += 1,
                _ => tokens.push(token),
            }
        }
        Some(Glob { tail: tail(&tokens), inside: inside(&tokens), tokens })
    }

    /// Returns an upper bound of the work of one comparison, so that the caller knows when to check the deadline.
    pub fn cost(&self, text: &[u8]) -> usize {
        self.tokens.len() * text.len()
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        if !text.ends_with(&self.tail) || !holds(text, &self.inside) {
            return false;
        }
        match self.tokens.len() {
            0..64 => self.run::<1>(text),
            64..256 => self.run::<4>(text),
            _ => self.run::<{ MAX_TOKENS / 64 + 1 }>(text),
        }
    }

    fn run<const WORDS: usize>(&self, text: &[u8]) -> bool {
        let mut now = Places::<WORDS>::default();
        self.arrive(&mut now, 0);
        for &byte in text {
            let mut next = Places::default();
            now.each(|place| self.step(&mut next, place, byte));
            if next.is_empty() {
                return false;
            }
            now = next;
        }
        now.has(self.tokens.len())
    }

    /// Adds the positions reached from one position by one byte.
    fn step<const WORDS: usize>(&self, next: &mut Places<WORDS>, place: usize, byte: u8) {
        let Some(token) = self.tokens.get(place) else { return };
        let passes = match token {
            Token::Byte(wanted) => byte == *wanted,
            Token::Any => byte != b'/',
            Token::Class(class) => byte != b'/' && class.has(byte),
            Token::Star if byte == b'/' => false,
            Token::Star | Token::Everything | Token::Folders => {
                next.add(place);
                // After at least one byte was consumed, the `/` after `**` is required.
                self.arrive(next, place + 1);
                return;
            }
        };
        if passes {
            self.arrive(next, place + 1);
        }
    }

    /// Adds a position and those reachable from it without consuming a byte.
    fn arrive<const WORDS: usize>(&self, places: &mut Places<WORDS>, place: usize) {
        places.add(place);
        match self.tokens.get(place) {
            Some(Token::Star | Token::Everything) => self.arrive(places, place + 1),
            Some(Token::Folders) => {
                self.arrive(places, place + 1);
                self.arrive(places, place + 2);
            }
            _ => {}
        }
    }
}

/// Returns the token for the stars at a position, and the position after them.
fn stars(pattern: &[u8], at: usize, subject: Subject) -> (Token, usize) {
    let next = at + pattern[at..].iter().take_while(|byte| **byte == b'*').count();
    let stands_alone = next - at > 1 && subject == Subject::Path && (at == 0 || pattern[at - 1] == b'/');
    let token = match &pattern[next..] {
        _ if !stands_alone => Token::Star,
        [] | [b'\\', b'/', ..] => Token::Everything,
        [b'/', ..] => Token::Folders,
        _ => Token::Star,
    };
    (token, next)
}

/// Whether a text contains a part; every text contains the empty part.
fn holds(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}

/// Returns the longest run of literal bytes, without a leading `/` that `**` may omit.
fn inside(tokens: &[Token]) -> Vec<u8> {
    let rows = tokens.split(|token| literal(token).is_none());
    let rows = rows.map(|row| if let [Token::Byte(b'/'), rest @ ..] = row { rest } else { row });
    rows.max_by_key(|row| row.len()).into_iter().flatten().filter_map(literal).collect()
}

fn literal(token: &Token) -> Option<u8> {
    match token {
        Token::Byte(byte) => Some(*byte),
        _ => None,
    }
}

/// Returns the literal bytes at the end, without a `/` that `**` may omit.
fn tail(tokens: &[Token]) -> Vec<u8> {
    let mut tail: Vec<u8> = tokens.iter().rev().map_while(literal).collect();
    tail.reverse();
    let before = tokens.len() - tail.len();
    if before > 0 && matches!(tokens[before - 1], Token::Folders) {
        tail.remove(0);
    }
    tail
}

impl Class {
    /// Parses the class that begins after a `[`. Returns it with the position after its `]`.
    fn parse(pattern: &[u8], mut at: usize) -> Option<(Class, usize)> {
        let mut class = Class::default();
        let negated = matches!(pattern.get(at)?, b'!' | b'^');
        at += usize::from(negated);
        // The possible start of a range: the previous character, unless it ended a range or was a named set.
        let mut before = None;
        let mut first = true;
        loop {
            let byte = *pattern.get(at)?;
            if byte == b']' && !first {
                break;
            }
            first = false;
            at += 1;
            before = match (byte, before) {
                (b'\\', _) => {
                    let escaped = *pattern.get(at)?;
                    at += 1;
                    class.add(escaped);
                    Some(escaped)
                }
                (b'-', Some(start)) if pattern.get(at).is_some_and(|end| *end != b']') => {
                    at += usize::from(pattern[at] == b'\\');
                    let end = *pattern.get(at)?;
                    at += 1;
                    (start..=end).for_each(|byte| class.add(byte));
                    None
                }
                (b'[', _) if pattern.get(at) == Some(&b':') => match named_set(&pattern[at + 1..])? {
                    Some((name, length)) => {
                        (0..=255).filter(|byte| is_in(name, *byte)).for_each(|byte| class.add(byte));
                        at += 1 + length;
                        None
                    }
                    None => {
                        class.add(b'[');
                        Some(b'[')
                    }
                },
                (byte, _) => {
                    class.add(byte);
                    Some(byte)
                }
            };
        }
        if negated {
            class.0 = class.0.map(|word| !word);
        }
        Some((class, at + 1))
    }

    fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

/// A named set, as in `[[:digit:]]`.
#[derive(Clone, Copy, Debug)]
enum Named {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
}

/// Parses the named set whose name begins here. Returns it with the length up to and including its `]`; the inner
/// `None` if the `[:` does not begin a named set, the outer `None` if the pattern cannot match.
fn named_set(text: &[u8]) -> Option<Option<(Named, usize)>> {
    let end = text.iter().position(|byte| *byte == b']')?;
    let Some(name) = text[..end].strip_suffix(b":") else { return Some(None) };
    let named = match name {
        b"alnum" => Named::Alnum,
        b"alpha" => Named::Alpha,
        b"blank" => Named::Blank,
        b"cntrl" => Named::Cntrl,
        b"digit" => Named::Digit,
        b"graph" => Named::Graph,
        b"lower" => Named::Lower,
        b"print" => Named::Print,
        b"punct" => Named::Punct,
        b"space" => Named::Space,
        b"upper" => Named::Upper,
        b"xdigit" => Named::Xdigit,
        _ => return None,
    };
    Some(Some((named, end + 1)))
}

fn is_in(named: Named, byte: u8) -> bool {
    match named {
        Named::Alnum => byte.is_ascii_alphanumeric(),
        Named::Alpha => byte.is_ascii_alphabetic(),
        Named::Blank => matches!(byte, b' ' | b'\t'),
        Named::Cntrl => byte.is_ascii_control(),
        Named::Digit => byte.is_ascii_digit(),
        Named::Graph => byte.is_ascii_graphic(),
        Named::Lower => byte.is_ascii_lowercase(),
        Named::Print => matches!(byte, b' '..=b'~'),
        Named::Punct => byte.is_ascii_punctuation(),
        // git's own table has no form feed or vertical tab here.
        Named::Space => matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        Named::Upper => byte.is_ascii_uppercase(),
        Named::Xdigit => byte.is_ascii_hexdigit(),
    }
}

/// A set of positions in a sequence of tokens.
#[derive(Clone, Copy)]
struct Places<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Default for Places<WORDS> {
    fn default() -> Places<WORDS> {
        Places([0; WORDS])
    }
}

impl<const WORDS: usize> Places<WORDS> {
    fn add(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn each(&self, mut take: impl FnMut(usize)) {
        for (number, word) in self.0.iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                take(number * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}
