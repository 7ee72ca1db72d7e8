//! `MIME.OfName`, `MIME.OfContent`, `MIME.Extensions`: media types.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::gate::{Context, Tool};
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::{Str, Value};

use super::build;
use super::place::base64_fault;

const OF_NAME: Spec = Spec::pure(
    "MIME.OfName",
    "mime_of_name",
    "Returns the content type of a file name's extension",
    "Returns `application/octet-stream`, or `default` if given, for an unknown extension. `FS.FileInfo` and \
        `FS.ReadFile` look at the content too.",
    Example {
        script: "EMIT MIME.OfName(\"photos/a.JPG\"), \" \", MIME.OfName(\"a.unknown\")",
        output: "image/jpeg application/octet-stream\n",
    },
)
.keywords(&["mimetypes.guess_type", "guess_type", "content type", "mime", "media type", "file type"]);
const OF_CONTENT: Spec = Spec::pure(
    "MIME.OfContent",
    "mime_of_content",
    "Detects the content type from the first bytes, nil if it is unknown",
    "`content` is base64, as `FS.ReadFile` returns it with `encoding: \"base64\"`; the first few thousand \
        bytes suffice. Plain text has no signature.",
    Example { script: "EMIT MIME.OfContent(\"iVBORw0KGgo=\")", output: "image/png\n" },
)
.keywords(&["magic", "file command", "detect type", "sniff", "magic.from_buffer", "file type"]);
const EXTENSIONS: Spec = Spec::pure(
    "MIME.Extensions",
    "mime_extensions",
    "Lists the extensions of a content type",
    "Returns them without dots, in alphabetical order; an unknown type gives the empty list.",
    Example { script: "EMIT MIME.Extensions(\"text/csv\")", output: "[\"csv\"]\n" },
)
.keywords(&["guess_extension", "extension of a type"]);

arguments! {
    struct Named {
        name: Str = Required, Kind::Text, "name or path of a file";
        default: Str = Is(Literal::Text("application/octet-stream")), Kind::Text, "type where the extension is not known";
    }
}

arguments! {
    struct Held {
        content: Str = Required, Kind::Text, "first bytes as base64";
    }
}

arguments! {
    struct Typed {
        mime_type: Str = Required, Kind::Text, "type such as `image/png`";
    }
}

/// Number of base64 characters that are examined; a multiple of four.
const LOOKED_AT: usize = 16 << 10;

/// Returns the tools of this file, in listing order.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(OF_NAME, |_, args: Named| {
            let guess = mime_guess::from_path(&*args.name.as_text()).first_raw();
            Ok(guess.map_or(args.default, Str::new))
        }),
        Tool::new(OF_CONTENT, |_, args: Held| of_content(&args.content.as_text())),
        Tool::new(EXTENSIONS, extensions),
    ]
}

/// Returns the type of a file that begins with these bytes, if it is known.
pub fn of_bytes(start: &[u8]) -> Option<&'static str> {
    match start.get(4..12) {
        // The type of what is in HEIF with this encoding.
        Some(b"ftypheic" | b"ftypheix" | b"ftypheim" | b"ftypheis") => Some("image/heic"),
        _ => infer::get(start).map(|kind| kind.mime_type()),
    }
}

fn of_content(content: &str) -> Result<Option<&'static str>, ToolError> {
    let start = content.get(..LOOKED_AT).unwrap_or(content);
    let bytes = STANDARD.decode(start).map_err(|error| {
        ToolError::bad_argument("content", format!("`content` is not base64: {}", base64_fault(&error)))
            .hint("read the file with `encoding: \"base64\"`")
    })?;
    Ok(of_bytes(&bytes))
}

fn extensions(context: &mut Context<'_>, args: Typed) -> Result<AnyList, ToolError> {
    let known = mime_guess::get_mime_extensions_str(&args.mime_type.as_text().to_ascii_lowercase()).unwrap_or_default();
    build::list(context, known.len(), known.iter().map(|extension| Value::text(extension)))
}
