//! `STR.UrlEncode`, `STR.UrlDecode`: percent-encoding (RFC 3986), and its variant for forms.

use crate::gate::{Context, Tool};
use crate::limits::{MemoryCharge, space, work};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{Str, print};

use super::super::build::TextBuilder;

const ENCODE: Spec = Spec::pure(
    "STR.UrlEncode",
    "str_url_encode",
    "Percent-encodes a text, so that it can be a part of a URL",
    "Returns the encoded text. Of its UTF-8 bytes, letters, digits and `-._~` stay, and every other byte \
        becomes `%` and two hexadecimal digits. ASCII characters in `keep` stay too: `keep: \"/\"` for a path. With \
        `form` a blank becomes `+`.",
    Example {
        script: "EMIT STR.UrlEncode(\"a b/ä.txt\"), \" \", STR.UrlEncode(\"a b/ä.txt\", keep: \"/\")",
        output: "a%20b%2F%C3%A4.txt a%20b/%C3%A4.txt\n",
    },
)
.keywords(&[
    "percent encode",
    "percent-encoding",
    "url encode",
    "encode url",
    "urlencode",
    "encodeURIComponent",
    "encodeURI",
    "quote",
    "urllib.parse.quote",
    "quote_plus",
    "rawurlencode",
    "url.QueryEscape",
    "url.PathEscape",
    "CGI.escape",
    "EscapeDataString",
]);
const DECODE: Spec = Spec::pure(
    "STR.UrlDecode",
    "str_url_decode",
    "Decodes a percent-encoded text",
    "Returns the decoded text. Each `%` with two hexadecimal digits is a byte, and all bytes together are \
        UTF-8. `+` stays as it is; with `form` it is a blank, as in queries of HTML forms.\n\n\
        A `%` without two digits after it, and bytes that are not UTF-8, are errors that state their place. With \
        `lenient` such a `%` stays as it is, and U+FFFD stands for such bytes, as in browsers.",
    Example {
        script: "EMIT STR.UrlDecode(\"a%20b%2F%C3%A4+.txt\"), \" \", STR.UrlDecode(\"a+b\", form: true)",
        output: "a b/ä+.txt a b\n",
    },
)
.keywords(&[
    "percent decode",
    "url decode",
    "decode url",
    "urldecode",
    "decodeURIComponent",
    "decodeURI",
    "unquote",
    "urllib.parse.unquote",
    "unquote_plus",
    "unescape url",
    "rawurldecode",
    "url.QueryUnescape",
    "url.PathUnescape",
    "CGI.unescape",
    "UnescapeDataString",
]);

arguments! {
    struct Encoded {
        text: Str = Required, Kind::Text, "text to encode";
        keep: Str = Is(Literal::Text("")), Kind::Text, "further characters that stay as they are";
        form: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a blank becomes `+`";
    }
}

arguments! {
    struct Decoded {
        text: Str = Required, Kind::Text, "percent-encoded text";
        form: bool = Is(Literal::Bool(false)), Kind::Bool, "whether `+` is a blank";
        lenient: bool = Is(Literal::Bool(false)), Kind::Bool, "whether a `%` without two digits stays as it is, and U+FFFD stands for bytes that are no UTF-8";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(ENCODE, encode), Tool::new(DECODE, decode)]
}

fn encode(context: &mut Context<'_>, args: Encoded) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let kept = Kept::parse(&args.keep.as_text())?;
    let mut encoded = TextBuilder::default();
    for byte in text.bytes() {
        match byte {
            b' ' if args.form => encoded.push("+")?,
            _ if kept.has(byte) => encoded.push_char(char::from(byte))?,
            _ => encoded.push(&format!("%{byte:02X}"))?,
        }
    }
    encoded.finish(context)
}

/// The characters that stay as they are, all of ASCII.
struct Kept([bool; 128]);

impl Kept {
    fn parse(keep: &str) -> Result<Kept, ToolError> {
        let mut kept = Kept([false; 128]);
        for character in ('0'..='9').chain('a'..='z').chain('A'..='Z').chain("-._~".chars()).chain(keep.chars()) {
            work::charge(1)?;
            match kept.0.get_mut(u32::from(character) as usize) {
                Some(is_kept) => *is_kept = true,
                None => {
                    let message = format!("`keep` has `{character}`, which no URL may hold as it is");
                    return Err(ToolError::bad_argument("keep", message).hint("keep characters of ASCII alone"));
                }
            }
        }
        Ok(kept)
    }

    fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).is_some_and(|is_kept| *is_kept)
    }
}

fn decode(context: &mut Context<'_>, args: Decoded) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    space::check_string(text.len())?;
    let _held = MemoryCharge::of(text.len())?;
    let mut bytes = Vec::with_capacity(text.len());
    let mut source = Source { text: &text, at: 0, form: args.form, lenient: args.lenient };
    while let Some(byte) = source.next_byte()? {
        bytes.push(byte);
    }
    match String::from_utf8(bytes) {
        Ok(decoded) => Ok(Str::from_compact(decoded.into())),
        // Bytes that are no UTF-8 took three characters each, so what stands for them is no longer.
        Err(error) if args.lenient => {
            let _held = MemoryCharge::of(text.len())?;
            Ok(Str::from_compact(String::from_utf8_lossy(error.as_bytes()).into_owned().into()))
        }
        Err(error) => Err(not_utf8(&text, error.utf8_error().valid_up_to(), args.form)?),
    }
}

/// An encoded text that is read byte by byte.
struct Source<'a> {
    text: &'a str,
    /// The position of the next byte.
    at: usize,
    form: bool,
    lenient: bool,
}

impl Source<'_> {
    /// Returns the next byte of the decoded text, or `None` at the end.
    fn next_byte(&mut self) -> Result<Option<u8>, ToolError> {
        work::charge_bytes(1)?;
        let rest = &self.text.as_bytes()[self.at..];
        let Some(first) = rest.first() else { return Ok(None) };
        let digit = |at: usize| rest.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let (byte, length) = match (first, digit(1).zip(digit(2))) {
            (b'%', Some((high, low))) => ((high << 4 | low) as u8, 3),
            (b'%', None) if !self.lenient => return Err(self.lone_percent()),
            (b'+', _) if self.form => (b' ', 1),
            _ => (*first, 1),
        };
        self.at += length;
        Ok(Some(byte))
    }

    fn lone_percent(&self) -> ToolError {
        let found: String = self.text[self.at..].chars().take(3).collect();
        let message = format!(
            "`{}` is no `%` with two hexadecimal digits, at character {}",
            found.escape_debug(),
            character_at(self.text, self.at)
        );
        ToolError::bad_argument("text", message).hint("a `%` that is meant itself is written `%25`")
    }
}

/// Returns the number of the character at a position in bytes, from 1.
fn character_at(text: &str, position: usize) -> usize {
    text[..position].chars().count() + 1
}

/// Returns the error for bytes that are no UTF-8, of which the first has an index in the decoded text.
fn not_utf8(text: &str, index: usize, form: bool) -> Result<ToolError, ToolError> {
    let mut source = Source { text, at: 0, form, lenient: false };
    for _ in 0..index {
        source.next_byte()?;
    }
    let shown = print::shortened(&text[source.at..], 20);
    let message = format!("the bytes of `{shown}` are no UTF-8, at character {}", character_at(text, source.at));
    Ok(ToolError::bad_argument("text", message).hint("the text was encoded in another encoding, such as Latin-1"))
}
