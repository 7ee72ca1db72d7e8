//! `FS.EditFile`: replaces texts in a file by others and changes nothing else.

mod blanks;
mod replace;

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::gate::{Context, Tool};
use crate::sandbox::{PathRule, SandboxError, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{
    Arguments, Effect, Example, Failure, Given, GivenArg, Param, Risk, Settings, Spec, ToolError, arguments,
};
use crate::value::{Map, Str, Value, print};

use super::super::diff::Sides;
use super::encoding::{Choice, MarkedCharset};
use super::operation::Operation;
use super::original::{FileEdit, Original};
use super::replacement::{LineEnds, difference};
use replace::{MATCHES, NearText, Target};

const SPEC: Spec = Spec {
    name: "FS.EditFile",
    wire: "edit_file",
    aliases: &[],
    keywords: &[
        "edit",
        "replace in file",
        "sed",
        "patch",
        "change text",
        "search and replace",
        "str_replace",
        "FS.Replace",
        "modify file",
    ],
    summary: "Replaces exact texts in a file",
    details: "Replaces `old_text` by `new_text` and returns the change as a map: `diff` in the unified format (nil if \
        it does not fit into the answer), `replacements`, `checksum` (SHA-256 of the new content) and `encoding`. \
        Every other byte of the file stays, including byte order mark, line ends and last line end.\n\n\
        Count: `old_text` must occur exactly `expected_count` times, or at least once with `replace_all: true`, \
        counted from the beginning without overlap. Otherwise the file stays, and the call fails with a `conflict` \
        that says how often and where the text occurs, or which line comes nearest.\n\n\
        Several edits: each element of `edits` is a map with `old_text`, `new_text` and, if needed, `expected_count` \
        or `replace_all`. Each edit applies to the result of those before it. If one cannot be made, none is.\n\n\
        Line ends: if all lines of the file end in CRLF, or all in LF, line ends in both texts become those of the \
        file. In a file that mixes them, both texts are taken literally.\n\n\
        Encoding: found as by `FS.ReadFile`. A character that the encoding lacks, and bytes of the file that stand for \
        no character in it, are errors.\n\n\
        Blanks: `ignore_blanks` applies if `old_text` does not occur exactly, or if it begins after the indentation of \
        its line and `new_text` has several lines. Then it matches whole lines that differ from its own only in \
        blanks, at both ends of a line or in how many stand between words.\n\n\
        - New lines that are also among the old ones stay as they are in the file. Others get the indentation that the \
        file has where the old text has theirs; if that is not certain, the edit is a `conflict`.\n\
        - `matched` lists the replaced lines, each match with its `text` and the `line` where it begins (the first \
        ten, 200 characters of each).\n\n\
        Dry run: with `dry_run` the file stays as it is; `diff`, `replacements` and `checksum` describe what the edit \
        would make of it.\n\n\
        Writing: a file with the new content replaces the old one in one step. A reader or a crash sees the old or the \
        new file, and what others write at the same moment is not lost. Owner and permission bits are kept as by \
        `FS.WriteFile`. Other hard links keep the old content (`otherNames`). The old file is kept below \
        `.ns/backups`; with `create_backup: false` the result does not name it, and only `ns undo` restores it.",
    effect: Effect::Writes,
    risk: Risk::Medium,
    requires_approval: false,
    failure: Failure::SuccessMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::NotADirectory,
        ToolCode::Conflict,
        ToolCode::PermissionDenied,
        ToolCode::TooLarge,
        ToolCode::NotText,
        ToolCode::Encoding,
        ToolCode::NoSpace,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"note.txt\", \"one\\ntwo\\n\")\nSET result = FS.EditFile(\"note.txt\", \"two\", \"2\")\nEMIT result.diff",
        output: "--- a/note.txt\n+++ b/note.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\n",
    },
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Change), "file to edit, from the sandbox root";
        old_text | old: Option<Str> = Absent, Kind::Content, "text to replace, exactly as in the file";
        new_text | new: Option<Str> = Absent, Kind::Content, "text to replace it with";
        expected_count: Option<i64> = Absent, Kind::at_least(1), "how often the old text must occur; 1 when left out";
        replace_all: bool = Is(Literal::Bool(false)), Kind::Bool, "whether to replace every occurrence";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the file; UTF-8 or detected when left out";
        create_backup: bool = Is(Literal::Bool(true)), Kind::Bool, "whether the result names the backup";
        if_match: Option<Str> = Absent, Kind::Text, "SHA-256 (hexadecimal) that the file must have";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file that is edited, in MiB";
        edits: Option<Vec<Edit>> = Absent, Kind::Maps(Edit::PARAMS), "several edits instead of `old_text` and `new_text`: each applies to the result of those before; all are made or none";
        ignore_blanks: bool = Is(Literal::Bool(false)), Kind::Bool, "match whole lines although blanks differ, such as tabs and spaces; new lines get the indentation of the file";
        dry_run: bool = Is(Literal::Bool(false)), Kind::Bool, "leave the file as it is and report what would change";
    }
}

arguments! {
    struct Edit {
        old_text | old: Str = Required, Kind::Content, "text to replace, exactly as in the file";
        new_text | new: Str = Required, Kind::Content, "text to replace it with";
        expected_count: Option<i64> = Absent, Kind::at_least(1), "how often the old text must occur; 1 when left out";
        replace_all: bool = Is(Literal::Bool(false)), Kind::Bool, "whether to replace every occurrence";
    }
}

/// FileOperationResult, and the changes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Edited {
    #[serde(flatten)]
    operation: Operation,
    /// How often the text was replaced.
    replacements: usize,
    /// The encoding of the file.
    encoding: String,
    /// SHA-256 of the new content, hexadecimal.
    checksum: String,
    /// The changes as a unified diff.
    diff: Option<String>,
    /// With `ignore_blanks`: the lines that were replaced although they differ from the old text in blanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<Vec<Matched>>,
}

/// Lines that differ from the old text in blanks.
#[derive(Serialize, JsonSchema)]
struct Matched {
    /// The first of them, from 1, when its edit is made.
    line: usize,
    /// Their text, shortened if it is long.
    text: String,
}

impl Matched {
    /// Returns the first of the matches, so that they fit into the answer.
    fn shortened(matches: Vec<NearText>) -> Vec<Matched> {
        let short = |found: NearText| Matched { line: found.line, text: print::shortened(&found.text, MATCH_CHARS) };
        matches.into_iter().take(MATCHES).map(short).collect()
    }
}

/// Maximum number of characters of a near match in the result.
const MATCH_CHARS: usize = 200;
/// Size of an answer without its diff, in bytes.
const REST_OF_ANSWER: usize = 2048;
/// Size of a near match in an answer without its text, in bytes.
const REST_OF_MATCH: usize = 64;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    given.text("if_match").flatten().map_or(Ok(()), |digits| super::digest_of("if_match", &digits).map(drop))?;
    given.text("encoding").flatten().map_or(Ok(()), |name| encoding(&name).map(drop))?;
    if given.is_given("edits") {
        return check_edits(given);
    }
    for name in ["old_text", "new_text"] {
        if !given.is_given(name) {
            let error = ToolError::bad_argument(name, format!("`{}` needs a text for `{name}`", SPEC.name));
            return Err(error.hint("give `old_text` and `new_text`, or several of them in `edits`"));
        }
    }
    check_edit(given)
}

/// Checks a list of edits.
fn check_edits(given: &Given<'_>) -> Result<(), ToolError> {
    for name in ["old_text", "new_text", "expected_count"] {
        if given.is_given(name) {
            let message = format!("`edits` and `{name}` contradict each other");
            return Err(ToolError::bad_argument(name, message).hint("give it in the edits alone"));
        }
    }
    if given.truth("replace_all").flatten() == Some(true) {
        let message = "`edits` and `replace_all` contradict each other";
        return Err(ToolError::bad_argument("replace_all", message).hint("give it in the edits alone"));
    }
    let Some(Some(Value::List(edits))) = given.value("edits") else { return Ok(()) };
    if edits.is_empty() {
        return Err(ToolError::bad_argument("edits", "`edits` is empty").hint("give at least one edit"));
    }
    edits.iter().enumerate().try_for_each(|(index, edit)| {
        let Value::Map(edit) = edit else { return Ok(()) };
        let args: Vec<Option<Value>> = Edit::PARAMS.iter().map(|param| value_of(param, &edit)).collect();
        let args: Vec<GivenArg<'_>> =
            args.iter().map(|arg| arg.as_ref().map_or(GivenArg::Absent, GivenArg::Value)).collect();
        check_edit(&Given::new(Edit::PARAMS, &args)).map_err(|error| in_list(error, index))
    })
}

fn value_of(param: &Param, edit: &Map) -> Option<Value> {
    edit.iter().find(|(key, _)| param.is_called(&key.as_text())).map(|(_, value)| value)
}

/// Checks one edit.
fn check_edit(given: &Given<'_>) -> Result<(), ToolError> {
    let (old, new) = (given.text("old_text").flatten(), given.text("new_text").flatten());
    if old.as_deref() == Some("") {
        return Err(ToolError::bad_argument("old_text", "`old_text` is empty").hint("give the text that is replaced"));
    }
    if old.is_some() && old == new {
        let error = ToolError::bad_argument("new_text", "`old_text` and `new_text` are the same");
        return Err(error.hint("give the text that comes in its place"));
    }
    if given.truth("replace_all").flatten() == Some(true) && given.is_given("expected_count") {
        let message = "`replace_all` and `expected_count` contradict each other";
        return Err(ToolError::bad_argument("expected_count", message).hint("give one of them"));
    }
    Ok(())
}

fn encoding(name: &str) -> Result<Choice, ToolError> {
    match super::encoding_of("encoding", name)? {
        Choice::Base64 => {
            Err(ToolError::bad_argument("encoding", "`base64` is no encoding of texts")
                .hint("name one, or leave it out"))
        }
        choice => Ok(choice),
    }
}

fn run(context: &mut Context<'_>, mut args: Args) -> Result<Edited, ToolError> {
    let edits = Edits::of(&mut args);
    let path = &args.path;
    let asked = args.encoding.as_ref().map(|name| encoding(&name.as_text())).transpose()?;
    let if_match = args.if_match.as_ref().map(|digits| super::digest_of("if_match", &digits.as_text())).transpose()?;
    let changing = FileEdit {
        path,
        max_size_mb: args.max_size_mb,
        reports_backup: args.create_backup,
        if_match,
        is_dry_run: args.dry_run,
        change: None,
    };
    let done = changing.run(context, |context, old| {
        let old = old.ok_or_else(|| at_path(path, SandboxError::NotFound(path.display().to_owned())))?;
        edit(context, old, &args, &edits, asked)
    })?;
    let operation = done.operation(if args.dry_run { "edit (dry run)" } else { "edit" }, path);
    let About { replacements, encoding, diff, matched } = done.about;
    let checksum = super::hex(&Sha256::digest(&done.bytes));
    Ok(Edited { operation, replacements, encoding, checksum, diff, matched })
}

/// The edits of a call.
enum Edits {
    One(Edit),
    Listed(Vec<Edit>),
}

impl Edits {
    /// Takes the edits out of the arguments.
    fn of(args: &mut Args) -> Edits {
        match (args.edits.take(), args.old_text.take(), args.new_text.take()) {
            (Some(edits), ..) => Edits::Listed(edits),
            (None, Some(old_text), Some(new_text)) => {
                let Args { expected_count, replace_all, .. } = *args;
                Edits::One(Edit { old_text, new_text, expected_count, replace_all })
            }
            (None, ..) => unreachable!("the check demands both texts"),
        }
    }

    fn all(&self) -> &[Edit] {
        match self {
            Edits::One(edit) => std::slice::from_ref(edit),
            Edits::Listed(edits) => edits,
        }
    }

    /// Returns an error of the edit with this index.
    fn error(&self, index: usize, error: ToolError) -> ToolError {
        match self {
            Edits::One(_) => error,
            Edits::Listed(_) => in_list(error, index),
        }
    }
}

fn at_path(path: &SandboxPath, error: impl Into<ToolError>) -> ToolError {
    error.into().argument("path").path(path.display())
}

/// The results of an edit besides the new content.
struct About {
    replacements: usize,
    encoding: String,
    diff: Option<String>,
    matched: Option<Vec<Matched>>,
}

/// Returns the new content of the file.
fn edit(
    context: &mut Context<'_>,
    old: &Original,
    args: &Args,
    edits: &Edits,
    asked: Option<Choice>,
) -> Result<(Vec<u8>, About), ToolError> {
    let path = &args.path;
    let encoding = old.charset(path, asked).map_err(|error| at_path(path, error))?;
    let MarkedCharset { charset, mark } = encoding;
    let text = old.text(encoding).map_err(|error| at_path(path, error))?;
    let ends = LineEnds::of(&text);
    let target = Target { path, ends, ignores_blanks: args.ignore_blanks };
    let mut edited = text.clone();
    let mut replacements = 0;
    let mut near_matches = Vec::new();
    for (index, edit) in edits.all().iter().enumerate() {
        let one = super::encoded("new_text", &edit.new_text.as_text(), charset).map(drop);
        let one = one.and_then(|()| target.edit(context, &edited, edit));
        let one = one.map_err(|error| edits.error(index, error))?;
        edited = one.text;
        replacements += one.replacements;
        near_matches.extend(one.near_matches);
    }
    let matched = Matched::shortened(near_matches);
    let diff = difference(path, Sides { old: &text, new: &edited }, context)?;
    let room = context.answer_bytes.unwrap_or(u64::MAX);
    // The answer must not turn out too large after the change is made.
    let diff = Some(diff).filter(|diff| bytes_at_most(diff, &matched) <= room);
    let matched = args.ignore_blanks.then_some(matched);
    let mut bytes = old.bytes[..mark].to_vec();
    bytes.extend_from_slice(&super::encoded("new_text", &edited, charset)?);
    Ok((bytes, About { replacements, encoding: charset.name(), diff, matched }))
}

/// Says of which edit of a list an error is.
fn in_list(error: ToolError, index: usize) -> ToolError {
    if error.limit.is_some() {
        return error;
    }
    let message = format!("{}, for `edits[{index}]`", error.message);
    ToolError { message, ..error }.argument("edits")
}

/// Returns the size that an answer has at most. A byte takes at most six bytes in JSON.
fn bytes_at_most(diff: &str, matched: &[Matched]) -> u64 {
    let matched: usize = matched.iter().map(|found| 6 * found.text.len() + REST_OF_MATCH).sum();
    (diff.len().saturating_mul(6) + matched + REST_OF_ANSWER) as u64
}
