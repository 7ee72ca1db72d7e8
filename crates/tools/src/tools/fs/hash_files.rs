//! `FS.HashFiles`: the SHA-256 of several files, by several threads.

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Opener, Tool};
use crate::limits::space;
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Access, BareError, Effect, Example, Failure, ListedPath, Risk, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::parallel::{Pace, Parallel, Work};
use super::bulk::{self, GlobOptions, Item, ItemNames};
use super::hashing::{self, HashError, Hashed};

const SPEC: Spec = Spec {
    name: "FS.HashFiles",
    wire: "hash_files",
    aliases: &[],
    keywords: &[
        "hash files",
        "checksums",
        "checksum of many files",
        "sha256sum",
        "manifest",
        "verify files",
        "hashdeep",
        "Get-FileHash",
    ],
    summary: "Computes the SHA-256 of several files",
    details: "Returns a list with a record for each file, in the order of `paths`, or of the paths that `glob` \
        finds:\n\n\
        - `path`: the path as given or found.\n\
        - `checksum`: SHA-256, hexadecimal.\n\
        - `size`: number of bytes read.\n\
        - `error`, `code`: nil for a file that was hashed.\n\n\
        Failures: the first file in this order that cannot be hashed fails the call. With `on_error: \"record\"` it \
        gets a record instead: `error` says why, `code` is the code of the error, and `checksum` and `size` are \
        nil.\n\n\
        A symbolic link is followed inside the sandbox. A `glob` finds files and links; `*` does not match `/`, `**` \
        does, and a name that begins with a dot needs one in the pattern.\n\n\
        Several threads read (`--jobs`), which changes only the time.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Raise,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"hello\")\nMUST CALL FS.WriteFile(\"b.txt\", \"hello\")\nSET files = FS.HashFiles([\"a.txt\", \"b.txt\"])\nEMIT files[0].path, \" \", files[0].checksum == files[1].checksum",
        output: "a.txt true\n",
    },
};

const RULE: PathRule = PathRule::INSIDE;

arguments! {
    struct Args {
        paths: Option<Vec<ListedPath>> = Absent, Kind::Paths(RULE, Access::Read), "files to hash, taken literally";
        glob: Option<Str> = Absent, Kind::Text, "pattern of files to hash instead of `paths`, from the sandbox root";
        on_error: Str = Is(Literal::Text("fail")), Kind::Word(&["fail", "record"]), "a file that cannot be hashed fails the call, or gets a record with its `error`";
    }
}

/// One file.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// The path as given or found.
    path: String,
    /// SHA-256, hexadecimal; nil if the file could not be hashed.
    checksum: Option<String>,
    /// Bytes that were read; nil if the file could not be hashed.
    size: Option<u64>,
    /// Why the file could not be hashed: a sentence; else nil.
    error: Option<String>,
    /// The code of the error; else nil.
    code: Option<&'static str>,
}

/// Bytes of a row and its value, without its texts.
const ROW_BYTES: usize = 512;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(|given, _| bulk::check_several(given, SPEC.name))
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Vec<Row>, ToolError> {
    let fails = &*args.on_error.as_text() == "fail";
    let names = ItemNames { paths: args.paths, glob: args.glob };
    let items = names.items(context, GlobOptions { directories: false, rule: RULE, access: Access::Read })?;
    context.admit_files(items.list.len() as u64).map_err(|error| error.argument(items.argument))?;
    context.spend(items.list.len())?;
    let parallel = Parallel::of(context);
    let opener = context.opener();
    let places: Vec<Location<'_>> = items.list.iter().map(location).collect();
    let work = Work {
        scratch: hashing::buffer,
        apply: |place: &Location<'_>, buffer: &mut Vec<u8>, pace: Pace<'_>| match place {
            Ok(place) => hash(opener, place, buffer, pace),
            Err(error) => Err(error.clone()),
        },
    };
    let all = items.list.len();
    let mut rows: Vec<Row> = Vec::new();
    let mut bytes = 0;
    parallel.map(&places, &work, |_, hashed| {
        context.meter.reach(rows.len() as u64, all as u64);
        let item = &items.list[rows.len()];
        let hashed = hashed.map_err(|error| bulk::of_item(error.into(), &item.name, items.argument));
        let row = match hashed {
            Err(error) if fails || error.limit.is_some() => return Err(bulk::hint_at_rest(error, "hash")),
            hashed => Row::of(&item.name, hashed),
        };
        bytes += row.bytes();
        space::check(bytes)?;
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

/// The resolved path of an item, or why it is refused.
type Location<'a> = Result<&'a SandboxPath, BareError>;

fn location(item: &Item) -> Location<'_> {
    item.place.as_ref().map_err(|error| error.clone().into())
}

fn hash(opener: Opener<'_>, place: &SandboxPath, buffer: &mut [u8], pace: Pace<'_>) -> Result<Hashed, BareError> {
    pace.poll()?;
    let mut open = opener.open(place)?;
    hashing::hash(&mut open.file, buffer, pace).map_err(|error| match error {
        HashError::Io(error) => place.error(&error).into(),
        HashError::Limit(hit) => hit.into(),
    })
}

impl Row {
    fn of(name: &str, hashed: Result<Hashed, ToolError>) -> Row {
        let path = name.to_owned();
        match hashed {
            Ok(Hashed { digest, size }) => {
                Row { path, checksum: Some(super::hex(&digest)), size: Some(size), error: None, code: None }
            }
            Err(error) => {
                Row { path, checksum: None, size: None, error: Some(error.message), code: Some(error.code.id()) }
            }
        }
    }

    /// Returns the memory that the row takes, and its value.
    fn bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        ROW_BYTES + 2 * (self.path.len() + text(&self.checksum) + text(&self.error))
    }
}
