//! `FS.WriteFile`: docs/specs/file_system_tool.md.

use std::borrow::Cow;

use crate::gate::{Context, Tool};
use crate::limits::space;
use crate::sandbox::{Overwrite, PathRule, Replace, SandboxError, SandboxPath, Writing};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::Str;

use super::encoding::Choice;
use super::operation::Operation;
use super::ownership::ReplacedFile;

const SPEC: Spec = Spec {
    name: "FS.WriteFile",
    wire: "write_file",
    aliases: &["TOOL.WriteFile", "FS.Write"],
    keywords: &[
        "write",
        "save",
        "create file",
        "new file",
        "writeFileSync",
        "write_text",
        "file_put_contents",
        "os.WriteFile",
        "File.write",
        "WriteAllText",
        "touch",
        "overwrite",
        "Set-Content",
    ],
    summary: "Writes a text file, whole or not at all",
    details: "Writes the text to a new file, syncs it, and gives it the name in one step: a reader or a crash sees the \
        old file or the new one. Missing directories are created. The result has `sizeBytes` and, if a file was \
        replaced, `backupPath`.\n\n\
        Encoding: the new file is in `encoding`, whatever the old one was in. The names are those of `FS.ReadFile`; \
        `utf-16` begins with a byte order mark, and `base64` writes the decoded bytes. A character that the encoding \
        lacks is an error, and the old file stays. To write back what `FS.ReadFile` read, pass its `encoding`, and put \
        `\"\\u{FEFF}\"` before the text if its `byteOrderMark` is true. `FS.EditFile` and `FS.AppendFile` keep both by \
        themselves.\n\n\
        Conditions: with `overwrite: false` an existing file is an error, even in a race. With `if_match` a file is \
        replaced only if it has the content that the caller has seen, else the call fails with `conflict`: if several \
        callers change one file at once, one wins.\n\n\
        Backup: the old file is kept below `.ns/backups` for as long as the policy says, and `FS.RestoreBackup` \
        restores it from `backupPath`. With `create_backup: false` no path is returned, and only `ns undo` restores \
        it.\n\n\
        Replacing an existing file:\n\n\
        - The new file gets its permission bits and, if this user may give files away or is a member of the group, its \
        owner and group. Otherwise a warning names the old owner, and set-user-id and set-group-id are cleared.\n\
        - The permissions of the directory decide whether a file may be replaced, not those of the file.\n\
        - Other names of the file (hard links) keep the old content. `otherNames` is their number, if there are any, \
        and a warning says so.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::AlreadyExists,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::Encoding,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "SET result = FS.WriteFile(\"out/note.txt\", \"hello\")\nEMIT result.success, \" \", result.sizeBytes",
        output: "true 5\n",
    },
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE.creating(), Access::Change), "file to write, from the sandbox root";
        content | text: Str = Required, Kind::Content, "text to write";
        encoding: Str = Is(Literal::Text("utf-8")), Kind::Text, "encoding of the file";
        create_backup: bool = Is(Literal::Bool(true)), Kind::Bool, "whether the result names the backup of a replaced file";
        overwrite: bool = Is(Literal::Bool(true)), Kind::Bool, "whether an existing file is replaced";
        if_match: Option<Str> = Absent, Kind::Text, "SHA-256 (hexadecimal) that the file must have to be replaced";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    given.text("if_match").flatten().map_or(Ok(()), |digits| super::digest_of("if_match", &digits).map(drop))?;
    given.text("encoding").flatten().map_or(Ok(()), |name| encoding(&name).map(drop))
}

fn encoding(name: &str) -> Result<Choice, ToolError> {
    match super::encoding_of("encoding", name)? {
        Choice::Auto => {
            Err(ToolError::bad_argument("encoding", "`auto` is for reading alone").hint("name an encoding"))
        }
        choice => Ok(choice),
    }
}

/// Encodes the content of the file.
fn bytes_of(content: &str, choice: Choice) -> Result<Cow<'_, [u8]>, ToolError> {
    match choice {
        Choice::Base64 => super::base64_of("content", content).map(Cow::from),
        Choice::Text(charset) => super::encoded("content", content, charset),
        Choice::Auto => Ok(content.as_bytes().into()),
    }
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Operation, ToolError> {
    let path = &args.path;
    let at_path = |error: ToolError| error.argument("path").path(path.display());
    if path.is_root() || path.wants_folder() {
        let root = || SandboxError::RootItself("written").into();
        return Err(at_path(if path.is_root() { root() } else { super::no_file_path(path) }));
    }
    let if_match = args.if_match.map(|digits| super::digest_of("if_match", &digits.as_text())).transpose()?;
    let text = args.content.as_text();
    space::check(2 * text.len())?;
    let content = bytes_of(&text, encoding(&args.encoding.as_text())?)?;
    let change = context.begin_change(1)?;
    context.begin_write(path, content.len() as u64, content.len() as u64).map_err(at_path)?;
    let known = if args.create_backup { context.admit_keeping(path).map_err(at_path)? } else { None };
    let overwrite = Overwrite {
        store: context.backup_store(path),
        replace: if args.overwrite { Replace::Yes } else { Replace::No },
        is_told: args.create_backup,
        if_match,
    };
    let written = Writing { place: path, overwrite, known }.write(&content, context.meter, &change);
    let written = written.map_err(|error| at_path(super::hint_at_overwriting(error.into())))?;
    let replaced = ReplacedFile::of(path, &written);
    replaced.note_differences(context);
    let done = Operation::done("write", path.display(), Some(content.len() as u64));
    Ok(done.with_backup(written.backup).with_other_names(replaced.other_names()))
}
