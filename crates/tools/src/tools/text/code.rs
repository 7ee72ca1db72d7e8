//! `STR.Code`, `STR.FromCodes`.

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::operators::position;
use crate::value::{List, Str, print};

use super::super::build::TextBuilder;
use super::super::range::beyond;

const CODE: Spec = Spec::pure(
    "STR.Code",
    "str_code",
    "Returns the Unicode code point of a character",
    "The code of the first character, or of the one at `index`; negative ones count from the end.",
    Example { script: "EMIT STR.Code(\"A\"), \" \", STR.Code(\"añ\", 1)", output: "65 241\n" },
)
.keywords(&["ord", "charCodeAt", "codepoint", "unicode", "ascii", "codePointAt"]);
const FROM_CODES: Spec = Spec::pure(
    "STR.FromCodes",
    "str_from_codes",
    "Returns the text of Unicode code points",
    "The counterpart of `STR.Code`. Surrogates and numbers above 0x10FFFF are not characters.",
    Example { script: "EMIT STR.FromCodes([72, 105, 128075])", output: "Hi👋\n" },
)
.keywords(&["chr", "fromCharCode", "char", "String.fromCharCode", "fromCodePoint"]);

arguments! {
    struct Coded {
        text: Str = Required, Kind::Text, "text with the character";
        index: i64 = Is(Literal::Int(0)), Kind::Int { min: i64::MIN, max: i64::MAX }, "position of the character";
    }
}

arguments! {
    struct Codes {
        codes: Rc<List> = Required, Kind::List, "numbers of the characters";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(CODE, code), Tool::new(FROM_CODES, from_codes)]
}

fn code(_: &mut Context<'_>, args: Coded) -> Result<u64, ToolError> {
    let length = args.text.char_count();
    let found = position(args.index, length).and_then(|at| args.text.char_at(at));
    found
        .map(|character| u64::from(u32::from(character)))
        .ok_or_else(|| beyond("index", args.index, length, "characters"))
}

fn from_codes(context: &mut Context<'_>, args: Codes) -> Result<Str, ToolError> {
    context.spend(args.codes.len())?;
    let mut text = TextBuilder::default();
    for (index, code) in args.codes.iter().enumerate() {
        let number = code.as_integer().and_then(|number| u32::try_from(number).ok());
        let character = number.and_then(char::from_u32).ok_or_else(|| {
            let message = format!("element {index} is no character's number: {}", print::preview(&code));
            ToolError::bad_argument("codes", message)
        })?;
        text.push_char(character)?;
    }
    text.finish(context)
}
