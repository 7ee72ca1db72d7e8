//! `BASE64.Encode`, `BASE64.Decode`.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space, work};
use crate::text::hex;
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::build::TextBuilder;
use super::super::locate;
use super::{FORMS, bytes_of, decoded};

const ENCODE: Spec = Spec::pure(
    "BASE64.Encode",
    "base64_encode",
    "Encodes a text as base64",
    "Encodes the UTF-8 bytes of the text, or the bytes that its hexadecimal digits stand for. With \
        `url_safe`, `-` and `_` replace `+` and `/`, and there is no `=` at the end.",
    Example {
        script: "EMIT BASE64.Encode(\"héllo?\"), \" \", BASE64.Encode(\"ff\", encoding: \"hex\", url_safe: true)",
        output: "aMOpbGxvPw== _w\n",
    },
)
.keywords(&["b64encode", "base64.b64encode", "btoa", "base64_encode", "encode bytes", "EncodeToString"]);
const DECODE: Spec = Spec::pure(
    "BASE64.Decode",
    "base64_decode",
    "Decodes base64 to a text",
    "Both alphabets are accepted, with or without `=` at the end; line breaks and blanks are ignored. Bytes \
        that are not UTF-8 are an error, unless `format` asks for hexadecimal digits.",
    Example {
        script: "EMIT BASE64.Decode(\"aMOpbGxvPw==\"), \" \", BASE64.Decode(\"_w\", format: \"hex\")",
        output: "héllo? ff\n",
    },
)
.keywords(&["b64decode", "base64.b64decode", "atob", "base64_decode", "decode bytes", "DecodeString"]);

arguments! {
    struct Encoded {
        text: Str = Required, Kind::Text, "text, or bytes as text";
        url_safe: bool = Is(Literal::Bool(false)), Kind::Bool, "whether the result is for addresses and names of files";
        encoding: Str = Is(Literal::Text("utf-8")), Kind::Word(FORMS), "how the text stands for bytes";
    }
}

arguments! {
    struct Decoded {
        text: Str = Required, Kind::Text, "base64";
        format: Str = Is(Literal::Text("utf-8")), Kind::Word(&["utf-8", "hex"]), "what the result is";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(ENCODE, encode), Tool::new(DECODE, decode)]
}

fn encode(context: &mut Context<'_>, args: Encoded) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    space::check_string(text.len() / 3 * 4)?;
    space::check(4 * text.len())?;
    let bytes = bytes_of(&text, &args.encoding.as_text())?;
    let mut encoded = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for stretch in bytes.chunks(STRETCH) {
        work::charge_bytes(4 * stretch.len())?;
        if args.url_safe {
            URL_SAFE_NO_PAD.encode_string(stretch, &mut encoded);
        } else {
            STANDARD.encode_string(stretch, &mut encoded);
        }
    }
    space::check_string(encoded.len())?;
    Ok(Str::from_compact(encoded.into()))
}

/// Bytes that are encoded between two charges; a multiple of three.
const STRETCH: usize = 3 << 14;

fn decode(context: &mut Context<'_>, args: Decoded) -> Result<Str, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    space::check(4 * text.len())?;
    let tidy = tidy(&text)?;
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes = decoded(&tidy, &GeneralPurpose::new(&base64::alphabet::STANDARD, lenient))?;
    if &*args.format.as_text() == "hex" {
        let mut digits = TextBuilder::with_room(2 * bytes.len())?;
        bytes.chunks(STRETCH).try_for_each(|stretch| digits.push(&hex(stretch)))?;
        return Ok(digits.into_str());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Str::from_compact(text.into())),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let message = format!("the bytes are no UTF-8: byte {} begins no character", at + 1);
            Err(ToolError::bad_argument("text", message).hint("`format: \"hex\"` gives the bytes"))
        }
    }
}

/// Converts base64 of either alphabet to the standard alphabet and removes white space.
fn tidy(text: &str) -> Result<String, LimitHit> {
    let mut tidy = String::with_capacity(text.len());
    for piece in locate::pieces(text) {
        work::charge_bytes(8 * piece.len())?;
        tidy.extend(piece.chars().filter(|c| !c.is_ascii_whitespace()).map(|c| match c {
            '-' => '+',
            '_' => '/',
            c => c,
        }));
    }
    Ok(tidy)
}
