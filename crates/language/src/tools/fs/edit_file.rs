//! `FS.EditFile`: replaces one text in a file by another and changes nothing else.

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, space};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::{ToolCode, nearest};
use crate::toolkit::{Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::{Str, print};

use super::super::diff::{Sides, unified};
use super::encoding::{Charset, Choice, Decoder, MarkedCharset};
use super::operation::Operation;
use super::original::{FileEdit, Original};

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
    summary: "Replaces one exact text in a file by another",
    details: "`old_text` must occur exactly `expected_count` times (or at least once, with `replace_all: true`), counted \
        from the beginning without overlap; else it is a `conflict` that says how often and where it occurs, or which \
        line comes nearest, and the file stays. Every other byte of the file stays as it is, its byte order mark, its \
        line ends and its last line end too. Where all lines of the file end in CRLF, or all in LF, line ends in \
        both texts become those of the file; in a file that mixes them, both texts are taken as they are. The encoding \
        is found as `FS.ReadFile` finds it; a character that it lacks, and bytes that stand for no character in it, \
        are an error. `diff` shows what changed, in the unified format (nil where it would not fit into the answer). \
        The file is replaced in one step by one with the new content: a reader or a crash sees the old or the new one, \
        other hard links keep the old content (`otherNames`; owner and permission bits are kept as by `FS.WriteFile`), and what others write at the same moment is not lost. The old file is kept \
        below `.ns/backups` (`create_backup: false`: it is not).",
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
        old_text | old: Str = Required, Kind::Content, "text that is replaced, exactly as it stands in the file";
        new_text | new: Str = Required, Kind::Content, "text that comes in its place";
        expected_count: Option<i64> = Absent, Kind::at_least(1), "how often the old text must occur; once when left out";
        replace_all: bool = Is(Literal::Bool(false)), Kind::Bool, "whether it may occur any number of times";
        encoding: Option<Str> = Absent, Kind::Text, "encoding of the file; UTF-8 or what is found when left out";
        create_backup: bool = Is(Literal::Bool(true)), Kind::Bool, "whether the result tells where the old content is kept";
        if_match: Option<Str> = Absent, Kind::Text, "SHA-256 (hexadecimal) that the file must have";
        max_size_mb: i64 = Is(Literal::Int(10)), Kind::Int { min: 0, max: 1 << 30 }, "largest file that is edited, in MiB";
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
}

/// Number of context lines around a change in the diff.
const CONTEXT_LINES: usize = 3;
/// Size of an answer without its diff, in bytes.
const REST_OF_ANSWER: usize = 2048;

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    given.text("if_match").flatten().map_or(Ok(()), |digits| super::digest_of("if_match", &digits).map(drop))?;
    given.text("encoding").flatten().map_or(Ok(()), |name| encoding(&name).map(drop))?;
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

fn run(context: &mut Context<'_>, args: Args) -> Result<Edited, ToolError> {
    let path = &args.path;
    let asked = args.encoding.as_ref().map(|name| encoding(&name.as_text())).transpose()?;
    let if_match = args.if_match.as_ref().map(|digits| super::digest_of("if_match", &digits.as_text())).transpose()?;
    let changing = FileEdit { path, max_size_mb: args.max_size_mb, reports_backup: args.create_backup, if_match };
    let done = changing.run(context, |context, old| {
        let old =
            old.ok_or_else(|| at_path(path, crate::sandbox::SandboxError::NotFound(path.display().to_owned())))?;
        edit(context, old, &args, asked)
    })?;
    let operation = done.operation("edit", path);
    let About { replacements, encoding, diff } = done.about;
    let checksum = super::hex(&Sha256::digest(&done.bytes));
    Ok(Edited { operation, replacements, encoding, checksum, diff })
}

fn at_path(path: &SandboxPath, error: impl Into<ToolError>) -> ToolError {
    error.into().argument("path").path(path.display())
}

/// The results of an edit besides the new content.
struct About {
    replacements: usize,
    encoding: String,
    diff: Option<String>,
}

/// Returns the new content of the file.
fn edit(
    context: &mut Context<'_>,
    old: &Original,
    args: &Args,
    asked: Option<Choice>,
) -> Result<(Vec<u8>, About), ToolError> {
    let path = &args.path;
    let encoding = old.charset(path, asked).map_err(|error| at_path(path, error))?;
    let MarkedCharset { charset, mark } = encoding;
    let text = decoded(old, encoding).map_err(|error| at_path(path, error))?;
    let ends = LineEnds::of(&text);
    let old_text = ends.given_to(&args.old_text.as_text());
    let new_text = ends.given_to(&args.new_text.as_text());
    if old_text == new_text {
        let error =
            ToolError::bad_argument("new_text", "the texts differ in line ends alone, and get those of the file");
        return Err(error.hint("write the file anew to change its line ends"));
    }
    super::encoded("new_text", &new_text, charset)?;
    space::check(text.matches(old_text.as_str()).count().saturating_mul(size_of::<usize>()))?;
    let found: Vec<usize> = text.match_indices(old_text.as_str()).map(|(at, _)| at).collect();
    context.spend_text(text.len())?;
    if args.replace_all && !found.is_empty() || found.len() as i64 == args.expected_count.unwrap_or(1) {
        let edited = replaced(&text, &found, old_text.len(), &new_text)?;
        let diff = difference(context, path, Sides { old: &text, new: &edited })?;
        let mut bytes = old.bytes[..mark].to_vec();
        bytes.extend_from_slice(&super::encoded("new_text", &edited, charset)?);
        return Ok((bytes, About { replacements: found.len(), encoding: charset.name(), diff }));
    }
    let error = if found.is_empty() {
        missing(path, &text, &old_text, ends)
    } else {
        miscounted(path, &text, &found, args.expected_count.unwrap_or(1))
    };
    Err(error.argument("old_text").path(path.display()))
}

/// Decodes a file. Errors: encoding the text again would not restore the exact bytes, because some encodings
/// have two codes for one character.
fn decoded(old: &Original, MarkedCharset { charset, mark }: MarkedCharset) -> Result<String, ToolError> {
    let bytes = &old.bytes[mark..];
    let refuse = |at: Option<usize>| {
        let name = charset.name();
        let line = |at: usize| bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = match at {
            Some(at) => format!("the file has bytes on line {} that are not {name}", line(at)),
            None => format!("the file has bytes that {name} does not give back as they are"),
        };
        ToolError::new(ToolCode::Encoding, message).hint("name the encoding that the file is in: `encoding`")
    };
    if charset == Charset::UTF_8 {
        return str::from_utf8(bytes).map(str::to_owned).map_err(|error| refuse(Some(error.valid_up_to())));
    }
    let mut decoder = Decoder::new(charset);
    let mut text = String::new();
    let whole = decoder.decode(bytes, true, &mut text).is_ok() && !decoder.malformed;
    if whole && super::encoded("old_text", &text, charset).is_ok_and(|again| *again == *bytes) {
        Ok(text)
    } else {
        Err(refuse(None))
    }
}

/// The line ends of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnds {
    Lf,
    Crlf,
    /// Both, or none.
    Any,
}

impl LineEnds {
    fn of(text: &str) -> LineEnds {
        let bytes = text.as_bytes();
        let feeds = bytes.iter().filter(|byte| **byte == b'\n').count();
        let both = bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
        if feeds == 0 {
            LineEnds::Any
        } else if both == feeds {
            LineEnds::Crlf
        } else if both == 0 {
            LineEnds::Lf
        } else {
            LineEnds::Any
        }
    }

    /// Converts a text to these line ends.
    fn given_to(self, text: &str) -> String {
        match self {
            LineEnds::Any => text.to_owned(),
            LineEnds::Lf => text.replace("\r\n", "\n"),
            LineEnds::Crlf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }
}

/// Replaces `length` bytes at each position in `found`.
fn replaced(text: &str, found: &[usize], length: usize, by: &str) -> Result<String, LimitHit> {
    let size = (text.len() - found.len() * length).saturating_add(found.len().saturating_mul(by.len()));
    space::check_string(size)?;
    space::check(size.saturating_mul(2))?;
    let mut edited = String::with_capacity(size);
    let mut rest = 0;
    for at in found {
        edited.push_str(&text[rest..*at]);
        edited.push_str(by);
        rest = at + length;
    }
    edited.push_str(&text[rest..]);
    Ok(edited)
}

fn difference(context: &Context<'_>, path: &SandboxPath, text: Sides<&str>) -> Result<Option<String>, LimitHit> {
    let names = Sides { old: format!("a/{}", path.display()), new: format!("b/{}", path.display()) };
    let names = Sides { old: names.old.as_str(), new: names.new.as_str() };
    let diff = unified(text, names, CONTEXT_LINES, &context.meter.watch())?.text;
    let room = context.answer_bytes.unwrap_or(u64::MAX);
    // The answer must not turn out too large after the change is made. A byte takes at most six bytes in JSON.
    let fits = (diff.len().saturating_mul(6) + REST_OF_ANSWER) as u64 <= room;
    Ok(fits.then_some(diff))
}

/// Returns the error for an old text that does not occur.
fn missing(path: &SandboxPath, text: &str, old_text: &str, ends: LineEnds) -> ToolError {
    let error = ToolError::new(ToolCode::Conflict, format!("`old_text` does not occur in `{}`", path.display()));
    if ends == LineEnds::Any && text.contains('\n') && old_text.contains('\n') {
        return error.hint("the file ends some lines in CRLF and some in LF; give the text with its own line ends");
    }
    match nearest_line(text, old_text) {
        Some((number, line)) => {
            let line = print::shortened(line.trim_end(), 120);
            error.hint(format!("line {number} comes nearest: `{line}`; give the text exactly as it stands in the file"))
        }
        None => error.hint("read the file, and give the text exactly as it stands there"),
    }
}

/// Maximum number of lines compared by character.
const COMPARED_LINES: usize = 2_000;

/// Returns the line of a file that is most similar to the first non-blank line of a text: one that differs only
/// in blanks, else one that contains it, else one with few characters changed.
fn nearest_line<'a>(text: &'a str, wanted: &str) -> Option<(usize, &'a str)> {
    let wanted = wanted.lines().map(str::trim).find(|line| !line.is_empty())?;
    let lines = || text.lines().enumerate().map(|(number, line)| (number + 1, line));
    let same = |line: &str| line.split_whitespace().eq(wanted.split_whitespace());
    lines().find(|(_, line)| same(line)).or_else(|| lines().find(|(_, line)| line.contains(wanted))).or_else(|| {
        let near = nearest(wanted, lines().take(COMPARED_LINES).map(|(_, line)| line.trim()))?;
        lines().find(|(_, line)| line.trim() == near)
    })
}

/// Returns the error for an old text that occurs a different number of times than expected.
fn miscounted(path: &SandboxPath, text: &str, found: &[usize], expected: i64) -> ToolError {
    let times = |count: i64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let count = found.len() as i64;
    let message = format!("`old_text` occurs {} in `{}`, not {}", times(count), path.display(), times(expected));
    let mut lines = Vec::new();
    let (mut line, mut from) = (1, 0);
    for at in found.iter().take(10) {
        line += text[from..*at].matches('\n').count();
        from = *at;
        lines.push(line.to_string());
    }
    let more = if found.len() > lines.len() { ", …" } else { "" };
    let lines = format!("it begins on line {}{more}", lines.join(", "));
    ToolError::new(ToolCode::Conflict, message)
        .hint(format!("{lines}; give more of the text around the one that is meant, or `expected_count: {count}`"))
}
