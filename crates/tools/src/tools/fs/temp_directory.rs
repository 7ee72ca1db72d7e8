//! `FS.TempDirectory`: docs/specs/file_system_tool.md, "Clarifying Questions".

use crate::gate::{Context, Tool};
use crate::text::{ToolCode, safe};
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::{Str, print};

use super::operation::Operation;

const SPEC: Spec = Spec {
    name: "FS.TempDirectory",
    wire: "temp_directory",
    aliases: &[],
    keywords: &[
        "temp",
        "temp file",
        "temporary file",
        "tmp",
        "temporary",
        "mkdtemp",
        "tempfile.mkdtemp",
        "mktemp",
        "mkdtempSync",
        "tempdir",
        "os.MkdirTemp",
        "TemporaryDirectory",
        "scratch",
    ],
    summary: "Creates an empty directory, removed when the run ends",
    details: "Creates the directory directly below the root and returns a map with its `path`. Its name is hidden and \
        cannot be guessed, such as `.tmp-ns-0f3a…`, and only this user has access.\n\n\
        Removal: the directory is removed with everything in it when the run ends, even if the run fails or is \
        interrupted. In a session it is removed when the session ends; in `ns call`, where it is of no use, when the \
        call ends. A directory that cannot be removed causes a warning, not an error. A process that is killed leaves \
        its directory behind.\n\n\
        A directory that was moved or renamed is kept, so `FS.MoveFile` makes finished work permanent in one step.",
    effect: Effect::Adds,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[ToolCode::PermissionDenied, ToolCode::NoSpace, ToolCode::IoError],
    example: Example {
        script: "SET work = FS.TempDirectory()\nMUST CALL FS.WriteFile(work.path + \"/part\", \"1\")\nEMIT FS.ReadFile(work.path + \"/part\").content",
        output: "1\n",
    },
};

/// Maximum length of a prefix in bytes.
const MAX_PREFIX: usize = 64;

arguments! {
    struct Args {
        prefix: Str = Is(Literal::Text("ns")), Kind::Text, "recognizable part of the name";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    given.text("prefix").flatten().map_or(Ok(()), |prefix| check_prefix(&prefix))
}

fn check_prefix(prefix: &str) -> Result<(), ToolError> {
    let is_strange = || prefix.contains(['/', '\\', ':']) || safe::hidden(prefix).is_some();
    if prefix.is_empty() || prefix.len() > MAX_PREFIX || is_strange() {
        let message = format!("`prefix` is no part of a name: `{}`", print::shortened(prefix, 40));
        return Err(ToolError::bad_argument("prefix", message)
            .hint("give 1 to 64 bytes without `/`, `\\`, `:` and characters that are not shown"));
    }
    Ok(())
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let prefix = args.prefix.as_text();
    check_prefix(&prefix)?;
    let path = context.make_temporary(&prefix)?;
    Ok(Operation::done("temp_directory", &path, None))
}
