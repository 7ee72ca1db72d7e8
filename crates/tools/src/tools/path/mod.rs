//! `PATH`: functions on paths as texts. They do not access the file system.

mod name;
mod whole;

use std::rc::Rc;

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::{List, Str};

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    let mut tools = vec![
        Tool::new(JOIN, join),
        Tool::new(BASE, |_, args: OnePath| Ok(Str::new(base(&args.path.as_text())))),
        Tool::new(PARENT, |_, args: OnePath| Ok(Str::new(parent(&args.path.as_text())))),
        Tool::new(EXTENSION, |_, args: OnePath| {
            Ok(Str::new(extension(base(&args.path.as_text())).unwrap_or_default()))
        }),
        Tool::new(STEM, |_, args: OnePath| Ok(Str::new(stem(base(&args.path.as_text()))))),
    ];
    tools.extend(name::tools());
    tools.extend(whole::tools());
    tools
}

const JOIN: Spec = Spec::pure(
    "PATH.Join",
    "path_join",
    "Joins parts of a path with `/`",
    "Empty parts and slashes at the joints are left out; a slash at the very beginning stays.",
    Example { script: "EMIT PATH.Join([\"photos/\", \"2024\", \"a.jpg\"])", output: "photos/2024/a.jpg\n" },
)
.keywords(&[
    "os.path.join",
    "path.join",
    "path.resolve",
    "joinpath",
    "filepath.Join",
    "Path.Combine",
    "join paths",
    "File.join",
]);
const BASE: Spec = Spec::pure(
    "PATH.Base",
    "path_base",
    "Returns the last part of a path",
    "A slash at the end does not count.",
    Example { script: "EMIT PATH.Base(\"photos/2024/a.jpg\")", output: "a.jpg\n" },
)
.keywords(&[
    "basename",
    "os.path.basename",
    "path.basename",
    "file name",
    "filename",
    "filepath.Base",
    "file_name",
    "PurePath.name",
]);
const PARENT: Spec = Spec::pure(
    "PATH.Parent",
    "path_parent",
    "Returns a path without its last part",
    "The parent of a single name is the empty text.",
    Example { script: "EMIT PATH.Parent(\"photos/2024/a.jpg\")", output: "photos/2024\n" },
)
.keywords(&["dirname", "os.path.dirname", "path.dirname", "folder of", "parent folder", "filepath.Dir"]);
const EXTENSION: Spec = Spec::pure(
    "PATH.Extension",
    "path_extension",
    "Returns the extension of a path, without its dot",
    "A name without a dot, or with only one at its start, gives the empty text.",
    Example { script: "EMIT PATH.Extension(\"archive.tar.gz\")", output: "gz\n" },
)
.keywords(&[
    "ext",
    "extname",
    "splitext",
    "os.path.splitext",
    "path.extname",
    "extension",
    "suffix",
    "filepath.Ext",
    "file extension",
    "file type",
]);
const STEM: Spec = Spec::pure(
    "PATH.Stem",
    "path_stem",
    "Returns the last part of a path without its extension",
    "The counterpart of `PATH.Extension`.",
    Example { script: "EMIT PATH.Stem(\"photos/a.jpg\")", output: "a\n" },
)
.keywords(&["stem", "file name without extension", "name without extension", "file_stem"]);

arguments! {
    struct Parts {
        parts: Rc<List> = Required, Kind::Texts, "parts of the path, outermost first";
    }
}

arguments! {
    struct OnePath {
        path: Str = Required, Kind::Text, "path with `/` between its parts";
    }
}

fn join(context: &mut Context<'_>, args: Parts) -> Result<Str, ToolError> {
    context.spend(args.parts.len())?;
    let mut path = String::new();
    for part in args.parts.iter() {
        let part = part.as_text().expect("the binder lets only lists of texts through");
        space::check_string(path.len() + 1 + part.len())?;
        if path.is_empty() {
            path.push_str(&part);
            continue;
        }
        let part = part.trim_start_matches('/');
        if !part.is_empty() {
            path.truncate(path.trim_end_matches('/').len());
            path.push('/');
            path.push_str(part);
        }
    }
    Ok(Str::new(&path))
}

fn base(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

fn parent(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rfind('/').map_or("", |at| &path[..at])
}

/// Returns the part of a name after its last dot, or `None` if that dot is the first or last character.
pub fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then_some(extension)
}

fn stem(name: &str) -> &str {
    match extension(name) {
        Some(extension) => &name[..name.len() - extension.len() - 1],
        None => name,
    }
}
