//! `FS.SetModified`: sets the modification time of a file or directory.

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::time::moment::{Moment, Zone, read, timestamp};
use super::operation::{Operation, Precision, time_text};

const SPEC: Spec = Spec {
    name: "FS.SetModified",
    wire: "set_modified",
    aliases: &[],
    keywords: &[
        "touch",
        "touch -d",
        "touch -r",
        "utime",
        "os.utime",
        "utimes",
        "utimesSync",
        "os.Chtimes",
        "set mtime",
        "set modified time",
        "change date of a file",
        "timestamp of a file",
        "preserve times",
        "File.utime",
        "SetLastWriteTime",
        "LastWriteTime",
    ],
    summary: "Sets the modification time of a file or directory",
    details: "Sets the time and returns a map with the times `before` and `modified`, both with nine decimals. A file \
        system that stores fewer decimals rounds the time; `modified` is the stored one.\n\n\
        `time` is a time as `TIME` takes it, exact to the nanosecond; without a zone it is UTC. `FS.FileInfo(a, \
        exact_times: true).modified` copies the time of another file.\n\n\
        - The file must exist and belong to the user. The times of creation and access are not set.\n\
        - The time is set on the file that was checked, which is not opened. A symbolic link is followed inside the \
        root.\n\
        - A file with more than one hard link is `policy_denied`: its other names share the time and may be outside \
        the sandbox.\n\
        - Later changes in a directory change its time again, so set it last.\n\n\
        Not available on Windows.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"a.txt\", \"a\")\nMUST CALL FS.SetModified(\"a.txt\", \"2024-05-01T12:30:00.25Z\")\nEMIT LAST.modified\nEMIT FS.FileInfo(\"a.txt\").modified",
        output: "2024-05-01T12:30:00.250000000Z\n2024-05-01T12:30:00Z\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Change), "file or directory, from the sandbox root";
        time | modified: Str = Required, Kind::Text, "time of its last change, such as `2024-05-01T12:30:00.25Z`";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Times {
    #[serde(flatten)]
    operation: Operation,
    /// Time that it had, with nine decimals.
    before: Option<String>,
    /// Time that it has, with nine decimals.
    modified: Option<String>,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    given.text("time").flatten().map_or(Ok(()), |text| parse(&text).map(drop))
}

fn parse(text: &str) -> Result<Moment, ToolError> {
    read("time", text, Zone::parse("time", "Z")?)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Times, ToolError> {
    let path = &args.path;
    let time = timestamp(&parse(&args.time.as_text())?);
    let change = context.begin_change(1)?;
    let set = path.set_modified(time, &change);
    let set = set.map_err(|error| ToolError::from(error).argument("path").path(path.display()))?;
    Ok(Times {
        operation: Operation::done("set_modified", path.display(), None),
        before: time_text(set.before, Precision::Nanoseconds),
        modified: time_text(set.after, Precision::Nanoseconds),
    })
}
