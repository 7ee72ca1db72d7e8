//! `PATH.WithExtension`, `PATH.WithBase`, `PATH.Sanitize`: file names.

use std::borrow::Cow;

use compact_str::CompactString;

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::sandbox::is_device_name;
use crate::text::safe;
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::Str;

use super::{base, parent, stem};

const WITH_EXTENSION: Spec = Spec::pure(
    "PATH.WithExtension",
    "path_with_extension",
    "Replaces the extension of a path",
    "The dot is optional; the empty text removes the extension.",
    Example { script: "EMIT PATH.WithExtension(\"docs/a.md\", \"html\")", output: "docs/a.html\n" },
)
.keywords(&["with_suffix", "change extension", "set_extension", "replace extension", "with_extension"]);
const WITH_BASE: Spec = Spec::pure(
    "PATH.WithBase",
    "path_with_base",
    "Replaces the last part of a path",
    "The counterpart of `PATH.Base`.",
    Example { script: "EMIT PATH.WithBase(\"docs/a.md\", \"b.md\")", output: "docs/b.md\n" },
)
.keywords(&["with_name", "change file name", "with_file_name"]);
const SANITIZE: Spec = Spec::pure(
    "PATH.Sanitize",
    "path_sanitize",
    "Makes a file name that every system accepts",
    "Returns the name:\n\n\
        - Control characters, invisible characters and `< > : \" / \\ | ? *` become `replacement`, a run of them only \
        one.\n\
        - Dots and blanks at both ends are removed.\n\
        - Device names of Windows get a `_` in front.\n\
        - A name of more than 200 bytes is cut; the extension is kept.\n\
        - A text of which nothing is left becomes `unnamed`.",
    Example { script: "EMIT PATH.Sanitize(\"My: report / v2?.pdf \")", output: "My_ report _ v2_.pdf\n" },
)
.keywords(&["sanitize", "slugify", "slug", "safe file name", "clean file name", "secure_filename", "valid name"])
.also(&["TOOL.SanitizeFilename", "FS.SanitizeFilename"]);

arguments! {
    struct Extended {
        path: Str = Required, Kind::Text, "path with `/` between its parts";
        extension: Str = Required, Kind::Text, "extension that it gets";
    }
}

arguments! {
    struct Based {
        path: Str = Required, Kind::Text, "path with `/` between its parts";
        base | name: Str = Required, Kind::Text, "last part that it gets";
    }
}

arguments! {
    struct Named {
        name: Str = Required, Kind::Text, "text to make a name of";
        replacement: Str = Is(Literal::Text("_")), Kind::Text, "what stands for characters that are not allowed";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(WITH_EXTENSION, |_, args: Extended| {
            let (path, extension) = (args.path.as_text(), args.extension.as_text());
            let extension = extension.strip_prefix('.').unwrap_or(&extension);
            let dot = if extension.is_empty() { "" } else { "." };
            joined(&[parent_of(&path), stem(base(&path)), dot, extension])
        }),
        Tool::new(WITH_BASE, |_, args: Based| joined(&[parent_of(&args.path.as_text()), &args.base.as_text()])),
        Tool::new(SANITIZE, sanitize),
    ]
}

/// Returns everything before the last part, including the slash.
fn parent_of(path: &str) -> &str {
    let parent = parent(path);
    if path[parent.len()..].starts_with('/') { &path[..=parent.len()] } else { parent }
}

fn joined(parts: &[&str]) -> Result<Str, ToolError> {
    let length = parts.iter().map(|part| part.len()).sum();
    space::check_string(length)?;
    let mut text = CompactString::with_capacity(length);
    parts.iter().for_each(|part| text.push_str(part));
    Ok(Str::from_compact(text))
}

/// Maximum length of a name in bytes: less than file systems permit, so that a counter or suffix can be
/// appended.
const MOST: usize = 200;
/// Characters that names on some systems cannot have.
const FORBIDDEN: [char; 9] = ['<', '>', ':', '"', '/', '\\', '|', '?', '*'];
/// Maximum length in bytes of an extension that is kept when a name is truncated.
const LONGEST_EXTENSION: usize = 20;

fn sanitize(context: &mut Context<'_>, args: Named) -> Result<Str, ToolError> {
    let (text, replacement) = (args.name.as_text(), args.replacement.as_text());
    context.spend_text(text.len())?;
    if replacement.len() > MOST || replacement.contains(FORBIDDEN) || safe::hidden(&replacement).is_some() {
        let message = "`replacement` holds what no name may hold, or is too long";
        return Err(ToolError::bad_argument("replacement", message).hint("give `_`, `-` or the empty text"));
    }
    let mut name = String::new();
    // The middle of a very long name would be truncated in any case.
    let text = ends(&text);
    for (at, character) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + character.len_utf8()..]);
        if !FORBIDDEN.contains(&character) && !safe::is_hidden(character, before, after) {
            name.push(character);
        } else if replacement.is_empty() || !name.ends_with(&*replacement) {
            name.push_str(&replacement);
        }
    }
    let name = name.trim_matches(['.', ' ']);
    let name = cut(name);
    Ok(Str::new(&match name.as_str() {
        "" => "unnamed".to_owned(),
        name if is_device_name(name) => format!("_{name}"),
        name => name.to_owned(),
    }))
}

/// Returns the text, or its start and end if it is far too long for a name.
fn ends(text: &str) -> Cow<'_, str> {
    if text.len() <= 4 * MOST {
        return text.into();
    }
    [&text[..text.floor_char_boundary(2 * MOST)], &text[text.ceil_char_boundary(text.len() - MOST)..]].concat().into()
}

/// Truncates a name to [`MOST`] bytes and keeps a short extension.
fn cut(name: &str) -> String {
    if name.len() <= MOST {
        return name.to_owned();
    }
    let extension = super::extension(name).filter(|extension| extension.len() <= LONGEST_EXTENSION);
    let extension = extension.map_or(String::new(), |extension| format!(".{extension}"));
    let head = &name[..name.floor_char_boundary(MOST - extension.len())];
    // A format character is only kept with what it joins.
    let is_loose = |c: char| matches!(c, '.' | ' ') || safe::is_format(c);
    format!("{}{extension}", head.trim_end_matches(is_loose))
}
