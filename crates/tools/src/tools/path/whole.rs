//! `PATH.Parts`, `PATH.Normalize`, `PATH.Relative`, `PATH.IsAbsolute`, `PATH.Matches`.

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space, work};
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::{Str, Value};

use super::super::build::ListBuilder;
use super::super::glob::{PATTERN, Pattern};
use super::base;

const PARTS: Spec = Spec::pure(
    "PATH.Parts",
    "path_parts",
    "Returns the parts of a path between its slashes",
    "Empty parts are left out; a slash at the very beginning is a part of its own.",
    Example { script: "EMIT PATH.Parts(\"/a//b/c.txt\")", output: "[\"/\", \"a\", \"b\", \"c.txt\"]\n" },
)
.keywords(&["parts of path", "split path", "os.path.split", "os.sep", "components"]);
const NORMALIZE: Spec = Spec::pure(
    "PATH.Normalize",
    "path_normalize",
    "Resolves `.`, `..` and doubled slashes in a path",
    "Only the text is used; links are not read, and if a part is a link, `..` after it leads elsewhere. A \
        `..` with nothing before it stays, except at the root. The empty path becomes `.`.",
    Example { script: "EMIT PATH.Normalize(\"a/./b//../c/\")", output: "a/c\n" },
)
.keywords(&[
    "normpath",
    "os.path.normpath",
    "path.normalize",
    "abspath",
    "os.path.abspath",
    "clean",
    "filepath.Clean",
    "canonical",
    "realpath",
]);
const RELATIVE: Spec = Spec::pure(
    "PATH.Relative",
    "path_relative",
    "Returns the path from a directory to another path",
    "Both are normalized first, and both are absolute or neither is; `start` may not begin with `..`.",
    Example { script: "EMIT PATH.Relative(\"a/b/c.txt\", \"a/d\")", output: "../b/c.txt\n" },
)
.keywords(&["relpath", "os.path.relpath", "relative_to", "path.relative", "filepath.Rel", "relative path"]);
const IS_ABSOLUTE: Spec = Spec::pure(
    "PATH.IsAbsolute",
    "path_is_absolute",
    "Tells whether a path begins at the root",
    "That is, with a slash.",
    Example { script: "EMIT PATH.IsAbsolute(\"/etc\"), \" \", PATH.IsAbsolute(\"etc\")", output: "true false\n" },
)
.keywords(&["isabs", "os.path.isabs", "is_absolute", "path.isAbsolute"]);
const MATCHES: Spec = Spec::pure(
    "PATH.Matches",
    "path_matches",
    "Tells whether a path matches a pattern",
    "Returns true or false. A pattern without `/` is compared with the last part of the path, one with `/` \
        with the whole path. `*` and `?` do not match `/`, `**` does; `[…]` is a set and `{a,b}` a choice. \
        `FS.FindFiles` reads patterns in the same way.",
    Example {
        script: "EMIT PATH.Matches(\"src/a/b.rs\", \"*.rs\"), \" \", PATH.Matches(\"src/a/b.rs\", \"src/*.rs\")",
        output: "true false\n",
    },
)
.keywords(&["fnmatch", "fnmatch.fnmatch", "glob match", "path.match", "filepath.Match", "minimatch", "wildcard"]);

arguments! {
    struct OnePath {
        path: Str = Required, Kind::Text, "path with `/` between its parts";
    }
}

arguments! {
    struct FromPath {
        path: Str = Required, Kind::Text, "place to go to";
        start: Str = Required, Kind::Text, "directory to go from";
    }
}

arguments! {
    struct Matched {
        path: Str = Required, Kind::Text, "path with `/` between its parts";
        pattern | glob: Str = Required, Kind::Form(PATTERN), "pattern such as `*.md`";
    }
}

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(PARTS, parts),
        Tool::new(NORMALIZE, |context, args: OnePath| {
            let path = args.path.as_text();
            context.spend_text(path.len())?;
            space::check(5 * path.len())?;
            Ok(Str::new(&joined(&normal(&path)?, path.starts_with('/'))))
        }),
        Tool::new(RELATIVE, relative),
        Tool::new(IS_ABSOLUTE, |_, args: OnePath| Ok(args.path.as_text().starts_with('/'))),
        Tool::new(MATCHES, |context, args: Matched| {
            let path = args.path.as_text();
            if path.len() > LONGEST {
                let message = format!("the path has {} bytes, and none has more than {LONGEST}", path.len());
                return Err(ToolError::bad_argument("path", message));
            }
            context.spend_text(path.len())?;
            let pattern = Pattern::cached("pattern", &args.pattern.as_text())?;
            Ok(pattern.fits(base(&path), || (&*path).into()))
        }),
    ]
}

fn parts(context: &mut Context<'_>, args: OnePath) -> Result<AnyList, ToolError> {
    let path = args.path.as_text();
    let mut list = ListBuilder::default();
    if path.starts_with('/') {
        list.push(context, Value::text("/"))?;
    }
    for part in path.split('/').filter(|part| !part.is_empty()) {
        list.push(context, Value::text(part))?;
    }
    list.finish()
}

/// Maximum length in bytes of a path that is matched against a pattern: far more than any system permits.
const LONGEST: usize = 64 << 10;

/// Returns the parts of a path after normalization.
fn normal(path: &str) -> Result<Vec<&str>, LimitHit> {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        work::charge(1)?;
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    Ok(parts)
}

fn joined(parts: &[&str], is_absolute: bool) -> String {
    match (is_absolute, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => parts.join("/"),
    }
}

fn relative(context: &mut Context<'_>, args: FromPath) -> Result<Str, ToolError> {
    let (path, start) = (args.path.as_text(), args.start.as_text());
    context.spend_text(path.len() + start.len())?;
    space::check(10 * (path.len() + start.len()))?;
    if path.starts_with('/') != start.starts_with('/') {
        return Err(ToolError::bad_argument("start", "`path` and `start` are both absolute, or neither is"));
    }
    let (to, from) = (normal(&path)?, normal(&start)?);
    let common = to.iter().zip(&from).take_while(|(to, from)| to == from).count();
    if from[common..].contains(&"..") {
        return Err(ToolError::bad_argument("start", "nobody knows what lies below a `..` of `start`"));
    }
    let up = from[common..].iter().map(|_| "..");
    let parts: Vec<&str> = up.chain(to[common..].iter().copied()).collect();
    Ok(Str::new(&joined(&parts, false)))
}
