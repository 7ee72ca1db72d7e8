//! A place in the markup of XML: a tag, a declaration or a document type.

use super::names::{is_blank, is_char};

/// A fault at a byte of the markup.
#[derive(Debug)]
pub struct Fault {
    pub at: usize,
    pub reason: String,
}

impl Fault {
    pub fn new(at: usize, reason: impl Into<String>) -> Fault {
        Fault { at, reason: reason.into() }
    }
}

/// A place in a piece of markup.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'t> {
    pub markup: &'t str,
    pub at: usize,
}

/// An attribute as it is written, with the places of its name and its value.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'t> {
    pub name: &'t str,
    pub at: usize,
    pub value: &'t str,
    pub value_at: usize,
}

impl<'t> Cursor<'t> {
    pub fn rest(&self) -> &'t str {
        &self.markup[self.at..]
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.markup.len()
    }

    /// Takes this text, if it is next.
    pub fn takes(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Takes blanks. Returns whether there are any.
    pub fn takes_blanks(&mut self) -> bool {
        let rest = self.rest();
        let len = rest.len() - rest.trim_start_matches(is_blank).len();
        self.at += len;
        len > 0
    }

    pub fn need_blanks(&mut self) -> Result<(), Fault> {
        if self.takes_blanks() { Ok(()) } else { Err(Fault::new(self.at, "a blank is missing here")) }
    }

    /// Takes everything before a blank or one of these characters.
    pub fn take_word(&mut self, ends: &[char]) -> &'t str {
        let rest = self.rest();
        let len = rest.find(|character| is_blank(character) || ends.contains(&character)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Takes everything before a text, and the text.
    pub fn take_until(&mut self, end: &str) -> Result<&'t str, Fault> {
        let rest = self.rest();
        let Some(len) = rest.find(end) else {
            return Err(Fault::new(self.at, format!("`{end}` is missing behind this")));
        };
        self.at += len + end.len();
        Ok(&rest[..len])
    }

    /// Takes a text in quotes, and returns what is between them.
    pub fn take_quoted(&mut self) -> Result<&'t str, Fault> {
        for quote in ["\"", "'"] {
            if self.takes(quote) {
                return self.take_until(quote);
            }
        }
        Err(Fault::new(self.at, "a value in quotes (`\"` or `'`) is missing here"))
    }

    /// Takes the next attribute, with the blanks before it; `None` at the end.
    pub fn take_attribute(&mut self) -> Result<Option<Attribute<'t>>, Fault> {
        let has_blanks = self.takes_blanks();
        if self.is_at_end() {
            return Ok(None);
        }
        if !has_blanks {
            return Err(Fault::new(self.at, "a blank is missing before the attribute"));
        }
        let at = self.at;
        let name = self.take_word(&['=', '"', '\'', '<']);
        self.takes_blanks();
        if !self.takes("=") {
            return Err(Fault::new(self.at, "an attribute is `name=\"value\"`, and here `=` is missing"));
        }
        self.takes_blanks();
        let value_at = self.at + 1;
        let value = self.take_quoted()?;
        Ok(Some(Attribute { name, at, value, value_at }))
    }
}

/// Returns the text that the reference `&name;` stands for, or `None` if it is not one of XML itself.
pub fn meaning<'b>(name: &'b str, buffer: &'b mut [u8; 4]) -> Option<&'b str> {
    let Some(number) = name.strip_prefix('#') else {
        return quick_xml::escape::resolve_predefined_entity(name);
    };
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    // `from_str_radix` takes a sign too.
    let code = Some(digits).filter(|digits| digits.chars().all(|digit| digit.is_digit(radix)))?;
    let character = u32::from_str_radix(code, radix).ok().and_then(char::from_u32).filter(|found| is_char(*found))?;
    Some(character.encode_utf8(buffer))
}
