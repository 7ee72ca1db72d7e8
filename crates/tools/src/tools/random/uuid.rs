//! `UUID.New`, `UUID.IsValid`: RFC 9562.

use crate::gate::{Context, Tool};
use crate::text::hex;
use crate::toolkit::{Effect, Example, Spec, ToolError, arguments};
use crate::value::Str;

const NEW: Spec = Spec {
    effect: Effect::Reads,
    ..Spec::pure(
        "UUID.New",
        "uuid_new",
        "Creates a unique identifier",
        "Version 4 is random. Version 7 begins with the current millisecond, so later ones sort after earlier \
        ones.",
        Example {
            script: "EMIT LEN(UUID.New()), \" \", UUID.New()[14], \" \", UUID.New(version: 7)[14]",
            output: "36 4 7\n",
        },
    )
    .keywords(&[
        "uuid",
        "uuid4",
        "uuid.uuid4",
        "guid",
        "randomUUID",
        "crypto.randomUUID",
        "unique id",
        "identifier",
    ])
};
const IS_VALID: Spec = Spec::pure(
    "UUID.IsValid",
    "uuid_is_valid",
    "Tells whether a text is a UUID",
    "The usual form has 32 hexadecimal digits in five groups, in either case.",
    Example {
        script: "EMIT UUID.IsValid(\"f81d4fae-7dec-11d0-a765-00a0c91e6bf6\"), \" \", UUID.IsValid(\"f81d4fae\")",
        output: "true false\n",
    },
)
.keywords(&["is uuid", "validate uuid"]);

arguments! {
    struct Made {
        version: i64 = Is(Literal::Int(4)), Kind::Int { min: 4, max: 7 }, "4 or 7";
    }
}

arguments! {
    struct OneText {
        text: Str = Required, Kind::Text, "text to look at";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![Tool::new(NEW, new), Tool::new(IS_VALID, |_, args: OneText| Ok(is_valid(&args.text.as_text())))]
}

fn new(context: &mut Context<'_>, args: Made) -> Result<Str, ToolError> {
    let mut bytes = [0; 16];
    context.random().fill(&mut bytes);
    match args.version {
        4 => {}
        7 => {
            let moment = context.now().timestamp_millis().to_be_bytes();
            bytes[..6].copy_from_slice(&moment[2..]);
        }
        version => {
            return Err(
                ToolError::bad_argument("version", format!("there is no version {version} here")).hint("give 4 or 7")
            );
        }
    }
    bytes[6] = bytes[6] & 0x0f | (args.version as u8) << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex(&bytes);
    let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(Str::new(&groups.join("-")))
}

fn is_valid(text: &str) -> bool {
    let fits = |(place, byte): (usize, u8)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}
